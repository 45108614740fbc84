"""Labels of any kind as columns of plain values, with their names where they have any."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from jointbayes.arrays import Labels, Values
from jointbayes.errors import DataError
from jointbayes.table import Table
from jointbayes.table.column import factorize, plain_values

__all__ = ["distinct_labels", "read_label_columns", "split_columns", "zeros_and_ones"]


def read_label_columns(Y: Any) -> tuple[list[Values], tuple[str, ...] | str]:
    """Split labels into columns of plain values, and say their names.

    One name that is not in a tuple is that of labels that came as one column; "class", if they had
    none.

    >>> read_label_columns([[0, 1]])[1], read_label_columns(["a", "b"])[1]
    (('y0', 'y1'), 'class')
    """
    columns, names = split_columns(Y)
    if not columns:
        raise DataError("the labels have no columns; give at least one")
    for name, column in zip((names,) if isinstance(names, str) else names, columns, strict=True):
        _check_values(column, name)
    return columns, names


def split_columns(Y: Any) -> tuple[list[Values], tuple[str, ...] | str]:
    """Split labels into columns and say their names, whatever the columns hold."""
    if hasattr(Y, "label_columns"):  # labels that were split before
        return list(Y.columns), Y.label_columns
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if isinstance(Y, Table):
        return [_whole(column.decoded()) for column in Y.columns], Y.names
    if pandas is not None and isinstance(Y, pandas.DataFrame):
        columns = [np.asarray(Y.iloc[:, j]) for j in range(Y.shape[1])]
        return columns, tuple(map(str, Y.columns))
    if polars is not None and isinstance(Y, polars.DataFrame):
        return [series.to_numpy() for series in Y.get_columns()], tuple(Y.columns)
    dense = np.asarray(Y.toarray()) if hasattr(Y, "toarray") else plain_values(Y)
    if dense.ndim not in (1, 2):
        raise DataError(f"labels have {dense.ndim} dimensions; give one or two")
    known = tuple(getattr(Y, "label_names", ()))
    if dense.ndim == 1:
        name = known[0] if len(known) == 1 else getattr(Y, "name", None)
        return [dense], name if isinstance(name, str) and name else "class"
    by_position = tuple(f"y{j}" for j in range(dense.shape[1]))
    return list(dense.T), known if len(known) == dense.shape[1] else by_position


def distinct_labels(column: Values, name: str) -> tuple[Values, Labels]:
    """Return the sorted distinct labels, and the position of each row's among them.

    >>> distinct_labels(np.array(["b", "a", "b"]), "y")[1].tolist()
    [1, 0, 1]
    """
    if column.dtype.kind in "OUST":
        codes, distinct = factorize(name, column)
        return distinct.astype(column.dtype), codes.astype(np.intp)
    if column.dtype.kind in "biu" and len(column) and column.min() >= 0 and column.max() < 256:
        small = column.astype(np.intp)  # most labels are 0 and 1: no need to sort them
        seen = np.bincount(small) > 0
        return np.flatnonzero(seen).astype(column.dtype), (np.cumsum(seen) - 1)[small]
    distinct, inverse = np.unique(column, return_inverse=True)
    return distinct, inverse


def zeros_and_ones(Y: Any) -> bool:
    """Say whether Y is a matrix of nothing else, as integers.

    >>> zeros_and_ones(np.array([[0, 1]])), zeros_and_ones(np.array([[0, 2]]))
    (True, False)
    """
    if not isinstance(Y, np.ndarray) or Y.dtype.kind not in "iu" or Y.ndim != 2 or not Y.size:
        return False
    if isinstance(Y, np.ma.MaskedArray):  # what is masked is not known, whatever stands there
        return False
    return bool(Y.min() >= 0 and Y.max() <= 1)


def _whole(numbers: Values) -> Values:
    """Return integers as such: files know only numbers."""
    if (
        numbers.dtype.kind == "f"
        and (numbers == np.round(numbers)).all()
        and np.isfinite(numbers).all()
    ):
        return numbers.astype(np.int64)
    return numbers


def _check_values(column: Values, name: str) -> None:
    wrong = np.zeros(len(column), dtype=bool)
    if column.dtype.kind == "f":
        wrong = ~np.isfinite(column)
    elif column.dtype.kind in "Mm":
        wrong = np.isnat(column)
    elif column.dtype.kind == "c":
        raise DataError(f"Complex data not supported\nlabel {name!r} is complex")
    elif column.dtype.kind == "O":
        wrong = factorize(name, column)[0] < 0
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"label {name!r} is missing or infinite ({column[row]}) in row {row}; "
            "drop such rows, give them a value of their own, or let a model of several labels "
            'learn from what is known: unknown="learn"'
        )
