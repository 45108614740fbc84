"""Parquet, through pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from jointbayes.datasets.files import shown
from jointbayes.errors import DataError, require
from jointbayes.table import Column, Table

__all__ = ["read_parquet"]


def read_parquet(source: str, data: bytes) -> Table:
    """Return the typed columns of a Parquet file.

    Dictionary columns are nominal with all their values declared; strings and booleans are nominal;
    timestamps and dates are dates; all numbers are numeric.
    """
    arrow = require("pyarrow", extra="parquet", purpose="reading Parquet files")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="reading Parquet files")
    try:
        table = parquet.read_table(arrow.BufferReader(data))
    except (arrow.ArrowException, OSError) as error:
        sentence = str(error).splitlines()[0]
        raise DataError(f"{source} is no Parquet file or a damaged one ({sentence})") from None
    if not table.num_rows or not table.num_columns:
        raise DataError(f"{source} has {table.num_rows} rows and {table.num_columns} columns")
    names = table.column_names
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{source} has {times} columns called {shown(name)}; rename the others")
    return Table(
        tuple(
            _column(source, name, array.combine_chunks(), arrow)
            for name, array in zip(names, table.columns, strict=True)
        )
    )


def _column(source: str, name: str, array: Any, arrow: Any) -> Column:
    types, kind = arrow.types, array.type
    if types.is_boolean(kind):
        codes = array.cast("int8").fill_null(-1).to_numpy(zero_copy_only=False)
        return Column(name, "nominal", codes, np.array([False, True]))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        numbers = array.cast("float64", safe=False).to_numpy(zero_copy_only=False)
        return Column(name, "numeric", np.array(numbers, dtype=np.float64))
    if types.is_null(kind):
        return Column(name, "numeric", np.full(len(array), np.nan))
    if types.is_temporal(kind) and not types.is_time(kind) and not types.is_duration(kind):
        ticks = array.cast(arrow.timestamp("us"), safe=False).cast("int64")
        seconds = ticks.cast("float64").to_numpy(zero_copy_only=False) / 1e6
        return Column(name, "date", np.array(seconds, dtype=np.float64))
    declared = types.is_dictionary(kind)
    if types.is_string(kind) or types.is_large_string(kind):
        array = array.dictionary_encode()
    elif not declared:
        raise DataError(
            f"{source}: column {shown(name)} is a {kind}; a cell has to hold one number or text"
        )
    codes = array.indices.cast("int32").fill_null(-1).to_numpy(zero_copy_only=False)
    values = array.dictionary.to_pylist()
    if declared:
        return Column(name, "nominal", codes, np.array(values, dtype=object), declared=True)
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = np.append(np.argsort(order), -1) if order else np.array([-1])
    return Column(name, "nominal", rank[codes], np.array([values[k] for k in order], dtype=object))
