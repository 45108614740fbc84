"""The tables of a plan for a few rows: all looked up and added up at once.

Many rows are conditioned factor by factor, each for all rows. For one row that is a thousand steps
of a few numbers each; here the places of all these numbers are known before the row is, so that it
takes two: what every feature says, added up by cells of its class parents, and these cells added
up by cells of the tables that they are part of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Ints, Values
from jointbayes.inference.graphs.axes import spread
from jointbayes.inference.graphs.evidence import Evidence, Factors, Scope
from jointbayes.inference.graphs.plan import Plan

__all__ = ["FEW", "FewRows", "compile_few_rows"]

FEW = 4
"""Rows up to which this is faster than factor by factor."""


@dataclass(frozen=True, eq=False)
class FewRows:
    """Where the numbers of one row are, and where they go.

    Parameters
    ----------
    shapes
        Of the tables.
    same
        What is in them on every row, one after the other.
    said
        What the features say by their values, one after the other.
    feature, place, stride
        For each number that is to be added up: its feature, where it is if that has code 0, and
        how far from there it is at the next code.
    cells
        Where the sums of these numbers begin.
    source
        The sums that go into the tables.
    parts, filled
        Where those of each cell of a table begin, and which cells of the tables they are.
    """

    shapes: tuple[tuple[int, ...], ...]
    same: Floats
    said: Floats
    feature: Ints
    place: Ints
    stride: Ints
    cells: Ints
    source: Ints
    parts: Ints
    filled: Ints

    def tables(self, codes: Values) -> list[Floats]:
        """Return the tables (values of the scope …, n) of a plan, given (n, p) codes."""
        flat = np.repeat(self.same[None], len(codes), axis=0)
        if len(self.cells):
            at = self.place + codes[:, self.feature].astype(np.int64) * self.stride
            sums = np.add.reduceat(self.said[at], self.cells, axis=1)
            flat[:, self.filled] += np.add.reduceat(sums[:, self.source], self.parts, axis=1)
        ends = np.cumsum([0, *map(prod, self.shapes)])
        return [
            flat[:, a:b].T.reshape(*shape, len(codes))
            for a, b, shape in zip(ends[:-1], ends[1:], self.shapes, strict=True)
        ]


def compile_few_rows(plan: Plan, shared: Factors, evidence: Mapping[Scope, Evidence]) -> FewRows:
    """Lay out the factors of a plan: those that are the same on every row, then those of features.

    Examples
    --------
    A class with one feature below it:

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> says, first = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]), np.array([0])
    >>> below, prior = Evidence((2,), says, first, first), np.array([10.0, 20.0])
    >>> plan = plan_factors([(0,), (0,)], (2,))
    >>> few = compile_few_rows(plan, {(0,): prior}, {(0,): below})
    >>> few.tables(np.array([[1]]))[0].T.tolist()
    [[13.0, 24.0]]
    """
    shapes = tuple(tuple(plan.cards[v] for v in scope) for scope in plan.scopes)
    starts = np.cumsum([0, *map(prod, shapes)])
    same, said = np.zeros(starts[-1]), [part.cells.ravel() for part in evidence.values()]
    own: list[Ints] = []  # the factor's cell that each cell of its table takes
    hosts = []
    for i, (factor, host) in enumerate(zip(plan.given, plan.hosts, strict=True)):
        shape = tuple(plan.cards[v] for v in factor)
        number = np.arange(float(prod(shape))).reshape(*shape, 1)
        wide = np.broadcast_to(spread(number, factor, plan.scopes[host])[..., 0], shapes[host])
        taken = wide.ravel().astype(np.int64)
        if i < len(shared):
            table = list(shared.values())[i]
            same[starts[host] : starts[host + 1]] += table.ravel()[taken]
        else:
            own.append(taken)
            hosts.append(host)
    numbers = _numbers(list(evidence.values()))
    source, target, before = [], [], 0
    for cell, host, part in zip(own, hosts, evidence.values(), strict=True):
        source.append(before + cell)
        target.append(np.arange(starts[host], starts[host + 1]))
        before += part.cells.shape[1]
    into = np.concatenate([*target, np.empty(0, dtype=np.int64)])
    order = np.argsort(into, kind="stable")
    filled, parts = np.unique(into[order], return_index=True)
    return FewRows(
        shapes,
        same,
        np.concatenate([*said, np.empty(0)]),
        *numbers,
        np.concatenate([*source, np.empty(0, dtype=np.int64)])[order],
        parts,
        filled,
    )


def _numbers(evidence: Sequence[Evidence]) -> tuple[Ints, Ints, Ints, Ints]:
    """Return feature, place and stride of every number to add up, and where each sum begins."""
    feature, place, stride, counts, before = [], [], [], [], 0
    for part in evidence:
        width, members = part.cells.shape[1], len(part.features)
        feature.append(np.tile(part.features, width))
        cell = np.repeat(np.arange(width), members)
        place.append(before + np.tile(part.first, width) * width + cell)
        stride.append(np.full(width * members, width))
        counts.append(np.full(width, members))
        before += part.cells.size
    none = [np.empty(0, dtype=np.int64)]
    ends = np.cumsum(np.concatenate([*counts, *none]))
    cells = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
    found = [np.concatenate([*each, *none]) for each in (feature, place, stride)]
    return found[0], found[1], found[2], cells
