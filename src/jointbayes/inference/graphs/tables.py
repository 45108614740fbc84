"""The tables of a factor graph on a batch of rows: one axis per variable of the scope, rows last.

A table that is the same on every row is kept once, with stride 0 along the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.plan import Plan

__all__ = ["cut_rows", "exclude", "map_cells", "rows_first", "score_vectors"]


def score_vectors(plan: Plan, tables: Sequence[Floats], codes: Labels) -> Floats:
    """Return the sums of the factors (n, m) for vectors (n, m, d).

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> table = np.array([[[0.0], [3.0]], [[2.0], [1.0]]])
    >>> plan, codes = plan_factors([(0, 1)], (2, 2)), np.array([[[0, 1], [1, 1]]])
    >>> score_vectors(plan, [table], codes).tolist()
    [[3.0, 1.0]]
    """
    rows, total = np.arange(len(codes))[:, None], np.zeros(codes.shape[:2])
    for scope, table in zip(plan.scopes, tables, strict=True):
        total += table[(*(codes[:, :, v] for v in scope), rows)]
    return total


def cut_rows(tables: Sequence[Floats], rows: slice | NDArray[np.intp]) -> list[Floats]:
    """Return the tables of some of the rows."""
    n = len(np.arange(tables[0].shape[-1])[rows])
    return [
        np.broadcast_to(table[..., :1], (*table.shape[:-1], n))
        if _is_one(table) and n
        else table[..., rows]
        for table in tables
    ]


def map_cells(tables: Sequence[Floats], change: Callable[[Floats], Floats]) -> list[Floats]:
    """Change tables cell by cell; those that are one stay one.

    >>> map_cells([np.broadcast_to(np.array([[2.0], [3.0]]), (2, 9))], np.negative)[0].strides[-1]
    0
    """
    return [
        np.broadcast_to(change(table[..., :1]), table.shape) if _is_one(table) else change(table)
        for table in tables
    ]


def rows_first(tables: Sequence[Floats]) -> list[Floats]:
    """Return tables as the factors of a plan, rows first; one row for those that are one.

    >>> rows_first([np.zeros((2, 3, 7))])[0].shape
    (7, 2, 3)
    """
    cut = (table[..., :1] if _is_one(table) else table for table in tables)
    return [np.moveaxis(table, -1, 0) for table in cut]


def exclude(plan: Plan, tables: Sequence[Floats], known: Labels) -> list[Floats]:
    """Return tables that leave variables the values that are known: (n, d), −1 for not known."""
    changed = list(tables)
    for j in np.flatnonzero((known >= 0).any(axis=0)):
        host = next(i for i, scope in enumerate(plan.scopes) if j in scope)
        values = np.arange(plan.cards[j])[:, None]
        excluded = np.where((known[:, j] >= 0) & (known[:, j] != values), -np.inf, 0.0)
        shape = [1] * changed[host].ndim
        shape[plan.scopes[host].index(j)], shape[-1] = excluded.shape
        changed[host] = changed[host] + excluded.reshape(shape)
    return changed


def _is_one(table: Floats) -> bool:
    return bool(table.strides[-1] == 0 and table.size)
