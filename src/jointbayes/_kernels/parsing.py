"""Delimited rows by definition: columns of numbers and of numbered text.

A field is a number, or it is a piece of text whose distinct values are numbered as they come.
Missing values, declared categories and types are the caller's business: the kernels say where in
the text each distinct value stood first (its *span*), and where and why they had to stop.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import array as array_of
from jointbayes._kernels.arguments import takes
from jointbayes.arrays import Ints

__all__ = [
    "FIELDS",
    "INDEX",
    "NONE",
    "NUMBER",
    "SKIP",
    "SPARSE",
    "TEXT",
    "TRAILING",
    "UNCLOSED",
    "parse_dense",
]

# What to do with a column, and why a kernel stopped.
NUMBER, TEXT, SKIP = range(3)
NONE, FIELDS, UNCLOSED, TRAILING, SPARSE, INDEX = range(6)

Trouble = tuple[int, int, int]  # why, at which byte, and how many fields or which index was found

_MAX_ODD = 16  # distinct fields of a number column that are no number
LINE = re.compile(rb"[^\n]*")
BLANKS = re.compile(rb"[ \t\r]*")
_NEWLINE = 10


@dataclass
class Distinct:
    """Distinct pieces of text, numbered in the order of their first appearance."""

    codes: dict[bytes, int] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def code(self, text: bytes, begin: int, end: int) -> int:
        value = text[begin:end]
        if value not in self.codes:
            self.codes[value] = len(self.codes)
            self.spans.append((begin, end))
        return self.codes[value]

    def odd(self, text: bytes, begin: int, end: int) -> float:
        if len(self.spans) < _MAX_ODD:
            self.code(text, begin, end)
        return np.nan


class _Grammar(NamedTuple):
    gap: re.Pattern[bytes]  # what may stand before a row
    quoted: re.Pattern[bytes]
    field: re.Pattern[bytes]  # quoted or plain, if the delimiter or the end of the line follows
    blank: bytes


@takes(
    kinds=array_of("uint8"),
)
def parse_dense(
    text: bytes, start: int, stop: int, dialect: bytes, kinds: NDArray[np.uint8]
) -> tuple[NDArray[np.float64], NDArray[np.int32], Ints, NDArray[np.int64], Trouble]:
    """Read the delimited rows in ``text[start:stop]``.

    ``dialect`` is five bytes: delimiter (a blank: any run of blanks and tabs), comment mark and
    escape mark (0: none), whether ' quotes as " does, whether a quoted field may run over lines.
    ``kinds`` says what each column is: NUMBER, TEXT or SKIP.

    Returns numbers (n, columns that are NUMBER), codes (n, columns that are TEXT), the spans of
    distinct values, the column that owns each span, and the trouble. Text has its distinct values
    in the order of their codes; a number column has the first few fields that are no number, whose
    cells are NaN.
    """
    grammar = _grammar(dialect)
    quotes = b"\"'" if dialect[3] else b'"'
    plan = list(enumerate(kinds.tolist()))
    cells: list[array[Any]] = [array("i" if kind == TEXT else "d") for _, kind in plan]
    distinct = [Distinct() for _ in kinds]
    at, rows, trouble = start, 0, (NONE, 0, 0)
    while at < stop:
        at = end_of(grammar.gap, text, at, stop)
        if at < stop and dialect[1] and text[at] == dialect[1]:
            at = end_of(LINE, text, at, stop)
        elif at < stop and text[at] != _NEWLINE:
            fields, at, trouble = _row(text, at, stop, grammar, dialect)
            if trouble[0] == NONE and len(fields) != len(kinds):
                trouble = (FIELDS, fields[0][0], len(fields))
            if trouble[0] != NONE:
                break
            rows += 1
            for (j, kind), (begin, end) in zip(plan, fields, strict=True):
                if kind == TEXT:
                    cells[j].append(distinct[j].code(text, begin, end))
                elif kind == NUMBER:
                    number = to_number(text[begin:end], quotes)
                    cells[j].append(distinct[j].odd(text, begin, end) if number is None else number)
        at += 1
    numbers = [cells[j] for j, kind in plan if kind == NUMBER]
    codes = [cells[j] for j, kind in plan if kind == TEXT]
    return (
        np.array(numbers, dtype=np.float64).reshape(len(numbers), rows).T,
        np.array(codes, dtype=np.int32).reshape(len(codes), rows).T,
        to_spans([span for column in distinct for span in column.spans]),
        np.repeat(np.arange(len(kinds)), [len(column.spans) for column in distinct]),
        trouble,
    )


@lru_cache
def _grammar(dialect: bytes) -> _Grammar:
    between = rb" \t" if dialect[:1] == b" " else re.escape(dialect[:1])
    blank = {b" ": b"\r", b"\t": b" \r"}.get(dialect[:1], b" \t\r")
    gap = b"[" + blank + b"]*+"
    marks = [b'"', b"'"] if dialect[3] else [b'"']
    escape, beyond = (rb"\\.|", rb"\\") if dialect[2] else (b"", b"")
    beyond += b"" if dialect[4] else rb"\n"
    # No possessive groups: Python 3.11.2 takes them wrong.
    quoted = b"|".join(
        b"%b(?:%b%b%b|[^%b%b])*%b(?!%b)" % (m, escape, m, m, m, beyond, m, m) for m in marks
    )
    plain = b"(?![%b])[^%b\n]*+" % (b"".join(marks), between)
    return _Grammar(
        gap=re.compile(b"[" + blank + (between if dialect[:1] == b" " else b"") + b"]*"),
        quoted=re.compile(quoted),
        field=re.compile(gap + b"(?:(%b)%b|(%b))(?=[%b\n]|\\Z)" % (quoted, gap, plain, between)),
        blank=blank,
    )


def _row(
    text: bytes, at: int, stop: int, grammar: _Grammar, dialect: bytes
) -> tuple[list[tuple[int, int]], int, Trouble]:
    """Return the spans of the fields of the row at ``at``, and where it ends."""
    fields: list[tuple[int, int]] = []
    while True:
        found = grammar.field.match(text, at, stop)
        if found is None:
            begin = end_of(BLANKS, text, at, stop)
            closed = grammar.quoted.match(text, begin, stop)
            return fields, begin, (TRAILING if closed else UNCLOSED, begin, 0)
        begin, at = found.start(1 if found[2] is None else 2), found.end()
        fields.append((begin, begin + len(text[begin:at].rstrip(grammar.blank))))
        if dialect[:1] == b" ":
            at = end_of(BLANKS, text, at, stop)
        if at >= stop or text[at] == _NEWLINE:
            return fields, at, (NONE, 0, 0)
        at += dialect[:1] != b" "


def to_number(value: bytes, quotes: bytes) -> float | None:
    if len(value) > 2 and value[0] in quotes and value[0] == value[-1]:
        value = value[1:-1]
    if b"_" in value or value != value.strip():  # Python is more liberal than the files
        return None
    try:
        return float(value)
    except ValueError:
        return None


def end_of(pattern: re.Pattern[bytes], text: bytes, at: int, stop: int) -> int:
    found = pattern.match(text, at, stop)
    return found.end() if found else at


def to_spans(spans: list[tuple[int, int]]) -> Ints:
    return np.array(spans, dtype=np.int64).reshape(-1, 2)
