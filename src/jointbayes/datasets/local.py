r"""Numbers and dates as people write them in their country, and the rules by which they are found.

Decimal commas (``decimal="auto"``): every field of the column is a number with at most one comma
(dots, blanks or apostrophes between groups of three digits are left out), some field has a comma,
and commas do not separate fields, or some comma is not followed by exactly three digits. In a file
with such a column, dots between groups of three digits separate thousands in the others, too.

Dates (``dates="auto"``): every field of the column is a date with the same order. Year first is
told by four digits. With dots the day comes first; with slashes or hyphens the day comes first if
some first part is above 12, the month if some second part is, and nothing is guessed otherwise.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jointbayes.arrays import Floats

__all__ = ["DATES", "DECIMALS", "Dates", "comma_numbers", "local_dates"]

DECIMALS = ("auto", ".", ",")
DATES = ("auto", "dmy", "mdy", "ymd", "none")

_GROUPS = ".\u0020\u00a0\u202f'\u2019"  # dot, blanks, apostrophes
_COMMA = re.compile(
    rf"[+\u2212-]?(?:[1-9][0-9]{{0,2}}(?:[{_GROUPS}][0-9]{{3}})+|[0-9]+)?(?:,[0-9]+)?(?:[eE][+-]?[0-9]{{1,4}})?"
)
_DATE = re.compile(
    r"([0-9]{1,4})([./-])([0-9]{1,2})\2([0-9]{1,4})"
    r"(?:[ T]+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?)?"
)
_YEAR = 4


class Dates(NamedTuple):
    """Seconds since 1970 of every field, NaN for missing; or why the order cannot be told."""

    order: str
    moments: Floats | None


def comma_numbers(
    fields: Sequence[str | None], decimal: str = "auto", delimiter: str = ";"
) -> Floats | None:
    """Return numbers written with decimal commas, or None where the rule above says they are not.

    ``decimal=","`` leaves out the second half of the rule: somebody said that commas are decimal.

    >>> comma_numbers(["73,61", "1.204,5", None, "12"]).tolist()
    [73.61, 1204.5, nan, 12.0]
    >>> comma_numbers(["1,204", "2,500"], delimiter=","), comma_numbers(["a,b"])
    (None, None)
    """
    known = [field for field in fields if field is not None]
    if not known or not all(_COMMA.fullmatch(one) and one[-1].isdigit() for one in known):
        return None
    if decimal == "auto":
        tails = [re.split("[eE]", one)[0].partition(",")[2] for one in known if "," in one]
        if not tails or (delimiter == "," and all(len(tail) == 3 for tail in tails)):
            return None
    return np.array([np.nan if one is None else _number(one) for one in fields])


def _number(text: str) -> float:
    for mark in _GROUPS:
        text = text.replace(mark, "")
    return float(text.replace("\u2212", "-").replace(",", "."))


def local_dates(fields: Sequence[str | None], rule: str = "auto") -> Dates | None:
    """Return dates of one order, or None where some field is not a date.

    >>> local_dates(["31.12.1970", None, "1.1.1970"]).order
    'dmy'
    >>> local_dates(["1/2/1970", "1/31/1970"]).order, local_dates(["1/2/1970"])
    ('mdy', Dates(order='dmy or mdy', moments=None))
    """
    known = [field for field in fields if field is not None]
    parts = [_DATE.fullmatch(field) for field in known]
    if rule == "none" or not known or None in parts:
        return None
    found = [part.groups() for part in parts if part is not None]
    order = _order(found, rule)
    if order is None or " or " in order:
        return None if order is None else Dates(order, None)
    moments = {}
    for field, part in zip(known, found, strict=True):
        moments[field] = _moment(part, order)
    if None in moments.values():
        return None
    return Dates(
        order, np.array([np.nan if f is None else moments[f] for f in fields], dtype=np.float64)
    )


def _order(found: Sequence[tuple[str, ...]], rule: str) -> str | None:
    """Return dmy, mdy or ymd; "dmy or mdy" where both may be; None where none is."""
    year_first = {len(first) == _YEAR for first, *_ in found}
    if len(year_first) > 1:
        return None
    if year_first.pop():
        return "ymd" if rule in ("auto", "ymd") else None
    if not all(_is_year(first, middle, last) for first, _, middle, last, *_ in found):
        return None
    if rule != "auto":
        return rule if rule != "ymd" else None
    firsts, middles = ([int(part[k]) for part in found] for k in (0, 2))
    marks = {mark for _, mark, *_ in found}
    if max(firsts) > 12 or marks == {"."}:
        return "dmy" if max(middles) <= 12 else None
    return "mdy" if max(middles) > 12 else "dmy or mdy"


def _is_year(first: str, middle: str, last: str) -> bool:
    """Whether the last part is a year: of two digits only if day and month have two, too."""
    return len(last) == _YEAR or {len(first), len(middle), len(last)} == {2}


def _moment(part: tuple[str, ...], order: str) -> float | None:
    first, _, middle, last, *time = part
    named = dict(zip(order, (int(first), int(middle), int(last)), strict=True))
    year = named["y"] if named["y"] > 99 else named["y"] + (1900 if named["y"] > 68 else 2000)
    hour, minute, second = (int(value or 0) for value in time)
    try:
        moment = dt.datetime(year, named["m"], named["d"], hour, minute, second, tzinfo=dt.UTC)
        return moment.timestamp()
    except ValueError:
        return None
