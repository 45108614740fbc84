"""Files larger than memory: Parquet row group by row group, Arrow IPC, CSV.

A pattern stands for the files it matches, a folder for the files in it and below, in the order of
their names. A file that is damaged, or of another type, is named.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jointbayes.errors import DataError, require
from jointbayes.scale.batch import BLOCK_ROWS, Part
from jointbayes.table.wording import shown
from jointbayes.threads import n_threads

__all__ = ["SUFFIXES", "file_parts", "files_of", "rows_of"]

SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".arrows": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".csv": "csv",
    ".tsv": "csv",
}
CSV_BYTES = 1 << 22
"""Bytes of a CSV file that are read at a time."""


def files_of(source: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path, a pattern or a folder names, sorted by name.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.csv", "a.csv", "notes.txt"):
    ...     _ = (folder / name).write_text("x")
    >>> [path.name for path in files_of(folder)], [p.name for p in files_of(f"{folder}/b*.csv")]
    (['a.csv', 'b.csv'], ['b.csv'])
    """
    text = str(Path(source).expanduser()) if isinstance(source, os.PathLike) else source
    text = os.path.expanduser(text)  # noqa: PTH111  a pattern is not a path
    path = Path(text)
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
    elif path.exists():
        found = [path]
    else:
        found = sorted(Path(name) for name in glob.glob(text, recursive=True))  # noqa: PTH207
    if not found:
        raise DataError(
            f"{shown(text)} names no file of rows; give a path, a pattern such as 'logs/*.parquet' "
            "or a folder"
        )
    return found


def rows_of(paths: Sequence[Path]) -> int | None:
    """Return how many rows Parquet files say they have; None where a file does not say."""
    if any(_form(path) != "parquet" for path in paths):
        return None
    parquet = require("pyarrow.parquet", extra="scale", purpose="reading Parquet files")
    rows = 0
    for path in paths:
        with _faults(str(path)):
            rows += int(parquet.read_metadata(path).num_rows)
    return rows


def file_parts(paths: Sequence[Path], n_jobs: int | None) -> Callable[[], Iterable[Part]]:
    """Return what reads all rows of files, part by part, each time it is called."""
    arrow = require("pyarrow", extra="scale", purpose="reading files part by part")
    threads = n_threads(n_jobs) > 1
    plain = [path for path in paths if _form(path) == "csv"]
    types = _csv_types(plain, arrow) if plain else {}

    def parts() -> Iterator[Part]:
        for path in paths:
            form = _form(path)
            if form == "csv":
                yield from _csv_parts(path, types)
            elif form == "ipc":
                yield from _ipc_parts(path, arrow)
            else:
                yield from _parquet_parts(path, threads)

    return parts


def _form(path: Path) -> str:
    form = SUFFIXES.get(path.suffix.lower())
    if form is not None:
        return form
    try:
        with path.open("rb") as file:
            first = file.read(6)
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"{path} cannot be read ({reason}); give a file that can") from error
    if first[:4] == b"PAR1":
        return "parquet"
    if first == b"ARROW1":
        return "ipc"
    raise DataError(
        f"{path} is not a file of rows that is read part by part; give Parquet, Arrow or CSV, with "
        f"one of the suffixes {', '.join(SUFFIXES)}"
    )


@contextmanager
def _faults(where: str) -> Iterator[None]:
    """Say in one sentence which file, and where in it, is damaged."""
    try:
        yield
    except DataError:
        raise
    except (OSError, ValueError) as error:  # pyarrow's faults are either
        sentence = str(error).strip().partition("\n")[0]
        raise DataError(
            f"{where} cannot be read ({shown(sentence)}); give a whole file, or leave it out"
        ) from error


