"""Columns of answers to a file or to standard output, as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import ParameterError, require
from jointbayes.storage import replacing
from jointbayes.table.wording import escaped, visible

__all__ = ["FORMATS", "choose_format", "numbered", "write_columns", "write_parts"]

Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "json", "parquet")
Columns = Mapping[str, NDArray[Any]]
_PLAIN = ("", "txt")  # suffixes that say nothing


def choose_format(name: str | None, output: str | None) -> Format:
    """Return the format asked for, else that of the file's suffix, else CSV.

    >>> choose_format(None, "answers.parquet"), choose_format("json", "answers.txt")
    ('parquet', 'json')
    """
    suffix = Path(output or "").suffix.lower().removeprefix(".")
    if name is None and suffix not in (*_PLAIN, *FORMATS):
        raise ParameterError(
            f"-o {output} has a suffix that is not written here; end it in .csv, .json or .parquet,"
            " or say --format"
        )
    wanted = name or ("csv" if suffix in _PLAIN else suffix)
    for known in FORMATS:
        if wanted.lower() == known:
            if known == "parquet" and output is None:
                raise ParameterError("Parquet is not text; name a file with -o")
            return known
    raise ParameterError(f"no format is called {wanted!r}; choose one of {', '.join(FORMATS)}")


def write_columns(columns: Columns, form: Format, output: str | None) -> None:
    """Write columns of equal length; a file is there as a whole or not at all."""
    data = {"csv": _csv, "json": _json, "parquet": _parquet}[form](columns)
    if output is None:
        _print(visible(data.decode()).encode() if sys.stdout.isatty() else data)
        return
    with replacing(output) as file:
        file.write(data)


def numbered(parts: Iterable[Columns]) -> Iterator[Columns]:
    """Count the rows that answers name through all parts.

    >>> part = {"row": np.array([0, 0, 1]), "rank": np.array([1, 2, 1])}
    >>> [part["row"].tolist() for part in numbered([part, part])]
    [[0, 0, 1], [2, 2, 3]]
    """
    before = 0
    for part in parts:
        if "rank" in part:  # the best label sets, one below the other
            rows = part["row"] + before
            before = int(rows[-1]) + 1
            yield {**part, "row": rows}
        else:
            yield part


def write_parts(parts: Iterable[Columns], form: Format, output: str | None) -> None:
    """Write parts of columns below each other; a file is there as a whole or not at all."""
    if form == "json":
        raise ParameterError(
            "answers to files that are read part by part are not written as JSON; choose csv or "
            "parquet with --format"
        )
    if output is None:
        for i, part in enumerate(parts):
            data = _csv(part).partition(b"\n")[2] if i else _csv(part)
            _print(visible(data.decode()).encode() if sys.stdout.isatty() else data)
        return
    with replacing(output) as file:
        (_append_csv if form == "csv" else _append_parquet)(parts, file)


def _append_csv(parts: Iterable[Columns], file: BinaryIO) -> None:
    for i, part in enumerate(parts):
        file.write(_csv(part).partition(b"\n")[2] if i else _csv(part))


def _append_parquet(parts: Iterable[Columns], file: BinaryIO) -> None:
    pyarrow = require("pyarrow", extra="parquet", purpose="writing Parquet files")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="writing Parquet files")
    writer = None
    for part in parts:
        table = pyarrow.table({name: np.asarray(v).tolist() for name, v in part.items()})
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table.cast(writer.schema))
    if writer is not None:
        writer.close()


def _print(data: bytes) -> None:
    """Write all bytes: an unbuffered stream (PYTHONUNBUFFERED) may take fewer at a time."""
    sys.stdout.flush()
    rest = memoryview(data)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest[:65536]) :]
    sys.stdout.buffer.flush()


def _csv(columns: Columns) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    return text.getvalue().encode()


def _json(columns: Columns) -> bytes:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    lines = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows)
    return escaped("[\n" + ",\n".join(lines) + "\n]\n").encode()


def _parquet(columns: Columns) -> bytes:
    pyarrow = require("pyarrow", extra="parquet", purpose="writing Parquet files")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="writing Parquet files")
    plain = {name: np.asarray(values).tolist() for name, values in columns.items()}
    data = io.BytesIO()
    parquet.write_table(pyarrow.table(plain), data)
    return data.getvalue()
