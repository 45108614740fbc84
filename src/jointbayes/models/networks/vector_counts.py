"""VectorCounts: counts of every feature by distinct label vector. Counts of two batches add.

They hold the table of any feature and any class parents, and of any classes among each other, so a
network of several class variables can be learned again from them whenever more rows have come.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_cards, check_indices, check_shape
from jointbayes.codes import Cards, Codes, narrowest
from jointbayes.counts import SingleCounts, count_singles
from jointbayes.errors import DataError

__all__ = ["VectorCounts", "count_by_vector"]


@dataclass(frozen=True, eq=False)
class VectorCounts:
    """Counts of each feature's values by label vector.

    Parameters
    ----------
    vectors
        (U, d) the distinct label vectors, in codes.
    counts
        Feature counts with these vectors as classes.
    class_cards
        Values of each class variable.

    Examples
    --------
    >>> codes = Codes.of([[0], [1], [1]], targets=[[0, 1], [1, 1], [1, 1]])
    >>> known = count_by_vector(codes)
    >>> known.vectors.tolist(), known.counts.n_c.tolist()
    ([[0, 1], [1, 1]], [1.0, 2.0])

    The feature copies the first class:

    >>> known.feature_table(0, (0,)).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    vectors: Labels
    counts: SingleCounts
    class_cards: Cards

    def _check_stored(self) -> None:
        check_cards("class_cards", self.class_cards)
        check_shape("vectors", self.vectors, (len(self.counts.n_c), len(self.class_cards)))
        for codes, card in zip(self.vectors.T, self.class_cards, strict=True):
            check_indices("vectors", codes, card)

    def __add__(self, other: VectorCounts) -> VectorCounts:
        if self.counts.cards != other.counts.cards or self.class_cards != other.class_cards:
            raise DataError("cannot add counts of different features or classes")
        vectors, place = _distinct(np.vstack([self.vectors, other.vectors]))
        n_c = np.zeros(len(vectors))
        n_cx = np.zeros((len(vectors), self.counts.n_cx.shape[1]))
        first, second = place[: len(self.vectors)], place[len(self.vectors) :]
        for where, counts in ((first, self.counts), (second, other.counts)):
            n_c[where] += counts.n_c  # the vectors of one side are distinct
            n_cx[where] += counts.n_cx
        return VectorCounts(vectors, SingleCounts(n_c, n_cx, self.counts.cards), self.class_cards)

    @property
    def n_features(self) -> int:
        """How many features were counted."""
        return len(self.counts.cards)

    def class_codes(self) -> Codes:
        """Return the vectors as the features of a data set; ``counts.n_c`` are its weights."""
        narrow = self.vectors.astype(narrowest(max(self.class_cards)))
        none = np.empty((len(narrow), 0), dtype=np.uint8)
        return Codes(np.asfortranarray(narrow), self.class_cards, none, ())

    def feature_table(self, feature: int, parents: tuple[int, ...]) -> Floats:
        """Return the counts of a feature (first axis) given class variables (the others)."""
        block = self.counts.block(feature)
        shape = tuple(self.class_cards[j] for j in parents)
        table = np.zeros((prod(shape), block.shape[1]))
        np.add.at(table, self._configurations(parents), block)
        return np.asarray(table.T.reshape(block.shape[1], *shape))

    def class_table(self, family: tuple[int, ...]) -> Floats:
        """Return the counts of a family of class variables, axes in its order."""
        shape = tuple(self.class_cards[j] for j in family)
        cells = np.bincount(self._configurations(family), self.counts.n_c, minlength=prod(shape))
        return cells.reshape(shape).astype(np.float64)

    def _configurations(self, members: tuple[int, ...]) -> Labels:
        joint = np.zeros(len(self.vectors), dtype=np.intp)
        for j in members:
            joint = joint * self.class_cards[j] + self.vectors[:, j]
        return joint


def count_by_vector(codes: Codes, weights: Floats | None = None) -> VectorCounts:
    """Count the features of coded rows by the label vectors that occur."""
    vectors, place = _distinct(codes.targets)
    by_vector = Codes(
        codes.features, codes.feature_cards, place[:, None].astype(np.uint32), (len(vectors),)
    )
    return VectorCounts(vectors, count_singles(by_vector, weights), codes.target_cards)


def _distinct(vectors: NDArray[Any]) -> tuple[Labels, Labels]:
    distinct, place = np.unique(vectors, axis=0, return_inverse=True)
    return distinct.astype(np.intp), place.reshape(-1)
