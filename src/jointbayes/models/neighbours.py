"""The nearest rows of the training data, for MLkNN and IBLR.

Columns are brought to the same range first. Distances are Euclidean; of equally distant rows those
that came first are nearer; and in training no row is its own neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes._kernels import n_threads, nearest_rows
from jointbayes._kernels.nearest import DIGITS

__all__ = ["Neighbours", "learn_neighbours"]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Whole = NDArray[np.int64]

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
    """

    matrix: Any
    factor: Floats

    def of(self, matrix: Any, k: int) -> Labels:
        """Return the (m, k) nearest training rows of rows; all of them if there are fewer."""
        return self._search(_scaled(matrix, self.factor), k, own=False)

    def of_training(self, k: int) -> Labels:
        """Return the (n, k) nearest other rows of every training row."""
        return self._search(self.matrix, k, own=True)

    def _search(self, matrix: Any, k: int, *, own: bool) -> Labels:
        n, square = self.matrix.shape[0], _squares(self.matrix)
        k = min(k, n - own)
        if hasattr(matrix, "tocsr"):
            asked, columns = _compressed(matrix.tocsr()), _compressed(self.matrix.tocsc())
            first = 0 if own else -1
            found = nearest_rows(asked, columns, _squares(matrix), square, k, first, n_threads())
            return found.astype(np.intp, copy=False)
        parts = [np.empty((0, k), dtype=np.intp)]
        size = max(1, CELLS // n)
        for start in range(0, matrix.shape[0], size):
            part = matrix[start : start + size]
            distance = _squares(part)[:, None] + square - 2 * (part @ self.matrix.T)
            if own:
                rows = np.arange(len(distance))
                distance[rows, start + rows] = np.inf
            parts.append(_least(np.round(distance, DIGITS, out=distance), k))
        return np.concatenate(parts)


def learn_neighbours(matrix: Any) -> Neighbours:
    """Scale the columns of training rows to the range 1.

    >>> neighbours = learn_neighbours(np.array([[0.0], [1.0], [10.0], [1.0]]))
    >>> neighbours.of(np.array([[0.9]]), 2).tolist(), neighbours.of_training(1).tolist()
    ([[1, 3]], [[1], [3], [1], [1]])
    """
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    if hasattr(matrix, "tocsr"):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    span = high / 2 - low / 2  # halves, so that the largest numbers do not overflow
    factor = np.divide(0.5, span, out=np.zeros_like(span), where=span > 0)
    return Neighbours(_scaled(matrix, factor), factor)


def _scaled(matrix: Any, factor: Floats) -> Any:
    if hasattr(matrix, "tocsr"):
        return matrix @ sparse.diags_array(factor)
    return matrix * factor


def _squares(matrix: Any) -> Floats:
    if hasattr(matrix, "tocsr"):
        return np.asarray(matrix.power(2).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", matrix, matrix))


def _compressed(matrix: Any) -> tuple[Whole, Whole, Floats]:
    indptr, indices = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
    return indptr, indices, matrix.data.astype(np.float64)


def _least(distance: Floats, k: int) -> Labels:
    """Return the columns of the k least numbers of each row; of equal ones the first.

    >>> _least(np.array([[3.0, 1.0, 1.0, 1.0]]), 2).tolist()
    [[1, 2]]
    """
    if k == 0:
        return np.empty((len(distance), 0), dtype=np.intp)
    last = np.partition(distance, k - 1, axis=1)[:, k - 1]
    rows, columns = np.nonzero(distance <= last[:, None])
    tied = distance[rows, columns] == last[rows]
    room = k - np.bincount(rows[~tied], minlength=len(distance))
    before = np.concatenate([[0], np.cumsum(np.bincount(rows[tied], minlength=len(distance)))])
    place = np.cumsum(tied) - before[rows]  # among the equal ones of the row, from 1 on
    taken: Labels = columns[~tied | (place <= room[rows])]
    return taken.reshape(len(distance), k)
