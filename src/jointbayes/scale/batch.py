"""Part and Batch: some rows as a source gives them, and the same rows typed, with their labels.

Columns are typed by the rules of `Table`, so a batch is read as the whole would be. Labels are kept
as the user's own values: the distinct ones, and a code for each row.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from jointbayes.arrays import Labels, Values
from jointbayes.errors import CostError, DataError
from jointbayes.labels.columns import distinct_labels
from jointbayes.table import Table
from jointbayes.table.column import factorize
from jointbayes.table.wording import listed, shown

__all__ = [
    "Batch",
    "LabelCodes",
    "Part",
    "blocks_of",
    "column_names",
    "faults_of",
    "read_batch",
    "read_labels",
    "read_rows",
    "select",
]

BLOCK_ROWS = 1 << 16
"""Rows that are read and counted at a time: enough to be fast, few enough for the cache."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a source, as a frame of pandas, polars or Arrow, and where they are."""

    frame: Any
    where: str


@dataclass(frozen=True, eq=False)
class LabelCodes:
    """One label of some rows: its distinct values, and the code of each row's, −1 = missing."""

    values: Values
    codes: Labels


@dataclass(frozen=True, eq=False)
class Batch:
    """Typed rows with their labels."""

    X: Table
    labels: tuple[LabelCodes, ...]
    where: str

    def __len__(self) -> int:
        return len(self.X)


@contextmanager
def faults_of(where: str) -> Iterator[None]:
    """Say where a fault was found.

    >>> with faults_of("a.parquet, row group 3"):
    ...     raise DataError("column 'age' holds text")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: a.parquet, row group 3: column 'age' holds text
    """
    try:
        yield
    except CostError:
        raise
    except (ValueError, TypeError) as error:  # ours, and scikit-learn's
        raise DataError(f"{where}: {error}") from error


def blocks_of(part: Part) -> Iterator[Part]:
    """Yield a part in blocks of rows; empty ones are left out."""
    frame, n = part.frame, _length(part.frame)
    if 0 < n <= BLOCK_ROWS:
        yield part
        return
    take = _slicer(frame)
    for start in range(0, n, BLOCK_ROWS):
        yield Part(take(start, min(BLOCK_ROWS, n - start)), part.where)


def read_batch(part: Part, targets: Sequence[str], ignored: Sequence[str] = ()) -> Batch:
    """Type the columns of a part, but for those that are ignored, and take its labels apart.

    >>> import pandas
    >>> frame = pandas.DataFrame({"wind": [3.5, 4.0], "sky": ["red", "grey"], "rain": [0, 1]})
    >>> batch = read_batch(Part(frame, "batch 0"), ["rain"])
    >>> batch.X.names, batch.labels[0].codes.tolist()
    (('wind', 'sky'), [0, 1])
    """
    with faults_of(part.where):
        names = list(map(str, column_names(part.frame)))
        absent = [name for name in (*targets, *ignored) if name not in names]
        if absent:
            use = "learn" if absent[0] in targets else "ignore"
            raise DataError(
                f"there is no column {shown(absent[0])} to {use}; the columns are {listed(names)}"
            )
        rest = [name for name in names if name not in {*targets, *ignored}]
        if not rest:
            raise DataError("there is no column beside the target; give at least one feature")
        labels = read_labels(part.frame, targets)
        return Batch(Table.of(select(part.frame, rest)), labels, part.where)


def read_rows(part: Part, names: Sequence[str]) -> Table:
    """Type the columns of a part that a model knows, in its order."""
    with faults_of(part.where):
        found = set(map(str, column_names(part.frame)))
        absent = [name for name in names if name not in found]
        if absent:
            raise DataError(
                f"the model was fitted on {listed(absent)}, which the rows do not have; give them "
                "the columns that it knows"
            )
        return Table.of(select(part.frame, names))


def read_labels(frame: Any, names: Sequence[str]) -> tuple[LabelCodes, ...]:
    """Take the labels of a frame apart."""
    return tuple(_label(frame, name) for name in names)


def column_names(frame: Any) -> Sequence[Any]:
    """Return the names of the columns of a frame."""
    return list(frame.schema.names) if _is_arrow(frame) else list(frame.columns)


def _is_arrow(frame: Any) -> bool:
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(frame, arrow.Table | arrow.RecordBatch)


def _is_pandas(frame: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def _length(frame: Any) -> int:
    return int(frame.num_rows) if _is_arrow(frame) else len(frame)


def _slicer(frame: Any) -> Any:
    if _is_pandas(frame):
        return lambda start, rows: frame.iloc[start : start + rows]
    return frame.slice  # of Arrow and polars alike: from where, and how many


def select(frame: Any, names: Sequence[str]) -> Any:
    """Return the columns of a frame that have these names."""
    if _is_pandas(frame):
        places = {str(name): j for j, name in enumerate(frame.columns)}
        return frame.iloc[:, [places[name] for name in names]]
    return frame.select(list(names))


def _label(frame: Any, name: str) -> LabelCodes:
    """Return the label of a frame in the user's own values."""
    if _is_arrow(frame):
        found = _arrow_label(frame.column(name))
    else:
        column = select(frame, [name])
        values = np.asarray(column.iloc[:, 0]) if _is_pandas(frame) else column[name].to_numpy()
        found = _plain_label(values, name)
    if found.values.dtype.kind == "f" and not np.isfinite(found.values).all():
        raise DataError(f"label {name!r} holds infinity; drop such rows")
    if found.values.dtype.kind in "Mmc":
        raise DataError(f"label {name!r} holds {found.values.dtype}, which is not a class")
    if found.values.dtype.kind == "f":
        check_classification_targets(found.values)
    return found


def _arrow_label(array: Any) -> LabelCodes:
    array = array.combine_chunks() if hasattr(array, "chunks") else array
    array = array.combine_chunks() if hasattr(array, "chunks") else array
    if not array.null_count and array.type in ("int8", "int16", "int32", "int64", "uint8"):
        return _plain_label(array.to_numpy(), "")
    if not hasattr(array, "dictionary"):
        array = array.dictionary_encode()
    codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    seen = array.dictionary.to_numpy(zero_copy_only=False)
    small = _plain_label(seen, "")
    lookup = np.append(small.codes, -1)
    used = np.zeros(len(small.values) + 1, dtype=bool)
    used[lookup[codes]] = True
    place = np.append(np.cumsum(used[:-1]) - 1, -1)  # what the rows do not hold is not a label
    return LabelCodes(small.values[used[:-1]], place[lookup[codes]])


def _plain_label(values: Values, name: str) -> LabelCodes:
    if values.dtype.kind == "f" and np.isnan(values).any():
        known = ~np.isnan(values)
        distinct, codes = distinct_labels(values[known], name)
        placed = np.full(len(values), -1, dtype=np.intp)
        placed[known] = codes
        return LabelCodes(distinct, placed)
    if values.dtype.kind == "O":
        codes, distinct = factorize(name, values)
        return LabelCodes(distinct, codes.astype(np.intp))
    return LabelCodes(*distinct_labels(values, name))
