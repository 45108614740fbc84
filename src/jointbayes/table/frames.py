"""Columns of pandas and polars frames, and back; neither package is imported here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jointbayes.errors import DataError
from jointbayes.table.column import Column, as_objects, nominal_column, to_column

__all__ = ["are_numbers", "from_pandas", "from_polars", "to_pandas_series", "to_polars_series"]

FEW_ROWS = 64
"""Rows of plain numbers up to which a frame is read at once, not column by column."""


def from_pandas(frame: Any, pandas: Any) -> Iterable[Column]:
    """Return the columns of a pandas frame."""
    names = list(map(str, frame.columns.tolist()))
    if len(frame) <= FEW_ROWS:
        return _few_from_pandas(names, frame, pandas)
    return [_from_series(name, frame.iloc[:, j], pandas) for j, name in enumerate(names)]


def _few_from_pandas(names: list[str], frame: Any, pandas: Any) -> Iterable[Column]:
    """Return the columns of a few rows, whose cells are read at once: each Series has its price."""
    dtypes = frame.dtypes.tolist()
    if are_numbers(dtypes):
        numbers = frame.to_numpy(np.float64)
        return [Column(name, "numeric", x) for name, x in zip(names, numbers.T, strict=True)]
    cells, found = frame.to_numpy(object), []
    for j, (name, dtype) in enumerate(zip(names, dtypes, strict=True)):
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
            found.append(Column(name, "numeric", cells[:, j].astype(np.float64)))
        elif isinstance(dtype, pandas.StringDtype) or dtype == np.dtype(object):
            found.append(to_column(name, cells[:, j]))
        else:
            found.append(_from_series(name, frame.iloc[:, j], pandas))
    return found


def are_numbers(dtypes: list[Any]) -> bool:
    """Whether all columns of a frame are plain numbers.

    >>> are_numbers([np.dtype(float), np.dtype(int)]), are_numbers([np.dtype(bool)])
    (True, False)
    """
    kinds = dtypes[:1] if dtypes[1:] == dtypes[:-1] else set(dtypes)
    return all(isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in kinds)


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
