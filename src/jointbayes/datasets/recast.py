"""Columns seen differently: numbers as categories, sequences as letters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError
from jointbayes.table import Column
from jointbayes.table.wording import shown

__all__ = ["as_letters", "as_nominal", "distinct", "whole_numbers"]


def as_nominal(column: Column) -> Column:
    """Return the column as categories, in order.

    >>> rooms = as_nominal(Column("rooms", "numeric", np.array([3.0, np.nan, 2.0, 3.0])))
    >>> rooms.categories.tolist(), rooms.values.tolist()
    ([2, 3], [1, -1, 0, 1])
    """
    if column.is_coded:
        return replace(column, kind="nominal")
    known = ~np.isnan(column.values)
    categories, codes = distinct(whole_numbers(column.values[known]))
    values = np.full(len(column), -1, dtype=np.int32)
    values[known] = codes
    return Column(column.name, "nominal", values, categories)


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted distinct values and the position of every value among them.

    >>> distinct(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    low, high = (
        (values.min(), values.max()) if len(values) and values.dtype.kind == "i" else (0, -1)
    )
    if 0 <= high - low < 4 * len(values):  # counting is faster than sorting
        present = np.bincount(values - low) > 0
        return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[values - low]
    return np.unique(values, return_inverse=True)


def whole_numbers(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return integers if all values are, else the values."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    return whole if (whole == values).all() else values


def as_letters(column: Column) -> list[Column]:
    """Return one nominal column for each letter of a text column.

    >>> dna = Column.of("dna", ["acg", "aag"])
    >>> [(c.name, c.decoded().tolist()) for c in as_letters(dna)]
    [('dna_1', ['a', 'a']), ('dna_2', ['c', 'a']), ('dna_3', ['g', 'g'])]
    """
    texts = [] if column.categories is None else [str(value) for value in column.categories]
    lengths = sorted({len(text) for text in texts})
    if len(lengths) != 1 or not lengths[0]:
        raise DataError(
            f"column {shown(column.name)} is not a sequence: its lengths are "
            f"{', '.join(map(str, lengths[:6])) or 'none'}; they have to be equal"
        )
    letters = np.array(texts).view("U1").reshape(len(texts), lengths[0])
    out = []
    for k in range(lengths[0]):
        categories, codes = np.unique(letters[:, k], return_inverse=True)
        values = np.append(codes, -1)[column.values]
        out.append(Column(f"{column.name}_{k + 1}", "nominal", values, categories.astype(object)))
    return out
