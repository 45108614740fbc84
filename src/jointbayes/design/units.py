"""Units: what the numbers of a matrix are divided by, so that its columns can be compared.

A column has its largest number for a unit. Thin columns, which are 0 in most rows, are as a rule
words, or counts of the same kind: they have one unit in common and so keep their proportions, as
one each would make rare words as large as frequent ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.arrays import Floats, Mask

__all__ = ["FAR", "THIN", "count_entries", "inverse", "learn_units", "scale_columns"]


THIN = 1 / 2
"""Columns with a smaller share of entries that are not 0 are thin."""

SPREAD = 10.0
"""How far the largest numbers of such columns may be from their median and count as of one unit."""

FAR = 1e100
"""Where numbers end up that are so far beyond their unit that squares would overflow."""


def learn_units(matrix: Any) -> tuple[Floats, Mask]:
    """Return the unit of each column of a dense or CSR matrix, and which columns are thin.

    >>> learn_units(np.array([[0.0, 0.0, 2.0], [0.5, 0.0, 4.0], [0.0, 0.2, 8.0]]))
    (array([0.2, 0.2, 8. ]), array([ True,  True, False]))
    """
    largest = abs(matrix).max(axis=0)
    largest = largest.toarray().ravel() if hasattr(matrix, "tocsr") else largest
    thin = count_entries(matrix) < THIN * matrix.shape[0]
    unit = np.where(largest == 0, 1.0, largest)
    alike = thin & (largest > 0)
    if alike.any():
        typical = np.quantile(largest[alike], 0.5, method="lower")
        with np.errstate(over="ignore"):
            unit[alike] = np.clip(typical, largest[alike] / SPREAD, largest[alike] * SPREAD)
    return unit, thin


def count_entries(matrix: Any) -> NDArray[np.intp]:
    """Return how many entries of each column of a dense or CSR matrix are not 0."""
    if hasattr(matrix, "tocsr"):
        return np.bincount(matrix.indices, minlength=matrix.shape[1])
    return np.asarray(np.count_nonzero(matrix, axis=0))


def inverse(unit: Floats) -> Floats:
    """Return 1 / unit, finite also for the smallest of units: 0 times infinity is no number."""
    with np.errstate(over="ignore"):
        return np.minimum(1 / unit, np.finfo(np.float64).max)


def scale_columns(matrix: Any, factor: Floats) -> Any:
    """Return a dense or CSR matrix with each column times its factor, and nothing beyond `FAR`."""
    is_sparse = hasattr(matrix, "tocsr")
    with np.errstate(over="ignore"):
        scaled = (matrix @ sparse.diags_array(factor)).tocsr() if is_sparse else matrix * factor
    numbers = scaled.data if is_sparse else scaled
    np.minimum(numbers, FAR, out=numbers)  # np.clip is slow for one row
    np.maximum(numbers, -FAR, out=numbers)
    return scaled
