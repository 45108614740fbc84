"""Count rows into the tables of NaiBX, a few at a time, in the way that is faster for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.models.naibx.by_set import label_sets, tabulate_sets
from jointbayes.models.naibx.columns import Columns
from jointbayes.models.naibx.tables import Tables, tabulate
from jointbayes.table import Table

__all__ = ["count_rows"]

TILE = 1 << 15
"""Rows that are counted at a time, column by column: a column of them stays in the cache."""

MANY_ROWS = 4096
"""Rows from which on it pays to go column by column."""


def count_rows(
    columns: Columns, X: Any, members: NDArray[np.bool_], weights: Floats | None
) -> Tables:
    """Count the rows of a Table or CSR matrix, of which it is known which labels they have.

    >>> from jointbayes.models.naibx.kinds import learn_columns
    >>> X = Table.of([[1.0], [2.0], [4.0]])
    >>> count_rows(learn_columns(X), X, np.ones((3, 1), dtype=bool), None).n_y.tolist()
    [3.0]
    """
    if isinstance(X, Table) and len(X) >= MANY_ROWS and _apart(columns, X):
        return reduce(add, _by_column(columns, X, members, weights))
    return reduce(add, _by_block(columns, X, members, weights))


def _apart(columns: Columns, X: Table) -> bool:
    """Whether every column lies in one piece, and none counts words."""
    dense = "multinomial" not in columns.kinds
    return dense and all(column.values.flags.c_contiguous for column in X.columns)


def _by_column(
    columns: Columns, X: Table, members: NDArray[np.bool_], weights: Floats | None
) -> Iterator[Tables]:
    for start in range(0, len(X), TILE):
        rows = slice(start, start + TILE)
        inside, w = members[rows], None if weights is None else weights[rows]
        found = label_sets(inside)
        if found.sets.size <= len(inside):
            yield tabulate_sets(columns, X[rows], found, w, start)
        else:  # to pool the sets would take longer than to count the rows
            yield from _by_block(columns, X[rows], inside, w, start)


def _by_block(
    columns: Columns, X: Any, members: NDArray[np.bool_], weights: Floats | None, first: int = 0
) -> Iterator[Tables]:
    start = 0
    for block in columns.blocks(X, first):
        rows = slice(start, start + block.indicators.shape[0])
        yield tabulate(block, members[rows], None if weights is None else weights[rows])
        start = rows.stop
