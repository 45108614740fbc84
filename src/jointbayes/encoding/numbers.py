"""Numbers of tables and sparse matrices: the one place where they are read and refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy import sparse

from jointbayes.arrays import Floats
from jointbayes.encoding.variable import as_numbers, checked_numbers
from jointbayes.errors import DataError
from jointbayes.table import Column, Table

__all__ = ["TILE", "finite_sparse", "nominal_part", "read_numbers", "side_by_side"]

FEW_ROWS = 64
"""Rows up to which columns are put one after the other and turned at once."""

TILE = 1024
"""Rows that are copied at a time, of all columns: what is written stays in the cache."""


def read_numbers(
    columns: Sequence[Column], dates: Sequence[bool] | None = None, first: int = 0
) -> Floats:
    """Return columns as (n, m) numbers, NaN for missing; refuse text and infinity.

    Parameters
    ----------
    columns
        Of numbers, as they were in fit.
    dates
        Which of them held dates then; None: a date is a number like any other.
    first
        The row that the first one here is, for what is said of it.

    Examples
    --------
    >>> read_numbers([Column.of("a", [1, 2]), Column.of("b", [np.nan, 5.0])]).tolist()
    [[1.0, nan], [2.0, 5.0]]
    """
    if dates is not None:
        kinds = ["date" if date else "numeric" for date in dates]
        plain = all(c.kind == "numeric" for c in columns) and "date" not in kinds
        found = [c.values for c in columns] if plain else list(map(checked_numbers, columns, kinds))
    else:
        found = [c.values if c.kind == "numeric" else _numbers_of(c) for c in columns]
    out = _laid_out(found)
    if np.isinf(out).any():
        row, i = (int(at[0]) for at in np.nonzero(np.isinf(out)))
        raise _infinite(columns[i].name, out[row, i], first + row)
    return out


def _laid_out(columns: Sequence[Floats]) -> Floats:
    """Return columns as an (n, p) array of its own, row by row."""
    n = len(columns[0]) if columns else 0
    if 0 < n <= FEW_ROWS:
        return np.ascontiguousarray(np.concatenate(columns).reshape(len(columns), n).T)
    beside = side_by_side(columns)
    if beside is not None:
        return beside.copy()
    out = np.empty((n, len(columns)))
    for start in range(0, n, TILE):
        tile = slice(start, start + TILE)
        for i, numbers in enumerate(columns):
            out[tile, i] = numbers[tile]
    return out


def finite_sparse(X: Any, names: tuple[str, ...]) -> Any:
    """Return a sparse matrix as CSR with each cell once; refuse infinity.

    >>> finite_sparse(sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1]))), ("a", "b")).data.tolist()
    [3.0]
    """
    if X.dtype.kind not in "biuf":
        Table.of(X.toarray())  # refuses complex numbers and the like by their name
    X = sparse.csr_array(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    infinite = np.isinf(X.data)
    if infinite.any():
        entry = int(infinite.argmax())
        row = int(np.searchsorted(X.indptr, entry, side="right")) - 1
        raise _infinite(names[X.indices[entry]], X.data[entry], row)
    return X


def nominal_part(X: Any, names: tuple[str, ...], where: Sequence[int]) -> Table:
    """Return the nominal columns of a Table or CSR matrix as a Table."""
    if isinstance(X, Table):
        return Table(tuple(map(X.at, where)))
    dense = X[:, list(where)].toarray()
    return Table(tuple(Column.of(names[j], x) for j, x in zip(where, dense.T, strict=True)))


def side_by_side(columns: Sequence[Floats]) -> Floats | None:
    """Return columns of one array at equal distances as a view of it, None of others.

    >>> table = np.arange(8.0).reshape(2, 4)
    >>> side_by_side([table[:, 1], table[:, 3]]).tolist()
    [[1.0, 3.0], [5.0, 7.0]]
    """
    if not columns or any(
        c.base is None
        or c.base is not columns[0].base
        or c.dtype != np.float64
        or (c.shape, c.strides) != (columns[0].shape, columns[0].strides)
        for c in columns
    ):
        return None
    at = np.array([c.__array_interface__["data"][0] for c in columns])
    apart = np.unique(np.diff(at)) if len(at) > 1 else np.array([8])
    if len(apart) > 1:
        return None
    strides = (columns[0].strides[0], int(apart[0]))
    return as_strided(columns[0], (len(columns[0]), len(columns)), strides, writeable=False)


def _numbers_of(column: Column) -> Floats:
    numbers = as_numbers(column)
    if numbers is None:
        row = int(np.argmin(column.missing))
        raise DataError(
            f"column {column.name!r} held numbers in fit and now holds "
            f"{column.decoded()[row]!r} in row {row}; give it as it was"
        )
    return numbers


def _infinite(name: str, value: float, row: int) -> DataError:
    return DataError(
        f"column {name!r} contains infinity ({value}) in row {row}; give a finite number or leave "
        "it missing"
    )
