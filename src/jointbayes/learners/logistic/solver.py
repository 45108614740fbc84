"""Many L2-penalised logistic regressions on the same rows, solved as one (batched L-BFGS).

The objectives f_t of all targets are minimised at once: the products X W and X' R are matrix
products, the steps of L-BFGS are taken column by column. Its initial inverse Hessian is the
diagonal

(1)  1 / (n c_t s_j + λ_t),   c_t = mean of p (1 − p) at the start,   s_j = mean square of column j,

times the usual scale s'y / y'Dy. A target is done once half its decrement −g'd, which estimates how
far f is above its minimum but may be far too small, falls below ``tol`` f / 1000; the others go on
without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Mask
from jointbayes.learners.logistic.preconditioner import (
    Leaning,
    Preconditioner,
    leaning_of,
    precondition,
)
from jointbayes.learners.logistic.problem import Problem, base_rates, evaluate
from jointbayes.learners.logistic.span import out_of_span, span
from jointbayes.threads import products

__all__ = ["Solution", "minimize_logistic"]


MEMORY = 8
HALVINGS = 20

NOISE = 1e-6
"""By how much, relatively, an objective may seem to rise that was computed in single precision."""

LARGE, SINGLE = 1 << 22, 1e-6
"""Multiplications a product from which on single precision is used, where the tolerance is not
smaller than this: it is then twice as fast, and more."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What was found.

    Parameters
    ----------
    W
        (r + 1, K) coefficients, intercepts last.
    objective
        (t,) the values of f.
    converged
        (t,) whether each is within its tolerance.
    n_iter
        Steps that were taken.
    """

    W: Floats
    objective: Floats
    converged: Mask
    n_iter: int


def minimize_logistic(
    problem: Problem, start: Floats | None = None, *, tol: float = 1e-5, max_iter: int = 200
) -> Solution:
    """Minimise the objective of every target.

    Parameters
    ----------
    problem
        Targets that all have two values or more among the rows.
    start
        (r + 1, K) coefficients to start from; by default the base rates.
    tol
        How far, relative to f, the minimum may be below.
    max_iter
        Steps after which targets that are not done are left as they are.

    Examples
    --------
    One column that leans towards the target, and the penalty that holds it back:

    >>> from jointbayes.learners.logistic.basis import make_basis
    >>> basis = make_basis(np.array([[0.0], [0.0], [1.0], [1.0]]))
    >>> y = np.array([[0.0], [1.0], [1.0], [1.0]])
    >>> found = [minimize_logistic(Problem(basis, y, (1,), np.array([c]))) for c in (10.0, 0.1)]
    >>> [bool(s.converged[0]) for s in found], [float(abs(s.W[0, 0]).round(2)) for s in found]
    ([True, True], [0.09, 1.53])
    """
    n, r = problem.basis.shape
    with products(n * r * problem.targets.shape[1]):
        leaning = leaning_of(problem) if start is None else "unknown"
        large = n * r * problem.targets.shape[1] >= LARGE
        if start is None and large and tol >= SINGLE:
            return _in_single(problem, leaning, tol, max_iter)
        return _minimize(problem, start, leaning, tol, max_iter)


def _in_single(problem: Problem, leaning: Leaning, tol: float, max_iter: int) -> Solution:
    """Minimise in single precision, which is enough for the tolerance."""
    basis, L = problem.basis, None
    n, r = basis.shape
    if leaning == "strong" and problem.free is None and 2 * n <= r:
        basis, L = span(basis)
    single = replace(problem, basis=basis.single(), targets=problem.targets.astype(np.float32))
    found = _minimize(single, None, leaning, tol, max_iter)
    W = found.W.astype(np.float64)
    return replace(found, W=W if L is None else out_of_span(problem.basis, L, W))


def _minimize(
    problem: Problem, start: Floats | None, leaning: Leaning, tol: float, max_iter: int
) -> Solution:
    search = _Descent.begin(problem, start, leaning)
    W, objective = search.W.copy(), search.f.copy()
    active = np.arange(len(problem.widths))
    converged = np.zeros(len(active), dtype=bool)

    def columns(targets: NDArray[np.intp]) -> Mask:
        chosen = np.zeros(len(problem.widths), dtype=bool)
        chosen[targets] = True
        return np.repeat(chosen, problem.widths)

    for n_iter in range(max_iter):
        done = search.step(tol)
        if done.any():
            W[:, columns(active[done])] = search.W[:, search.spread(done)]
            objective[active[done]], converged[active[done]] = search.f[done], True
            if done.all():
                return Solution(W, objective, converged, n_iter)
            active = active[~done]
            search = search.without(done)
    W[:, columns(active)], objective[active] = search.W, search.f
    return Solution(W, objective, converged, max_iter)


@dataclass(frozen=True, eq=False)
class _Pair:
    """A step s and the change y of the gradient on it, each (r + 1, K)."""

    s: Floats
    y: Floats
    rough_y: Floats  # times the rough inverse of the Hessian
    rho: Floats  # (K,) 1 / s'y

    def only(self, columns: Mask) -> _Pair:
        return _Pair(
            self.s[:, columns], self.y[:, columns], self.rough_y[:, columns], self.rho[columns]
        )


@dataclass
class _Descent:
    """Working state of the targets that are not done."""

    problem: Problem
    rough: Preconditioner
    W: Floats
    f: Floats
    g: Floats
    rough_g: Floats
    memory: list[_Pair]

    @classmethod
    def begin(cls, problem: Problem, start: Floats | None, leaning: Leaning) -> _Descent:
        W = base_rates(problem) if start is None else start
        W = W.astype(problem.targets.dtype)
        W = W if problem.free is None else W * problem.free
        f, g, p = evaluate(problem, W)
        rough = precondition(problem, p, leaning)
        return cls(problem, rough, W, f, g, rough.times(g), [])

    def spread(self, per_target: NDArray[Any]) -> NDArray[Any]:
        each = self.problem.each_alone
        return per_target if each else np.repeat(per_target, self.problem.widths)

    def dot(self, a: Floats, b: Floats) -> Floats:
        """Return a'b of every target, once for each of its columns."""
        each: Floats = np.einsum("ij,ij->j", a, b)
        total = self.problem.add(each)
        return each if total is each else self.spread(total)

    def step(self, tol: float) -> Mask:
        """Take one step; return which targets were done before it."""
        alphas, q, d = [], self.g.copy(), self.rough_g.copy()
        for pair in reversed(self.memory):
            alphas.append(pair.rho * self.dot(pair.s, q))
            q -= alphas[-1] * pair.y
            d -= alphas[-1] * pair.rough_y  # q times the rough inverse, which is linear
        if self.memory:
            last = self.memory[-1]
            size = last.rho * self.dot(last.y, last.rough_y)
            d *= np.where(last.rho > 0, 1 / np.where(size > 0, size, 1.0), 1.0)
        for pair, alpha in zip(self.memory, reversed(alphas), strict=True):
            d += (alpha - pair.rho * self.dot(pair.y, d)) * pair.s
        slope = -self.dot(self.g, d)
        slope = slope if self.problem.each_alone else slope[self.problem.starts]
        least = np.maximum(self.f, 1e-9 * len(self.problem.targets))
        done: Mask = -slope <= 2 * tol / self.rough.caution * least
        return done if done.all() else done | self._move(-d, slope)

    def _move(self, direction: Floats, slope: Floats) -> Mask:
        """Walk until f falls enough; return the targets for which it does not."""
        problem = self.problem
        W = self.W + direction
        f, g, _ = evaluate(problem, W)
        t = np.ones(len(f))
        enough = self.f + (NOISE * self.f if W.dtype == np.float32 else 0.0)
        stuck = f > enough + 1e-4 * t * slope
        for _ in range(HALVINGS):
            if not stuck.any():
                break
            t[stuck] *= 0.5
            columns = self.spread(stuck)
            W[:, columns] = self.W[:, columns] + self.spread(t)[columns] * direction[:, columns]
            f[stuck], g[:, columns], _ = evaluate(problem.select(stuck), W[:, columns])
            stuck = f > enough + 1e-4 * t * slope
        if stuck.any():  # rounding: no smaller value is to be had in this direction
            columns = self.spread(stuck)
            W[:, columns], g[:, columns], f[stuck] = (
                self.W[:, columns],
                self.g[:, columns],
                self.f[stuck],
            )
        s, y, rough_g = W - self.W, g - self.g, self.rough.times(g)
        curvature = self.dot(s, y)
        rho = np.where(curvature > 0, 1 / np.where(curvature > 0, curvature, 1.0), 0.0)
        pair = _Pair(s, y, rough_g - self.rough_g, rho.astype(s.dtype))
        self.memory = [*self.memory, pair][-MEMORY:]
        self.W, self.f, self.g, self.rough_g = W, f, g, rough_g
        return stuck

    def without(self, done: Mask) -> _Descent:
        columns = ~self.spread(done)
        return _Descent(
            self.problem.select(~done),
            self.rough.only(columns),
            self.W[:, columns],
            self.f[~done],
            self.g[:, columns],
            self.rough_g[:, columns],
            [pair.only(columns) for pair in self.memory],
        )
