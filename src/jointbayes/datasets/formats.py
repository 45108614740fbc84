"""Files that are not tables of text: told by their first bytes or name, refused with what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from jointbayes.errors import DataError

__all__ = ["refuse_foreign"]

_BY_BYTES: Mapping[bytes, str] = {
    b"PK\x03\x04": "a workbook of Excel or LibreOffice, or another zip archive",
    b"\xd0\xcf\x11\xe0": "a workbook of Excel",
    b"ARROW1": "an Arrow or Feather file",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a numpy array",
    b"SQLite format 3": "an SQLite data base",
    b"%PDF": "a PDF document",
}
_MARKUP = re.compile(rb"\s*<(?:!doctype html|html|\?xml|table)\b", re.I)
_JSON = re.compile(rb'\s*(?:\[\s*[\[{"]|\{\s*")')
_ADVICE = "save the table as CSV or Parquet and give that"


def refuse_foreign(source: str, suffix: str, data: bytes) -> None:
    r"""Refuse workbooks, JSON, web pages and other files that hold tables in another way.

    >>> refuse_foreign("a.xlsx", ".xlsx", b"PK\x03\x04 and so on")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: a.xlsx is a workbook of Excel or LibreOffice, or another zip
    archive; save the table as CSV or Parquet and give that
    """
    what = next((what for magic, what in _BY_BYTES.items() if data.startswith(magic)), None)
    if what is None and _MARKUP.match(data):
        what = "a web page or XML"
    if what is None and (suffix in (".json", ".jsonl", ".ndjson") or _is_json(data)):
        what = "JSON"
    if what is not None:
        raise DataError(f"{source} is {what}; {_ADVICE}")


def _is_json(data: bytes) -> bool:
    """Whether the file, or its first line, is JSON: a CSV file may begin with a bracket too."""
    if not _JSON.match(data):
        return False
    for part in (data, data.lstrip().split(b"\n", 1)[0]):
        try:
            json.loads(part)
        except (ValueError, RecursionError):
            continue
        return True
    return False
