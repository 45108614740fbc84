r"""What logistic regressions of many targets on the same rows minimise.

For every target t, with z = X w_t + b_t and ℓ the negative log-likelihood of a binary target, or of
a k-valued one, which has k columns of coefficients,

(1)  f_t(w, b) = Σ_i v_i ℓ(y_it, z_it) + λ_t / 2 |w|²

with v_i the weight of row i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Mask, Weights
from jointbayes.learners.logistic.basis import Basis

__all__ = ["Problem", "base_rates", "evaluate", "log_likelihoods"]

NARROW = 16
"""Columns up to which they are looked through one by one."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Targets over the rows of a basis, each with its penalty.

    Parameters
    ----------
    basis
        The rows.
    targets
        (n, K) columns of 0 and 1: one for a binary target, k for a k-valued one.
    widths
        How many columns each target has: 1 or k > 2.
    penalty
        (t,) the λ of every target.
    free
        (r + 1, K) which coefficients may differ from 0; None for all.
    """

    basis: Basis
    targets: Floats
    widths: tuple[int, ...]
    penalty: Floats
    free: Mask | None = None

    @cached_property
    def each_alone(self) -> bool:
        """Whether every target has one column."""
        return max(self.widths, default=1) == 1

    @cached_property
    def penalties(self) -> Floats:
        """(K,) the penalty of the target that each column is of."""
        return np.repeat(self.penalty, self.widths)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first column of each target."""
        widths = np.array(self.widths, dtype=np.intp)
        return np.cumsum(widths) - widths

    def add(self, columns: Floats) -> Floats:
        """Add up the columns (K,) of each target (t,)."""
        if self.each_alone:
            return columns
        return np.asarray(np.add.reduceat(columns, self.starts))

    def select(self, kept: Mask) -> Problem:
        """Return the problem of some of the targets."""
        columns = np.repeat(kept, self.widths)
        return Problem(
            self.basis,
            self.targets[:, columns],
            tuple(np.array(self.widths)[kept].tolist()),
            self.penalty[kept],
            None if self.free is None else self.free[:, columns],
        )


def base_rates(problem: Problem) -> Floats:
    """Return the (r + 1, K) coefficients that see nothing but how frequent the values are."""
    weights = problem.basis.weights
    share = problem.targets.mean(axis=0)
    if weights is not None:
        share = weights @ problem.targets / weights.sum()
    wide = np.repeat(problem.widths, problem.widths) > 1
    W = np.zeros((problem.basis.shape[1], len(share)))
    with np.errstate(divide="ignore"):  # within a fold a value may be absent, or the only one
        W[-1] = np.where(wide, np.log(share), np.log(share) - np.log1p(-share))
    return np.clip(W, -30.0, 30.0)


def evaluate(problem: Problem, W: Floats) -> tuple[Floats, Floats, Floats]:
    """Return f (t,), its gradient (r + 1, K) and the probabilities (n, K) behind it."""
    Z, T, widths = problem.basis.times(W), problem.targets, problem.widths
    weights = problem.basis.weights
    loss, residual = _losses(Z, T, widths, weights)
    shrink = W * problem.penalties.astype(W.dtype, copy=False)
    shrink[-1] = 0.0
    weighted = residual if weights is None else residual * weights[:, None].astype(residual.dtype)
    g = problem.basis.back(weighted) + shrink
    square = problem.add(np.einsum("ij,ij->j", shrink, W)).astype(np.float64)
    g = g if problem.free is None else g * problem.free
    return loss + square / 2, g, residual + T


def _losses(
    Z: Floats, T: Floats, widths: Sequence[int], weights: Weights = None
) -> tuple[Floats, Floats]:
    """Return Σ v ℓ (t,), and the derivative of each ℓ by Z (n, K)."""
    v = np.ones(len(Z)) if weights is None else weights
    if max(widths, default=1) == 1:
        E = np.exp(-np.abs(Z))
        each = np.log1p(E)
        each += np.maximum(Z, 0) - T * Z
        total = 1 + E
        np.putmask(E, Z >= 0, 1.0)
        E /= total
        E -= T
        return v @ each, E  # in double precision, and faster than a sum
    losses, residuals, at = [], [], 0
    for width in widths:
        z, y = Z[:, at : at + width], T[:, at : at + width]
        if width == 1:
            loss, residual = _losses(z, y, (1,), weights)
            losses.append(loss[0])
        else:
            residual = z - _largest(z)[:, None]
            told = np.einsum("ij,ij->i", y, residual)
            np.exp(residual, out=residual)
            total = residual @ np.ones(width, dtype=z.dtype)
            losses.append(v @ (np.log(total) - told))
            residual /= total[:, None]
            residual -= y
        residuals.append(residual)
        at += width
    return np.array(losses), np.hstack(residuals)


def _largest(z: Floats) -> Floats:
    """Return the largest of each row; of a few columns, column by column is faster."""
    if z.shape[1] > NARROW:
        return np.asarray(z.max(axis=1))
    top = z[:, 0].copy()
    for column in z.T[1:]:
        np.maximum(top, column, out=top)
    return top


def log_likelihoods(Z: Floats, T: Floats, widths: Sequence[int], weights: Weights = None) -> Floats:
    """Return the (t,) log-likelihoods of targets under linear predictors Z (n, K)."""
    return -_losses(Z, T, widths, weights)[0]
