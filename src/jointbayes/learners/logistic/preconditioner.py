r"""What turns a gradient into a step: a rough inverse of the Hessian of each regression.

At p (1 − p) ≈ c_t for all rows, the Hessian of target t is

(1)  c_t X'VX + λ_t I = c_t (X'VX + ρ_t I),   ρ_t = λ_t / c_t

with V the weights of the rows. Its diagonal is inverted for nothing, and is all of it in principal
axes. Else the factor of X'VX + ρ I, for a few ρ that stand for all, costs about as much as some
dozens of steps of L-BFGS, and takes more of them off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.learners.logistic.problem import Problem

__all__ = ["Diagonal", "Factored", "Leaning", "Preconditioner", "leaning_of", "precondition"]

Leaning = Literal["strong", "none", "unknown"]

SURE, FAIR, UNSURE = 30.0, 300.0, 1000.0
"""How many times further from its minimum an objective may be than it seems: where columns do not
lean, by factors, and by a diagonal that may be anything."""

FLAT, LOOKS, ENOUGH = 8.0, 4, 512
"""Columns lean towards each other where the squares along one direction are so many times those
along others, as so many steps of the power method find, on about so many rows."""

MOST, PAYS = 4096, 256
"""Most columns (or rows, if fewer) of which a factor is computed, and most for each target."""

SAMPLE = 8
"""Rows for each column from which X'VX is estimated, where there are more."""

APART = 8.0
"""Ratios of penalty and curvature that are nearer to each other than this share a factor."""


class Preconditioner(Protocol):
    """A rough inverse of the Hessians of some targets."""

    @property
    def caution(self) -> float:
        """How many times further from its minimum than it seems an objective may be."""

    def times(self, G: Floats) -> Floats:
        """Return (r + 1, K) gradients times the inverse."""

    def only(self, columns: Mask) -> Self:
        """Return that of some of the K columns."""


@dataclass(frozen=True, eq=False)
class Diagonal:
    """The inverse of the diagonal of (1), (r + 1, K)."""

    inverse: Floats
    caution: float = UNSURE

    def times(self, G: Floats) -> Floats:
        """Return gradients times the inverse."""
        return G * self.inverse

    def only(self, columns: Mask) -> Diagonal:
        """Return that of some of the columns."""
        return Diagonal(self.inverse[:, columns], self.caution)


@dataclass(frozen=True, eq=False)
class Factored:
    """The inverse of all of (1), by triangular factors that columns share.

    Parameters
    ----------
    factors
        Lower triangles L: L L' = X'VX + ρ I.
    which
        (K,) the factor of each column.
    curvature
        (K,) what else is to be divided by.
    last
        (K,) what the gradients of intercepts are divided by.
    free
        (r + 1, K) which coefficients are not held at 0; None for all.
    """

    factors: Sequence[Any]
    which: Labels
    curvature: Floats
    last: Floats
    free: Mask | None = None
    caution: float = FAIR

    def times(self, G: Floats) -> Floats:
        """Return gradients times the inverse."""
        from scipy.linalg import cho_solve

        out = G / self.curvature
        out[-1] = G[-1] / self.last
        for i in np.unique(self.which):
            columns = self.which == i
            lower = self.factors[i], True
            out[:-1, columns] = cho_solve(lower, out[:-1, columns], check_finite=False)
        return out if self.free is None else out * self.free

    def only(self, columns: Mask) -> Factored:
        """Return that of some of the columns."""
        free = None if self.free is None else self.free[:, columns]
        return Factored(
            self.factors,
            self.which[columns],
            self.curvature[columns],
            self.last[columns],
            free,
        )


def precondition(problem: Problem, p: Floats, leaning: Leaning) -> Preconditioner:
    """Return a rough inverse of the Hessians where the probabilities are p (n, K)."""
    basis = problem.basis
    v = np.ones(len(p)) if basis.weights is None else basis.weights
    curvature = np.maximum(v @ (p * (1 - p)), 1e-9)
    penalty = problem.penalties
    if leaning == "strong":
        return _factored(problem, (curvature / v.sum()).astype(p.dtype), penalty)
    D = np.vstack([basis.squares[:, None], np.ones((1, 1))]) * curvature
    D[:-1] += penalty
    D = (1 if problem.free is None else problem.free) / D
    return Diagonal(D.astype(p.dtype), SURE if leaning == "none" else UNSURE)


def leaning_of(problem: Problem) -> Leaning:
    """Return how much the columns lean towards each other, so far as it is worth to know.

    "strong": factors take off more steps than they cost; "none": the diagonal is nearly all there
    is; "unknown": principal axes have been found already, or nobody has looked.
    """
    basis, (n, r) = problem.basis, problem.basis.shape
    plain = basis.axes.ndim == 1 and isinstance(basis.values, np.ndarray)
    least = min(n, r) if problem.free is None else r
    if not plain or least > min(MOST, PAYS * problem.targets.shape[1]):
        return "unknown"
    every = max(1, n // ENOUGH)
    X, v = basis.values[::every], np.ones(n) if basis.weights is None else basis.weights
    v, mean = v[::every], basis.squares.sum() / min(len(X), r)
    along = np.random.default_rng(0).normal(size=r - 1)
    for _ in range(LOOKS):
        along = X.T @ (v * (X @ (along / np.linalg.norm(along)))) / v.sum()
    return "strong" if np.linalg.norm(along) > FLAT * mean else "none"


def _factored(problem: Problem, curvature: Floats, penalty: Floats) -> Factored:
    """Return factors of (1); X'VX is that of some of the rows, if these are many."""
    X, v = problem.basis.values, problem.basis.weights
    every = max(1, len(X) // (SAMPLE * X.shape[1]))
    some = X[::every]
    some = some if v is None else some * np.sqrt(v[::every, None]).astype(X.dtype)
    factors, which = factor(every * (some.T @ some), penalty / curvature)
    last = curvature * X.dtype.type(len(X) if v is None else v.sum())
    return Factored(factors, which, curvature, last, problem.free)


def factor(A: Floats, ratio: Floats) -> tuple[list[Floats], Labels]:
    """Return lower triangles L of L L' = A + ρ I, and which of them each of the ratios ρ has.

    >>> factors, which = factor(np.eye(2), np.array([2.9, 3.1, 800.0]))
    >>> [np.diag(lower).round(1).tolist() for lower in factors], which.tolist()
    ([[2.0, 2.0], [28.3, 28.3]], [0, 0, 1])
    """
    from scipy.linalg import cholesky

    least = 1e-5 if A.dtype == np.float32 else 1e-12  # of which rounding is far
    ratio = np.maximum(ratio, A.diagonal().max(initial=1.0) * least)
    level, which = np.unique(np.round(np.log(ratio) / np.log(APART)), return_inverse=True)
    factors = []
    for i in range(len(level)):
        shifted = A.copy()
        shifted.flat[:: len(A) + 1] += np.exp(np.log(ratio[which == i]).mean())
        factors.append(cholesky(shifted, lower=True, overwrite_a=True, check_finite=False))
    return factors, which
