r"""Belief propagation: marginals of factor graphs that no elimination fits, approximately.

Each factor f tells each of its variables v, and hears h in turn,

.. math::
    m_{f v}(y) = \log \sum_{y_f:\, y_v = y} \exp\big(t_f(y_f) + \sum_{w \ne v} h_{w f}(y_w)\big),
    \qquad h_{w f} = \sum_{g \ne f} m_{g w}                                           (1)

until the beliefs :math:`b_v \propto \exp \sum_f m_{f v}` rest. Half of every message is that of the
round before (damping), which keeps most graphs from swinging. On trees the beliefs are the
marginals, and Bethe's sum over factors and variables, n_v factors around v, is log Z:

.. math::
    \log Z \approx \sum_f \big(E_{b_f} t_f + H(b_f)\big) + \sum_v (1 - n_v) H(b_v)       (2)

On graphs with cycles both are approximate. A row that rests is done with, whatever its neighbours
do. Tables of one shape are stacked, so that a round is a handful of operations for any number of
factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jointbayes.inference.execute import draw
from jointbayes.inference.plan import Plan, Table

__all__ = ["believe", "mix_by_flips"]

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]

DAMPING, ROUNDS, REST = 0.5, 200, 1e-7
SWEEPS = 10
LOWEST = -700.0
"""Log-probability that stands for 0 in messages: its exponential is still a positive number."""


@dataclass(frozen=True)
class _Group:
    """Factors of one shape: which variables (F, a), their tables (F, values …, n)."""

    scopes: Labels
    tables: Floats

    def others(self, axis: int) -> tuple[int, ...]:
        return tuple(1 + i for i in range(self.scopes.shape[1]) if i != axis)

    def add_up(self, told: Sequence[Floats], total: Floats) -> None:
        """Add the messages (F, k, n) to each axis to those of its variables (d, k, n)."""
        for v, own in zip(self.scopes.T, told, strict=True):
            into = csr_array((np.ones(len(v)), (v, np.arange(len(v)))), (len(total), len(v)))
            k, n = own.shape[1:]
            total[:, :k] += (into @ own.reshape(len(v), k * n)).reshape(len(total), k, n)

    def heard(self, belief: Floats, told: Sequence[Floats]) -> list[Floats]:
        """Return h of (1) for each axis: (F, k, n)."""
        sizes = self.tables.shape[1:-1]
        return [belief[v, : sizes[axis]] - told[axis] for axis, v in enumerate(self.scopes.T)]

    def believed(self, heard: Sequence[Floats]) -> tuple[list[Floats], Floats]:
        """Return the sums of (1) before their logarithm, for each axis, and log Σ exp of all."""
        total = self.tables.copy()
        for axis, h in enumerate(heard):
            total += np.expand_dims(h, self.others(axis))
        cells = tuple(range(1, total.ndim - 1))
        top = total.max(axis=cells, keepdims=True)
        weight = np.exp(total - top)
        whole = weight.sum(axis=cells)
        sums = [weight.sum(axis=self.others(axis)) for axis in range(len(heard))]
        return [s / whole[:, None] for s in sums], np.log(whole) + top.reshape(whole.shape)


def believe(plan: Plan, tables: Sequence[Table]) -> tuple[list[Floats], Floats]:
    """Return marginals (n, k) of every variable and log Z (n,), each row having a possible vector.

    Examples
    --------
    On a chain of labels that agree three times as often as not it is exact:

    >>> from jointbayes.inference.plan import plan_factors
    >>> plan = plan_factors([(0, 1), (1, 2)], (2, 2, 2))
    >>> agree, known = np.log([[[3.0], [1.0]], [[1.0], [3.0]]]), np.array([[[0.0]], [[-np.inf]]])
    >>> marginals, log_z = believe(plan, [agree + known, agree])
    >>> marginals[2].round(6).tolist(), np.exp(log_z).round(6).tolist()
    ([[0.625, 0.375]], [16.0])
    """
    n, widest = tables[0].shape[-1], max(plan.cards)
    marginals = [np.empty((n, card)) for card in plan.cards]
    log_z = np.empty(n)
    absent = np.arange(widest)[:, None] >= np.asarray(plan.cards)[:, None, None]
    belief = np.where(absent, -np.inf, np.zeros((len(plan.cards), widest, n)))
    groups = _stack(plan, tables)
    told = [[np.zeros((len(g.scopes), k, n)) for k in g.tables.shape[1:-1]] for g in groups]
    moving = np.arange(n)
    for left in reversed(range(ROUNDS)):
        before, belief = belief, _round(groups, belief, told, absent)
        moved = np.abs(np.exp(belief) - np.exp(before)).max(axis=(0, 1), initial=0.0)
        rest = moved < (REST if left else np.inf)
        if not rest.any():
            continue
        p, z = _settle(*_of_rows(rest, groups, told, belief))
        for v, card in enumerate(plan.cards):
            marginals[v][moving[rest]] = p[v, :card].T
        log_z[moving[rest]] = z
        if rest.all():
            break
        groups, told, belief = _of_rows(~rest, groups, told, belief)
        moving = moving[~rest]
    return marginals, log_z


def _round(
    groups: Sequence[_Group],
    belief: Floats,
    told: Sequence[list[Floats]],
    absent: NDArray[np.bool_],
) -> Floats:
    """Bring all messages up to date and return the beliefs (d, k, n) that follow."""
    total = np.where(absent, -np.inf, np.zeros_like(belief))
    for group, own in zip(groups, told, strict=True):
        _tell(group, belief, own)
        group.add_up(own, total)
    return np.asarray(total - total.max(axis=1, keepdims=True))


def _of_rows(
    which: NDArray[np.bool_],
    groups: Sequence[_Group],
    told: Sequence[list[Floats]],
    belief: Floats,
) -> tuple[list[_Group], list[list[Floats]], Floats]:
    """Return the part of some rows: those at rest, or those that still move."""
    parts = [_Group(group.scopes, group.tables[..., which]) for group in groups]
    return parts, [[m[..., which] for m in own] for own in told], belief[..., which]


def _stack(plan: Plan, tables: Sequence[Table]) -> list[_Group]:
    shapes: dict[tuple[int, ...], list[int]] = {}
    for i, table in enumerate(tables):
        shapes.setdefault(table.shape, []).append(i)
    return [
        _Group(np.array([plan.scopes[i] for i in same]), np.stack([tables[i] for i in same]))
        for same in shapes.values()
    ]


def _tell(group: _Group, belief: Floats, told: list[Floats]) -> None:
    """Bring the messages of a group up to date, damped."""
    heard = group.heard(belief, told)
    for axis, p in enumerate(group.believed(heard)[0]):
        with np.errstate(divide="ignore"):
            new = np.log(p) - heard[axis]  # (1)
        new = np.maximum(new - new.max(axis=1, keepdims=True), LOWEST)
        told[axis] *= DAMPING
        told[axis] += (1 - DAMPING) * new


def _settle(
    groups: Sequence[_Group], told: Sequence[list[Floats]], belief: Floats
) -> tuple[Floats, Floats]:
    """Return the marginals (d, k, n) of beliefs at rest, and (2).

    A factor's E t + H is log Σ exp of what it believes less what it has heard.
    """
    p = np.exp(belief)
    p /= p.sum(axis=1, keepdims=True)
    entropy = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=1)
    log_z: Floats = entropy.sum(axis=0)
    for group, own in zip(groups, told, strict=True):
        heard = group.heard(belief, own)
        believed, whole = group.believed(heard)
        log_z = log_z + whole.sum(axis=0)
        for v, h, b in zip(group.scopes.T, heard, believed, strict=True):
            log_z = log_z - (b * h).sum(axis=(0, 1)) - entropy[v].sum(axis=0)
    return p, log_z


def mix_by_flips(
    plan: Plan, tables: Sequence[Table], start: Labels, rng: np.random.Generator
) -> Labels:
    """Draw every label anew given all others, ``SWEEPS`` times, from vectors (size, n, d) on.

    These steps leave the exact distribution as it is (Gibbs sampling); how far a start of another
    distribution is forgotten depends on the graph.

    Examples
    --------
    Two labels that agree nine times in ten, from a start where they never do:

    >>> from jointbayes.inference.plan import plan_factors
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
            codes[v] = draw(np.moveaxis(p, 0, -1), rng.random(codes.shape[1:]))
    return np.moveaxis(codes, 0, -1)
