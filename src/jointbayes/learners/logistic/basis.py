r"""The coordinates in which logistic regressions on the same rows are solved.

A logistic regression with an L2 penalty and a free intercept has the same optimum after any shift
of the columns (the intercept takes it up) and any rotation of them (the penalty does not see it).
So the columns are scaled once, to unit variance (thin ones together), and then

- a dense matrix Z is centred and rotated to its principal axes: with Z'Z = Q Λ Q', the columns of
  Z Q are orthogonal, the Hessian of every regression on these rows is close to a multiple of
  Λ + λ I, and its inverse, a diagonal, is a preconditioner that costs nothing, for all targets,
  all penalties and all subsets of rows alike;
- a sparse matrix is only scaled, so it stays sparse, and columns without an entry are left out;
  that it is centred is understood, (X − 1 m') W = X W − 1 (m'W), and takes a third of the steps
  off, as else all columns lean towards the intercept's.

Which of the two depends on the numbers, not on how they came, so that the answer does not either.
A column of ones for the intercept is understood to be the last in either case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.arrays import Floats, Weights
from jointbayes.checks import check_counts, check_finite, check_that
from jointbayes.design.units import FAR, count_entries, learn_units
from jointbayes.threads import products

__all__ = ["ROTATED", "ROTATED_ONCE", "Basis", "Scaling", "learn_scaling", "make_basis"]


ROTATED, ROTATED_ONCE = 2048, 256
"""Most columns (or rows, if fewer) of which principal axes are computed: where many regressions are
solved in them, and where each target is solved once."""

SPARSE, LARGE = 1 / 15, 2**25
"""A smaller share of entries makes a matrix sparse, and so does a share below 1/8 of more cells
than this: else BLAS, on two cores, is faster on zeros than a sparse product is on entries."""

LOUD = 1 / 1000
"""So many of the thin columns may have more than unit variance: a single word that is louder than
all others would silence them beside columns that are not thin."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """Brings columns to mean 0 and variance 1: (x / unit − mean) · factor.

    Numbers are divided by a unit of their size first, so that nothing overflows. The factor is
    1 / deviation, that of a loud one for all thin columns, or 0 for a column that is constant.
    """

    unit: Floats
    mean: Floats
    factor: Floats

    def _check_stored(self) -> None:
        check_that((self.unit > 0).all() and (self.unit < np.inf).all(), "a unit is not above 0")
        check_finite("mean", self.mean, self.unit.shape)
        check_counts("factor", self.factor, (len(self.unit),))

    def apply(self, matrix: Any) -> Any:
        """Return the columns scaled; those of a sparse matrix are not shifted."""
        if hasattr(matrix, "tocsr"):
            return matrix @ sparse.diags_array(1 / self.unit) @ sparse.diags_array(self.factor)
        with np.errstate(over="ignore", invalid="ignore"):
            out = matrix / self.unit
            out -= self.mean
            out *= self.factor
            if np.isfinite(out.sum()):
                return out
        return np.nan_to_num(out, copy=False, posinf=FAR, neginf=-FAR)

    @property
    def shift(self) -> Floats:
        """How far a sparse matrix is from one that is centred."""
        return self.mean * self.factor


def learn_scaling(matrix: Any, weights: Weights = None) -> Scaling:
    """Return the scaling of the columns of a dense or CSR matrix.

    Thin columns have one unit and one factor in common, by which the loudest of them (all but one
    in a thousand) get variance 1 at most: rare words must not become as loud as frequent ones.

    >>> scaling = learn_scaling(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> scaling.apply(np.array([[1.0, 7.0], [5.0, 9.0]])).round(9).tolist()
    [[-1.0, 0.0], [3.0, 0.0]]
    """
    unit, thin = learn_units(matrix)
    if hasattr(matrix, "tocsr"):
        mean, variance = _sparse_moments(matrix, unit, weights)
    else:
        scaled = matrix / unit
        mean = _mean(scaled, weights)
        scaled -= mean
        variance = _mean(np.square(scaled, out=scaled), weights)
    deviation = np.sqrt(variance)
    constant = deviation < 1e-13  # the rounding of a mean of numbers up to 1
    factor = np.where(constant, 0.0, 1 / np.where(constant, 1.0, deviation))
    thin &= ~constant
    if thin.any():
        factor[thin] = np.quantile(factor[thin], LOUD, method="lower")
    return Scaling(unit, mean, factor)


def _mean(values: Floats, weights: Weights) -> Floats:
    """Return the weighted means of columns."""
    if weights is None:
        return np.asarray(values.mean(axis=0))
    return np.asarray(weights @ values / weights.sum())


def _sparse_moments(matrix: Any, unit: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Return mean and variance of the columns of a CSR matrix, divided by their units."""
    n, p = matrix.shape
    at, scaled = matrix.indices, matrix.data / unit[matrix.indices]
    if weights is None:
        mean, zeros = np.bincount(at, scaled, p) / n, n - count_entries(matrix)
        return mean, (np.bincount(at, (scaled - mean[at]) ** 2, p) + zeros * mean**2) / n
    w, total = np.repeat(weights, np.diff(matrix.indptr)), float(weights.sum())
    mean = np.bincount(at, w * scaled, p) / total
    # What sums of weights round to must not be a row without an entry.
    some = count_entries(matrix) < n
    zeros = np.where(some, np.maximum(total - np.bincount(at, w, p), 0.0), 0.0)
    return mean, (np.bincount(at, w * (scaled - mean[at]) ** 2, p) + zeros * mean**2) / total


@dataclass(frozen=True, eq=False)
class Basis:
    """Rows in the coordinates of the solver.

    Parameters
    ----------
    values
        The (n, r) coordinates, a dense or a CSR matrix; the column of ones is understood.
    center
        (r,) what is understood to be taken off the coordinates.
    squares
        The (r,) mean squares of the coordinates over all rows, after that.
    axes
        (p, r) what turns scaled columns into coordinates, or (r,) the columns that were kept.
    scaling
        How columns were scaled before.
    weights
        (n,) how often each row counts; None for once.

    Examples
    --------
    Coefficients of the coordinates and those of the scaled columns predict the same:

    >>> X = np.random.default_rng(0).normal(size=(9, 3))
    >>> basis = make_basis(X)
    >>> W = np.ones((4, 1))
    >>> V = basis.coefficients(W)
    >>> bool(np.allclose(basis.times(W), basis.scaling.apply(X) @ V[:-1] + V[-1]))
    True
    """

    values: Any
    center: NDArray[Any]
    squares: Floats
    axes: NDArray[Any]
    scaling: Scaling
    weights: Weights = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and coefficients of one target."""
        return self.values.shape[0], self.values.shape[1] + 1

    @property
    def n_columns(self) -> int:
        """How many columns there are to learn from."""
        return len(self.scaling.unit)

    def times(self, W: Floats) -> Floats:
        """Return the (n, t) linear predictors of (r + 1, t) coefficients."""
        with np.errstate(invalid="ignore"):  # BLAS may flag what it reads beyond the end of a row
            out: Floats = self.values @ W[:-1]
            out += W[-1] - self.center @ W[:-1]
        return out

    def back(self, R: Floats) -> Floats:
        """Return the (r + 1, t) sums of (n, t) residuals times the coordinates."""
        out = np.empty((self.shape[1], R.shape[1]), dtype=R.dtype)
        single = R.dtype == np.float32 and isinstance(self.values, np.ndarray)
        with np.errstate(invalid="ignore"):  # as in `times`
            out[:-1] = (R.T @ self.values).T if single else self.values.T @ R  # BLAS has its ways
            out[-1] = np.ones(len(R), dtype=R.dtype) @ R  # faster than a sum
            out[:-1] -= self.center[:, None] * out[-1]
        return out

    def rows(self, index: Any) -> Basis:
        """Return some of the rows, in the same coordinates."""
        weights = None if self.weights is None else self.weights[index]
        return replace(self, values=self.values[index], weights=weights)

    def single(self) -> Basis:
        """Return the rows in single precision: half the bytes, for what only serves to choose."""
        values, center = self.values.astype(np.float32), self.center.astype(np.float32)
        return replace(self, values=values, center=center)

    def coefficients(self, W: Floats) -> Floats:
        """Return (p + 1, t) coefficients of the scaled and centred columns, intercept last."""
        if self.axes.ndim == 2:
            return np.vstack([self.axes @ W[:-1], W[-1:]])
        out = np.zeros((len(self.scaling.mean) + 1, W.shape[1]))
        out[self.axes], out[-1] = W[:-1], W[-1]
        return out


def make_basis(
    matrix: Any, weights: Weights = None, fixed: int = 0, rotated: int = ROTATED
) -> Basis:
    """Return the basis for a dense or CSR matrix.

    Parameters
    ----------
    matrix
        (n, p) numbers without gaps.
    weights
        (n,) how often each row counts; None for once.
    fixed
        So many columns at the right are not rotated: their coefficients stay their own.
    rotated
        Most columns (or rows, if fewer) of which principal axes are computed.
    """
    settled = _settle(matrix)
    scaling = learn_scaling(settled, weights)
    scaled = scaling.apply(settled)
    n, p = scaled.shape
    if hasattr(scaled, "tocsr"):
        used = np.bincount(scaled.indices, minlength=p) > 0
        used[p - fixed :] = True
        kept = np.flatnonzero(used)
        values, center = scaled[:, kept], scaling.shift[kept]
        share = np.full(n, 1 / n) if weights is None else weights / weights.sum()
        each = np.repeat(share, np.diff(values.indptr)) * values.data**2
        squares = np.bincount(values.indices, each, len(kept)) - center**2
        return Basis(values, center, squares, kept, scaling, weights)
    if min(n, p) > rotated:
        squares = _mean(scaled**2, weights)
        return Basis(scaled, np.zeros(p), squares, np.arange(p), scaling, weights)
    free, rest = scaled[:, : p - fixed], scaled[:, p - fixed :]
    principal, squares = _principal(free, weights)
    r = principal.shape[1]
    axes = np.zeros((p, r + fixed))
    axes[: p - fixed, :r], axes[p - fixed :, r:] = principal, np.eye(fixed)
    values = np.hstack([free @ principal, rest])
    squares = np.concatenate([squares, _mean(rest**2, weights)])
    return Basis(values, np.zeros(r + fixed), squares, axes, scaling, weights)


def _principal(Z: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Return the (p, r) principal axes of the rows and the mean squares along them."""
    if weights is not None:
        Z = Z * np.sqrt(weights * (len(Z) / weights.sum()))[:, None]
    n, p = Z.shape
    wide = p > n
    with products(n * p * min(n, p)):
        squares, axes = np.linalg.eigh(Z @ Z.T if wide else Z.T @ Z)
    real = squares > max(n, p) * np.finfo(float).eps * squares.max(initial=0.0)
    squares, axes = squares[real], axes[:, real]
    return (Z.T @ axes / np.sqrt(squares) if wide else axes), squares / n


def _settle(matrix: Any) -> Any:
    """Return a matrix as CSR if it is nearly empty, else as an array."""
    n, p = matrix.shape
    came_sparse = hasattr(matrix, "tocsr")
    entries = matrix.nnz if came_sparse else np.count_nonzero(matrix)
    few = entries < SPARSE * n * p or (n * p > LARGE and entries < n * p / 8)
    if came_sparse:
        return matrix if few else matrix.toarray()
    return sparse.csr_array(matrix) if few else matrix
