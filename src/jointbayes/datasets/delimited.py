"""CSV, TSV and their relatives: which delimiter, which header, which column is what.

A column is numeric if every field is a number or marked missing, a date if every field is an ISO
date, else nominal; numbers and dates of other lands are found by the rules of `local`. Kinds are
guessed from the first rows and mended by the rest, so that most files are read once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jointbayes._kernels import parse_dense
from jointbayes._kernels.parsing import NUMBER, SKIP, TEXT
from jointbayes.datasets.fields import (
    Dialect,
    Fields,
    is_missing,
    read_fields,
    unquote,
)
from jointbayes.datasets.files import FileText
from jointbayes.datasets.guessing import COMMAS, guess_column, regrouped
from jointbayes.datasets.notes import Note, local_notes
from jointbayes.datasets.writing import Writing
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Table
from jointbayes.table.wording import shown

__all__ = ["read_delimited"]

_DELIMITERS = ",\t;|"
_SAMPLE_LINES, _SAMPLE_BYTES = 10, 1 << 16
_HEADER_LINES = 100
_MAX_COLUMNS = 1 << 20


def read_delimited(text: FileText, writing: Writing) -> tuple[Table, tuple[Note, ...]]:
    r"""Return the typed columns of delimited text, and what was found by the rules of `local`.

    >>> text = FileText("birds.csv", b"name;weight;seen\nemu;37,5;31.1.2020\n'kiwi';?;NA\n")
    >>> table, notes = read_delimited(text, Writing())
    >>> [(column.name, column.kind) for column in table.columns]
    [('name', 'nominal'), ('weight', 'numeric'), ('seen', 'date')]
    >>> for note in notes:
    ...     print(note)
    decimal commas: weight
    read as dates: seen (dmy)
    """
    dialect = Dialect(_delimiter(text, writing.delimiter))
    row, first = _first_row(text, dialect)
    names, start = _names(text, writing.header, dialect, row, first)
    fields, repaired = _read(text, start, dialect, len(names), writing.missing)
    if not len(fields.numbers):
        raise DataError(f"{text.source} has a header but no rows; it is empty or truncated")
    found = [
        guess_column(repaired if fields.kinds[j] == SKIP else fields, j, name, writing)
        for j, name in enumerate(names)
    ]
    if writing.decimal == "," or any(what == COMMAS for _, what in found):
        numbers = np.where(fields.kinds == NUMBER, TEXT, SKIP).astype(np.uint8)
        again = read_fields(text, start, len(text.data), dialect, numbers)
        for j in np.flatnonzero(numbers == TEXT).tolist():
            found[j] = regrouped(again, j, found[j][0], writing)
    notes = local_notes((column.name, what) for column, what in found)
    return Table(tuple(column for column, _ in found)), notes


def _delimiter(text: FileText, delimiter: str) -> str:
    if delimiter != "auto":
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r':
            raise ParameterError(
                f"delimiter={delimiter!r} is not possible; give 'auto' or one character"
            )
        return delimiter
    if re.search(r"\.(tsv|tab)(\.|$)", text.source.lower()):
        return "\t"
    start = _first_line(text)
    lines = text.data[start : start + _SAMPLE_BYTES].split(b"\n")
    lines = [line for line in lines if line.strip()]
    lines = [re.sub(rb'"[^"]*"', b"", line) for line in lines[:_SAMPLE_LINES]]
    counts = {mark: {line.count(mark.encode()) for line in lines} for mark in _DELIMITERS}
    steady = [mark for mark in _DELIMITERS if len(counts[mark]) == 1 and max(counts[mark]) > 0]
    if steady:
        return max(steady, key=lambda mark: max(counts[mark]))
    likely = max(_DELIMITERS, key=lambda mark: lines[0].count(mark.encode()))
    if lines[0].count(likely.encode()):
        return likely
    words = {len(line.split()) for line in lines}
    return " " if len(words) == 1 and max(words) > 1 else ","


def _first_line(text: FileText) -> int:
    """Return where the first line begins that is not blank."""
    blank = len(text.data) - len(text.data.lstrip())
    return text.data.rfind(b"\n", 0, blank) + 1


def _first_row(text: FileText, dialect: Dialect) -> tuple[tuple[int, int], list[bytes]]:
    """Return where the first row stands, and its fields."""
    start = stop = _first_line(text)
    for _ in range(_HEADER_LINES):  # a quoted name may run over lines
        stop = text.data.find(b"\n", stop + 1)
        stop = len(text.data) if stop < 0 else stop
        nothing = np.empty(0, dtype=np.uint8)
        *_, (_, _, count) = parse_dense(text.data, start, stop, dialect.key, nothing)
        if count > _MAX_COLUMNS:
            raise text.error(start, f"the row has {count:,} fields; a table has fewer columns")
        if count:
            kinds = np.full(count, TEXT, dtype=np.uint8)
            fields = read_fields(text, start, stop, dialect, kinds)
            return (start, stop), [fields.distinct(j)[0] for j in range(count)]
    raise text.error(start, "a quote in the first row is not closed; correct it")


def _names(
    text: FileText,
    header: str | Sequence[str],
    dialect: Dialect,
    row: tuple[int, int],
    first: list[bytes],
) -> tuple[list[str], int]:
    """Return the names of the columns and the byte where the rows begin."""
    start, stop = row
    if not isinstance(header, str):
        names = [str(name) for name in header]
        if len(names) != len(first):
            raise ParameterError(
                f"header names {len(names)} columns; the first row of {text.source} "
                f"has {len(first)}"
            )
        return _unique(text, names, start), start
    if header == "none":
        return [f"x{j}" for j in range(len(first))], start
    if header not in ("auto", "first"):
        raise ParameterError(
            f"header={header!r} is not known; choose 'auto', 'first', 'none' or give the names"
        )
    names = [unquote(field, dialect).strip() for field in first]
    data_like = next((name for name in names if _is_number(name) or name == "?"), None)
    if header == "auto" and data_like is not None:
        raise text.error(
            start,
            f"the first row holds {shown(data_like)}, so it looks like data and not like names of "
            "columns; pass header='none', the names, or header='first' if it is right",
        )
    names = [name or f"x{j}" for j, name in enumerate(names)]
    return _unique(text, names, start), min(stop + 1, len(text.data))


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _unique(text: FileText, names: list[str], start: int) -> list[str]:
    seen: dict[str, int] = {}
    for j, name in enumerate(names):
        if name in seen:
            raise text.error(
                start,
                f"columns {seen[name]} and {j} are both called {shown(name)}; rename one, "
                "or pass header='none' if the file has no header",
            )
        seen[name] = j
    return names


def _read(
    text: FileText, start: int, dialect: Dialect, n_columns: int, missing: Sequence[str]
) -> tuple[Fields, Fields]:
    """Read all rows; columns that turn out to be text after all are read a second time.

    The first answer has them as SKIP, the second has nothing else.
    """
    kinds = np.full(n_columns, NUMBER, dtype=np.uint8)
    end = len(text.data)
    sample = text.data.rfind(b"\n", start, start + _SAMPLE_BYTES)
    if sample > start and b'"' not in text.data[start:sample]:  # no quoted line is cut in two
        kinds[_texts(read_fields(text, start, sample, dialect, kinds), missing)] = TEXT
    fields = read_fields(text, start, end, dialect, kinds)
    wrong = _texts(fields, missing)
    if not len(wrong):
        return fields, fields
    again = np.full(n_columns, SKIP, dtype=np.uint8)
    again[wrong] = TEXT
    kinds = np.where(again == TEXT, SKIP, kinds).astype(np.uint8)
    return replace(fields, kinds=kinds), read_fields(text, start, end, dialect, again)


def _texts(fields: Fields, missing: Sequence[str]) -> list[int]:
    """Return the number columns that hold more than numbers."""
    more = (fields.kinds == NUMBER) & (np.diff(fields.bounds) > 0)
    return [
        j
        for j in np.flatnonzero(more).tolist()
        if not all(is_missing(field, fields.dialect, missing) for field in fields.distinct(j))
    ]
