r"""The best label vectors of a factor graph by search, with proof, where elimination is too large.

Any split of the factors' weight among them bounds their sum from above,

.. math::
    \max_y \sum_f t_f(y) \;\le\; c + \sum_v \max u_v + \sum_f \max t_f,                 (1)

where weight may be moved between a factor and the :math:`u_v` of its variables, and between
factors that share two variables. The search lowers (1) by sweeps over the variables, drops the
values that (1) excludes given the best vectors so far, and cuts the tables down to the rest. When
sweeps gain no more, it levels what the factors say of pairs of variables; when that gains no more,
it branches on one variable. Evidence decides most labels, so that most rows take a handful of
branches, whatever the width of the graph.

A proof holds up to 1e-9: a vector that is not found is better by no more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes._kernels import best_vectors
from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.flat import flatten
from jointbayes.inference.graphs.plan import Plan
from jointbayes.threads import n_threads

__all__ = ["Found", "search"]


@dataclass(frozen=True)
class Found:
    """The best vectors of every row, and what is left to prove.

    Parameters
    ----------
    codes
        (n, k, d) label vectors, best first.
    score
        (n, k) sums of the factors; −inf where there is no further vector that is possible.
    bound
        (n,) bound on the sum of any vector that is not listed but better than the last; −inf if
        it is proven that there is none.
    """

    codes: Labels
    score: Floats
    bound: Floats

    @property
    def gap(self) -> Floats:
        """By how much a vector can be better than the best of the list: 0 if that is proven."""
        with np.errstate(invalid="ignore"):  # no vector is possible: there is none to beat either
            gap = np.maximum(self.bound - self.score[:, 0], 0.0)
        return np.where(np.isneginf(self.bound), 0.0, gap)


def search(
    plan: Plan,
    tables: Sequence[Floats],
    k: int = 1,
    time_limit: float | None = None,
    max_nodes: int = 1 << 62,
    n_jobs: int | None = None,
) -> Found:
    """Find the k largest sums of the factors, row by row, and prove that there are no larger ones.

    Parameters
    ----------
    plan
        Names the variables and scopes; its order of elimination is not used.
    tables
        One (values of the scope …, n) array per merged factor, as for elimination.
    k
        How many vectors.
    time_limit
        Seconds that a row may take; None for as many as it needs.
    max_nodes
        Branches that a row may take.
    n_jobs
        Threads that rows may take; None for all.

    Examples
    --------
    Thirty labels that want to agree, every one with every other: elimination would need a table of
    2^30 cells. One of them is known, and convinces the rest.

    >>> from itertools import combinations
    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> pairs = list(combinations(range(30), 2))
    >>> plan = plan_factors(pairs, (2,) * 30)
    >>> agree = [np.array([[[1.0], [0.0]], [[0.0], [1.0]]]) for _ in pairs]
    >>> agree[0][0] -= 100.0
    >>> found = search(plan, agree, k=2)
    >>> found.codes.sum(axis=2).tolist(), found.score.tolist(), found.gap.tolist(), plan.width
    ([[30, 29]], [[435.0, 406.0]], [0.0], 29)
    """
    seconds = np.inf if time_limit is None else time_limit
    graph = flatten(plan, tables)
    parts = [
        best_vectors(*graph.structure, rows, k, max_nodes, seconds, n_threads(n_jobs))
        for rows in graph.blocks()
    ]
    codes, score, bound, _ = map(np.concatenate, zip(*parts, strict=True))
    return Found(codes.astype(np.intp, copy=False), score, bound)
