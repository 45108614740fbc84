"""Counts of single features and of pairs of features by class, each kind in one array.

All values of all features stand in one row of V = Σ k_i cells, feature i from ``offsets[i]`` on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.checks import check_cards, check_counts
from jointbayes.codes import Cards, CodeArray, Codes, offsets
from jointbayes.counts.cost import MAX_BYTES, afford, row_weights
from jointbayes.errors import DataError
from jointbayes.threads import n_threads

__all__ = [
    "PairCounts",
    "SingleCounts",
    "count_pairs",
    "count_singles",
    "count_singles_by_target",
    "pair_information",
]


@dataclass(frozen=True, eq=False)
class SingleCounts:
    """Counts of each feature's values by class.

    Parameters
    ----------
    n_c
        (C,) rows of each class.
    n_cx
        (C, V) rows of each class by value.
    cards
        Values of each feature.
    """

    n_c: Floats
    n_cx: Floats
    cards: Cards

    def __add__(self, other: SingleCounts) -> SingleCounts:
        _same_cards(self.cards, other.cards)
        return SingleCounts(self.n_c + other.n_c, self.n_cx + other.n_cx, self.cards)

    def _check_stored(self) -> None:
        check_cards("cards", self.cards)
        check_counts("n_c", self.n_c, (None,))
        check_counts("n_cx", self.n_cx, (len(self.n_c), sum(self.cards)))

    def block(self, i: int) -> Floats:
        """Return (C, k_i), the counts of feature i."""
        start = offsets(self.cards)
        return self.n_cx[:, start[i] : start[i + 1]]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of every pair of features by class: one symmetric matrix of all values per class.

    Parameters
    ----------
    n_c
        (C,) rows of each class.
    n_cxx
        (C, V, V) rows of each class in which two values occur together; the diagonal holds the
        counts of single values.
    cards
        Values of each feature.
    """

    n_c: Floats
    n_cxx: Floats
    cards: Cards

    def __add__(self, other: PairCounts) -> PairCounts:
        if not isinstance(other, PairCounts):
            return NotImplemented  # rows that are still to be counted know how to be added
        _same_cards(self.cards, other.cards)
        return PairCounts(self.n_c + other.n_c, self.n_cxx + other.n_cxx, self.cards)

    def _check_stored(self) -> None:
        check_cards("cards", self.cards)
        check_counts("n_c", self.n_c, (None,))
        check_counts("n_cxx", self.n_cxx, (len(self.n_c), sum(self.cards), sum(self.cards)))

    @property
    def singles(self) -> SingleCounts:
        """The counts of single features, which the diagonal holds."""
        return SingleCounts(self.n_c, np.einsum("cvv->cv", self.n_cxx).copy(), self.cards)

    def block(self, i: int, j: int) -> Floats:
        """Return (C, k_i, k_j), the counts of the pair i, j."""
        start = offsets(self.cards)
        return self.n_cxx[:, start[i] : start[i + 1], start[j] : start[j + 1]]


def count_singles(
    codes: Codes, weights: Floats | None = None, n_jobs: int | None = None
) -> SingleCounts:
    """Count the values of each feature by class.

    >>> codes = Codes.of([[0], [1], [1]], targets=[0, 1, 1])
    >>> count_singles(codes, weights=[1, 2, 0]).n_cx.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    _class_column(codes)
    return count_singles_by_target(codes, weights, n_jobs)[0]


def count_singles_by_target(
    codes: Codes,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> tuple[SingleCounts, ...]:
    """Count the values of each feature by each of several class variables.

    >>> codes = Codes.of([[0], [1], [1]], targets=[[0, 0], [1, 0], [1, 1]])
    >>> [counts.n_cx.tolist() for counts in count_singles_by_target(codes)]
    [[[1.0, 0.0], [0.0, 2.0]], [[1.0, 1.0], [0.0, 1.0]]]
    """
    start = offsets(codes.feature_cards)
    what = f"the counts of {start[-1]} values by {sum(codes.target_cards)} labels"
    afford(int(start[-1]) * sum(codes.target_cards), what, max_bytes)
    weights = row_weights(codes, weights)
    answer = []
    for column, n_classes in zip(codes.targets.T, codes.target_cards, strict=True):
        target = np.ascontiguousarray(column)
        n_c, n_cx = _kernels.count_singles(
            codes.features, target, start, n_classes, weights, n_threads(n_jobs)
        )
        answer.append(SingleCounts(n_c, n_cx, codes.feature_cards))
    return tuple(answer)


def count_pairs(
    codes: Codes,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> PairCounts:
    """Count every pair of features by class; refuse if the table would exceed ``max_bytes``.

    >>> codes = Codes.of([[0, 1], [1, 1], [1, 0]], targets=[0, 0, 0])
    >>> count_pairs(codes).block(0, 1)[0].tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    target, n_classes = _class_column(codes)
    start = offsets(codes.feature_cards)
    what = f"the counts of all pairs of {start[-1]} values in {n_classes} classes"
    afford(n_classes * int(start[-1]) ** 2, what, max_bytes, codes.feature_cards)
    weights = row_weights(codes, weights)
    n_c, n_cxx = _kernels.count_pairs(
        codes.features, target, start, n_classes, weights, n_threads(n_jobs), "auto"
    )
    return PairCounts(n_c, n_cxx, codes.feature_cards)


def pair_information(
    codes: Codes,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> Floats:
    """Return (p, p), I(X_i; X_j | C) in bits, counted and reduced in one go.

    The same as `information.conditional_information` of `count_pairs`, but the table of all pairs,
    which for wide data is larger than the data, is never made.

    >>> x = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> pair_information(Codes.of(x, targets=[0, 0, 0, 0])).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    target, n_classes = _class_column(codes)
    afford(codes.n_features**2, f"the information of {codes.n_features} features", max_bytes)
    weights = row_weights(codes, weights)
    return _kernels.pair_information(
        codes.features,
        target,
        offsets(codes.feature_cards),
        n_classes,
        weights,
        n_threads(n_jobs),
    )


def _class_column(codes: Codes) -> tuple[CodeArray, int]:
    if codes.n_targets != 1:
        raise DataError(f"counting by class takes one class variable; got {codes.n_targets}")
    return np.ascontiguousarray(codes.targets[:, 0]), codes.target_cards[0]


def _same_cards(ours: Cards, theirs: Cards) -> None:
    if ours != theirs:
        raise DataError(f"cannot add counts of features with {ours} and {theirs} values")
