"""Notes: what a reader decided about columns that do not say of themselves what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.table import Column
from jointbayes.table.wording import listed, visible

__all__ = ["Note", "brief", "constant_columns", "holds_text", "in_full", "local_notes"]

_WORDS = 4  # of a free text, on average
_DISTINCT = 0.5
_PEEK = 1000
_ORDERS = ("dmy", "mdy", "ymd")


@dataclass(frozen=True)
class Note:
    """What was made of some columns, why, and how to have it otherwise.

    >>> note = Note("left out", ("plate",), "only names the rows", "identifiers='keep'")
    >>> str(note)
    'left out: plate (only names the rows)'
    """

    what: str
    columns: tuple[str, ...] = ()
    why: str = ""
    otherwise: str = ""

    def __str__(self) -> str:
        columns = f": {listed(self.columns)}" if self.columns else ""
        return self.what + columns + (f" ({self.why})" if self.why else "")

    def as_dict(self) -> dict[str, str | list[str]]:
        """Return the note as strings and a list, ready for JSON."""
        return {
            "what": self.what,
            "columns": list(self.columns),
            "why": self.why,
            "otherwise": self.otherwise,
        }


def brief(notes: Iterable[Note]) -> str:
    """Return all notes on one line.

    >>> brief([Note("left out", ("plate",), "only names the rows"), Note("read as cp1252")])
    'left out: plate (only names the rows); read as cp1252'
    """
    return visible("; ".join(map(str, notes)))


def in_full(notes: Iterable[Note]) -> list[str]:
    """Return one line for each note, with all columns and what to say to have it otherwise."""
    lines = []
    for note in notes:
        columns = f": {listed(note.columns, len(note.columns))}" if note.columns else ""
        why = f" ({note.why})" if note.why else ""
        lines.append(
            visible(note.what + columns + why + (f"; {note.otherwise}" if note.otherwise else ""))
        )
    return lines


def local_notes(found: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return notes on columns of local numbers and dates, told by (column, what it was).

    >>> [str(note) for note in local_notes([("a", "decimal commas"), ("b", ""), ("c", "mdy")])]
    ['decimal commas: a', 'read as dates: c (mdy)']
    """
    columns: dict[str, list[str]] = {}
    for name, what in found:
        if what:
            columns.setdefault(what, []).append(name)
    notes = []
    for what, names in columns.items():
        if " or " in what:
            why, otherwise = f"may be dates: --dates {what}", "say which: dates="
            notes.append(Note("read as categories", tuple(names), why, otherwise))
        elif what in _ORDERS:
            otherwise = "another order, or none: dates= (--dates)"
            notes.append(Note("read as dates", tuple(names), what, otherwise))
        else:
            notes.append(Note(what, tuple(names), otherwise="points: decimal='.' (--decimal .)"))
    return tuple(notes)


def holds_text(column: Column) -> bool:
    """Whether a column holds free text: several words a cell, and (nearly) no cell twice.

    >>> holds_text(Column.of("note", ["the door does not close", "the lamp is too dark for me"]))
    True
    >>> holds_text(Column.of("town", ["New York City in the state", "Rome"] * 4))
    False
    """
    if column.categories is None or not len(column.categories):
        return False
    cells = [value for value in column.categories[:_PEEK].tolist() if isinstance(value, str)]
    if not cells or sum(len(cell.split()) for cell in cells) < _WORDS * len(cells):
        return False
    known = int((~column.missing).sum())
    return len(column.categories) >= _DISTINCT * known


def constant_columns(columns: Sequence[Column]) -> list[str]:
    """Return the names of the columns that hold one value, or none at all, in every row.

    >>> constant_columns([Column.of("a", [1, 1]), Column.of("b", [1, 2])])
    ['a']
    """
    return [column.name for column in columns if len(column) > 1 and _is_constant(column)]


def _is_constant(column: Column) -> bool:
    first, last = column.values[0], column.values[-1]
    if first != last and first == first:  # noqa: PLR0124  unlike itself: NaN
        return False
    for part in (column.values[:_PEEK], column.values):  # most columns are told by the first rows
        same = np.isnan(part) if column.categories is None and np.isnan(first) else part == first
        if not same.all():
            return False
    return True
