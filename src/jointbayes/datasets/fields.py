"""From fields to typed columns: quotes, missing marks, declared values, dates.

The kernels number the distinct fields of a column; everything here works on those few, whatever the
number of rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels import parse_dense
from jointbayes._kernels.parsing import FIELDS, NONE, NUMBER, TEXT, TRAILING
from jointbayes.datasets.files import FileText, decode
from jointbayes.table import Column
from jointbayes.table.wording import listed, shown

__all__ = [
    "ARFF",
    "Dialect",
    "Fields",
    "date_column",
    "distinct_values",
    "is_missing",
    "nominal_column",
    "number_column",
    "read_fields",
    "unquote",
]

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)|(['\"])\2", re.S)


@dataclass(frozen=True)
class Dialect:
    """The marks of delimited text; those that are not used are empty."""

    delimiter: str = ","
    comment: str = ""
    escape: str = ""
    quotes: str = '"'
    quoted_newlines: bool = True

    @property
    def key(self) -> bytes:
        """The five bytes the kernel takes."""
        marks = [self.delimiter, self.comment or "\0", self.escape or "\0"]
        return "".join(marks).encode() + bytes(["'" in self.quotes, self.quoted_newlines])


ARFF = Dialect(",", "%", "\\", "\"'", quoted_newlines=False)


@dataclass(frozen=True, eq=False)
class Fields:
    """What the kernel made of some rows: numbers, codes, and each column's distinct fields."""

    text: FileText
    dialect: Dialect
    kinds: NDArray[np.uint8]
    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]
    spans: NDArray[np.int64]
    bounds: NDArray[np.int64]  # where the spans of each column begin
    ranks: NDArray[np.int64]  # where each column stands among its kind

    def values(self, column: int) -> NDArray[Any]:
        """Return the numbers or the codes of one column."""
        block = self.numbers if self.kinds[column] == NUMBER else self.codes
        return block[:, self.ranks[column]]

    def distinct(self, column: int) -> list[bytes]:
        """Return the distinct fields of a text column, or what is no number in a number column."""
        return [self.text.data[b:e] for b, e in self.spans_of(column)]

    def spans_of(self, column: int) -> list[list[int]]:
        """Return where in the text those fields stood first."""
        part: list[list[int]] = self.spans[self.bounds[column] : self.bounds[column + 1]].tolist()
        return part


def read_fields(
    text: FileText, start: int, stop: int, dialect: Dialect, kinds: NDArray[np.uint8]
) -> Fields:
    r"""Run the kernel, and turn its trouble into a sentence.

    >>> rows = FileText("birds.csv", b"emu,2\nkiwi,?\nemu,2.5\n")
    >>> fields = read_fields(rows, 0, 20, Dialect(), np.array([TEXT, NUMBER], np.uint8))
    >>> fields.values(0).tolist(), fields.distinct(0), fields.distinct(1)
    ([0, 1, 0], [b'emu', b'kiwi'], [b'?'])
    """
    numbers, codes, spans, owner, trouble = parse_dense(text.data, start, stop, dialect.key, kinds)
    fault, offset, found = trouble
    if fault == FIELDS:
        raise text.error(
            offset, f"the row has {found} fields where {len(kinds)} are expected; correct the row"
        )
    if fault != NONE:
        what = "text follows a quoted field" if fault == TRAILING else "a quote is not closed"
        raise text.error(offset, f"{what} at {shown(text.data[offset : offset + 60])}; correct it")
    bounds = np.searchsorted(owner, np.arange(len(kinds) + 1))
    is_number = kinds == NUMBER
    ranks = np.where(is_number, np.cumsum(is_number), np.cumsum(kinds == TEXT)) - 1
    return Fields(text, dialect, kinds, numbers, codes, spans, bounds, ranks)


def unquote(raw: bytes, dialect: Dialect) -> str:
    r"""Return what a field means.

    >>> unquote(b"'it\\'s'", ARFF), unquote(b'"3"" nail"', Dialect())
    ("it's", '3" nail')
    """
    value = decode(raw)
    if len(value) < 2 or value[0] not in dialect.quotes or value[0] != value[-1]:
        return value
    mark, inside = value[0], value[1:-1]
    return _unescape(inside) if dialect.escape else inside.replace(mark * 2, mark)


def _unescape(value: str) -> str:
    def meant(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(meant, value)


def nominal_column(
    fields: Fields,
    column: int,
    name: str,
    missing: Collection[str],
    declared: Sequence[str] | None = None,
) -> Column:
    """Return a nominal column: of its declared values, or of those it holds, in order."""
    values = distinct_values(fields, column, missing)
    categories = declared or sorted({value for value in values if value is not None})
    index: dict[str | None, int] = {value: code for code, value in enumerate(categories)}
    index[None] = -1
    lookup = np.array([index.get(value, -2) for value in values], dtype=np.int32)
    if (lookup == -2).any():
        position = int((lookup == -2).argmax())
        raise fields.text.error(
            fields.spans_of(column)[position][0],
            f"column {shown(name)} holds {shown(values[position])}, which is not among its "
            f"declared values {listed(categories, 6)}; correct it or declare it",
        )
    codes = lookup[fields.values(column)]
    return Column(name, "nominal", codes, _array(categories), declared=declared is not None)


def number_column(fields: Fields, column: int, name: str, missing: Collection[str]) -> Column:
    """Return a numeric column; a field that is neither a number nor missing is refused."""
    for begin, end in fields.spans_of(column):
        raw = fields.text.data[begin:end]
        if not is_missing(raw, fields.dialect, missing):
            raise fields.text.error(
                begin,
                f"column {shown(name)} holds {shown(raw)}, which is not a number; correct it",
            )
    return Column(name, "numeric", fields.values(column))


def date_column(
    fields: Fields,
    column: int,
    name: str,
    missing: Collection[str],
    parse: Callable[[str], float],
) -> Column:
    """Return a date column; ``parse`` gives the seconds since 1970."""
    values = distinct_values(fields, column, missing)
    moments = np.full(len(values), np.nan)
    for k, value in enumerate(values):
        if value is None:
            continue
        try:
            moments[k] = parse(value)
        except ValueError as error:
            raise fields.text.error(
                fields.spans_of(column)[k][0],
                f"column {shown(name)} holds {shown(value)}, which is not a date: {error}",
            ) from None
    return Column(name, "date", moments[fields.values(column)])


def is_missing(raw: bytes, dialect: Dialect, missing: Collection[str]) -> bool:
    """Whether a field, as it stands in the file, marks a missing value."""
    return raw.decode("latin-1") in missing or not unquote(raw, dialect)


def distinct_values(fields: Fields, column: int, missing: Collection[str]) -> list[str | None]:
    """Return what the distinct fields of a text column mean, None for missing."""
    return [
        None if is_missing(raw, fields.dialect, missing) else unquote(raw, fields.dialect)
        for raw in fields.distinct(column)
    ]


def _array(values: Sequence[str]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
