"""The features of a file: which columns name the rows, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jointbayes.datasets.notes import Note, constant_columns, holds_text
from jointbayes.datasets.recast import as_letters, as_nominal
from jointbayes.datasets.roles import FEWEST_ROWS, Which, may_name_rows, names_rows, positions
from jointbayes.datasets.sparse import SparseTable
from jointbayes.datasets.words import MOST_WORDS, Words, learn_words
from jointbayes.errors import ParameterError
from jointbayes.table import Column, Table
from jointbayes.table.wording import shown

__all__ = ["Features", "columns_of", "find_identifiers", "read_features", "without"]

_FREE_TEXT = ("free text: --text reads its words", "its words: text=")


@dataclass(frozen=True, eq=False)
class Features:
    """``X``, the names of its columns, the words of its texts, and what was noticed."""

    X: Any
    names: tuple[str, ...]
    words: tuple[Words, ...] = ()
    notes: tuple[Note, ...] = ()


def without(which: Iterable[int], others: Iterable[int]) -> list[int]:
    """Return the positions that are not among the others.

    >>> without(range(4), [1, 2])
    [0, 3]
    """
    out = set(others)
    return [j for j in which if j not in out] if out else list(which)


def columns_of(table: Table | SparseTable, which: list[int]) -> list[Column]:
    """Return some columns, dense."""
    return [table.columns[j] for j in which] if isinstance(table, Table) else table.dense(which)


def find_identifiers(
    table: Table | SparseTable, identifiers: Which, candidates: list[int]
) -> tuple[list[int], tuple[Note, ...]]:
    """Return the columns that only name the rows, and notes on those that nobody named."""
    if identifiers == "keep":
        return [], ()
    said = [identifiers] if isinstance(identifiers, str | int) else list(identifiers)
    named = positions("identifiers", [one for one in said if one != "drop"], table.names)
    if "drop" not in said:
        return named, ()
    candidates = without(candidates, named)
    if isinstance(table, SparseTable):
        known = table.known()
        candidates = [
            j
            for j in sorted(set(candidates).intersection(table.more_than_numbers))
            if may_name_rows(len(table.declared[j].values or ("",)), int(known[j]))
        ]
    gone = [j for j in candidates if _is_left_out(columns_of(table, [j])[0])]
    found = columns_of(table, gone)
    texts = tuple(column.name for column in found if holds_text(column))
    plain = tuple(column.name for column in found if column.name not in texts)
    keep = "keep them: identifiers='keep' (--identifiers keep)"
    notes = [Note("left out", plain, "only names the rows", keep)] if plain else []
    notes += [Note("left out", texts, *_FREE_TEXT)] if texts else []
    return sorted({*gone, *named}), tuple(notes)


def _is_left_out(column: Column) -> bool:
    """Whether a column names the rows, or is free text: as a category it would name them, too."""
    return names_rows(column) or (len(column) >= FEWEST_ROWS and holds_text(column))


def read_features(
    table: Table | SparseTable,
    which: list[int],
    cast: Collection[int],
    letters: Collection[int],
    texts: Mapping[int, Any],
) -> Features:
    """Return the features: as they are, as categories, as letters, or as words."""
    if isinstance(table, SparseTable) and not {
        *cast, *texts, *letters, *table.more_than_numbers,
    }.intersection(which):  # fmt: skip
        return Features(*table.select(which))
    columns: list[Column] = []
    words: list[Words] = []
    found = dict(zip(which, columns_of(table, which), strict=True))
    for j, column in found.items():
        if j in letters:
            columns += as_letters(column)
        elif j in texts:
            words.append(_words(column, texts[j]))
            columns += words[-1].columns(column)
        else:
            columns.append(as_nominal(column) if j in cast else column)
    X = Table(tuple(columns))
    known = {word.column: len(word.vocabulary) for word in words}
    plain = [column for j, column in found.items() if j not in texts]
    return Features(X, X.names, tuple(words), _noticed(plain, known))


def _words(column: Column, wanted: Any) -> Words:
    if isinstance(wanted, Words):
        return wanted
    try:
        most = MOST_WORDS if wanted is None else int(wanted)
    except (TypeError, ValueError):
        most = 0
    if most < 1:
        raise ParameterError(
            f"text names {shown(wanted)} words of column {shown(column.name)}; give a number from 1"
        )
    return learn_words(column, most)


def _noticed(columns: list[Column], words: Mapping[str, int]) -> tuple[Note, ...]:
    notes = [Note("read as words", (name,), f"{count:,} words") for name, count in words.items()]
    texts = tuple(column.name for column in columns if holds_text(column))
    if texts:
        notes.append(Note("read as categories", texts, *_FREE_TEXT))
    constant = tuple(constant_columns(columns))
    if constant:
        notes.append(Note("constant", constant, "tells nothing"))
    return tuple(notes)
