"""Parquet, through pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jointbayes.errors import DataError, JointBayesError, require
from jointbayes.table import Table
from jointbayes.table.arrow import from_arrow
from jointbayes.table.wording import shown

__all__ = ["read_parquet"]


def read_parquet(source: str, data: bytes) -> Table:
    """Return the typed columns of a Parquet file (see `table.arrow`)."""
    arrow = require("pyarrow", extra="parquet", purpose="reading Parquet files")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="reading Parquet files")
    try:
        table = parquet.read_table(arrow.BufferReader(data))
        _check(table)
        return Table(tuple(from_arrow(table, arrow)))
    except JointBayesError as error:
        raise DataError(f"{source}: {error}") from None
    except (arrow.ArrowException, OSError, ArithmeticError, LookupError, ValueError) as error:
        sentence = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{source} is not a Parquet file or a damaged one ({shown(sentence)}); fetch it again"
        ) from None


def _check(table: Any) -> None:
    if not table.num_rows or not table.num_columns:
        raise DataError(f"it has {table.num_rows} rows and {table.num_columns} columns")
    name, times = Counter(table.column_names).most_common(1)[0]
    if times > 1:
        raise DataError(f"it has {times} columns called {shown(name)}; rename the others")
