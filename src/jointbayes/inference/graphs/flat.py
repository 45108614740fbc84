"""Factor graphs of one structure as the kernels take them: plain arrays, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Ints
from jointbayes.inference.graphs.plan import Plan, Scope

__all__ = ["Flat", "flatten"]


BLOCK = 1 << 22
"""Cells of the tables of the rows that a kernel takes at a time."""


@dataclass(frozen=True)
class Flat:
    """What all rows share, then the tables that they do not.

    Parameters
    ----------
    structure
        Numbers of values (d,), where each factor's scope begins and ends (F + 1,), the scopes one
        after the other, where each factor's cells begin in (shared, row) (F,), the shared cells.
    varying
        The tables (values of the scope …, n) that are not the same on every row.
    """

    structure: tuple[Ints, Ints, Ints, Ints, Floats]
    varying: Sequence[Floats]

    def blocks(self) -> Iterator[Floats]:
        """Yield the cells (rows, cells) of the varying tables for a block of rows at a time."""
        n = self.varying[0].shape[-1]
        step = max(1, BLOCK // max(1, sum(prod(table.shape[:-1]) for table in self.varying)))
        for start in range(0, max(n, 1), step):
            cut = [table[..., start : start + step] for table in self.varying]
            flat = [table.reshape(prod(table.shape[:-1]), table.shape[-1]) for table in cut]
            yield np.ascontiguousarray(np.concatenate(flat).T)


def flatten(plan: Plan, tables: Sequence[Floats]) -> Flat:
    """Return the graph of a plan and its tables, one (values of the scope …, n) per factor.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> plan = plan_factors([(0, 1), (1, 2)], (2, 2, 2))
    >>> same = np.broadcast_to(np.arange(4.0).reshape(2, 2, 1), (2, 2, 3))
    >>> flat = flatten(plan, [np.zeros((2, 2, 3)), same])
    >>> flat.structure[-1].tolist(), [block.shape for block in flat.blocks()]
    ([0.0, 1.0, 2.0, 3.0], [(3, 4)])
    """
    sizes, ends, scopes = _layout(plan.scopes, plan.cards)
    same = np.array([table.strides[-1] == 0 and table.size > 0 for table in tables])
    same[0] = False  # so that there are rows
    first = np.empty(len(tables), dtype=np.int64)
    order = np.argsort(~same, kind="stable")
    first[order] = np.cumsum(sizes[order]) - sizes[order]
    shared = [table[..., 0].ravel() for table, one in zip(tables, same, strict=True) if one]
    return Flat(
        (np.asarray(plan.cards), ends, scopes, first, np.concatenate([np.empty(0), *shared])),
        [table for table, one in zip(tables, same, strict=True) if not one],
    )


@lru_cache(maxsize=16)
def _layout(scopes: tuple[Scope, ...], cards: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
    """Return cells of each factor, where its scope begins and ends, and the scopes in a row."""
    sizes = np.array([prod(cards[v] for v in scope) for scope in scopes])
    ends = np.cumsum([0, *map(len, scopes)])
    return sizes, ends, np.concatenate([np.asarray(scope) for scope in scopes])
