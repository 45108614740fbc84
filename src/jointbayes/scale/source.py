"""From whatever holds rows to a feed.

Frames of pandas and polars, Arrow tables, readers and data sets, anything that streams Arrow
(``__arrow_c_stream__``: relations of DuckDB, tables of Ibis), lazy frames of polars, files, folders
and patterns of files, lists of frames, functions that give an iterator of frames, and the frames of
Dask and Spark. What can be read only once is refused, or kept in a file on request.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jointbayes.errors import DataError, ParameterError, require
from jointbayes.scale.batch import BLOCK_ROWS, Part
from jointbayes.scale.feed import Feed, LocalFeed
from jointbayes.scale.files import file_parts, files_of, rows_of

__all__ = ["ONCE", "open_source"]

ONCE = ("refuse", "spool")
_TWICE = (
    "which can be read only once, and a model reads its rows twice; give a list, a function that "
    "returns a new iterator each time, a table or files, or say once='spool' to keep a copy on "
    "disk while it learns"
)


@contextmanager
def open_source(source: Any, *, passes: int, once: str, n_jobs: int | None) -> Iterator[Feed]:
    """Open whatever holds rows for so many passes.

    >>> import pandas
    >>> frames = [pandas.DataFrame({"x": [1, 2]}), pandas.DataFrame({"x": [3]})]
    >>> with open_source(frames, passes=2, once="refuse", n_jobs=1) as feed:
    ...     [(part.where, len(part.frame)) for part in feed.parts()]
    [('batch 0', 2), ('batch 1', 1)]
    """
    if once not in ONCE:
        raise ParameterError(f"once is {once!r}; it has to be 'refuse' or 'spool'")
    engine = _engine(source)
    if engine is not None:
        yield engine
        return
    paths = _paths_of(source)
    if paths is not None:
        yield LocalFeed(file_parts(paths, n_jobs), n_jobs, rows_of(paths))
        return
    parts = _parts_of(source)
    if parts is not None:
        yield LocalFeed(parts, n_jobs)
        return
    frames = _stream_of(source)
    if passes == 1:
        yield LocalFeed(lambda: _numbered(frames), n_jobs)
    elif once == "spool":
        with _spooled(frames) as kept:
            yield LocalFeed(kept, n_jobs)
    else:
        raise DataError(f"source is of type {type(source).__name__}, {_TWICE}")


def _engine(source: Any) -> Feed | None:
    """Return the feed of an engine that works where its rows are."""
    module = type(source).__module__
    if module.startswith("dask"):
        from jointbayes.scale.on_dask import DaskFeed, as_frame

        return DaskFeed(as_frame(source))
    if module.startswith("pyspark"):
        from jointbayes.scale.on_spark import SparkFeed

        return SparkFeed(source)
    return None


def _paths_of(source: Any) -> list[Path] | None:
    """Return the files that a source names, if it names any."""
    if isinstance(source, str | os.PathLike):
        return files_of(source)
    listed = isinstance(source, list | tuple) and len(source) > 0
    if listed and all(isinstance(one, str | os.PathLike) for one in source):
        return [path for one in source for path in files_of(one)]
    return None


def _parts_of(source: Any) -> Callable[[], Iterable[Part]] | None:
    """Return what gives all parts anew each time; None for what can be read only once."""
    if isinstance(source, _kinds("pandas polars pyarrow")):
        return lambda: [Part(source, "the rows")]
    frames = _frames_of(source)
    return None if frames is None else lambda: _numbered(frames())


def _frames_of(source: Any) -> Callable[[], Iterable[Any]] | None:
    """Return what gives the frames of a source anew each time."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(source, polars.LazyFrame):
        return lambda: _lazy_batches(source)
    if _is_data_set(source):
        return lambda: source.to_batches(batch_size=BLOCK_ROWS)
    if hasattr(source, "__arrow_c_stream__"):
        return None if _is_reader(source) else lambda: _arrow_batches(source)
    if callable(source):
        frames: Callable[[], Iterable[Any]] = source
        return frames
    again = isinstance(source, Iterable) and not isinstance(source, Iterator | Mapping)
    return (lambda: source) if again else None


def _kinds(packages: str) -> tuple[type, ...]:
    """Return the classes of frames of those packages that are imported."""
    found = [sys.modules.get(name) for name in packages.split()]
    names = "DataFrame Table RecordBatch".split()
    return tuple(getattr(one, name) for one in found if one for name in names if hasattr(one, name))


def _stream_of(source: Any) -> Iterable[Any]:
    """Return the frames of what can be read only once."""
    if hasattr(source, "__arrow_c_stream__"):
        return _arrow_batches(source)
    if isinstance(source, Iterator):
        return source
    raise DataError(
        f"source is of type {type(source).__name__}, which holds no rows; give a frame, files, a "
        "list of frames, or what streams Arrow"
    )


def _is_data_set(source: Any) -> bool:
    return type(source).__module__.startswith("pyarrow._dataset") and hasattr(source, "to_batches")


def _is_reader(source: Any) -> bool:
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(source, arrow.RecordBatchReader)


def _arrow_batches(source: Any) -> Iterator[Any]:
    arrow = require("pyarrow", extra="scale", purpose="reading Arrow streams")
    yield from arrow.RecordBatchReader.from_stream(source)


def _lazy_batches(frame: Any) -> Iterator[Any]:
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=BLOCK_ROWS, maintain_order=True)
    else:  # older polars has no batches
        yield frame.collect()


def _numbered(frames: Iterable[Any]) -> Iterator[Part]:
    for i, frame in enumerate(frames):
        yield Part(_as_frame(frame, i), f"batch {i}")


def _as_frame(frame: Any, i: int) -> Any:
    """Return a frame of pandas, polars or Arrow; refuse all else."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if isinstance(frame, _kinds("pandas polars pyarrow")):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        arrow = require("pyarrow", extra="scale", purpose="reading Arrow streams")
        return arrow.table(frame)
    raise DataError(
        f"batch {i} is of type {type(frame).__name__}, which is not a frame; give frames of "
        "pandas, polars or Arrow"
    )


@contextmanager
def _spooled(frames: Iterable[Any]) -> Iterator[Callable[[], Iterable[Part]]]:
    """Keep frames in a file while the body runs: one after the other, as plain pickles."""
    import pickle

    with tempfile.TemporaryDirectory(prefix="jointbayes-") as folder:
        path = Path(folder) / "rows"
        try:
            with path.open("wb") as file:
                for part in _numbered(frames):
                    pickle.dump(part, file, protocol=5)
        except OSError as error:
            reason = error.strerror or error
            raise DataError(
                f"the rows cannot be kept in {folder} ({reason}); name a larger folder in TMPDIR"
            ) from error

        def parts() -> Iterator[Part]:
            with path.open("rb") as file:
                while file.peek(1):
                    yield pickle.load(file)

        yield parts
