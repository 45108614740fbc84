r"""Likeness of rows: how far apart they are once their columns can be compared.

Columns are brought to mean 0 and variance 1, those that do not vary left out. Texts are compared by
direction: a word that d of n rows have counts log((1 + n) / (1 + d)) + 1 times, so that rare ones
tell more, and rows are brought to length 1. Two rows are alike by

(1)  k(a, b) = exp(−|a − b|² / 2v)

with v a multiple of the number of columns that vary, for texts of 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from jointbayes.arrays import Floats
from jointbayes.budgets import physical_memory
from jointbayes.checks import check_that
from jointbayes.design.texts import are_texts
from jointbayes.design.units import FAR
from jointbayes.errors import DataError
from jointbayes.learners.logistic.basis import Scaling

__all__ = ["RowScale", "distinct_rows", "learn_row_scale", "likeness"]

NEGLIGIBLE = 1e-9
"""Spreads of numbers up to 1 that are no spread."""


@dataclass(frozen=True, eq=False)
class RowScale:
    """How rows are read before they are compared.

    Parameters
    ----------
    columns
        What is made of each column.
    compared
        "columns", or "directions": rows are then texts and brought to length 1.

    Examples
    --------
    >>> scale = learn_row_scale(np.array([[1.0, 7.0], [5.0, 7.0]]), np.ones(2))
    >>> scale.apply(np.array([[5.0, 7.0]])).tolist(), scale.unit
    ([[1.0, 0.0]], 1.0)
    """

    columns: Scaling
    compared: str

    @property
    def unit(self) -> float:
        """What v of (1) is a multiple of."""
        varying = int(np.count_nonzero(self.columns.factor))
        return 1.0 if self.compared == "directions" else float(max(varying, 1))

    def apply(self, matrix: Any) -> Any:
        """Return the rows of a dense or CSR matrix as they are compared: CSR for texts."""
        if self.compared == "directions":
            return normalize(sparse.csr_matrix(self.columns.apply(sparse.csr_matrix(matrix))))
        return np.clip(self.columns.apply(_dense(matrix)), -FAR, FAR)

    def _check_stored(self) -> None:
        check_that(self.compared in ("columns", "directions"), f"{self.compared!r} is no likeness")


def learn_row_scale(matrix: Any, weights: Floats) -> RowScale:
    """Return how rows of a dense or CSR matrix, which have positive weights, are compared."""
    if are_texts(matrix):
        words = sparse.csr_matrix(matrix)
        n, d = weights.sum(), abs(words).sign().T @ weights
        rare = np.where(d > 0, np.log((1 + n) / (1 + d)) + 1, 0.0)
        return RowScale(Scaling(np.ones(len(rare)), np.zeros(len(rare)), rare), "directions")
    dense = _dense(matrix)
    largest = np.abs(dense).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    scaled = dense / unit
    mean = np.average(scaled, axis=0, weights=weights)
    spread = np.sqrt(np.average((scaled - mean) ** 2, axis=0, weights=weights))
    varying = spread > NEGLIGIBLE
    factor = np.where(varying, 1 / np.where(varying, spread, 1.0), 0.0)
    return RowScale(Scaling(unit, mean, factor), "columns")


def _dense(matrix: Any) -> Floats:
    if not sparse.issparse(matrix):
        return np.asarray(matrix)
    n, p = matrix.shape
    if 8 * n * p > physical_memory() // 4:
        raise DataError(
            f"X takes {8 * n * p / 2**30:,.1f} GiB as {n:,} × {p:,} numbers that are no texts, "
            "which is too much to compare rows by; give fewer rows or columns"
        )
    return np.asarray(matrix.toarray())


def distinct_rows(rows: Any) -> Any:
    """Return the rows of a dense or CSR matrix, equal ones once.

    >>> distinct_rows(np.array([[2.0, 1.0], [0.0, 1.0], [2.0, 1.0]])).tolist()
    [[0.0, 1.0], [2.0, 1.0]]
    """
    if not sparse.issparse(rows):
        return np.unique(rows, axis=0)
    rows.sort_indices()
    # Sums along a sparse row are taken in one order, so that those of equal rows are equal.
    drawn = np.random.default_rng(0).normal(size=rows.shape[1])
    return rows[np.sort(np.unique(rows @ drawn, return_index=True)[1])]


def likeness(rows: Any, landmarks: Any, v: float) -> Floats:
    """Return (n, m) k of (1), of rows and landmarks that are scaled.

    >>> likeness(np.array([[0.0], [2.0]]), np.array([[0.0]]), 2.0).round(3).tolist()
    [[1.0], [0.368]]
    """
    products = rows @ landmarks.T
    products = products.toarray() if sparse.issparse(products) else products
    apart = row_norms(rows, squared=True)[:, None] + row_norms(landmarks, squared=True)
    apart -= 2 * products
    return np.asarray(np.exp(-np.maximum(apart, 0.0) / (2 * v)))
