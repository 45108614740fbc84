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

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Mask
from jointbayes.learners.logistic.problem import Problem, base_rates, evaluate
from jointbayes.threads import products

__all__ = ["Solution", "minimize_logistic"]


MEMORY = 8
HALVINGS = 20
CAUTION = 1000


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
        return _minimize(problem, start, tol, max_iter)


def _minimize(problem: Problem, start: Floats | None, tol: float, max_iter: int) -> Solution:
    search = _Descent.begin(problem, start)
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


@dataclass
class _Descent:
    """Working state of the targets that are not done."""

    problem: Problem
    D: Floats  # (1)
    W: Floats
    f: Floats
    g: Floats
    memory: list[tuple[Floats, Floats, Floats]]  # s, y, 1 / s'y

    @classmethod
    def begin(cls, problem: Problem, start: Floats | None) -> _Descent:
        W = base_rates(problem) if start is None else start
        W = W.astype(problem.targets.dtype)
        W = W if problem.free is None else W * problem.free
        f, g, p = evaluate(problem, W)
        v = np.ones(len(p)) if problem.basis.weights is None else problem.basis.weights
        curvature = np.maximum(v @ (p * (1 - p)), 1e-9)
        penalty = np.repeat(problem.penalty, problem.widths)
        D = np.vstack([problem.basis.squares[:, None], np.ones((1, 1))]) * curvature
        D[:-1] += penalty
        D = (1 if problem.free is None else problem.free) / D
        return cls(problem, D.astype(W.dtype), W, f, g, [])

    def spread(self, per_target: NDArray[Any]) -> NDArray[Any]:
        return np.repeat(per_target, self.problem.widths)

    def dot(self, a: Floats, b: Floats) -> Floats:
        """Return a'b of every target, once for each of its columns."""
        each: Floats = np.einsum("ij,ij->j", a, b)
        total = self.problem.add(each)
        return each if total is each else self.spread(total)

    def step(self, tol: float) -> Mask:
        """Take one step; return which targets were done before it."""
        q = self.g.copy()
        alphas = []
        for s, y, rho in reversed(self.memory):
            alphas.append(rho * self.dot(s, q))
            q -= alphas[-1] * y
        q *= self.D
        if self.memory:
            s, y, rho = self.memory[-1]
            q *= np.where(rho > 0, 1 / np.maximum(rho * self.dot(y, self.D * y), 1e-300), 1.0)
        for (s, y, rho), alpha in zip(self.memory, reversed(alphas), strict=True):
            q += (alpha - rho * self.dot(y, q)) * s
        slope = -self.dot(self.g, q)[self.problem.starts]
        done: Mask = -slope <= 2 * tol / CAUTION * np.maximum(
            self.f, 1e-9 * len(self.problem.targets)
        )
        return done if done.all() else done | self._move(-q, slope)

    def _move(self, direction: Floats, slope: Floats) -> Mask:
        """Walk until f falls enough; return the targets for which it does not."""
        problem = self.problem
        W = self.W + direction
        f, g, _ = evaluate(problem, W)
        t = np.ones(len(f))
        stuck = f > self.f + 1e-4 * t * slope
        for _ in range(HALVINGS):
            if not stuck.any():
                break
            t[stuck] *= 0.5
            columns = self.spread(stuck)
            W[:, columns] = self.W[:, columns] + self.spread(t)[columns] * direction[:, columns]
            f[stuck], g[:, columns], _ = evaluate(problem.select(stuck), W[:, columns])
            stuck = f > self.f + 1e-4 * t * slope
        if stuck.any():  # rounding: no smaller value is to be had in this direction
            columns = self.spread(stuck)
            W[:, columns], g[:, columns], f[stuck] = (
                self.W[:, columns],
                self.g[:, columns],
                self.f[stuck],
            )
        s, y = W - self.W, g - self.g
        curvature = self.dot(s, y)
        rho = np.where(curvature > 0, 1 / np.where(curvature > 0, curvature, 1.0), 0.0)
        self.memory = [*self.memory, (s, y, rho)][-MEMORY:]
        self.W, self.f, self.g = W, f, g
        return stuck

    def without(self, done: Mask) -> _Descent:
        columns = ~self.spread(done)
        memory = [(s[:, columns], y[:, columns], rho[columns]) for s, y, rho in self.memory]
        return _Descent(
            self.problem.select(~done),
            self.D[:, columns],
            self.W[:, columns],
            self.f[~done],
            self.g[:, columns],
            memory,
        )
