r"""Logistic regressions of fewer rows than columns, solved in the span of the rows.

The minimum of every objective is a sum of rows, w = X'a. With the products of rows with rows,
X X' = L L', and u = L'a,

    X w = L u,   |w|² = |u|²,

so the rows of the triangle L are as good as those of X, and as short as there are rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.learners.logistic.basis import Basis

__all__ = ["out_of_span", "span"]

ROUNDING = 1e-10
"""What is added to the squares of rows, relatively: else rows that are alike have no L."""


def span(basis: Basis) -> tuple[Basis, Floats]:
    """Return the rows of a dense, centred basis in coordinates of their own, and (n, n) L.

    >>> from jointbayes.learners.logistic.basis import make_basis
    >>> wide = make_basis(np.random.default_rng(0).normal(size=(3, 7)), rotated=0)
    >>> narrow, L = span(wide)
    >>> u = np.array([[1.0], [2.0], [0.0], [3.0]])
    >>> w = out_of_span(wide, L, u)
    >>> bool(np.allclose(narrow.times(u), wide.times(w), atol=1e-6))
    True
    """
    X = np.asarray(basis.values, dtype=np.float64)  # in single precision the addition is lost
    K = X @ X.T
    squares = K.diagonal().copy()
    K.flat[:: len(K) + 1] += ROUNDING * squares.mean()
    L: Floats = np.asarray(np.linalg.cholesky(K), dtype=np.float64)
    n = len(L)
    along = np.einsum("ij,ij->j", L, L) / n
    return replace(basis, values=L, center=np.zeros(n), squares=along, axes=np.arange(n)), L


def out_of_span(basis: Basis, L: Floats, u: Floats) -> Floats:
    """Return the (r + 1, t) coefficients that are (n + 1, t) ones in the span of the rows."""
    from scipy.linalg import solve_triangular

    a = solve_triangular(L, u[:-1], trans=1, lower=True, check_finite=False)
    return np.vstack([basis.values.T @ a, u[-1:]])
