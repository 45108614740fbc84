"""Dates in files: ISO, or one of Java's date patterns as ARFF declares them."""

from __future__ import annotations

import datetime as dt
import re

__all__ = ["seconds"]

# Letters of Java's date patterns, and what Python calls them.
_JAVA = {
    "yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d",
    "d": "%d", "HH": "%H", "H": "%H", "hh": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S",
    "SSS": "%f", "a": "%p", "EEEE": "%A", "EEE": "%a", "Z": "%z", "X": "%z",
}  # fmt: skip
_PIECE = re.compile("'([^']*)'|" + "|".join(sorted(_JAVA, key=len, reverse=True)))


def seconds(value: str, java_format: str = "") -> float:
    """Return a date in seconds since 1970, UTC where no zone is given.

    >>> seconds("1970-01-02"), seconds("02.01.70 at 1", "dd.MM.yy 'at' H")
    (86400.0, 90000.0)
    """
    if java_format:
        moment = dt.datetime.strptime(value, _python_format(java_format))
    else:
        moment = dt.datetime.fromisoformat(value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()


def _python_format(java_format: str) -> str:
    def meant(found: re.Match[str]) -> str:
        return _JAVA.get(found[0], found[1] or "'")

    return _PIECE.sub(meant, java_format.replace("%", "%%"))
