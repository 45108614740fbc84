"""Table: columns of equal length, from whatever holds a table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError, require
from jointbayes.table.column import Column, plain_values, to_column
from jointbayes.table.frames import from_pandas, from_polars, to_pandas_series, to_polars_series

__all__ = ["Table"]

# In scikit-learn's words, which its estimator checks look for.
_TOO_SMALL = "Found array with {} {}(s) (shape={}) while a minimum of 1 is required."

_TEXTS = " If these are texts, turn them into words first: scikit-learn has a CountVectorizer."


@dataclass(frozen=True, eq=False)
class Table:
    """Named, typed columns of equal length.

    Examples
    --------
    Columns of an array are named by their position, nested lists are read as the array is:

    >>> table = Table.of([[1.5, 2], [3, 4]])
    >>> table.names, table.shape, table.column("x1").values.tolist()
    (('x0', 'x1'), (2, 2), [2.0, 4.0])

    Rows are taken as from an array:

    >>> table[[True, False]].shape, table[-1:].column("x0").values.tolist()
    ((1, 2), [3.0])

    And it becomes one again, of numbers if all its columns are, else of objects:

    >>> np.asarray(table).tolist()
    [[1.5, 2.0], [3.0, 4.0]]
    """

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        name, times = max(Counter(self.names).items(), key=lambda item: item[1], default=("", 0))
        if times > 1:
            raise DataError(f"column name {name!r} occurs {times} times; rename the others")
        for column in self.columns:
            if len(column) != len(self):
                raise DataError(
                    f"column {column.name!r} has {len(column)} rows and "
                    f"{self.columns[0].name!r} {len(self)}; they have to agree"
                )

    @classmethod
    def of(cls, X: Any) -> Table:
        """Read a 2-D array, nested lists, a pandas or polars frame, or a Table.

        Object, string and bool columns are nominal, category dtypes bring all their categories,
        dates become seconds since 1970, all other numbers are numeric.
        """
        table = X if isinstance(X, Table) else cls(tuple(_columns(X)))
        if not table.shape[1]:
            rows = len(X) if hasattr(X, "__len__") else 0
            raise DataError(_TOO_SMALL.format(0, "feature", (rows, 0)))
        if not len(table):
            raise DataError(_TOO_SMALL.format(0, "sample", table.shape))
        return table

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every column."""
        return tuple(column.name for column in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.columns)

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def __getitem__(self, rows: Any) -> Table:
        """Take rows by a slice, a mask or positions (``table[rows, ...]`` is the same)."""
        index = rows[0] if isinstance(rows, tuple) else rows
        if not isinstance(index, slice):
            index = np.atleast_1d(np.asarray(index))
            index = index if len(index) else index.astype(np.intp)
        return Table(tuple(column[index] for column in self.columns))

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the columns of a Table are no array; let them be copied")
        numbers = all(column.categories is None for column in self.columns)
        out = np.empty(self.shape, dtype=np.float64 if numbers else object)
        for j, column in enumerate(self.columns):
            out[:, j] = column.decoded()
        return out if dtype is None else out.astype(dtype)

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise DataError(f"there is no column {name!r}; the columns are {_shown(self.names)}")

    def select(self, names: Iterable[str]) -> Table:
        """Return a table of these columns, in this order."""
        return Table(tuple(self.column(name) for name in names))

    def drop(self, names: Iterable[str]) -> Table:
        """Return a table without these columns."""
        gone = {self.column(name).name for name in names}
        return Table(tuple(column for column in self.columns if column.name not in gone))

    def to_pandas(self) -> Any:
        """Return a pandas frame: declared categories as category, dates as datetimes."""
        pandas = require("pandas", extra="pandas", purpose="a pandas frame")
        series = {column.name: to_pandas_series(column, pandas) for column in self.columns}
        return pandas.DataFrame(series)

    def to_polars(self) -> Any:
        """Return a polars frame: declared categories as an Enum, dates as datetimes."""
        polars = require("polars", extra="polars", purpose="a polars frame")
        return polars.DataFrame([to_polars_series(column, polars) for column in self.columns])


def _columns(X: Any) -> Iterable[Column]:
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return from_pandas(X, pandas)
    if polars is not None and isinstance(X, polars.LazyFrame):
        X = X.collect()
    if polars is not None and isinstance(X, polars.DataFrame):
        return from_polars(X, polars)
    if hasattr(X, "toarray"):
        raise DataError(
            "X is a sparse matrix and no Table; the estimators take it as it is, "
            "or give its toarray()"
        )
    if isinstance(X, Mapping):
        raise DataError(
            "X is a dict of columns and no table; give a frame, such as pandas.DataFrame(X)"
        )
    array = plain_values(X)
    if array.dtype.kind == "c":
        raise DataError(
            "Complex data not supported\nX is complex; give real and imaginary part apart"
        )
    if array.ndim < 2:
        hint = _TEXTS if {str} == set(map(type, array.ravel().tolist())) else ""
        raise DataError(
            f"Expected 2D array, got {'1D' if array.ndim else 'scalar'} array instead:\n"
            f"array={array}.\nReshape your data either using array.reshape(-1, 1) if your data has "
            f"a single feature or array.reshape(1, -1) if it contains a single sample.{hint}"
        )
    if array.ndim > 2:
        raise DataError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    return [to_column(f"x{j}", array[:, j]) for j in range(array.shape[1])]


def _shown(names: tuple[str, ...], most: int = 8) -> str:
    text = ", ".join(names[:most])
    return text + (f", … ({len(names)} in all)" if len(names) > most else "")
