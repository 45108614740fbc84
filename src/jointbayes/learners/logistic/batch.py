"""Logistic regressions of many targets on the same rows, learned as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.checks import check_finite, check_shape
from jointbayes.design.design import Design, learn_matrix
from jointbayes.design.label_columns import label_columns
from jointbayes.design.units import inverse
from jointbayes.inference.logs import log_normalize
from jointbayes.learners.logistic.basis import ROTATED, ROTATED_ONCE, Basis, Scaling, make_basis
from jointbayes.learners.logistic.path import choose_penalties
from jointbayes.learners.logistic.problem import Problem, base_rates
from jointbayes.learners.logistic.solver import minimize_logistic
from jointbayes.learners.wrapped import Outcome, outcomes
from jointbayes.threads import products

__all__ = ["LogisticLearner", "Logistics", "log_softmax"]

FEW = 64
"""Rows up to which the targets are answered together."""

NEAR, LARGE = 1e4, 1e100
"""Deviations that the columns may be away from 0, and their size, so that products of columns as
they come lose no digit that anybody would miss."""

ROUGH = 1e-2
"""Tolerance of regressions that only serve to choose."""


@dataclass(frozen=True, eq=False)
class Logistics:
    """Logistic regressions on the same columns.

    Parameters
    ----------
    scaling
        How columns are scaled before.
    W
        (p + 1, K) coefficients of the scaled and centred columns; the intercepts are the last row.
    outcomes
        The values of each target; K is the sum of their widths.
    penalty
        (t,) of each target.
    converged
        (t,) whether each was solved to its tolerance.
    n_iter
        Steps of the solver.
    local
        (r + 1, K) coefficients in the coordinates of the view of `fit`.
    """

    scaling: Scaling
    W: Floats
    outcomes: tuple[Outcome, ...]
    penalty: Floats
    converged: Mask
    n_iter: int
    local: Floats

    def _check_stored(self) -> None:
        width, targets = sum(outcome.width for outcome in self.outcomes), len(self.outcomes)
        check_finite("W", self.W, (len(self.scaling.unit) + 1, width))
        check_finite("local", self.local, (None, width))
        check_finite("penalty", self.penalty, (targets,))
        check_shape("converged", self.converged, (targets,))

    def predictors(self, matrix: Any) -> Floats:
        """Return the (n, K) linear predictors."""
        is_sparse = hasattr(matrix, "tocsr")
        with products(self.W.size * matrix.shape[0]):
            if self._folded is not None and not is_sparse:
                slopes, level = self._folded
                with np.errstate(over="ignore", invalid="ignore"):
                    found = matrix @ slopes
                    found += level
                    if np.isfinite(found.sum()):
                        return np.asarray(found)
            scaled = self.scaling.apply(matrix)  # a sparse one was not shifted
            intercept = self._at_zero() if is_sparse else self.W[-1]
            return np.asarray(scaled @ self.W[:-1] + intercept)

    @cached_property
    def _folded(self) -> tuple[Floats, Floats] | None:
        """Slopes and levels of columns as they come; None if digits would be lost that way."""
        scaling = self.scaling
        size = np.abs(scaling.shift).max(initial=0.0)  # how far from 0 columns are, in deviations
        plain = scaling.unit.max(initial=1.0) < LARGE and scaling.unit.min(initial=1.0) > 1 / LARGE
        if not plain or size > NEAR:
            return None
        return (scaling.factor / scaling.unit)[:, None] * self.W[:-1], self._at_zero()

    def _at_zero(self) -> Floats:
        """Return the (K,) linear predictors of a row of zeros."""
        return np.asarray(self.W[-1] - self.scaling.shift @ self.W[:-1])

    def log_proba(self, matrix: Any) -> list[Floats]:
        """Return log P(value | row), one (n, k) array for each target."""
        return self._split(self.predictors(matrix))

    def on(self, view: Basis) -> list[Floats]:
        """Return the same for rows of the view that these were fitted on."""
        with products(self.local.size * view.shape[0]):
            return self._split(view.times(self.local))

    def _split(self, Z: Floats) -> list[Floats]:
        told, narrow = self._told
        if len(told) == 1:
            return [self.outcomes[0].spread(log_softmax(Z))]
        if len(Z) <= FEW and narrow:  # at once: numpy takes its time to begin
            both = np.zeros((*Z.shape, 2))
            both[:, :, 1] = Z
            each, sure = iter(log_normalize(both).swapaxes(0, 1)), np.zeros((len(Z), 1))
            kinds = zip(self.outcomes, told, strict=True)
            return [next(each) if w == 2 else o.spread(next(each) if w else sure) for o, w in kinds]
        ends = np.cumsum([outcome.width for outcome in self.outcomes])
        return [
            outcome.spread(log_softmax(Z[:, end - outcome.width : end]))
            for outcome, end in zip(self.outcomes, ends, strict=True)
        ]

    @cached_property
    def _told(self) -> tuple[list[int], bool]:
        """Of each target its width, or 2 if it has two values; and whether none is above 1."""
        told = [2 if (o.width, o.card) == (1, 2) else o.width for o in self.outcomes]
        return told, self.W.shape[1] == np.count_nonzero(told)

    def lines(self) -> list[tuple[Floats, Floats]]:
        """Return (k, p) slopes and (k,) intercepts of each target, in the units of the columns.

        One line for each value; a value that did not occur beside others has none, which is NaN.
        """
        scale = self.scaling.factor * inverse(self.scaling.unit)
        slopes, levels = (self.W[:-1] * scale[:, None]).T, self._at_zero()
        ends = np.cumsum([outcome.width for outcome in self.outcomes])
        return [
            _lines(outcome, slopes[end - outcome.width : end], levels[end - outcome.width : end])
            for outcome, end in zip(self.outcomes, ends, strict=True)
        ]

    def only(self, targets: Labels) -> Logistics:
        """Return the regressions of some of the targets."""
        widths = [o.width for o in self.outcomes]
        columns = np.repeat(np.isin(np.arange(len(widths)), targets), widths)
        return replace(
            self,
            W=self.W[:, columns],
            local=self.local[:, columns],
            outcomes=tuple(self.outcomes[j] for j in targets),
            penalty=self.penalty[targets],
            converged=self.converged[targets],
        )

    def join(self, others: Sequence[Logistics]) -> Logistics:
        """Return all as one; they have the same scaling."""
        every = (self, *others)
        return Logistics(
            self.scaling,
            np.hstack([each.W for each in every]),
            tuple(o for each in every for o in each.outcomes),
            np.concatenate([each.penalty for each in every]),
            np.concatenate([each.converged for each in every]),
            max(each.n_iter for each in every),
            np.hstack([each.local for each in every]),
        )


def _lines(outcome: Outcome, slopes: Floats, levels: Floats) -> tuple[Floats, Floats]:
    shape = outcome.card, slopes.shape[1]
    if not outcome.width:
        return np.zeros(shape), outcome.spread(np.zeros((1, 1)))[0]
    A, b = np.full(shape, np.nan), np.full(outcome.card, np.nan)
    seen = outcome.values
    A[seen], b[seen] = 0.0, 0.0
    told = seen[-outcome.width :]  # the first of two values has no line of its own
    A[told], b[told] = slopes, levels
    return A, b


def log_softmax(z: Floats) -> Floats:
    """Return log-probabilities of 1, 2 or k values from 0, 1 or k linear predictors.

    >>> [np.exp(log_softmax(np.zeros((1, width)))).tolist() for width in (0, 1)]
    [[[1.0]], [[0.5, 0.5]]]
    """
    if z.shape[1] == 0:
        return np.zeros((len(z), 1))
    both = np.concatenate([np.zeros_like(z), z], axis=1) if z.shape[1] == 1 else z
    return log_normalize(both)


@dataclass(frozen=True)
class LogisticLearner:
    """Logistic regressions with an L2 penalty, all targets at once.

    Parameters
    ----------
    penalty
        λ of every target, or None to choose each by cross-validation.
    folds
        Of the cross-validation.
    tol, max_iter
        Of the solver.
    seed
        For dealing out rows to folds.
    words
        How columns that are mostly 0 are read: "auto", "unit" or "keep".
    n_jobs
        Threads of matrix products; None for all cores where that pays.
    """

    penalty: float | None = None
    folds: int = 5
    tol: float = 1e-5
    max_iter: int = 1000
    seed: int = 0
    words: str = "auto"
    n_jobs: int | None = None

    def read(self, X: Any, categorical_features: Any) -> tuple[Design, Any]:
        """Return the design of rows, and their numbers, those of texts by direction and length."""
        return learn_matrix(X, categorical_features, self.words)

    def view(self, matrix: Any, weights: Weights = None, fixed: int = 0, rounds: int = 1) -> Basis:
        """Return the rows in the coordinates of the solver."""
        rotated = ROTATED if self.penalty is None or rounds > 1 else ROTATED_ONCE
        return make_basis(matrix, weights, fixed, rotated)

    def rough(self, view: Basis) -> tuple[LogisticLearner, Basis]:
        """Return the same in single precision, with a wider tolerance."""
        return replace(self, tol=max(self.tol, ROUGH)), view.single()

    def settings(
        self, view: Basis, codes: Labels, cards: Sequence[int], free: Mask | None = None
    ) -> Floats:
        """Return the penalty of every target."""
        if self.penalty is not None:
            return np.full(len(cards), self.penalty)
        problem, found = _problem(view.single(), codes, cards, np.ones(len(cards)), free)
        n, chosen = len(codes), np.ones(len(cards))
        fold = np.random.default_rng(self.seed).permutation(n) % min(self.folds, n)
        wide = np.array([o.width > 0 for o in found])
        if wide.any():
            chosen[wide] = choose_penalties(problem, fold)
        return chosen

    def fit(
        self,
        view: Basis,
        codes: Labels,
        cards: Sequence[int],
        settings: Floats,
        free: Mask | None = None,
        start: Logistics | None = None,
    ) -> Logistics:
        """Return the logistic regression of each column of codes."""
        problem, found = _problem(view, codes, cards, settings, free)
        wide = np.array([o.width > 0 for o in found], dtype=bool)
        converged, n_iter = np.ones(len(found), dtype=bool), 0
        W: Floats = np.zeros((view.shape[1], 0))
        if wide.any():
            near = None if start is None else _near(problem, found, start)
            solution = minimize_logistic(problem, near, tol=self.tol, max_iter=self.max_iter)
            W, converged[wide], n_iter = solution.W, solution.converged, solution.n_iter
        coefficients = view.coefficients(W)
        return Logistics(view.scaling, coefficients, tuple(found), settings, converged, n_iter, W)


def _problem(
    view: Basis, codes: Labels, cards: Sequence[int], penalty: Floats, free: Mask | None
) -> tuple[Problem, list[Outcome]]:
    """Return the problem of the targets that vary, and the outcomes of all."""
    found = outcomes(codes, cards, view.weights)
    wide = [j for j, o in enumerate(found) if o.width]
    # Values that do not occur have no column: codes are counted among those that do.
    narrow = [np.searchsorted(found[j].values, codes[:, j]) for j in wide]
    stacked = np.stack(narrow, axis=1) if wide else np.zeros((len(codes), 0), dtype=np.intp)
    T = label_columns(stacked, [len(found[j].values) for j in wide]).astype(view.values.dtype)
    widths = tuple(found[j].width for j in wide)
    if free is not None:
        free = np.repeat(free[:, wide], widths, axis=1)
    return Problem(view, T, widths, penalty[wide], free), found


def _near(problem: Problem, found: Sequence[Outcome], start: Logistics) -> Floats:
    """Return where to start from: regressions of the same values, or else the base rates."""
    W, there = base_rates(problem), start.local
    at, theirs = 0, np.cumsum([0, *(o.width for o in start.outcomes)])
    for j, outcome in enumerate(found):
        if outcome.width and np.array_equal(outcome.values, start.outcomes[j].values):
            W[:, at : at + outcome.width] = there[:, theirs[j] : theirs[j + 1]]
        at += outcome.width
    return W
