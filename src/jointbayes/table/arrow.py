"""Columns of Arrow tables; pyarrow is not imported here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jointbayes.errors import DataError
from jointbayes.table.column import Column, as_objects, nominal_column
from jointbayes.table.wording import shown

__all__ = ["from_arrow"]


def from_arrow(table: Any, arrow: Any) -> Iterable[Column]:
    """Return the columns of a pyarrow Table or RecordBatch.

    Dictionary columns are nominal with all their values declared; strings and booleans are nominal;
    timestamps and dates are dates; all numbers, times of day and durations are numeric.
    """
    columns = zip(table.schema.names, table.columns, strict=True)
    return [_column(name, _whole(array, arrow), arrow) for name, array in columns]


def _whole(array: Any, arrow: Any) -> Any:
    """Return one array: chunks are joined."""
    if not isinstance(array, arrow.ChunkedArray):
        return array
    joined = array.combine_chunks()
    return joined.combine_chunks() if isinstance(joined, arrow.ChunkedArray) else joined


def _column(name: str, array: Any, arrow: Any) -> Column:
    types, kind = arrow.types, array.type
    if types.is_boolean(kind):
        codes = array.cast("int8").fill_null(-1).to_numpy(zero_copy_only=False)
        return nominal_column(name, codes, [False, True])
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Column(name, "numeric", _doubles(array))
    if types.is_null(kind):
        return Column(name, "numeric", np.full(len(array), np.nan))
    if types.is_temporal(kind):
        return _moments(name, array, arrow)
    return _categories(name, array, arrow)


def _moments(name: str, array: Any, arrow: Any) -> Column:
    """Return dates as such; times of day and durations in seconds."""
    kind = array.type
    if arrow.types.is_time(kind) or arrow.types.is_duration(kind):
        per_second = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        ticks = array.cast("int32" if kind.bit_width == 32 else "int64")
        return Column(name, "numeric", _doubles(ticks) / per_second)
    ticks = array.cast(arrow.timestamp("us"), safe=False).cast("int64")
    return Column(name, "date", _doubles(ticks) / 1e6)


def _categories(name: str, array: Any, arrow: Any) -> Column:
    types, kind = arrow.types, array.type
    declared = types.is_dictionary(kind)
    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        array = array.cast("string").dictionary_encode()
    elif not declared:
        raise DataError(
            f"column {shown(name)} is a {_brief(kind)}; a cell has to hold one number or text"
        )
    codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    values = array.dictionary.to_pylist()
    if not declared:
        return nominal_column(name, codes, values)
    if None in values:  # a category that is none is a missing value
        codes = np.where(codes == values.index(None), -1, codes)
        codes = codes - (codes > values.index(None))
        values.remove(None)
    return Column(name, "nominal", codes, as_objects(values), declared=True)


def _doubles(array: Any) -> Any:
    # A view of what Arrow holds, where nothing is missing: nobody writes into a column.
    return np.asarray(array.cast("float64", safe=False).to_numpy(zero_copy_only=False), np.float64)


def _brief(kind: Any) -> str:
    text = str(kind)
    return text if len(text) <= 60 else text[:60] + "…"
