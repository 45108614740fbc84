"""Counts: all that is ever learned from data. Counts of two data sets add.

`count` makes the table of any family of variables; `count_singles` and `count_pairs` make the two
tables the classifiers with one class variable live on, in one piece each: all values of all
features stand in one row of V = Σ k_i cells, feature i from ``offsets[i]`` on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.codes import Cards, Codes, SparseCodes, offsets
from jointbayes.errors import CostError, DataError

__all__ = ["Counts", "PairCounts", "SingleCounts", "count", "count_pairs", "count_singles"]

Family = tuple[int, ...]
Table = NDArray[np.float64]
MAX_BYTES = 4 << 30


@dataclass(frozen=True, eq=False)
class Counts:
    """Contingency tables by family; ``a + b`` are the counts of the pooled data.

    >>> codes = Codes.of([[0], [1], [1]], targets=[0, 1, 1])
    >>> whole = count(codes, [(0, 1)])
    >>> parts = count(codes[:1], [(0, 1)]) + count(codes[1:], [(0, 1)])
    >>> whole[0, 1].tolist() == parts[0, 1].tolist() == [[1.0, 0.0], [0.0, 2.0]]
    True
    """

    tables: Mapping[Family, Table]

    def __getitem__(self, family: Family) -> Table:
        return self.tables[family]

    def __add__(self, other: Counts) -> Counts:
        if self.tables.keys() != other.tables.keys():
            odd = sorted(self.tables.keys() ^ other.tables.keys())
            raise DataError(f"cannot add counts of different families: only one side has {odd}")
        return Counts({family: t + other.tables[family] for family, t in self.tables.items()})


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

    n_c: Table
    n_cx: Table
    cards: Cards

    def __add__(self, other: SingleCounts) -> SingleCounts:
        _same_cards(self.cards, other.cards)
        return SingleCounts(self.n_c + other.n_c, self.n_cx + other.n_cx, self.cards)

    def block(self, i: int) -> Table:
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

    n_c: Table
    n_cxx: Table
    cards: Cards

    def __add__(self, other: PairCounts) -> PairCounts:
        _same_cards(self.cards, other.cards)
        return PairCounts(self.n_c + other.n_c, self.n_cxx + other.n_cxx, self.cards)

    @property
    def singles(self) -> SingleCounts:
        """The counts of single features, which the diagonal holds."""
        return SingleCounts(self.n_c, np.einsum("cvv->cv", self.n_cxx).copy(), self.cards)

    def block(self, i: int, j: int) -> Table:
        """Return (C, k_i, k_j), the counts of the pair i, j."""
        start = offsets(self.cards)
        return self.n_cxx[:, start[i] : start[i + 1], start[j] : start[j + 1]]


def count(codes: Codes, families: Iterable[Family], weights: Table | None = None) -> Counts:
    """Count families of variables, targets numbered first; axes in the order of the family.

    Rows in which a variable of the family was not observed do not count for it.
    """
    return Counts({family: _count_family(codes, family, weights) for family in families})


def _count_family(codes: Codes, family: Family, weights: Table | None) -> Table:
    # One cell more per axis: not observed.
    shape = tuple(codes.cards[v] + 1 for v in family)
    _afford(prod(shape), f"the table of {len(family)} variables with {shape} values")
    joint = np.zeros(len(codes), dtype=np.int64)
    for v, width in zip(family, shape, strict=True):
        joint = joint * width + codes.column(v)
    cells = np.bincount(joint, weights, minlength=prod(shape)).reshape(shape)
    return cells[tuple(slice(-1) for _ in shape)].astype(np.float64)


def count_singles(
    codes: Codes, weights: Table | None = None, n_jobs: int | None = None
) -> SingleCounts:
    """Count the values of each feature by class."""
    target, n_classes = _class_column(codes)
    n_cx = _kernels.count_singles(
        _dense(codes), target, offsets(codes.feature_cards), n_classes, weights,
        _kernels.n_threads(n_jobs),
    )
    return SingleCounts(_count_classes(target, n_classes, weights), n_cx, codes.feature_cards)


def count_pairs(
    codes: Codes,
    weights: Table | None = None,
    n_jobs: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> PairCounts:
    """Count every pair of features by class; refuse if the table would exceed ``max_bytes``."""
    target, n_classes = _class_column(codes)
    start = offsets(codes.feature_cards)
    _afford(n_classes * int(start[-1]) ** 2, f"all pairs of {start[-1]} values", max_bytes)
    n_cxx = _kernels.count_pairs(
        _dense(codes), target, start, n_classes, weights, _kernels.n_threads(n_jobs)
    )
    return PairCounts(_count_classes(target, n_classes, weights), n_cxx, codes.feature_cards)


def _class_column(codes: Codes) -> tuple[NDArray[np.uint32], int]:
    if codes.n_targets != 1:
        raise DataError(f"counting by class takes one class variable; got {codes.n_targets}")
    return np.ascontiguousarray(codes.targets[:, 0], dtype=np.uint32), codes.target_cards[0]


def _count_classes(
    target: NDArray[np.uint32], n_classes: int, weights: Table | None
) -> Table:
    return np.bincount(target, weights, minlength=n_classes).astype(np.float64)


def _dense(codes: Codes) -> NDArray[np.unsignedinteger]:
    return codes.features.dense() if isinstance(codes.features, SparseCodes) else codes.features


def _afford(cells: int, what: str, max_bytes: int = MAX_BYTES) -> None:
    if 8 * cells > max_bytes:
        raise CostError(
            f"{what} need {8 * cells / 2**20:,.0f} MiB (limit {max_bytes / 2**20:,.0f} MiB); "
            "use fewer bins or values, fewer features, or raise max_bytes"
        )


def _same_cards(ours: Cards, theirs: Cards) -> None:
    if ours != theirs:
        raise DataError(f"cannot add counts of features with {ours} and {theirs} values")
