"""The k best assignments of a factor graph: lists instead of maxima in the steps of a plan.

Each message holds, for each value of the separator, the k largest sums of what lies below it, in
descending order. Lists of children are joined by the pairs (i, j) with (i + 1)(j + 1) ≤ k, then the
lists of all values of the eliminated variable are merged. What was chosen is kept as numbers of
pairs and of list entries, and read backwards from the k best of all. The list axis comes first, the
rows last. Cost: O(k log k) times that of one maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.axes import spread
from jointbayes.inference.graphs.execute import clique_table
from jointbayes.inference.graphs.plan import Plan

__all__ = ["rank_vectors"]


@dataclass(frozen=True)
class _Join:
    """Two lists made one: the candidate pairs, and which of them each entry of the result is."""

    left: Labels
    right: Labels
    chosen: Labels

    def split(self, entry: Labels, *cell: Labels) -> tuple[Labels, Labels]:
        pair = self.chosen[(entry, *cell)]
        return self.left[pair], self.right[pair]


@dataclass(frozen=True)
class _Merge:
    """What a step did: the joins with its children, then (list entry × value) of each entry."""

    joins: Sequence[_Join]
    chosen: Labels


def rank_vectors(plan: Plan, tables: Sequence[Floats], k: int) -> Labels:
    """Return the codes (n, m, d) of the m ≤ k largest sums of factors, best first.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> plan = plan_factors([(0, 1)], (2, 2))
    >>> rank_vectors(plan, [np.array([[[0.0], [3.0]], [[2.0], [1.0]]])], 3).tolist()
    [[[0, 1], [1, 0], [1, 1]]]
    """
    messages: dict[int, Floats] = {}
    merges: dict[int, _Merge] = {}
    for step in plan.steps:
        lists = clique_table(plan, replace(step, children=()), tables, {})[None]
        joins = []
        for child in step.children:
            own = plan.steps[plan.at[child]].separator
            lists, join = _join(lists, spread(messages.pop(child), own, step.clique), k)
            joins.append(join)
        flat = lists.reshape(lists.shape[0] * lists.shape[1], *lists.shape[2:])
        chosen, messages[step.variable] = _largest(flat, k)
        merges[step.variable] = _Merge(joins, chosen)
    whole, joins = messages[plan.roots[0]], []
    for root in plan.roots[1:]:
        whole, join = _join(whole, messages[root], k)
        joins.append(join)
    return _read(plan, merges, joins, whole.shape)


def _join(left: Floats, right: Floats, k: int) -> tuple[Floats, _Join]:
    i, j = np.indices((len(left), len(right))).reshape(2, -1)
    near = (i + 1) * (j + 1) <= k
    chosen, lists = _largest(left[i[near]] + right[j[near]], k)
    return lists, _Join(i[near], j[near], chosen)


def _largest(values: Floats, k: int) -> tuple[Labels, Floats]:
    order = np.argsort(-values, axis=0, kind="stable")[:k]
    return order, np.take_along_axis(values, order, axis=0)


def _read(
    plan: Plan, merges: dict[int, _Merge], joins: Sequence[_Join], shape: tuple[int, ...]
) -> Labels:
    """Follow the choices from the k best of all down to the codes."""
    m, n = shape
    rows, entry = np.arange(n), np.tile(np.arange(m)[:, None], (1, n))
    entries: dict[int, Labels] = {}  # which entry of each variable's list is in the k best
    for join, root in zip(joins[::-1], plan.roots[:0:-1], strict=True):
        entry, entries[root] = join.split(entry, rows)
    entries[plan.roots[0]] = entry
    codes = np.empty((len(plan.cards), m, n), dtype=np.intp)
    for step in reversed(plan.steps):
        merge, cell = merges[step.variable], (*codes[list(step.separator)], rows)
        chosen = merge.chosen[(entries[step.variable], *cell)]
        entry, codes[step.variable] = np.divmod(chosen, plan.cards[step.variable])
        for join, child in zip(merge.joins[::-1], step.children[::-1], strict=True):
            entry, entries[child] = join.split(entry, codes[step.variable], *cell)
    return codes.transpose(2, 1, 0)