def _parquet_parts(path: Path, threads: bool) -> Iterator[Part]:  # noqa: FBT001  pyarrow's flag
    parquet = require("pyarrow.parquet", extra="scale", purpose="reading Parquet files")
    with _faults(str(path)):
        file = parquet.ParquetFile(path)
    with file:
        for group in range(file.metadata.num_row_groups):
            where = f"{path}, row group {group}"
            batches = file.iter_batches(BLOCK_ROWS, row_groups=[group], use_threads=threads)
            yield from _each(batches, where)


def _ipc_parts(path: Path, arrow: Any) -> Iterator[Part]:
    ipc = require("pyarrow.ipc", extra="scale", purpose="reading Arrow files")
    with _faults(str(path)), arrow.memory_map(str(path)) as stream:
        if stream.read(6) == b"ARROW1":
            stream.seek(0)
            file = ipc.open_file(stream)
            for i in range(file.num_record_batches):
                with _faults(f"{path}, batch {i}"):
                    part = Part(file.get_batch(i), f"{path}, batch {i}")
                yield part
            return
        stream.seek(0)
        yield from _each(ipc.open_stream(stream), str(path))


def _each(batches: Iterable[Any], where: str) -> Iterator[Part]:
    found = iter(batches)
    while True:
        with _faults(where):
            batch = next(found, None)
        if batch is None:
            return
        yield Part(batch, where)


def _csv_parts(path: Path, types: dict[str, Any]) -> Iterator[Part]:
    csv = require("pyarrow.csv", extra="scale", purpose="reading CSV files")
    with _faults(str(path)):
        reader = csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=CSV_BYTES, use_threads=False),
            parse_options=_parsing(path, csv),
            convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=True),
        )
    yield from _each(reader, str(path))


def _parsing(path: Path, csv: Any) -> Any:
    return csv.ParseOptions(delimiter="\t" if path.suffix.lower() == ".tsv" else ",")


def _csv_types(paths: Sequence[Path], arrow: Any) -> dict[str, Any]:
    """Return the types of the columns of CSV files: such as hold all their values.

    They are read as text once, block by block, and each block is typed by itself.
    """
    csv = require("pyarrow.csv", extra="scale", purpose="reading CSV files")
    types: dict[str, Any] = {}
    for path in paths:
        for names, block in _csv_blocks(path):
            with _faults(str(path)):
                table = csv.read_csv(
                    arrow.BufferReader(block),
                    read_options=csv.ReadOptions(
                        column_names=names, use_threads=False, block_size=max(len(block), 1)
                    ),
                    parse_options=_parsing(path, csv),
                    convert_options=csv.ConvertOptions(strings_can_be_null=True),
                )
            for field in table.schema:
                types[field.name] = _wider(types.get(field.name), field.type, arrow)
    return types


def _csv_blocks(path: Path) -> Iterator[tuple[list[str], bytes]]:
    """Yield the names of the columns, and whole lines of a CSV file, some at a time."""
    csv = require("pyarrow.csv", extra="scale", purpose="reading CSV files")
    with _faults(str(path)), path.open("rb") as file:
        head = file.readline()
        names = csv.read_csv(_buffer(head), parse_options=_parsing(path, csv)).schema.names
        while block := file.read(CSV_BYTES):
            yield names, block + file.readline()


def _buffer(data: bytes) -> Any:
    return require("pyarrow", extra="scale", purpose="reading CSV files").BufferReader(data)


def _wider(one: Any, two: Any, arrow: Any) -> Any:
    """Return a type that holds the values of both: of numbers a number, else text."""
    if one is None or one == two or arrow.types.is_null(one):
        return two
    if arrow.types.is_null(two):
        return one
    numbers = {arrow.int64(), arrow.float64()}
    if {one, two} == numbers:
        return arrow.float64()
    if arrow.types.is_timestamp(one) and arrow.types.is_timestamp(two):
        return one if one.unit == "ns" else two
    dates = [t for t in (one, two) if arrow.types.is_date(t)]
    stamps = [t for t in (one, two) if arrow.types.is_timestamp(t)]
    return stamps[0] if len(dates) == len(stamps) == 1 else arrow.string()
