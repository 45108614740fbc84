"""Learn a label space: the names of the class variables, their values, and what is a binary label.

A column within one of the pairs of `pairs` is a binary label with both values, even if it holds one
of them alone; any other column has the values it holds, sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Values
from jointbayes.errors import DataError
from jointbayes.labels.columns import distinct_labels, read_label_columns, zeros_and_ones
from jointbayes.labels.pairs import classes_by_pair, common_pair, pairs_of
from jointbayes.labels.space import LabelSpace
from jointbayes.table.column import plain_values

__all__ = ["check_names", "learn_labels", "pool_spaces"]


def learn_labels(Y: Any, classes: Any = None) -> LabelSpace:
    """Learn the label space of ``Y``, or take ``classes``: one array per class variable.

    >>> learn_labels([[0, 0], [0, 1]]).cards, learn_labels(["b", "a"]).single
    ((2, 2), True)

    Words for yes and no are labels, in whatever order they sort; other words are values:

    >>> space = learn_labels([["ja", "paid"], ["nein", "open"]])
    >>> [c.tolist() for c in space.classes], space.binary_labels
    ([['nein', 'ja'], ['open', 'paid']], (True, False))
    """
    if classes is None and zeros_and_ones(Y) and not hasattr(Y, "label_names"):
        by_position = tuple(f"y{j}" for j in range(Y.shape[1]))
        both = np.array([0, 1], dtype=Y.dtype)
        return LabelSpace(by_position, (both,) * len(by_position))
    columns, said = read_label_columns(Y)
    names = (said,) if isinstance(said, str) else said
    check_names(names)
    if classes is not None:
        columns = _declared(classes, len(columns), single=isinstance(said, str))
    found = [distinct_labels(c, name)[0] for c, name in zip(columns, names, strict=True)]
    for name, values in zip(names, found, strict=True):
        if not len(values):
            raise DataError(f"label {name!r} has no rows to learn from")
    return _space(names, found, single=isinstance(said, str))


def pool_spaces(spaces: Sequence[LabelSpace]) -> LabelSpace:
    """Return the space of the values of several spaces of the same class variables.

    >>> pool_spaces([learn_labels([["b"]]), learn_labels([["a"]])]).classes[0].tolist()
    ['a', 'b']
    """
    first = spaces[0]
    columns = zip(*(space.classes for space in spaces), strict=True)
    try:
        found = [_union(column) for column in columns]
    except TypeError as error:
        raise DataError(
            "the labels are numbers here and strings there; give them as one of both"
        ) from error
    return _space(first.names, found, single=first.single)


def _union(columns: Sequence[Values]) -> Values:
    if all(np.array_equal(columns[0], other) for other in columns[1:]):
        return columns[0]
    return np.unique(np.concatenate([values.astype(object) for values in columns]))


def _space(names: tuple[str, ...], found: Sequence[Values], *, single: bool) -> LabelSpace:
    if single:
        return LabelSpace(names, tuple(found), single=True)
    pairs = [pairs_of(values) for values in found]
    return LabelSpace(names, tuple(_paired(found, pairs)), relevance=tuple(map(bool, pairs)))


def _declared(classes: Any, n_columns: int, *, single: bool) -> list[Values]:
    given = [classes] if single else list(classes)
    if len(given) != n_columns:
        raise DataError(f"classes has {len(given)} entries; the labels have {n_columns} columns")
    return [plain_values(values) for values in given]


def _paired(found: Sequence[Values], pairs: Sequence[Any]) -> list[Values]:
    """Give every binary label its two values: [negative, positive]."""
    return [
        classes_by_pair(values, common_pair(pairs, own)) if own else values
        for values, own in zip(found, pairs, strict=True)
    ]


def check_names(names: tuple[str, ...]) -> None:
    """Refuse a name that two labels have."""
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise DataError(f"label name {twice[0]!r} occurs {names.count(twice[0])} times; rename one")
