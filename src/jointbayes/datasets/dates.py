"""Dates in files: ISO, or one of Java's date patterns as ARFF declares them."""

from __future__ import annotations

import datetime as dt
import re

from jointbayes.table.wording import shown

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
    >>> seconds("01-01", "MM-MM")
    Traceback (most recent call last):
    ...
    ValueError: its format 'MM-MM' says one thing twice; correct it
    """
    try:
        if java_format:
            moment = dt.datetime.strptime(value, _python_format(java_format))
        else:
            moment = dt.datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
    except re.error:  # of the pattern that Python makes of a format
        raise ValueError(
            f"its format {shown(java_format)} says one thing twice; correct it"
        ) from None
    except (ValueError, OverflowError):
        wanted = f"the format {shown(java_format)}" if java_format else "ISO 8601"
        raise ValueError(f"it does not follow {wanted}; correct it") from None


def _python_format(java_format: str) -> str:
    def meant(found: re.Match[str]) -> str:
        return _JAVA.get(found[0], found[1] or "'")

    return _PIECE.sub(meant, java_format.replace("%", "%%"))
