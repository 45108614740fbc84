"""Values in sentences: quoted, short, and without anything that a terminal would obey."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["escaped", "listed", "shown", "visible"]

_LONGEST = 40
# Control characters but tab and line feed, marks that turn the direction of text, line separators.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(value: Any) -> str:
    """Return a value for a sentence: quoted, and short however long it is.

    >>> shown("mauve"), shown(b"red"), len(shown("x" * 10_000_000))
    ("'mauve'", "'red'", 43)
    """
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")


def listed(values: Iterable[Any], most: int = 8) -> str:
    """Return values for a sentence: the first ones, each short, and how many there are.

    >>> listed(["a", "b"]), listed(range(20), most=3)
    ('a, b', '0, 1, 2, … (20 in all)')
    """
    known: Sequence[Any] = list(values)
    text = ", ".join(_cut(str(value)) for value in known[:most])
    return text + (f", … ({len(known):,} in all)" if len(known) > most else "")


def visible(text: str) -> str:
    r"""Return a text in which what a terminal would obey is a mark instead.

    >>> visible("red\x1b[31m"), visible("a\u202eb")
    ('red�[31m', 'a�b')
    """
    return _OBEYED.sub("�", text)


def escaped(text: str) -> str:
    r"""Return JSON, or another text with such escapes, that no terminal obeys.

    >>> escaped("a\u202eb")
    'a\\u202eb'
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
