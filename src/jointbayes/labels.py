"""LabelSpace: the class variables, their names and values, between the user's labels and codes.

A matrix within {0, 1} has the classes 0 and 1 in every column, constant columns too; a matrix that
holds two values in all has both in every column; else each column has the values it holds. Of two
classes the larger one, in sorted order, means *relevant*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError

__all__ = ["LabelSpace", "learn_labels"]

Values = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """Names and sorted classes of the class variables.

    Parameters
    ----------
    names
        One name per class variable; a single class variable is called ``class``.
    classes
        One sorted array of label values per class variable.
    single
        Whether labels came as one column (1-D) and go out as one.

    Examples
    --------
    >>> space = learn_labels([["red", "round"], ["blue", "round"], ["red", "square"]])
    >>> space.names, [c.tolist() for c in space.classes]
    (('y0', 'y1'), [['blue', 'red'], ['round', 'square']])
    >>> space.encode([["blue", "square"]]).tolist()
    [[0, 1]]
    >>> space.decode(np.array([[1, 0]])).tolist()
    [['red', 'round']]
    """

    names: tuple[str, ...]
    classes: tuple[Values, ...]
    single: bool = False

    def __len__(self) -> int:
        return len(self.names)

    @property
    def cards(self) -> tuple[int, ...]:
        return tuple(len(c) for c in self.classes)

    @property
    def binary(self) -> bool:
        """Whether every class variable has two values: a multi-label problem."""
        return all(k == 2 for k in self.cards)

    def encode(self, Y: Any) -> NDArray[np.intp]:
        """Return (n, d) codes of label values; a value outside the classes is refused."""
        columns, _ = _label_columns(Y)
        if len(columns) != len(self):
            raise DataError(
                f"the labels have {len(columns)} columns; the model has {len(self)}: "
                f"{_shown(self.names)}"
            )
        codes = [
            _codes(column, classes, name)
            for column, classes, name in zip(columns, self.classes, self.names, strict=True)
        ]
        return np.stack(codes, axis=1)

    def decode(self, codes: NDArray[np.integer[Any]]) -> Values:
        """Return label values in the shape of ``codes``, whose last axis is the class variable."""
        if not len(self):
            return np.empty(codes.shape)
        columns = [c[codes[..., j]] for j, c in enumerate(self.classes)]
        return np.stack(columns, axis=-1)


def learn_labels(Y: Any, classes: Any = None) -> LabelSpace:
    """Learn the label space of ``Y``, or check ``classes`` (one array per class variable) against it.

    >>> learn_labels([[0, 0], [0, 1]]).cards, learn_labels(["b", "a"]).single
    ((2, 2), True)
    """
    columns, names = _label_columns(Y)
    single = names is None and np.ndim(_dense(Y)) == 1
    names = names or (("class",) if single else tuple(f"y{j}" for j in range(len(columns))))
    _check_names(names)
    if classes is not None:
        given = [classes] if single else list(classes)
        if len(given) != len(columns):
            raise DataError(f"classes has {len(given)} entries; the labels have {len(columns)} columns")
        return LabelSpace(names, tuple(_distinct(np.asarray(c)) for c in given), single)
    found = [_distinct(column) for column in columns]
    for name, values in zip(names, found, strict=True):
        if not len(values):
            raise DataError(f"label {name!r} has no rows to learn from")
    if not single:
        found = _shared(found)
    return LabelSpace(names, tuple(found), single)


def _shared(found: Sequence[Values]) -> list[Values]:
    """Give every column both values where the whole matrix holds two (or only zeros and ones)."""
    every = _distinct(np.concatenate([np.asarray(v, dtype=object) for v in found]))
    if all(v.dtype.kind in "biuf" for v in found) and set(every.tolist()) <= {0, 1}:
        every = np.array([0, 1])
    if len(every) != 2:
        return list(found)
    dtype = np.result_type(*found) if all(v.dtype.kind in "biuf" for v in found) else None
    return [np.asarray(every.tolist(), dtype=dtype or found[0].dtype) for _ in found]


def _label_columns(Y: Any) -> tuple[list[Values], tuple[str, ...] | None]:
    """Split labels into columns of plain values; names come from a frame's header."""
    names = None
    if hasattr(Y, "columns") and not callable(Y.columns):
        names = tuple(str(name) for name in Y.columns)
        columns = [_plain(np.asarray(Y[name])) for name in Y.columns]
        if len(columns) != len(names) or any(c.ndim != 1 for c in columns):
            _check_names(names)
    else:
        dense = _dense(Y)
        if dense.ndim not in (1, 2):
            raise DataError(f"labels have {dense.ndim} dimensions; give one or two")
        columns = [_plain(c) for c in (dense.T if dense.ndim == 2 else [dense])]
    for j, column in enumerate(columns):
        missing = _missing(column)
        if missing.any():
            name = names[j] if names else (f"y{j}" if len(columns) > 1 else "class")
            raise DataError(
                f"label {name!r} is missing (NaN) in row {int(missing.argmax())}; "
                "drop such rows or give them a value of their own"
            )
    return columns, names


def _dense(Y: Any) -> Values:
    if hasattr(Y, "toarray"):
        return np.asarray(Y.toarray())
    return np.asarray(Y)


def _plain(column: Values) -> Values:
    return column.astype(str) if column.dtype.kind == "U" else column


def _missing(column: Values) -> NDArray[np.bool_]:
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind == "O":
        return np.array([v is None or v != v for v in column], dtype=bool)  # noqa: PLR0124  NaN
    return np.zeros(len(column), dtype=bool)


def _distinct(column: Values) -> Values:
    try:
        return np.unique(column)
    except TypeError:  # strings and numbers mixed: by type, then by value
        values = sorted(set(column.tolist()), key=lambda v: (type(v).__name__, v))
        out = np.empty(len(values), dtype=object)
        out[:] = values
        return out


def _codes(column: Values, classes: Values, name: str) -> NDArray[np.intp]:
    index = {value: code for code, value in enumerate(classes.tolist())}
    distinct, inverse = _inverse(column)
    unknown = [value for value in distinct if value not in index]
    if unknown:
        raise DataError(
            f"label {name!r} holds {unknown[0]!r}, which is not one of its classes "
            f"{_shown(tuple(index))}; declare it through classes="
        )
    return np.array([index[value] for value in distinct], dtype=np.intp)[inverse]


def _inverse(column: Values) -> tuple[list[Any], NDArray[np.intp]]:
    if column.dtype.kind != "O":
        distinct, inverse = np.unique(column, return_inverse=True)
        return distinct.tolist(), inverse
    seen: dict[Any, int] = {}
    inverse = np.array([seen.setdefault(v, len(seen)) for v in column.tolist()], dtype=np.intp)
    return list(seen), inverse


def _check_names(names: tuple[str, ...]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"label name {twice[0]!r} occurs {names.count(twice[0])} times; rename one")


def _shown(values: tuple[Any, ...], most: int = 8) -> str:
    text = ", ".join(str(v) for v in values[:most])
    return text + (f", … ({len(values)} in all)" if len(values) > most else "")
