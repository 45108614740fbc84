"""The labels of NaiBX: what is a label, which rows have it, and how new ones join.

Of a label matrix every column is a label, and a row has some of them. Of one class variable every
value is a label, and a row has one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Labels
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.labels.space import shown
from jointbayes.models.naibx.tables import Tables

__all__ = ["count_labels", "given_sizes", "grow_labels", "is_one_class", "members", "room_for"]


def is_one_class(space: LabelSpace) -> bool:
    """Return whether there is one class variable, whose values are the labels.

    >>> is_one_class(learn_labels(["a", "b"])), is_one_class(learn_labels([[0, 1], [1, 1]]))
    (True, False)
    """
    return space.single or (len(space) == 1 and not space.binary)


def count_labels(space: LabelSpace) -> int:
    """Return the number of labels."""
    return space.cards[0] if is_one_class(space) else len(space)


def members(targets: Labels, space: LabelSpace) -> NDArray[np.bool_]:
    """Return (n, q) which labels each row has.

    >>> members(np.array([[2], [0]]), learn_labels(["c", "a", "b"])).astype(int).tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    if is_one_class(space):
        return np.asarray(targets == np.arange(space.cards[0]))
    for name, values, label in zip(space.names, space.classes, space.binary_labels, strict=True):
        if not label:
            raise DataError(
                f"label {name!r} holds {shown(tuple(values))}; a cascade picks sets of labels: say "
                f"what is positive, jointbayes.labels.binarize(Y, positive={{{name!r}: "
                f"{values[-1]!r}}}), or give one column for each value"
            )
    return np.asarray(targets == 1)


def grow_labels(known: LabelSpace, Y: Any, classes: Any) -> LabelSpace:
    """Return the labels once those that ``classes`` declares have joined, if it is given.

    >>> known = learn_labels([[0, 1]])
    >>> grow_labels(known, [[0, 1, 1]], [[0, 1]] * 3).names
    ('y0', 'y1', 'y2')
    """
    if classes is None:
        _check_names(learn_labels(Y).names, known)
        return known
    space = learn_labels(Y, classes)
    _check_names(space.names[: len(known)], known)
    if is_one_class(space):
        lost = [c for c in known.classes[0].tolist() if c not in space.classes[0].tolist()]
    else:
        pairs = zip(known.names, known.classes, space.classes, strict=False)
        lost = [name for name, old, new in pairs if old.tolist() != new.tolist()]
        lost += list(known.names[len(space) :])
    if lost:
        raise DataError(
            f"classes leaves out or changes {lost[0]!r}, which the model has learned; "
            "name all labels, new ones last"
        )
    names = (*known.names, *space.names[len(known) :])
    return replace(space, names=names)


def given_sizes(size: Any, n: int, space: LabelSpace) -> Labels:
    """Return how many of the labels each of n rows has, as somebody says."""
    if is_one_class(space):
        raise DataError("size is given, but one class variable has one label on every row")
    sizes, d = np.asarray(size), len(space)
    if sizes.dtype.kind not in "biu" and not (sizes == np.round(sizes.astype(float))).all():
        raise DataError("size holds numbers that are not whole; give how many labels each row has")
    if sizes.ndim > 1 or (sizes.ndim == 1 and len(sizes) != n):
        raise DataError(
            f"size has shape {sizes.shape}; give one number, or one for each of {n} rows"
        )
    wrong = (sizes < 0) | (sizes > d)
    if wrong.any():
        odd = np.atleast_1d(sizes)[np.atleast_1d(wrong)][0]
        raise DataError(f"size holds {odd}; a set of {d} labels has from 0 to {d} of them")
    return np.broadcast_to(sizes, (n,)).astype(np.intp)


def _check_names(names: tuple[str, ...], known: LabelSpace) -> None:
    if names == known.names or names == tuple(f"y{j}" for j in range(len(names))):
        return
    odd = next((a for a, b in zip(names, known.names, strict=False) if a != b), names[-1])
    raise DataError(
        f"label {odd!r} is not where it was in the first batch; give the labels "
        f"{', '.join(known.names[:8])} in this order, new ones last and named in classes="
    )


def room_for(space: LabelSpace, tables: Tables, before: LabelSpace) -> Tables:
    """Return the tables of the labels before, with room for those that are new."""
    if (q := count_labels(space)) == len(tables.n_y):
        return tables
    where = np.arange(len(tables.n_y))
    if is_one_class(space):
        where = np.searchsorted(space.classes[0], before.classes[0])
    return tables.grown(where, q)
