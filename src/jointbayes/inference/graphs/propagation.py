r"""Answers of factor graphs that no elimination fits: marginals and log Z, approximately.

Belief propagation is told in `jointbayes._kernels.beliefs`. On trees its beliefs are the marginals,
and its sum is log Z; on graphs with cycles both are approximate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jointbayes._kernels import settled_beliefs
from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.flat import flatten
from jointbayes.inference.graphs.plan import Plan
from jointbayes.inference.sampling import draw_codes
from jointbayes.threads import n_threads

__all__ = ["believe", "mix_by_flips"]


SWEEPS = 10


def believe(
    plan: Plan, tables: Sequence[Floats], n_jobs: int | None = None
) -> tuple[list[Floats], Floats]:
    """Return marginals (n, k) of every variable and log Z (n,), each row having a possible vector.

    Examples
    --------
    On a chain of labels that agree three times as often as not it is exact:

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> plan = plan_factors([(0, 1), (1, 2)], (2, 2, 2))
    >>> agree, known = np.log([[[3.0], [1.0]], [[1.0], [3.0]]]), np.array([[[0.0]], [[-np.inf]]])
    >>> marginals, log_z = believe(plan, [agree + known, agree])
    >>> marginals[2].round(6).tolist(), np.exp(log_z).round(6).tolist()
    ([[0.625, 0.375]], [16.0])
    """
    graph = flatten(plan, tables)
    threads = n_threads(n_jobs)
    parts = [settled_beliefs(*graph.structure, rows, threads) for rows in graph.blocks()]
    whole, log_z = map(np.concatenate, zip(*parts, strict=True))
    return np.split(whole, np.cumsum(plan.cards)[:-1], axis=1), log_z


def mix_by_flips(
    plan: Plan, tables: Sequence[Floats], start: Labels, rng: np.random.Generator
) -> Labels:
    """Draw every label anew given all others, ``SWEEPS`` times, from vectors (size, n, d) on.

    These steps leave the exact distribution as it is (Gibbs sampling); how far a start of another
    distribution is forgotten depends on the graph.

    Examples
    --------
    Two labels that agree nine times in ten, from a start where they never do:

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> agree = np.log([[[9.0], [1.0]], [[1.0], [9.0]]])
    >>> start = np.tile([0, 1], (10_000, 1, 1))
    >>> plan = plan_factors([(0, 1)], (2, 2))
    >>> drawn = mix_by_flips(plan, [agree], start, np.random.default_rng(0))
    >>> float((drawn[..., 0] == drawn[..., 1]).mean().round(2))
    0.9
    """
    codes, rows = np.moveaxis(start, -1, 0).copy(), np.arange(start.shape[1])[None]
    pairs = list(zip(tables, plan.scopes, strict=True))
    for _ in range(SWEEPS):
        for v, card in enumerate(plan.cards):
            logits = np.zeros((card, *codes.shape[1:]))
            for table, scope in ((t, s) for t, s in pairs if v in s):
                axis = scope.index(v)
                rest = codes[[w for w in scope if w != v]]
                logits += np.moveaxis(table, axis, 0)[(slice(None), *rest, rows)]
            p = np.exp(logits - logits.max(axis=0))
            codes[v] = draw_codes(np.moveaxis(p, 0, -1), rng.random(codes.shape[1:]))
    return np.moveaxis(codes, 0, -1)
