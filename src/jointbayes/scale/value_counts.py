r"""ValueCounts: how often each number of a column met each class. Those of two batches add.

While the distinct numbers fit a budget, nothing is lost: a way of cutting sees what it would see of
all rows. Beyond it, numbers that agree in their first bits are pooled and stand for the largest of
them. With key(x) the order-preserving integer of a double, a pool at shift s is

(1)  { x : key(x) >> s is the same },

and s is the least for which the pools of *all* rows fit. Pools of more rows are never fewer, so
whatever was pooled on the way would be pooled at the end: the result is the same for any batches,
in any order. The cuts are those of a column in which every number is the largest of its pool, so a
quantile is off by at most one pool: `largest_pool` says how many of the rows that can be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.arrays import Floats, Ints, Labels

__all__ = ["LEAST_POOLS", "ValueCounts", "count_values"]

LEAST_POOLS = 1024
"""Distinct numbers that are kept apart however many classes there are."""


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Distinct numbers, increasing, and how often each met each class.

    Parameters
    ----------
    values
        (m,) numbers; of a pool, the largest.
    counts
        (m, K) rows of each class.
    shift
        Bits that were dropped to make pools; 0: every number is there.
    """

    values: Floats
    counts: Floats
    shift: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether no two numbers were pooled."""
        return self.shift == 0

    @property
    def largest_pool(self) -> float:
        """The largest share of the rows that stand for one number."""
        weights = self.counts.sum(axis=1)
        return float(weights.max(initial=0.0) / max(weights.sum(), 1.0))

    def with_classes(self, where: Labels, n_classes: int) -> ValueCounts:
        """Return the counts with the classes at the places ``where`` among ``n_classes``."""
        if len(where) == n_classes and (where == np.arange(n_classes)).all():
            return self
        counts = np.zeros((len(self.values), n_classes))
        counts[:, where] = self.counts
        return ValueCounts(self.values, counts, self.shift)

    def merge(self, other: ValueCounts, cells: int) -> ValueCounts:
        """Return the counts of both, of the same classes, in at most about ``cells`` cells."""
        shift = max(self.shift, other.shift)
        parts = [self, other] if shift == 0 else [self._pooled(shift), other._pooled(shift)]
        values = np.concatenate([part.values for part in parts])
        counts = np.concatenate([part.counts for part in parts])
        order = np.argsort(values, kind="stable")
        if shift == 0 and np.array_equal(parts[0].values, parts[1].values):
            return ValueCounts(self.values, self.counts + other.counts)
        return _grouped(values[order], counts[order], shift).within(cells)

    def within(self, cells: int) -> ValueCounts:
        """Return the counts with numbers pooled until they fit."""
        most = max(LEAST_POOLS, cells // max(1, self.counts.shape[1]))
        if len(self.values) <= most:
            return self
        return self._pooled(_least_shift(_keys(self.values), most))

    def _pooled(self, shift: int) -> ValueCounts:
        if shift == self.shift:
            return self
        return _grouped(self.values, self.counts, shift)


def count_values(x: Floats, target: NDArray[np.uint32], sizes: Ints, cells: int) -> ValueCounts:
    """Count the numbers of a column by class, of which there are ``sizes``; NaN is left out.

    >>> x = np.array([2.0, 1.0, np.nan, 2.0])
    >>> counted = count_values(x, np.zeros(4, np.uint32), np.array([4]), 1 << 20)
    >>> counted.values.tolist(), counted.counts.ravel().tolist()
    ([1.0, 2.0], [1.0, 2.0])

    Numbers that do not fit are pooled, the same way whatever the batches are:

    >>> x = np.linspace(1, 2, 5001)
    >>> def counted(x):
    ...     return count_values(x, np.zeros(len(x), np.uint32), np.array([len(x)]), 2000)
    >>> whole, halves = counted(x), [counted(x[::2]), counted(x[1::2])]
    >>> merged = halves[0].merge(halves[1], 2000)
    >>> len(whole.values), np.array_equal(whole.counts, merged.counts)
    (1025, True)
    """
    n_classes = len(sizes)
    values, indptr, classes, entries = _kernels.histogram(
        np.ascontiguousarray(x), None, target, None, sizes.astype(np.float64), sizes
    )
    shift, place = 0, np.repeat(np.arange(len(values)), np.diff(indptr))
    most = max(LEAST_POOLS, cells // n_classes)
    if len(values) > most:  # before the table of all classes is made
        keys = _keys(values)
        shift = _least_shift(keys, most)
        first = _starts(keys, shift)
        pool = np.cumsum(first) - 1
        values, place = (
            values[np.append(np.flatnonzero(first)[1:] - 1, len(values) - 1)],
            pool[place],
        )
    flat = np.bincount(place * n_classes + classes, entries, minlength=len(values) * n_classes)
    return ValueCounts(values, flat.reshape(len(values), n_classes).astype(np.float64), shift)


def _grouped(values: Floats, counts: Floats, shift: int) -> ValueCounts:
    """Add up the counts of sorted numbers that are in one pool; the last one stands for it."""
    if not len(values):
        return ValueCounts(values, counts, shift)
    first = np.flatnonzero(_starts(_keys(values), shift))
    last = np.append(first[1:], len(values)) - 1
    return ValueCounts(values[last], np.add.reduceat(counts, first, axis=0), shift)


def _keys(values: Floats) -> Ints:
    """Return integers in the order of doubles."""
    bits = np.ascontiguousarray(values + 0.0).view(np.int64)  # −0.0 becomes 0.0
    return np.where(bits < 0, np.int64(-(1 << 63)) - bits, bits)


def _starts(keys: Ints, shift: int) -> NDArray[np.bool_]:
    """Say which sorted keys are the first of their pool."""
    pools = keys >> np.int64(shift)
    return np.concatenate([[True], pools[1:] != pools[:-1]])


def _least_shift(keys: Ints, most: int) -> int:
    """Return the least shift at which sorted keys are in at most so many pools."""
    low, high = 0, 63
    while low < high:
        middle = (low + high) // 2
        if _starts(keys, middle).sum() <= most:
            high = middle
        else:
            low = middle + 1
    return low
