"""The nearest rows of the training data, for MLkNN and IBLR.

Distances are Euclidean, between rows whose columns were brought to the same range. Rows that are
nearly empty, texts as a rule, are compared by their direction instead, words in their proportions:
else the nearest of any text are the shortest ones. Of equally distant rows those that came first
are nearer; and in training no row is its own neighbour.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from jointbayes._kernels import nearest_by_products, nearest_rows
from jointbayes.arrays import Floats, Ints, Labels
from jointbayes.checks import check_finite, check_that
from jointbayes.design.texts import are_texts
from jointbayes.design.units import inverse, learn_units, scale_columns
from jointbayes.errors import DataWarning
from jointbayes.threads import n_threads, products

__all__ = ["METRICS", "Neighbours", "learn_neighbours"]


METRICS = ("auto", "euclidean", "cosine")

CELLS = 2**22
"""Distances that are held at once."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Training rows among which neighbours are found.

    Parameters
    ----------
    matrix
        (n, p) the rows, scaled, dense or CSR.
    factor
        What each column was multiplied with; its zero does not matter to distances.
    metric
        "euclidean", or "cosine": rows were then brought to length 1.
    """

    matrix: Any
    factor: Floats
    metric: str

    def _check_stored(self) -> None:
        is_sparse = hasattr(self.matrix, "tocsr")
        check_that(is_sparse or isinstance(self.matrix, np.ndarray), "matrix is not a matrix")
        check_that(self.matrix.dtype == np.float64, "matrix does not hold numbers")
        check_that(self.matrix.ndim == 2 and self.matrix.shape[0] > 0, "matrix has no rows")
        check_finite("factor", self.factor, self.matrix.shape[1:])
        numbers = self.matrix.data if is_sparse else self.matrix
        check_finite("matrix", numbers, numbers.shape)
        check_that(self.metric in METRICS[1:], f"{self.metric!r} is not a metric")

    @cached_property
    def _square(self) -> Floats:
        """The squared length of every row."""
        return _squares(self.matrix)

    @cached_property
    def _columns(self) -> tuple[Ints, Ints, Floats]:
        """A sparse matrix by columns."""
        return _compressed(self.matrix.tocsc())

    def of(self, matrix: Any, k: int, n_jobs: int | None = None) -> Labels:
        """Return the (m, k) nearest training rows of rows; all of them if there are fewer."""
        return self._search(_scaled(matrix, self.factor, self.metric), k, n_jobs, own=False)

    def of_training(self, k: int, n_jobs: int | None = None) -> Labels:
        """Return the (n, k) nearest other rows of every training row."""
        n = self.matrix.shape[0]
        if k >= n:
            sentence = f"k={k} neighbours are asked of {n} rows, so that all others are neighbours"
            warnings.warn(f"{sentence}: give a smaller k", DataWarning, stacklevel=2)
        return self._search(self.matrix, k, n_jobs, own=True)

    def _search(self, matrix: Any, k: int, n_jobs: int | None, *, own: bool) -> Labels:
        n, square = self.matrix.shape[0], self._square
        k = min(k, n - own)
        if hasattr(matrix, "tocsr"):
            asked, first = _compressed(matrix.tocsr()), 0 if own else -1
            found = nearest_rows(
                asked, self._columns, _squares(matrix), square, k, first, n_threads(n_jobs)
            )
            return found.astype(np.intp, copy=False)
        parts, size = [], max(1, CELLS // n)
        for start in range(0, matrix.shape[0], size):
            part = matrix[start : start + size]
            with products(part.size * n):
                by_rows = part @ self.matrix.T
            first, threads = start if own else -1, n_threads(n_jobs, items=len(part))
            parts.append(nearest_by_products(by_rows, _squares(part), square, k, first, threads))
        found = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return found.astype(np.intp, copy=False)


def learn_neighbours(matrix: Any, metric: str = "auto") -> Neighbours:
    """Scale training rows, to find neighbours among them.

    Parameters
    ----------
    matrix
        (n, p) numbers without gaps, dense or CSR.
    metric
        "euclidean" (columns have the range 1), "cosine" (rows have the length 1), or "auto": the
        latter for texts.

    Examples
    --------
    >>> neighbours = learn_neighbours(np.array([[0.0], [1.0], [10.0], [1.0]]))
    >>> neighbours.of(np.array([[0.9]]), 2).tolist(), neighbours.of_training(1).tolist()
    ([[1, 3]], [[1], [3], [1], [1]])

    The short text is on another subject; the long one is near all the same:

    >>> texts = np.array([[0.0, 0.0, 1.0], [9.0, 9.0, 0.0]])
    >>> asked = np.array([[1.0, 1.0, 0.0]])
    >>> [learn_neighbours(texts, m).of(asked, 1).item() for m in ("euclidean", "cosine")]
    [0, 1]
    """
    if metric == "auto":
        metric = "cosine" if are_texts(matrix) else "euclidean"
    factor = inverse(learn_units(matrix)[0]) if metric == "cosine" else _to_range(matrix)
    return Neighbours(_scaled(matrix, factor, metric), factor, metric)


def _to_range(matrix: Any) -> Floats:
    """Return what brings the columns to the range 1; 0 for those that are constant."""
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    if hasattr(matrix, "tocsr"):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    span = high / 2 - low / 2  # halves, so that the largest numbers do not overflow
    return np.where(span > 0, inverse(np.where(span > 0, span, 1.0)) / 2, 0.0)


def _scaled(matrix: Any, factor: Floats, metric: str) -> Any:
    scaled = scale_columns(matrix, factor)
    return normalize(scaled) if metric == "cosine" else scaled


def _squares(matrix: Any) -> Floats:
    if hasattr(matrix, "tocsr"):
        return np.asarray(matrix.power(2).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", matrix, matrix))


def _compressed(matrix: Any) -> tuple[Ints, Ints, Floats]:
    indptr, indices = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
    return indptr, indices, matrix.data.astype(np.float64)
