"""The store of a comparison: a text file with one finished cell a line, so that a run can resume.

The first line says what the file is; each further line is one JSON object with the ``key`` of its
cell. A line is written at once and has reached the disk before the next cell is begun. What a
killed run may leave behind is a last line without its end; it is dropped. A key is the fingerprint
of all that a cell depends on (rows, labels, model, metrics, split), so a store never answers for a
cell that was another.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jointbayes.errors import DataError
from jointbayes.validation.scores import jsonable

__all__ = ["Store", "open_store"]

VERSION = 1
_HEADER = {"format": "jointbayes comparison", "version": VERSION}
_HEAD_LINE = (json.dumps(_HEADER) + "\n").encode()


@dataclass
class Store:
    """Finished cells by key; those that are added are on the disk when `add` returns.

    >>> store = Store()
    >>> store.add("cell", {"f1": float("inf")})
    >>> store.cells
    {'cell': {'f1': inf}}
    """

    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    path: Path | None = None
    descriptor: int = -1

    def has_finished(self, key: str) -> bool:
        """Say whether a cell was done without an error."""
        return key in self.cells and self.cells[key].get("error") is None

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Append one cell."""
        self.cells[key] = record
        if self.path is None:
            return
        line = json.dumps(jsonable({"key": key, **record}), ensure_ascii=False, allow_nan=False)
        _append(self.path, self.descriptor, f"{line}\n".encode())


@contextmanager
def open_store(path: str | os.PathLike[str] | None) -> Iterator[Store]:
    """Open a store for one run at a time; None keeps the cells in memory only.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> with open_store(path) as store:
    ...     store.add("first", {"f1": 0.5})
    >>> _ = path.write_bytes(path.read_bytes() + b'{"key": "second", "f1"')  # killed here
    >>> with open_store(path) as store:
    ...     store.cells
    {'first': {'f1': 0.5}}
    """
    if path is None:
        yield Store()
        return
    place = Path(path).expanduser()
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise DataError(f"the store {path} cannot be opened ({error.strerror})") from error
    try:
        _lock(place, descriptor)
        yield Store(_read(place, descriptor), place, descriptor)
    finally:
        os.close(descriptor)


def _lock(path: Path, descriptor: int) -> None:
    """Keep other runs out while this one writes, where the system can."""
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataError(
                f"another run is writing to the store {path}; wait for it or take another store"
            ) from error


def _read(path: Path, descriptor: int) -> dict[str, dict[str, Any]]:
    """Return the cells of a store; begin a new one, and drop a line that was not finished."""
    data = path.read_bytes()
    if not data or (_HEAD_LINE.startswith(data) and data != _HEAD_LINE):
        os.ftruncate(descriptor, 0)
        _append(path, descriptor, _HEAD_LINE)
        return {}
    head, _, rest = data.partition(b"\n")
    _check_header(path, head)
    whole = rest[: rest.rfind(b"\n") + 1]
    if whole != rest:
        os.ftruncate(descriptor, len(head) + 1 + len(whole))
    cells = {}
    for number, line in enumerate(whole.splitlines(), start=2):
        try:
            record = json.loads(line)
            key = record.pop("key")
            cells[key] = {name: _number(value) for name, value in record.items()}
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise DataError(
                f"{path}, line {number}: this is not a cell of a comparison; take the line out or "
                "begin another store"
            ) from error
    return cells


def _check_header(path: Path, head: bytes) -> None:
    try:
        header = json.loads(head)
        known = header["format"] == _HEADER["format"]
        version = int(header["version"])
    except (ValueError, KeyError, TypeError):
        known, version = False, 0
    if not known:
        raise DataError(f"{path} is there and is not a store of a comparison; name another file")
    if version > VERSION:
        raise DataError(
            f"the store {path} has format version {version}, and this jointbayes reads up to "
            f"{VERSION}; install a newer jointbayes or begin another store"
        )


def _append(path: Path, descriptor: int, line: bytes) -> None:
    size = os.fstat(descriptor).st_size
    try:
        written = os.write(descriptor, line)
        if written < len(line):  # the disk is full: a second try says so
            written += os.write(descriptor, line[written:])
        os.fsync(descriptor)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
        raise DataError(
            f"the store {path} cannot be written ({error.strerror}); what is in it is whole, and "
            "the run can be resumed"
        ) from error


def _number(value: Any) -> Any:
    return float(value) if value in ("inf", "-inf", "nan") else value
