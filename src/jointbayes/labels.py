"""LabelSpace: the class variables, their names and values, between the user's labels and codes.

A matrix within {0, 1} has the classes 0 and 1 in every column, constant columns too; a matrix that
holds two values in all has both in every column; else each column has the values it holds. Of two
classes the larger one, in sorted order, means *relevant*.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Values
from jointbayes.errors import DataError
from jointbayes.table import Table
from jointbayes.table.column import as_objects, factorize, plain_values

__all__ = ["LabelSpace", "from_sets", "learn_labels", "to_sets"]


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
        """How many classes each class variable has."""
        return tuple(len(c) for c in self.classes)

    @property
    def binary(self) -> bool:
        """Whether every class variable has two values: a multi-label problem."""
        return all(k == 2 for k in self.cards)

    def check_classes(self, classes: Any) -> None:
        """Refuse ``classes`` (one array, or one per class variable) other than these."""
        given = [] if classes is None else [classes] if self.single else list(classes)
        for name, ours, theirs in zip(self.names, self.classes, given, strict=False):
            if not np.array_equal(ours, _factorized(plain_values(theirs), name)[0]):
                raise DataError(
                    f"classes of label {name!r} are {list(theirs)}, and not those of the first "
                    f"batch, {ours.tolist()}; give the same ones or none"
                )

    def encode(self, Y: Any) -> NDArray[np.intp]:
        """Return (n, d) codes of label values; a value outside the classes is refused."""
        if self._holds(Y):
            return np.asarray(Y, dtype=np.intp)
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

    def _holds(self, Y: Any) -> bool:
        """Whether Y is an array of zeros and ones, and these are the classes: labels are codes."""
        binary = all(c.tolist() == [0, 1] for c in self.classes)
        return binary and _zeros_and_ones(Y) and Y.shape[1] == len(self)

    def decode(self, codes: NDArray[np.integer[Any]]) -> Values:
        """Return label values in the shape of ``codes``, whose last axis is the class variable."""
        if not len(self):
            return np.empty(codes.shape)
        first = self.classes[0]
        if all(c.dtype == first.dtype and np.array_equal(c, first) for c in self.classes):
            return np.asarray(first[codes])  # at once, as all labels have the same values
        columns = [c[codes[..., j]] for j, c in enumerate(self.classes)]
        if len({c.dtype.kind in "biuf" for c in columns}) > 1:  # numpy would write numbers as text
            columns = [c.astype(object) for c in columns]
        return np.stack(columns, axis=-1)


def learn_labels(Y: Any, classes: Any = None) -> LabelSpace:
    """Learn the label space of ``Y``, or take ``classes``: one array per class variable.

    >>> learn_labels([[0, 0], [0, 1]]).cards, learn_labels(["b", "a"]).single
    ((2, 2), True)
    """
    if classes is None and _zeros_and_ones(Y):
        by_position = tuple(f"y{j}" for j in range(Y.shape[1]))
        return LabelSpace(by_position, (np.array([0, 1], dtype=Y.dtype),) * len(by_position))
    columns, names = _label_columns(Y)
    single = names is None
    names = ("class",) if names is None else names
    _check_names(names)
    if classes is not None:
        given = [classes] if single else list(classes)
        if len(given) != len(columns):
            raise DataError(
                f"classes has {len(given)} entries; the labels have {len(columns)} columns"
            )
        declared = [
            _factorized(plain_values(c), name) for c, name in zip(given, names, strict=True)
        ]
        return LabelSpace(names, tuple(values for values, _ in declared), single)
    found = [_factorized(c, name)[0] for c, name in zip(columns, names, strict=True)]
    for name, values in zip(names, found, strict=True):
        if not len(values):
            raise DataError(f"label {name!r} has no rows to learn from")
    return LabelSpace(names, tuple(found if single else _shared(found)), single)


def to_sets(Y: Any, names: Sequence[str] | None = None) -> list[set[str]]:
    """Return the names of the relevant labels of every row of a label matrix.

    >>> to_sets([[0, 1, 1], [0, 0, 0]], names=["cat", "dog", "fox"]) == [{"dog", "fox"}, set()]
    True
    """
    space = learn_labels(Y)
    if not space.binary or space.single:
        raise DataError("sets need a matrix of labels with two values each")
    codes, known = space.encode(Y), space.names if names is None else tuple(names)
    if len(known) != len(space):
        raise DataError(f"there are {len(known)} names for {len(space)} labels")
    return [{known[j] for j in np.flatnonzero(row)} for row in codes]


def from_sets(
    sets: Iterable[Iterable[str]], names: Sequence[str] | None = None
) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """Return the 0/1 label matrix of label sets, and the names of its columns.

    >>> Y, names = from_sets([{"dog", "fox"}, set(), {"cat"}])
    >>> names, Y.tolist()
    (('cat', 'dog', 'fox'), [[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    """
    rows = [set(row) for row in sets]
    known = tuple(sorted(set().union(*rows)) if names is None else names)
    _check_names(known)
    Y = np.zeros((len(rows), len(known)), dtype=np.uint8)
    index = {name: j for j, name in enumerate(known)}
    for i, row in enumerate(rows):
        if not row <= index.keys():
            odd = sorted(row - index.keys())[0]
            raise DataError(f"row {i} carries {odd!r}, which is not one of {_shown(known)}")
        Y[i, [index[name] for name in row]] = 1
    return Y, known


def _zeros_and_ones(Y: Any) -> bool:
    """Whether Y is a matrix of nothing else, as integers."""
    if not isinstance(Y, np.ndarray) or Y.dtype.kind not in "iu" or Y.ndim != 2 or not Y.size:
        return False
    return bool(Y.min() >= 0 and Y.max() <= 1)


def _shared(found: Sequence[Values]) -> list[Values]:
    """Give every column both values where the whole matrix holds two (or only zeros and ones)."""
    numeric = all(v.dtype.kind in "biuf" for v in found)
    every, _ = _factorized(as_objects(value for v in found for value in v.tolist()), "")
    if set(every.tolist()) <= {0, 1}:
        every = as_objects([0, 1])
    if len(every) != 2:
        return list(found)
    dtype = np.result_type(*found) if numeric else np.dtype(object)
    if all(v.dtype.kind == "U" for v in found):
        dtype = np.result_type(*found)
    return [every.astype(dtype) for _ in found]


def _label_columns(Y: Any) -> tuple[list[Values], tuple[str, ...] | None]:
    """Split labels into columns of plain values; without names they came as one column."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    names: tuple[str, ...] | None
    if isinstance(Y, Table):
        names, columns = Y.names, [_whole(column.decoded()) for column in Y.columns]
    elif pandas is not None and isinstance(Y, pandas.DataFrame):
        names = tuple(map(str, Y.columns))
        columns = [np.asarray(Y.iloc[:, j]) for j in range(Y.shape[1])]
    elif polars is not None and isinstance(Y, polars.DataFrame):
        names, columns = tuple(Y.columns), [series.to_numpy() for series in Y.get_columns()]
    else:
        dense = np.asarray(Y.toarray()) if hasattr(Y, "toarray") else plain_values(Y)
        if dense.ndim not in (1, 2):
            raise DataError(f"labels have {dense.ndim} dimensions; give one or two")
        names = None if dense.ndim == 1 else tuple(f"y{j}" for j in range(dense.shape[1]))
        columns = [dense] if names is None else list(dense.T)
    if not columns:
        raise DataError("the labels have no columns; give at least one")
    for name, column in zip(names or ("class",), columns, strict=True):
        _check_values(column, name)
    return columns, names


def _whole(numbers: Values) -> Values:
    """Return integers as such: files know only numbers."""
    if (
        numbers.dtype.kind == "f"
        and (numbers == np.round(numbers)).all()
        and np.isfinite(numbers).all()
    ):
        return numbers.astype(np.int64)
    return numbers


def _check_values(column: Values, name: str) -> None:
    wrong = np.zeros(len(column), dtype=bool)
    if column.dtype.kind == "f":
        wrong = ~np.isfinite(column)
    elif column.dtype.kind in "Mm":
        wrong = np.isnat(column)
    elif column.dtype.kind == "c":
        raise DataError(f"Complex data not supported\nlabel {name!r} is complex")
    elif column.dtype.kind == "O":
        wrong = factorize(name, column)[0] < 0
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"label {name!r} is missing or infinite ({column[row]}) in row {row}; "
            "drop such rows or give them a value of their own"
        )


def _factorized(column: Values, name: str) -> tuple[Values, NDArray[np.intp]]:
    """Return the sorted distinct labels, and the position of each row's among them."""
    if column.dtype.kind in "OUST":
        codes, distinct = factorize(name, column)
        return distinct.astype(column.dtype), codes.astype(np.intp)
    if column.dtype.kind in "biu" and len(column) and column.min() >= 0 and column.max() < 256:
        small = column.astype(np.intp)  # most labels are 0 and 1: no need to sort them
        seen = np.bincount(small) > 0
        return np.flatnonzero(seen).astype(column.dtype), (np.cumsum(seen) - 1)[small]
    distinct, inverse = np.unique(column, return_inverse=True)
    return distinct, inverse


def _codes(column: Values, classes: Values, name: str) -> NDArray[np.intp]:
    index = {value: code for code, value in enumerate(classes.tolist())}
    distinct, inverse = _factorized(column, name)
    unknown = [value for value in distinct.tolist() if value not in index]
    if unknown:
        raise DataError(
            f"label {name!r} holds {unknown[0]!r}, which is not one of its classes "
            f"{_shown(tuple(index))}; declare it through classes="
        )
    return np.array([index[value] for value in distinct.tolist()], dtype=np.intp)[inverse]


def _check_names(names: tuple[str, ...]) -> None:
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise DataError(f"label name {twice[0]!r} occurs {names.count(twice[0])} times; rename one")


def _shown(values: tuple[Any, ...], most: int = 8) -> str:
    text = ", ".join(str(v) for v in values[:most])
    return text + (f", … ({len(values)} in all)" if len(values) > most else "")
