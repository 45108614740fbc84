"""Table: columns of equal length, from whatever holds a table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.errors import DataError, require
from jointbayes.table.arrow import from_arrow
from jointbayes.table.column import (
    Column,
    plain_values,
    position_names,
    record_column,
    to_column,
)
from jointbayes.table.frames import from_pandas, from_polars, to_pandas_series, to_polars_series
from jointbayes.table.given import Given
from jointbayes.table.notebook import FIRST_ROWS, cells, grid_html
from jointbayes.table.wording import listed, shown, visible

__all__ = ["Table", "named_by_itself"]

# In scikit-learn's words, which its estimator checks look for.
_TOO_SMALL = "Found array with {} {}(s) (shape={}) while a minimum of 1 is required."

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if it has a single feature or "
    "array.reshape(1, -1) if it contains a single sample"
)
_TEXTS = (
    "if these are texts, turn them into words first (scikit-learn has a CountVectorizer), else "
    f"{_RESHAPE}"
)


@dataclass(frozen=True, eq=False)
class Table:
    """Named, typed columns of equal length.

    Parameters
    ----------
    columns
        The columns.
    given
        What they were read from, if that was a frame or an array.

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
    given: Given | None = field(default=None, metadata={"stored": False})

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            name, times = Counter(self.names).most_common(1)[0]
            raise DataError(f"column name {shown(name)} occurs {times} times; rename the others")
        n = len(self)
        for column in self.columns:
            if len(column.values) != n:
                raise DataError(
                    f"column {column.name!r} has {len(column)} rows and "
                    f"{self.columns[0].name!r} {n}; they have to agree"
                )

    @classmethod
    def of(cls, X: Any) -> Table:
        """Read a 2-D array, nested lists, a frame of pandas or polars, an Arrow table, or a Table.

        A list of dicts, one for each row, and a structured array are tables, too. Object, string
        and bool columns are nominal, category dtypes bring all their categories, dates become
        seconds since 1970, all other numbers are numeric.

        >>> Table.of([{"wind": 3, "sky": "red"}, {"wind": 5}])
        Table(2 rows, 2 columns: wind, sky)
        """
        table = X if isinstance(X, Table) else cls(*_read(X))
        if not table.shape[1]:
            rows = len(X) if hasattr(X, "__len__") else 0
            raise DataError(_TOO_SMALL.format(0, "feature", (rows, 0)))
        if not len(table):
            raise DataError(_TOO_SMALL.format(0, "sample", table.shape))
        return table

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Table({rows:,} rows, {columns:,} columns: {visible(listed(self.names))})"

    def _repr_html_(self) -> str:
        """Return the first rows as notebooks show them."""
        first = self[:FIRST_ROWS].columns
        return grid_html(repr(self), [(c.name, cells(c)) for c in first], len(self))

    @cached_property
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
        given = None if self.given is None else self.given.take(index)
        return Table(tuple(column[index] for column in self.columns), given)

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the columns of a Table are not one array; let them be copied")
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
        raise DataError(f"there is no column {shown(name)}; the columns are {listed(self.names)}")

    def at(self, position: int) -> Column:
        """Return the column at a position."""
        return self.columns[position]

    def numbers_at(self, where: tuple[int, ...]) -> Floats | None:
        """Return (n, m) the numbers of some columns, if they stand in one array: here they do not.

        >>> Table.of([[1.5, 2]]).numbers_at((0, 1))
        """
        del where
        return None

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


def named_by_itself(X: Any) -> bool:
    """Whether X has names of columns that scikit-learn does not look for.

    >>> named_by_itself([{"wind": 3}]), named_by_itself([[3]])
    (True, False)
    """
    arrow, polars = sys.modules.get("pyarrow"), sys.modules.get("polars")
    return (
        (arrow is not None and isinstance(X, arrow.Table | arrow.RecordBatch))
        or (polars is not None and isinstance(X, polars.LazyFrame))
        or getattr(getattr(X, "dtype", None), "names", None) is not None
        or _are_records(X)
    )


def _are_records(X: Any) -> bool:
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(row, Mapping) for row in X)


def _read(X: Any) -> tuple[tuple[Column, ...], Given | None]:
    """Return the columns of what holds a table, and what a Pipeline would be given in its place."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return tuple(from_pandas(X, pandas)), Given(X)
    if polars is not None and isinstance(X, polars.LazyFrame):
        X = X.collect()
    if polars is not None and isinstance(X, polars.DataFrame):
        return tuple(from_polars(X, polars)), Given(X)
    if named_by_itself(X):
        return tuple(_named_columns(X)), None
    if hasattr(X, "toarray"):
        raise DataError(
            "X is a sparse matrix and not a Table; the estimators take it as it is, "
            "or give its toarray()"
        )
    if isinstance(X, Mapping):
        raise DataError(
            "X is a dict of columns and not a table; give a frame, such as pandas.DataFrame(X)"
        )
    array = plain_values(X)
    return tuple(_unnamed_columns(array)), Given(array)


def _named_columns(X: Any) -> Iterable[Column]:
    """Return the columns of an Arrow table, a structured array, or a list of dicts."""
    if _are_records(X):
        names = list(dict.fromkeys(name for row in X for name in row))
        return [record_column(str(name), [row.get(name) for row in X]) for name in names]
    if getattr(X, "dtype", None) is None:
        return from_arrow(X, sys.modules["pyarrow"])
    if X.ndim != 1:
        raise DataError(f"X is a structured array of {X.ndim} dimensions; give it one")
    return [to_column(name, np.asarray(X[name])) for name in X.dtype.names]


def _unnamed_columns(array: NDArray[Any]) -> Iterable[Column]:
    if array.dtype.kind == "c":
        raise DataError(
            "Complex data not supported\nX is complex; give real and imaginary part apart"
        )
    if array.ndim < 2:
        found = (
            f"1D array instead, of {len(array):,} values" if array.ndim else "scalar array instead"
        )
        texts = {str} == set(map(type, array.ravel().tolist()))
        raise DataError(f"Expected 2D array, got {found}; {_TEXTS if texts else _RESHAPE}")
    if array.ndim > 2:
        raise DataError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    names = position_names(array.shape[1])
    return [to_column(name, values) for name, values in zip(names, array.T, strict=True)]
