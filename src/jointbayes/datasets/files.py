"""From a path to text: opening, unpacking once and within limits, and saying where a fault is.

What a file is packed with is told by its first bytes, not by its name. Only one layer is taken off,
and no more than ``max_bytes`` are unpacked, so a small file cannot fill the memory.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jointbayes.datasets.encodings import to_utf8
from jointbayes.errors import DataError

__all__ = ["PACKED", "FileText", "as_text", "decode", "faults_of", "read_bytes", "without_suffixes"]

PACKED = (".gz", ".bz2", ".xz", ".lzma")

_MAGIC = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
}
_STEP = 1 << 26
_ROOM, _RATIO = 1 << 28, 200  # unpacked bytes that are never too many, and per packed byte
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, eq=False)
class FileText:
    r"""The bytes of a text file, in UTF-8, where they came from, and how they were encoded there.

    >>> text = FileText("birds.csv", b"name,wings\nemu,2\n")
    >>> print(text.error(15, "column 'wings' holds '2'; correct it"))
    birds.csv, line 2: column 'wings' holds '2'; correct it
    """

    source: str
    data: bytes
    encoding: str = "utf-8"

    def line(self, offset: int) -> int:
        """Return the number of the line that holds the byte at ``offset``, from 1."""
        return self.data.count(b"\n", 0, offset) + 1

    def error(self, offset: int, sentence: str) -> DataError:
        """Return an error whose sentence begins with the file and the line."""
        return DataError(f"{self.source}, line {self.line(offset)}: {sentence}")


def as_text(source: str, data: bytes, encoding: str = "auto") -> FileText:
    r"""Return the bytes in UTF-8; line ends become ``\n`` where there is no other.

    What is not text is refused.
    """
    data, encoding = to_utf8(source, data, encoding)
    data = data.rstrip(b"\x1a")  # DOS marked the end of a file
    junk = _CONTROL.search(data, 0, 1 << 16)
    position = junk.start() if junk else data.find(b"\x00")
    if position >= 0:
        raise DataError(
            f"{source} is not text: byte {position} is {data[position]:#04x}; "
            "give an ARFF, CSV, TSV, svmlight or Parquet file"
        )
    if not data or data.isspace():
        raise DataError(f"{source} is empty; give a file with a row of data at least")
    return FileText(source, data if b"\n" in data else data.replace(b"\r", b"\n"), encoding)


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Let the faults that are found in a file's columns begin with its name.

    >>> with faults_of(Path("birds.csv")):
    ...     raise DataError("column 'wings' holds no number")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: birds.csv: column 'wings' holds no number
    """
    try:
        yield
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def read_bytes(path: Path, max_bytes: int | None = None) -> bytes:
    """Read a file and take off one layer of gz, bz2 or xz."""
    try:
        data = path.read_bytes()
    except IsADirectoryError:
        raise DataError(f"{path} is a directory; give one of the files in it") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a null byte in the name
        raise DataError(f"{str(path)!r} is not a path: {error}") from None
    start = _opener(data)
    if start is None:
        return data
    limit = _ROOM + _RATIO * len(data) if max_bytes is None else max_bytes
    unpacked = _unpack(path, data, start, limit)
    if _opener(unpacked) is not None:
        raise DataError(f"{path} is packed more than once; unpack it by hand first")
    return unpacked


def _opener(data: bytes) -> Any:
    return next((start for magic, start in _MAGIC.items() if data.startswith(magic)), None)


def _unpack(path: Path, data: bytes, start: Any, limit: int) -> bytes:
    """Unpack stream after stream (packed files may be joined), never beyond the limit."""
    parts: list[bytes] = []
    size = 0
    try:
        while data and _opener(data) is start:
            stream = start()
            while not stream.eof:
                part = stream.decompress(data, _STEP)
                data = getattr(stream, "unconsumed_tail", b"")
                if not (part or data or stream.eof):
                    raise DataError(f"{path} ends in the middle: it is truncated; fetch it again")
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise DataError(
                        f"{path} unpacks to more than {limit:,} bytes; "
                        "if that is meant, raise max_bytes"
                    )
            data = stream.unused_data
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"{path} is damaged and cannot be unpacked ({error})") from None
    return b"".join(parts)


def without_suffixes(name: str, formats: tuple[str, ...]) -> str:
    """Return a file name without the suffixes of packing and format.

    >>> without_suffixes("enron.arff.xz", (".arff",)), without_suffixes("v1.2", (".arff",))
    ('enron', 'v1.2')
    """
    for suffixes in (PACKED, formats):
        cut = next((s for s in suffixes if name.lower().endswith(s)), "")
        name = name[: len(name) - len(cut)]
    return name


def decode(raw: bytes) -> str:
    """Return a piece of the text; one that is cut within a letter has a mark there."""
    return raw.decode(errors="replace")
