"""Labels as columns beside those of a design: 0 and 1, or one indicator column per value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.arrays import Floats

__all__ = ["beside", "label_columns"]

Labels = NDArray[np.integer[Any]]


def label_columns(codes: Labels, cards: Sequence[int]) -> Floats:
    """Return labels as columns: 0 and 1 of a binary one, one indicator per value of any other.

    >>> label_columns(np.array([[1, 2], [0, 0]]), (2, 3)).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
    """
    columns = [
        code[:, None] == (np.arange(k) if k != 2 else [1])
        for code, k in zip(codes.T, cards, strict=True)
    ]
    return np.concatenate([np.empty((len(codes), 0)), *columns], axis=1).astype(np.float64)


def beside(matrix: Any, columns: Floats) -> Any:
    """Return a matrix, dense, CSR or of rows as they came, with further columns to its right.

    >>> beside(np.eye(2), np.array([[5.0], [6.0]])).tolist()
    [[1.0, 0.0, 5.0], [0.0, 1.0, 6.0]]
    """
    if hasattr(matrix, "beside"):
        return matrix.beside(columns)
    if hasattr(matrix, "tocsr"):
        return sparse.hstack([matrix, sparse.csr_array(columns)], format="csr")
    return np.hstack([matrix, columns])
