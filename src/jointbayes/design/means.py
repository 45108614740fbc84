"""The means of columns, which stand for missing numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.encoding.numbers import read_numbers
from jointbayes.table import Table

__all__ = ["column_means", "sparse_means"]

TOGETHER = 64
"""Columns whose means are computed together."""


def column_means(X: Table, numeric: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the means of columns, and which of them have missing numbers."""
    means, missing = np.zeros(len(numeric)), np.zeros(len(numeric), dtype=bool)
    for start in range(0, len(numeric), TOGETHER):
        part = slice(start, start + TOGETHER)
        numbers = read_numbers([X.columns[j] for j in numeric[part]])
        unknown = np.isnan(numbers)
        missing[part] = unknown.any(axis=0)
        if missing[part].any():
            numbers = np.where(unknown, 0.0, numbers)
        # Divided by the largest first, so that numbers near the end of the range do not overflow.
        largest = np.maximum(numbers.max(axis=0), -numbers.min(axis=0))
        shares = (numbers / np.where(largest > 0, largest, 1.0)).sum(axis=0)
        means[part] = shares / np.maximum(len(numbers) - unknown.sum(axis=0), 1) * largest
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
