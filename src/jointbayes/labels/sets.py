"""Between label matrices, sets of label names, and columns of any two or more values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError
from jointbayes.labels.columns import distinct_labels, read_label_columns
from jointbayes.labels.learning import check_names, learn_labels
from jointbayes.labels.pairs import pairs_of
from jointbayes.labels.space import shown
from jointbayes.table import Column, Table

__all__ = ["binarize", "from_sets", "to_sets"]


def to_sets(Y: Any, names: Sequence[str] | None = None) -> list[set[str]]:
    """Return the names of the relevant labels of every row of a label matrix.

    >>> to_sets([[0, 1, 1], [0, 0, 0]], names=["cat", "dog", "fox"]) == [{"dog", "fox"}, set()]
    True
    """
    space = learn_labels(Y)
    if not space.binary or space.single:
        raise DataError(
            "sets need a matrix of binary labels; make one by jointbayes.labels.binarize(Y, "
            "positive={name: value})"
        )
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
    check_names(known)
    Y = np.zeros((len(rows), len(known)), dtype=np.uint8)
    index = {name: j for j, name in enumerate(known)}
    for i, row in enumerate(rows):
        if not row <= index.keys():
            odd = sorted(row - index.keys())[0]
            raise DataError(f"row {i} carries {odd!r}, which is not one of {shown(known)}")
        Y[i, [index[name] for name in row]] = 1
    return Y, known


def binarize(Y: Any, positive: Mapping[str, Any]) -> Any:
    """Return labels as zeros and ones, where ``positive`` says what is 1: by name, one value.

    Columns that are not named have to be binary labels already. A frame stays a frame of the same
    columns and rows, a Series a Series, anything else becomes an array.

    >>> binarize([["rejected", "no"], ["approved", "yes"]], positive={"y0": "approved"}).tolist()
    [[0, 0], [1, 1]]
    >>> binarize([["rejected"], ["approved"]], positive={"y0": "aproved"})
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: label 'y0' never holds 'aproved'; it holds approved, rejected
    """
    columns, said = read_label_columns(Y)
    names = (said,) if isinstance(said, str) else said
    strange = [name for name in positive if name not in names]
    if strange:
        raise DataError(f"positive: no label is called {strange[0]!r}; there are {shown(names)}")
    Z = np.zeros((len(columns[0]), len(columns)), dtype=np.uint8)
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        values, place = distinct_labels(column, name)
        Z[:, j] = (values == _positive(name, values, positive))[place]
    return _as_it_came(Z, Y, names)


def _positive(name: str, values: NDArray[Any], positive: Mapping[str, Any]) -> Any:
    """Return the value of a column that is to be 1."""
    if name in positive:
        if positive[name] not in values.tolist():
            raise DataError(
                f"label {name!r} never holds {positive[name]!r}; it holds {shown(tuple(values))}"
            )
        return positive[name]
    if not pairs_of(values):
        raise DataError(
            f"label {name!r} holds {shown(tuple(values))}, of which none is obviously positive; "
            f"name one in positive, as in {{{name!r}: {values[-1]!r}}}"
        )
    return learn_labels(values[:, None]).classes[0][1]


def _as_it_came(Z: NDArray[np.uint8], Y: Any, names: tuple[str, ...]) -> Any:
    if isinstance(Y, Table):
        columns = zip(names, Z.T.astype(np.float64), strict=True)
        return Table(tuple(Column.of(name, values) for name, values in columns))
    module = type(Y).__module__.split(".")[0]
    if module == "pandas":
        like = {"index": Y.index}
        if Z.shape[1] == 1 and getattr(Y, "ndim", 2) == 1:
            return type(Y)(Z[:, 0], name=Y.name, **like)
        return type(Y)(Z, columns=Y.columns, **like)
    if module == "polars":
        return type(Y)(Y.name, Z[:, 0]) if hasattr(Y, "name") else type(Y)(Z, schema=list(names))
    return Z[:, 0] if np.ndim(Y) == 1 else Z
