"""LabelSpace: the class variables, their names and values, between the user's labels and codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Labels, Values
from jointbayes.checks import check_that
from jointbayes.errors import DataError
from jointbayes.labels.columns import distinct_labels, read_label_columns, zeros_and_ones
from jointbayes.table.column import plain_values

__all__ = ["LabelSpace"]


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """Names and classes of the class variables.

    Parameters
    ----------
    names
        One name per class variable.
    classes
        One array of label values per class variable: [negative, positive] of a binary label, else
        sorted.
    single
        Whether labels came as one column (1-D) and go out as one.
    relevance
        Which class variables are binary labels, whose second value means *relevant*; None: all that
        have two values.
    allows_empty
        Whether a row of training carried no label, so that ``empty="auto"`` may answer that.

    Examples
    --------
    >>> from jointbayes.labels import learn_labels
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
    relevance: tuple[bool, ...] | None = None
    allows_empty: bool = True

    def _check_stored(self) -> None:
        same = 0 < len(self.names) == len(self.classes) and not (self.single and len(self) > 1)
        check_that(same and len(set(self.names)) == len(self), "names and classes do not agree")
        for values in self.classes:
            distinct = values.ndim == 1 and 0 < len(set(values.tolist())) == len(values)
            check_that(distinct, "the values of a label are not distinct")
        relevant = zip(self.binary_labels, self.cards, strict=True)
        check_that(
            all(k == 2 for binary, k in relevant if binary), "a binary label has not 2 values"
        )

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """How many classes each class variable has."""
        return tuple(len(c) for c in self.classes)

    @cached_property
    def binary_labels(self) -> tuple[bool, ...]:
        """Which class variables are binary labels."""
        if self.relevance is None:
            return tuple(k == 2 for k in self.cards)
        return self.relevance

    @cached_property
    def binary(self) -> bool:
        """Whether every class variable is a binary label: a row carries a set of labels."""
        return all(self.binary_labels)

    def like(self, other: LabelSpace) -> bool:
        """Say whether another space has the same names and classes."""
        same = zip(self.classes, other.classes, strict=False)
        return self.names == other.names and all(a.tolist() == b.tolist() for a, b in same)

    def take(self, labels: Sequence[int]) -> LabelSpace:
        """Return the space of some of the class variables.

        >>> from jointbayes.labels import learn_labels
        >>> learn_labels([[0, 1, 1], [1, 0, 1]]).take([2, 0]).names
        ('y2', 'y0')
        """
        every = self.binary_labels
        return LabelSpace(
            tuple(self.names[j] for j in labels),
            tuple(self.classes[j] for j in labels),
            relevance=tuple(every[j] for j in labels),
        )

    def items(self, codes: Labels) -> Labels:
        """Return (n, m) zeros and ones: binary labels as they are, else one column for each value.

        >>> from jointbayes.labels import learn_labels
        >>> learn_labels(["b", "a", "c"]).items(np.array([[2], [0]])).tolist()
        [[0, 0, 1], [1, 0, 0]]
        """
        if self.binary and not self.single:
            return codes
        columns = [codes[:, [j]] == np.arange(k) for j, k in enumerate(self.cards)]
        return np.concatenate(columns, axis=1).astype(np.intp)

    def check_classes(self, classes: Any) -> None:
        """Refuse ``classes`` (one array, or one per class variable) other than these."""
        given = [] if classes is None else [classes] if self.single else list(classes)
        for name, ours, theirs in zip(self.names, self.classes, given, strict=False):
            said = distinct_labels(plain_values(theirs), name)[0]
            if sorted(map(repr, ours.tolist())) != sorted(map(repr, said.tolist())):
                raise DataError(
                    f"classes of label {name!r} are {list(theirs)}, and not those of the first "
                    f"batch, {ours.tolist()}; give the same ones or none"
                )

    def encode(self, Y: Any, unseen: str = "refuse") -> Labels:
        """Return (n, d) codes of label values.

        A value outside the classes is refused, or has the code −1 where ``unseen`` is "mark".
        """
        if self._holds(Y):
            return np.asarray(Y, dtype=np.intp)
        columns, _ = read_label_columns(Y)
        if len(columns) != len(self):
            raise DataError(
                f"the labels have {len(columns)} columns; the model has {len(self)}: "
                f"{shown(self.names)}"
            )
        codes = [
            _codes(column, classes, name, unseen)
            for column, classes, name in zip(columns, self.classes, self.names, strict=True)
        ]
        return np.stack(codes, axis=1)

    def _holds(self, Y: Any) -> bool:
        """Whether Y is an array of zeros and ones, and these are the classes: labels are codes."""
        binary = all(c.tolist() == [0, 1] for c in self.classes)
        return binary and zeros_and_ones(Y) and Y.shape[1] == len(self)

    @cached_property
    def _alike(self) -> bool:
        """Whether all labels have the same values."""
        first = self.classes[0]
        return all(c.dtype == first.dtype and np.array_equal(c, first) for c in self.classes)

    def decode(self, codes: NDArray[np.integer[Any]]) -> Values:
        """Return label values in the shape of ``codes``, whose last axis is the class variable."""
        if not len(self):
            return np.empty(codes.shape)
        if self._alike:
            return np.asarray(self.classes[0][codes])  # at once
        columns = [c[codes[..., j]] for j, c in enumerate(self.classes)]
        if len({c.dtype.kind in "biuf" for c in columns}) > 1:  # numpy would write numbers as text
            columns = [c.astype(object) for c in columns]
        return np.stack(columns, axis=-1)


def shown(values: tuple[Any, ...], most: int = 8) -> str:
    """Return the first few values as a list in words."""
    text = ", ".join(str(v) for v in values[:most])
    return text + (f", … ({len(values)} in all)" if len(values) > most else "")


def _codes(column: Values, classes: Values, name: str, unseen: str) -> Labels:
    index = {value: code for code, value in enumerate(classes.tolist())}
    distinct, inverse = distinct_labels(column, name)
    unknown = [value for value in distinct.tolist() if value not in index]
    if unknown and unseen == "refuse":
        raise DataError(
            f"label {name!r} holds {unknown[0]!r}, which is not one of its classes "
            f"{shown(tuple(index))}; declare it through classes="
        )
    return np.array([index.get(value, -1) for value in distinct.tolist()], dtype=np.intp)[inverse]
