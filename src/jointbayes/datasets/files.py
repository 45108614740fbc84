"""From a path to text: opening, unpacking once and within limits, and saying where a fault is.

What a file is packed with is told by its first bytes, not by its name. Only one layer is taken off,
and no more than ``max_bytes`` are unpacked, so a small file cannot fill the memory.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jointbayes.errors import DataError

__all__ = ["Text", "decode", "read_bytes", "read_text", "shown", "without_suffixes"]

PACKED = (".gz", ".bz2", ".xz", ".lzma")

_MAGIC = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
}
_STEP = 1 << 26
_ROOM, _RATIO = 1 << 28, 200  # unpacked bytes that are never too many, and per packed byte
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_LONGEST = 40


@dataclass(frozen=True, eq=False)
class Text:
    r"""The bytes of a text file and where they came from.

    >>> text = Text("birds.csv", b"name,wings\nemu,2\n")
    >>> print(text.error(15, "column 'wings' holds '2'; correct it"))
    birds.csv, line 2: column 'wings' holds '2'; correct it
    """

    source: str
    data: bytes

    def line(self, offset: int) -> int:
        """Return the number of the line that holds the byte at ``offset``, from 1."""
        return self.data.count(b"\n", 0, offset) + 1

    def error(self, offset: int, sentence: str) -> DataError:
        """Return an error whose sentence begins with the file and the line."""
        return DataError(f"{self.source}, line {self.line(offset)}: {sentence}")


def read_text(path: Path, max_bytes: int | None = None) -> Text:
    r"""Read a text file, unpacked; line ends become ``\n`` where there is no other."""
    return as_text(str(path), read_bytes(path, max_bytes))


def as_text(source: str, data: bytes) -> Text:
    """Refuse what is no text, and drop a byte order mark."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{source} is text in UTF-16; save it as UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x1a")  # DOS marked the end of a file
    junk = _CONTROL.search(data, 0, 1 << 16)
    position = junk.start() if junk else data.find(b"\x00")
    if position >= 0:
        raise DataError(
            f"{source} is no text: byte {position} is {data[position]:#04x}; "
            "give an ARFF, CSV, TSV, svmlight or Parquet file"
        )
    if not data or data.isspace():
        raise DataError(f"{source} is empty; give a file with a row of data at least")
    return Text(source, data if b"\n" in data else data.replace(b"\r", b"\n"))


def read_bytes(path: Path, max_bytes: int | None = None) -> bytes:
    """Read a file and take off one layer of gz, bz2 or xz."""
    try:
        data = path.read_bytes()
    except IsADirectoryError:
        raise DataError(f"{path} is a directory; give one of the files in it") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a null byte in the name
        raise DataError(f"{str(path)!r} is no path: {error}") from None
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
    """Return text in UTF-8, or in Latin-1 as old files are."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def shown(value: Any) -> str:
    """Return a value for a sentence: quoted, and short however long it is.

    >>> shown("mauve"), len(shown("x" * 10_000_000))
    ("'mauve'", 43)
    """
    text = decode(value) if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
