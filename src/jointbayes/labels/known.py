"""Labels of which some entries are not known: NaN, None, NA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Mask, Values
from jointbayes.errors import DataError
from jointbayes.labels.columns import split_columns
from jointbayes.table.column import factorize

__all__ = ["KnownLabels", "entries_known", "hide_labels", "known_labels"]


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """Labels by column; an entry that is not known holds a value of its column that is.

    So what a column is, a binary label or a variable of many values, is told by known entries.

    Parameters
    ----------
    columns
        One array of values for each class variable.
    label_columns
        Their names; one that is not in a tuple is that of labels that came as one column.
    known
        (n, d) which entries are known.
    """

    columns: tuple[Values, ...]
    label_columns: tuple[str, ...] | str
    known: Mask

    def __len__(self) -> int:
        return len(self.known)

    def __getitem__(self, rows: Any) -> KnownLabels:
        return _filled(
            [column[rows] for column in self.columns], self.label_columns, self.known[rows]
        )


def known_labels(Y: Any, single: str = "fill") -> Any:
    """Return labels as they are if every entry is known, else as `KnownLabels`.

    A gap in labels that came as one column is left to be refused where ``single`` is "refuse".

    >>> some = known_labels([[0, 1], [None, 1], [1, None]])
    >>> [column.tolist() for column in some.columns], some.known.tolist()
    ([[0, 0, 1], [1, 1, 1]], [[True, True], [False, True], [True, False]])
    >>> known_labels([[0, 1]])
    [[0, 1]]
    """
    columns, names = split_columns(Y)
    if not columns:
        return Y
    known = entries_known(Y)
    if known.all() or (single == "refuse" and isinstance(names, str)):
        return Y
    return _filled(columns, names, known)


def entries_known(Y: Any) -> Mask:
    """Return (n, d) which entries of labels are known.

    >>> entries_known([[0, 1], [None, 1]]).tolist()
    [[True, True], [False, True]]
    """
    if isinstance(Y, KnownLabels):
        return Y.known
    return np.stack([~_missing(column) for column in split_columns(Y)[0]], axis=1)


def hide_labels(Y: Any, hidden: Mask) -> KnownLabels:
    """Return labels as `KnownLabels` of which (n, d) more entries are not known.

    >>> hide_labels([[0, 1], [1, 1]], np.array([[True, False], [False, False]])).known.tolist()
    [[False, True], [True, True]]
    """
    columns, names = split_columns(Y)
    return _filled(columns, names, entries_known(Y) & ~hidden)


def _missing(column: Values) -> Mask:
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind in "Mm":
        return np.isnat(column)
    if column.dtype.kind == "O":
        return np.asarray(factorize("", column)[0] < 0)
    return np.zeros(len(column), dtype=bool)


def _filled(columns: Sequence[Values], names: tuple[str, ...] | str, known: Mask) -> KnownLabels:
    every = (names,) if isinstance(names, str) else names
    for name, some in zip(every, known.T, strict=True):
        if not some.any():
            raise DataError(f"label {name!r} is not known on any row; leave it out")
    whole = [_whole(_fill(c, k)) for c, k in zip(columns, known.T, strict=True)]
    return KnownLabels(tuple(whole), names, known)


def _fill(column: Values, known: Mask) -> Values:
    filled = column.copy()
    filled[~known] = column[known.argmax()]
    return filled


def _whole(column: Values) -> Values:
    """Return numbers that are doubles or objects for the sake of a gap as what they are."""
    if column.dtype.kind == "O":
        plain = np.array(column.tolist()) if all(map(_is_number, column)) else column
        return _whole(plain) if plain.dtype.kind == "f" else plain
    if column.dtype.kind == "f" and np.isfinite(column).all() and (column % 1 == 0).all():
        return column.astype(np.int64)
    return column


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.number)
