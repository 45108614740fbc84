"""Columns of pandas and polars frames, and back; neither package is imported here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jointbayes.errors import DataError
from jointbayes.table.column import Column, as_objects, nominal_column, to_column

__all__ = [
    "FEW_ROWS",
    "from_pandas",
    "from_polars",
    "parts_of_pandas",
    "to_pandas_series",
    "to_polars_series",
]

FEW_ROWS = 64
"""Rows up to which a frame with columns of several kinds is read without a Series of each."""


def from_pandas(frame: Any, pandas: Any) -> Iterable[Column]:
    """Return the columns of a pandas frame."""
    names = map(str, frame.columns.tolist())
    return [_from_series(name, frame.iloc[:, j], pandas) for j, name in enumerate(names)]


def parts_of_pandas(
    frame: Any, names: list[str], pandas: Any
) -> tuple[Any, dict[int, Column]] | None:
    """Return the plain numbers of a frame as (rows, columns), and all other columns by position.

    None for many rows of more than numbers, which are better read column by column. Of many
    categories only those that occur are there: these are columns to ask about, not to learn from.
    """
    where: list[int] = []
    plain, others = [], {}
    for places, values in _held_arrays(frame):
        if type(values) is np.ndarray and values.dtype.kind in "iuf":
            where += places
            plain.append(values)
        elif len(frame) > FEW_ROWS:
            return None
        else:
            for i, j in enumerate(places):
                few = _few_cells(names[j], values, i, pandas)
                if few is None:
                    few = _from_series(names[j], frame.iloc[:, j], pandas)
                others[j] = few
    held = plain[0] if len(plain) == 1 else np.concatenate(plain or [np.empty((0, len(frame)))])
    held = held if where == sorted(where) else held[np.argsort(where)]
    return np.asarray(held.T, dtype=np.float64), others


def _held_arrays(frame: Any) -> list[tuple[list[int], Any]]:
    """Return the arrays that hold a pandas frame, each with the positions of its columns.

    An array is (columns, rows), or one column of pandas' own kinds. They are taken from where
    pandas keeps them, if it shows that: it takes as long for a few Series as we for an answer.
    """
    blocks: Any = getattr(getattr(frame, "_mgr", None), "blocks", None)
    if blocks is not None:
        return [(list(block.mgr_locs), block.values) for block in blocks]
    every = enumerate(frame.iloc[:, j] for j in range(frame.shape[1]))
    return [
        ([j], x.to_numpy()[None] if isinstance(x.dtype, np.dtype) else x.array) for j, x in every
    ]


def _few_cells(name: str, values: Any, i: int, pandas: Any) -> Column | None:
    """Return the column of a few rows that stands i-th in an array, or None for rare kinds."""
    if type(values) is np.ndarray and values.dtype.kind in "bO":
        return to_column(name, values[i])
    if isinstance(values, pandas.Categorical) and len(values.categories) > FEW_ROWS:
        seen, codes = np.unique(values.codes, return_inverse=True)
        gap = int(seen[0] < 0)  # the code of missing
        known = as_objects(values.categories.take(seen[gap:]).tolist())
        return Column(name, "nominal", codes - gap, known)
    if isinstance(values, pandas.Categorical):
        known = as_objects(values.categories.tolist())
        return Column(name, "nominal", values.codes, known, declared=True)
    if isinstance(values.dtype, pandas.StringDtype):
        return to_column(name, as_objects(values))
    return None


def _from_series(name: str, series: Any, pandas: Any) -> Column:
    dtype, types = series.dtype, pandas.api.types
    if isinstance(dtype, pandas.CategoricalDtype):
        categories = as_objects(dtype.categories.tolist())
        return Column(name, "nominal", series.array.codes, categories, declared=True)
    is_bool = types.is_bool_dtype(dtype)
    if (is_bool or isinstance(dtype, pandas.StringDtype)) and not isinstance(dtype, np.dtype):
        codes, seen = pandas.factorize(series)
        return nominal_column(name, codes, seen.tolist())
    return to_column(name, _pandas_values(series, pandas))


def _pandas_values(series: Any, pandas: Any) -> Any:
    dtype = series.dtype
    if isinstance(dtype, pandas.PeriodDtype):
        return series.dt.start_time.to_numpy()
    if dtype.kind == "M":  # a zone is turned into UTC
        return pandas.to_datetime(series, utc=True).to_numpy("M8[us]")
    if dtype.kind == "m":
        return series.to_numpy("m8[us]")
    if isinstance(dtype, np.dtype):
        return series.to_numpy()
    if pandas.api.types.is_numeric_dtype(dtype) and dtype.kind != "c":
        return series.to_numpy(np.float64, na_value=np.nan)
    return series.to_numpy(object)


def to_pandas_series(column: Column, pandas: Any) -> Any:
    """Return the column as a pandas series."""
    if column.categories is not None and column.declared:
        categories = pandas.Index(column.categories)
        return pandas.Series(pandas.Categorical.from_codes(column.values, categories))
    if column.kind == "date":
        return pandas.Series(_microseconds(column))
    return pandas.Series(column.decoded(), dtype=None if column.categories is None else object)


def from_polars(frame: Any, polars: Any) -> Iterable[Column]:
    """Return the columns of a polars frame."""
    return [_from_polars_series(series, polars) for series in frame.get_columns()]


def _from_polars_series(series: Any, polars: Any) -> Column:
    name, dtype = series.name, series.dtype
    if isinstance(dtype, polars.Enum):
        known = as_objects(dtype.categories)
        return Column(name, "nominal", _enum_codes(series), known, declared=True)
    if isinstance(dtype, (polars.String, polars.Categorical)):
        text = series.cast(polars.String)
        seen = text.drop_nulls().unique()
        return nominal_column(name, _enum_codes(text.cast(polars.Enum(seen))), seen.to_list())
    if isinstance(dtype, polars.Boolean):
        codes = series.cast(polars.Int64).fill_null(-1).to_numpy()
        return nominal_column(name, codes, [False, True])
    if dtype.is_nested():
        raise DataError(f"column {name!r} is a {dtype}; a cell has to hold one value")
    if dtype.is_numeric() or dtype.is_temporal() or isinstance(dtype, polars.Null):
        is_date = isinstance(dtype, (polars.Date, polars.Datetime))
        return Column(name, "date" if is_date else "numeric", _polars_numbers(series, polars))
    return to_column(name, as_objects(series.to_list()))


def _polars_numbers(series: Any, polars: Any) -> Any:
    """Return doubles: seconds since 1970, of a duration, or since midnight."""
    scale = 1.0
    if isinstance(series.dtype, (polars.Date, polars.Datetime)):
        series, scale = series.cast(polars.Datetime("us")).to_physical(), 1e6
    elif isinstance(series.dtype, polars.Duration):
        series, scale = series.cast(polars.Duration("us")).to_physical(), 1e6
    elif series.dtype == polars.Time:  # which older releases give as a class
        series, scale = series.to_physical(), 1e9
    values = series.cast(polars.Float64).to_numpy()
    return values if scale == 1 else values / scale


def _enum_codes(series: Any) -> Any:
    # Physical codes are unsigned; null becomes −1 once they are signed.
    return series.to_physical().cast(int).fill_null(-1).to_numpy()


def to_polars_series(column: Column, polars: Any) -> Any:
    """Return the column as a polars series; categories of mixed types become text."""
    if column.kind == "date":
        return polars.Series(column.name, _microseconds(column))
    if column.categories is None:
        return polars.Series(column.name, column.values).fill_nan(None)
    values, categories = column.decoded().tolist(), column.categories.tolist()
    if column.declared and all(isinstance(value, str) for value in categories):
        return polars.Series(column.name, values, dtype=polars.Enum(categories))
    if len({type(value) for value in categories}) > 1:
        values = [None if value is None else str(value) for value in values]
    return polars.Series(column.name, values)


def _microseconds(column: Column) -> Any:
    ticks = np.where(column.missing, 0, np.round(column.values * 1e6)).astype("M8[us]")
    ticks[column.missing] = np.datetime64("NaT", "us")
    return ticks
