"""The k best assignments of a factor graph: lists instead of maxima in the steps of a plan.

Each message holds, for each value of the separator, the k largest sums of what lies below it, in
descending order. Lists of children are joined by the pairs (i, j) with (i + 1)(j + 1) ≤ k, then the
lists of all values of the eliminated variable are merged. What was chosen is kept as numbers of
pairs and of list entries, and read backwards from the k best of all. The list axis comes first, the
rows last. Cost: O(k log k) times that of one maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jointbayes.inference.execute import clique_table
from jointbayes.inference.plan import Plan, Step, Table, spread

__all__ = ["rank"]

Labels = NDArray[np.intp]


@dataclass
class _Trace:
    """What a step chose: a pair at each join, then an entry (list entry × value)."""

    pairs: list[tuple[Labels, Labels]] = field(default_factory=list)
    joins: list[Labels] = field(default_factory=list)
    entries: Labels | None = None


def rank(plan: Plan, tables: list[Table], k: int) -> Labels:
    """Return the codes (n, m, d) of the m ≤ k largest sums of factors, best first."""
    messages: dict[int, Table] = {}
    traces: dict[int, _Trace] = {}
    for step in plan.steps:
        trace, lists = _Trace(), clique_table(plan, _alone(step), tables, {})[None]
        for child in step.children:
            own = plan.steps[plan.at[child]].separator
            message = spread(messages.pop(child), own, step.clique)
            lists = _join(lists, message, k, trace)
        flat = lists.reshape(lists.shape[0] * lists.shape[1], *lists.shape[2:])
        trace.entries, messages[step.variable] = _largest(flat, k)
        traces[step.variable] = trace
    last, total = _Trace(), None
    for root in plan.roots:
        total = messages[root] if total is None else _join(total, messages[root], k, last)
    assert total is not None  # a plan has a root
    return _read(plan, traces, last, total.shape)


def _alone(step: Step) -> Step:
    return Step(step.variable, step.separator, step.tables, ())


def _join(left: Table, right: Table, k: int, trace: _Trace) -> Table:
    i, j = np.indices((len(left), len(right))).reshape(2, -1)
    near = (i + 1) * (j + 1) <= k
    i, j = i[near], j[near]
    order, lists = _largest(left[i] + right[j], k)
    trace.pairs.append((i, j))
    trace.joins.append(order)
    return lists


def _largest(values: Table, k: int) -> tuple[Labels, Table]:
    order = np.argsort(-values, axis=0, kind="stable")[:k]
    return order, np.take_along_axis(values, order, axis=0)


def _read(plan: Plan, traces: dict[int, _Trace], last: _Trace, shape: tuple[int, ...]) -> Labels:
    """Follow the choices from the k best of all down to the codes."""
    m, n = shape
    rows = np.arange(n)
    codes = np.empty((len(plan.cards), m, n), dtype=np.intp)
    entry = np.tile(np.arange(m)[:, None], (1, n))
    places: dict[int, Labels] = {}
    for (i, j), join, root in zip(
        last.pairs[::-1], last.joins[::-1], plan.roots[:0:-1], strict=True
    ):
        pair = join[entry, rows]
        places[root], entry = j[pair], i[pair]
    places[plan.roots[0]] = entry
    for step in reversed(plan.steps):
        trace, place = traces[step.variable], places[step.variable]
        cell = (*codes[list(step.separator)], rows)
        assert trace.entries is not None  # every step has been run
        entry, value = np.divmod(trace.entries[(place, *cell)], plan.cards[step.variable])
        codes[step.variable] = value
        for (i, j), join, child in zip(
            trace.pairs[::-1], trace.joins[::-1], step.children[::-1], strict=True
        ):
            pair = join[(entry, value, *cell)]
            places[child], entry = j[pair], i[pair]
    return codes.transpose(2, 1, 0)
