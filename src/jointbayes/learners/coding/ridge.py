r"""Ridge regression of many targets at once, its penalty chosen by leaving every row out in turn.

With standardised columns Z, row weights w and penalty λ, one for all targets,

(1)  B = argmin Σ_i w_i |t_i − b − B'z_i|² + λ |B|²,

and the residual of a row that is left out is had from those of one fit, (t_i − t̂_i) / (1 − h_i),
h_i = w_i z_i'(Z'WZ + λI)⁻¹z_i + w_i / Σw. All λ of a path share one decomposition of Z'WZ, or of
ZZ' where there are fewer rows than columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.checks import check_finite
from jointbayes.errors import CostError
from jointbayes.learners.logistic.basis import Scaling, learn_scaling

__all__ = ["Ridge", "RidgeFit", "learn_ridge"]

PENALTIES = np.logspace(-4, 2, 19)
"""λ of the path, as shares of the total weight of the rows."""

DECOMPOSED = 8192
"""Most columns (or rows, if fewer) whose products are decomposed."""


@dataclass(frozen=True, eq=False)
class Ridge:
    """A linear map from rows to targets."""

    scaling: Scaling
    coefficients: Floats
    intercept: Floats

    def _check_stored(self) -> None:
        check_finite("coefficients", self.coefficients, (len(self.scaling.unit), None))
        check_finite("intercept", self.intercept, (self.coefficients.shape[1],))

    def predict(self, matrix: Any) -> Floats:
        """Return the (n, q) predicted targets of rows, dense or sparse."""
        shift = self.scaling.shift if hasattr(matrix, "tocsr") else 0.0
        scaled = self.scaling.apply(matrix) @ self.coefficients
        return np.asarray(scaled + (self.intercept - np.sum(shift * self.coefficients.T, axis=1)))


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A ridge regression with what it says of the rows that it was learned from.

    ``fitted`` are its (n, q) predictions, ``left_out`` the (n, q) residuals of rows left out.
    """

    ridge: Ridge
    penalty: float
    fitted: Floats
    left_out: Floats


def learn_ridge(matrix: Any, targets: Floats, weights: Weights = None) -> RidgeFit:
    """Return the regression (1) of all targets, with the best penalty of the path.

    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> found = learn_ridge(X, 1 + 2 * X)
    >>> found.ridge.predict(np.array([[10.0]])).round(1).tolist()
    [[21.0]]
    """
    n, p = matrix.shape
    if min(n, p) > DECOMPOSED:
        raise CostError(
            f"ridge regression decomposes at most {DECOMPOSED} columns, or rows where they are "
            f"fewer, and found {n} rows of {p}; select columns first, as by jointbayes.select"
        )
    scaling = learn_scaling(matrix, weights)
    scaled = scaling.apply(matrix)
    w = np.ones(n) if weights is None else weights
    total = float(w.sum())
    shift = w @ scaled / total
    mean = w @ targets / total
    centred = targets - mean
    axes, squares = _axes(scaled, shift, w)
    places = scaled @ axes - shift @ axes  # (n, r), of weighted squares `squares`
    sums = places.T @ (w[:, None] * centred)
    best: tuple[float, float, Floats, Floats] | None = None
    for penalty in PENALTIES * total:
        fitted = places @ (sums / (squares + penalty)[:, None])
        leverage = w * (places**2 @ (1 / (squares + penalty)) + 1 / total)
        residual = (centred - fitted) / np.maximum(1 - leverage, 1e-9)[:, None]
        error = float(w @ (residual**2).sum(axis=1))
        if best is None or error < best[0]:
            best = error, float(penalty), fitted, residual
    assert best is not None
    _, penalty, fitted, residual = best
    inner = axes @ (sums / (squares + penalty)[:, None])
    centre = scaling.shift if hasattr(matrix, "tocsr") else np.zeros(p)
    intercept = mean - (shift - centre) @ inner
    return RidgeFit(Ridge(scaling, inner, intercept), penalty, fitted + mean, residual)


def _axes(scaled: Any, shift: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return (p, r) orthonormal principal axes of centred rows, and the (r,) squares along them."""
    n, p = scaled.shape
    root = np.sqrt(weights)
    if p <= n:
        weighted = scaled.T @ (scaled * weights[:, None])
        inner = _dense(weighted) - weights.sum() * np.outer(shift, shift)
        squares, axes = np.linalg.eigh((inner + inner.T) / 2)
        kept = squares > 1e-12 * max(float(squares[-1]), 1e-300)
        return axes[:, kept], squares[kept]
    cross = scaled @ shift
    outer = _dense(scaled @ scaled.T) - cross[:, None] - cross + shift @ shift
    squares, left = np.linalg.eigh(outer * root[:, None] * root)
    kept = squares > 1e-12 * max(float(squares[-1]), 1e-300)
    squares, left = squares[kept], left[:, kept]
    rows = root[:, None] * left
    axes = (scaled.T @ rows - np.outer(shift, rows.sum(axis=0))) / np.sqrt(squares)
    return axes, squares


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
