r"""From bytes to text in UTF-8.

The rule of ``"auto"``: what a byte order mark says; else UTF-8 where the bytes are; else
Windows-1252, which is what Excel writes in western Europe and which holds Latin-1.
"""

from __future__ import annotations

import codecs

from jointbayes.errors import DataError, ParameterError
from jointbayes.table.wording import shown

__all__ = ["to_utf8"]

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def to_utf8(source: str, data: bytes, encoding: str = "auto") -> tuple[bytes, str]:
    r"""Return the text in UTF-8 without a byte order mark, and the encoding it had.

    >>> to_utf8("a.csv", b"Betrag (\x80)")[0].decode(), to_utf8("b.csv", "é".encode())
    ('Betrag (€)', (b'\xc3\xa9', 'utf-8'))
    >>> to_utf8("c.csv", "Größe".encode("cp850"), "cp850")[0].decode()
    'Größe'
    """
    if encoding != "auto":
        return _decoded(source, data, _known(encoding)).encode(), encoding
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if mark and mark != codecs.BOM_UTF8:
        return _decoded(source, data, _MARKS[mark]).encode(), _MARKS[mark]
    data = data.removeprefix(mark)
    if data.isascii() or _is_utf8(data):
        return data, "utf-8"
    try:
        return data.decode("cp1252").encode(), "cp1252"
    except UnicodeDecodeError:  # five bytes mean nothing in Windows-1252
        return data.decode("latin-1").encode(), "latin-1"


def _known(encoding: str) -> str:
    try:
        "".encode(encoding)
        b"".decode(encoding)
    except (LookupError, ValueError, TypeError, AttributeError):
        raise ParameterError(
            f"encoding={shown(encoding)} is not known; give 'auto', 'utf-8', 'cp1252' or another "
            "of Python's names"
        ) from None
    return "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding


def _decoded(source: str, data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
        text.encode()  # a lone half of a pair cannot be written
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        raise DataError(
            f"{source} is not text in {encoding}: it fails at byte {at}; choose another encoding"
        ) from None
    return text


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
