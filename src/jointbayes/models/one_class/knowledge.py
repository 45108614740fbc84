"""Knowledge: what a model keeps of the data it has seen. Knowledge of two batches adds.

Counts are all that most models ever need. Where the tables depend on the structure, and the
structure on all the data (more than one feature among the parents, or more pairs of values than
memory), the distinct coded rows are kept instead, with their weights: `Rows`. Where a table is wide
for its rows, counts of all pairs take more than the rows, which are counted once others come:
`WideRows`. The functions below ask each kind the same three questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.checks import check_counts, check_that
from jointbayes.codes import Cards, Codes
from jointbayes.counts import (
    Counts,
    PairCounts,
    SingleCounts,
    count,
    count_pairs,
    count_singles,
    pair_information,
)
from jointbayes.information import class_information, conditional_information
from jointbayes.network import Family

__all__ = [
    "Knowledge",
    "Rows",
    "WideRows",
    "cards_of",
    "dependence",
    "pairs_or_rows",
    "relevance",
    "tables",
]

SMALL_PAIR_BYTES, MAX_PAIR_BYTES = 1 << 20, 1 << 30
"""Counts of all pairs that are kept though the rows take less, and the most that are kept."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Coded rows with one class variable, and how often each occurs; a sum keeps distinct ones.

    >>> rows = Rows(Codes.of([[0], [1]], targets=[0, 1]))
    >>> twice = rows + rows
    >>> len(twice.codes), twice.weights.tolist()
    (2, [2.0, 2.0])
    """

    codes: Codes
    weights: Floats | None = None

    def _check_stored(self) -> None:
        check_that(self.codes.n_targets == 1, "rows have more than one class variable")
        if self.weights is not None:
            check_counts("weights", self.weights, (len(self.codes),))

    def __add__(self, other: Rows) -> Rows:
        parts = [np.hstack([r.codes.targets, r.codes.dense()]) for r in (self, other)]
        pooled, place = np.unique(np.vstack(parts), axis=0, return_inverse=True)
        weights = [np.ones(len(r.codes)) if r.weights is None else r.weights for r in (self, other)]
        summed = np.bincount(place.ravel(), np.concatenate(weights)).astype(np.float64)
        codes = Codes.of(
            pooled[:, 1:], self.codes.feature_cards, pooled[:, :1], self.codes.target_cards
        )
        return Rows(codes, summed)


@dataclass(frozen=True, eq=False)
class WideRows(Rows):
    """Coded rows of a wide table, which take less than the counts of its pairs: a sum is counted.

    >>> rows = WideRows(Codes.of([[0, 1]], targets=[0]))
    >>> type(rows + rows).__name__, (rows + rows + rows).n_c.tolist()
    ('PairCounts', [3.0])
    """

    counted_as: ClassVar[type] = PairCounts

    def counted(self) -> PairCounts:
        """Return the counts of all pairs; the rows are too few for more than one thread."""
        return count_pairs(self.codes, self.weights, n_jobs=1)

    def __add__(self, other: WideRows | PairCounts) -> PairCounts:  # type: ignore[override]
        return self.counted() + (other.counted() if isinstance(other, WideRows) else other)

    __radd__ = __add__


Knowledge = SingleCounts | PairCounts | Rows


def pairs_or_rows(
    codes: Codes, weights: Floats | None, n_jobs: int | None = None
) -> PairCounts | Rows:
    """Count all pairs of features if their table fits and is not larger than the rows.

    >>> type(pairs_or_rows(Codes.of([[0, 1]], targets=[0]), None)).__name__
    'PairCounts'
    """
    size = 8 * codes.target_cards[0] * sum(codes.feature_cards) ** 2
    if size > MAX_PAIR_BYTES:
        return Rows(codes, weights)
    if size > max(SMALL_PAIR_BYTES, len(codes) * codes.n_features):
        return WideRows(codes, weights)
    return count_pairs(codes, weights, n_jobs)


def cards_of(known: Knowledge) -> Cards:
    """Return how many values the class has, and each feature.

    >>> cards_of(Rows(Codes.of([[0, 2]], targets=[1])))
    (2, 1, 3)
    """
    return known.codes.cards if isinstance(known, Rows) else (len(known.n_c), *known.cards)


def tables(known: Knowledge, families: Iterable[Family]) -> Counts:
    """Return the counts of families of at most two features and the class, or of any from rows.

    Families are named as in `network.families_of`: features first, the class (variable 0) last.

    >>> codes = Codes.of([[0, 1], [1, 1], [1, 0]], targets=[0, 1, 1])
    >>> tables(count_pairs(codes), [(1, 2, 0)])[1, 2, 0][1].tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    if isinstance(known, Rows):
        return count(known.codes, families, known.weights)
    return Counts({family: _block(known, family) for family in families})


def _block(known: SingleCounts | PairCounts, family: Family) -> Floats:
    match family, known:
        case (0,), _:
            return known.n_c
        case (i, 0), SingleCounts():
            return known.block(i - 1).T
        case (i, 0), PairCounts():
            return np.asarray(np.einsum("cvv->vc", known.block(i - 1, i - 1)))
        case (i, j, 0), PairCounts():
            return np.moveaxis(known.block(i - 1, j - 1), 0, -1)
    raise AssertionError(f"pairs of features do not tell the counts of {family}")


def relevance(known: Knowledge) -> Floats:
    """Return (p,), the information each feature and the class share, in bits.

    >>> relevance(Rows(Codes.of([[0, 0], [0, 1], [1, 0], [1, 1]], targets=[0, 0, 1, 1]))).tolist()
    [1.0, 0.0]
    """
    match known:
        case SingleCounts():
            return class_information(known)
        case PairCounts():
            return class_information(known.singles)
        case Rows():
            return class_information(count_singles(known.codes, known.weights))


def dependence(known: PairCounts | Rows) -> Floats:
    """Return (p, p), the information each pair of features shares given the class, in bits.

    >>> dependence(Rows(Codes.of([[0, 0], [1, 1]], targets=[0, 0]))).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if isinstance(known, PairCounts):
        return conditional_information(known)
    return pair_information(known.codes, known.weights)
