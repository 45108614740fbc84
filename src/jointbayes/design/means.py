"""The means of columns, which stand for missing numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.encoding.numbers import read_numbers
from jointbayes.table import Table

__all__ = ["column_means", "sparse_means"]

TOGETHER, FAR = 256, 1e290
"""Columns whose means are computed together, and numbers whose sum may be beyond all numbers."""


def column_means(X: Table, numeric: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the means of columns, and which of them have missing numbers."""
    means, missing = np.zeros(len(numeric)), np.zeros(len(numeric), dtype=bool)
    for start in range(0, len(numeric), TOGETHER):
        part = slice(start, start + TOGETHER)
        numbers = read_numbers([X.columns[j] for j in numeric[part]])
        largest = np.maximum(numbers.max(axis=0), -numbers.min(axis=0))  # NaN if one is missing
        missing[part] = np.isnan(largest)
        known = np.full(len(largest), len(numbers))
        if missing[part].any():
            unknown = np.isnan(numbers)
            numbers, known = np.where(unknown, 0.0, numbers), len(numbers) - unknown.sum(axis=0)
            largest = np.maximum(numbers.max(axis=0), -numbers.min(axis=0))
        # Divided by the largest first where numbers are so near the end of the range that their
        # sum may be beyond it.
        unit = np.where(largest > FAR, largest, 1.0)
        numbers = numbers / unit if (unit > 1).any() else numbers
        total = np.ones(len(numbers)) @ numbers  # faster than a sum
        means[part] = total / np.maximum(known, 1) * unit
    return means, missing


def sparse_means(numbers: Any) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the same of a CSR matrix."""
    n, p = numbers.shape
    missing = np.isnan(numbers.data)
    unknown = np.bincount(numbers.indices[missing], minlength=p)
    largest = np.zeros(p)
    np.maximum.at(largest, numbers.indices, np.where(missing, 0.0, np.abs(numbers.data)))
    largest[largest == 0] = 1.0
    shares = np.where(missing, 0.0, numbers.data / largest[numbers.indices])
    total = np.bincount(numbers.indices, weights=shares, minlength=p)
    return total / np.maximum(n - unknown, 1) * largest, unknown > 0
