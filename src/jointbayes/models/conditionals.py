r"""Probabilistic classifiers of many targets on the same rows: what CTBN and its rivals are made of.

A learner makes classifiers of rows and coded targets; there are two. `LogisticLearner` solves all
targets together as one batch of logistic regressions; `EstimatorLearner` fits a clone of any
classifier of scikit-learn's kind to each. A value of a target that does not occur among n rows gets
the smoothed frequency

(1)  P(v) = (1/k) / (n + 1)

of k values, and those that occur share the rest; where one value is left there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from jointbayes.encoding.design_matrix import label_columns
from jointbayes.errors import DataError, ParameterError
from jointbayes.inference.logs import log_normalize
from jointbayes.models.logistic_basis import Basis, Scaling, make_basis
from jointbayes.models.logistic_path import choose_penalties
from jointbayes.models.logistic_solver import Mask, Problem, base_rates, minimize_logistic

__all__ = [
    "Classifiers",
    "EstimatorLearner",
    "Learner",
    "LogisticLearner",
    "Logistics",
    "Wrapped",
    "outcomes",
]

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


class Classifiers(Protocol):
    """A probabilistic classifier for each of some targets."""

    def log_proba(self, matrix: Any) -> list[Floats]:
        """Return log P(value | row), one (n, k) array for each target."""

    def on(self, view: Any) -> list[Floats]:
        """Return the same for rows of the view that these were fitted on."""

    def only(self, targets: Labels) -> Self:
        """Return the classifiers of some of the targets, in rising order."""

    def join(self, others: Sequence[Self]) -> Self:
        """Return these classifiers and those of others as one."""


class Learner(Protocol):
    """Makes classifiers of rows and targets."""

    def view(self, matrix: Any, fixed: int = 0) -> Any:
        """Return the rows of a matrix as `fit` wants them; a view has ``rows(index)``."""

    def settings(self, view: Any, codes: Labels, cards: Sequence[int], free: Any = None) -> Floats:
        """Return what is to be chosen for each target before `fit`: a penalty, or nothing."""

    def fit(
        self,
        view: Any,
        codes: Labels,
        cards: Sequence[int],
        settings: Floats,
        free: Any = None,
        start: Any = None,
    ) -> Any:
        """Return a classifier for each column of codes; ``start`` are some that may be near."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The values of a target of ``card`` values that occur among ``n`` rows."""

    values: Labels
    card: int
    n: int

    @property
    def width(self) -> int:
        """Columns of coefficients that tell the values apart."""
        return 1 if len(self.values) == 2 else len(self.values) * (len(self.values) > 2)

    def spread(self, log_p: Floats) -> Floats:
        """Turn log-probabilities of the values that occur into those of all values (1)."""
        if len(self.values) == self.card:
            return log_p
        unseen = 1 / self.card / (self.n + 1)
        out = np.full((len(log_p), self.card), np.log(unseen))
        out[:, self.values] = log_p + np.log1p(-(self.card - len(self.values)) * unseen)
        return out


def outcomes(codes: Labels, cards: Sequence[int]) -> list[Outcome]:
    """Return what occurs in each column of codes.

    >>> one, both = outcomes(np.array([[1, 0], [1, 1], [1, 0]]), (2, 2))
    >>> one.values.tolist(), np.exp(one.spread(np.zeros((1, 1)))).round(3).tolist(), both.values.tolist()
    ([1], [[0.125, 0.875]], [0, 1])
    """
    return [
        Outcome(np.flatnonzero(np.bincount(c, minlength=k)), k, len(c))
        for c, k in zip(codes.T, cards, strict=True)
    ]


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

    def predictors(self, matrix: Any) -> Floats:
        """Return the (n, K) linear predictors."""
        scaled = self.scaling.apply(matrix)
        intercept = self.W[-1]
        if hasattr(matrix, "tocsr"):  # which was not shifted
            intercept = intercept - self.scaling.shift @ self.W[:-1]
        out: Floats = scaled @ self.W[:-1] + intercept
        return out

    def log_proba(self, matrix: Any) -> list[Floats]:
        """Return log P(value | row), one (n, k) array for each target."""
        return self._split(self.predictors(matrix))

    def on(self, view: Basis) -> list[Floats]:
        """Return the same for rows of the view that these were fitted on."""
        return self._split(view.times(self.local))

    def _split(self, Z: Floats) -> list[Floats]:
        ends = np.cumsum([outcome.width for outcome in self.outcomes])
        return [
            outcome.spread(log_softmax(Z[:, end - outcome.width : end]))
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


def log_softmax(z: Floats) -> Floats:
    """Return log-probabilities of 1, 2 or k values from 0, 1 or k linear predictors.

    >>> [np.exp(log_softmax(np.zeros((1, width)))).tolist() for width in (0, 1)]
    [[[1.0]], [[0.5, 0.5]]]
    """
    if z.shape[1] == 0:
        return np.zeros((len(z), 1))
    if z.shape[1] > 1:
        return log_normalize(z)
    return -np.logaddexp(0.0, np.concatenate([z, -z], axis=1))


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
    """

    penalty: float | None = None
    folds: int = 5
    tol: float = 1e-6
    max_iter: int = 200
    seed: int = 0

    def view(self, matrix: Any, fixed: int = 0) -> Basis:
        """Return the rows in the coordinates of the solver."""
        return make_basis(matrix, fixed)

    def settings(
        self, view: Basis, codes: Labels, cards: Sequence[int], free: Mask | None = None
    ) -> Floats:
        """Return the penalty of every target."""
        if self.penalty is not None:
            return np.full(len(cards), self.penalty)
        problem, found = _problem(view, codes, cards, np.ones(len(cards)), free)
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
        W = np.zeros((view.shape[1], 0))
        if wide.any():
            W = base_rates(problem) if start is None else _near(problem, found, start)
            solution = minimize_logistic(problem, W, tol=self.tol, max_iter=self.max_iter)
            W, converged[wide], n_iter = solution.W, solution.converged, solution.n_iter
        coefficients = view.coefficients(W)
        return Logistics(
            view.scaling, coefficients, tuple(found), settings, converged, n_iter, W
        )


def _problem(
    view: Basis, codes: Labels, cards: Sequence[int], penalty: Floats, free: Mask | None
) -> tuple[Problem, list[Outcome]]:
    """Return the problem of the targets that vary, and the outcomes of all."""
    found = outcomes(codes, cards)
    wide = [j for j, o in enumerate(found) if o.width]
    # Values that do not occur have no column: codes are counted among those that do.
    narrow = [np.searchsorted(found[j].values, codes[:, j]) for j in wide]
    stacked = np.stack(narrow, axis=1) if wide else np.zeros((len(codes), 0), dtype=np.intp)
    T = label_columns(stacked, [len(found[j].values) for j in wide])
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


@dataclass(frozen=True, eq=False)
class Plain:
    """The rows of a matrix as they are."""

    matrix: Any

    def rows(self, index: Any) -> Plain:
        """Return some of the rows."""
        return replace(self, matrix=self.matrix[index])


@dataclass(frozen=True, eq=False)
class Wrapped:
    """Fitted classifiers of scikit-learn's kind, one for each target; None where none was needed."""

    estimators: tuple[Any, ...]
    outcomes: tuple[Outcome, ...]

    def log_proba(self, matrix: Any) -> list[Floats]:
        """Return log P(value | row), one (n, k) array for each target."""
        found = []
        for estimator, outcome in zip(self.estimators, self.outcomes, strict=True):
            log_p = np.zeros((matrix.shape[0], 1))
            if estimator is not None:
                with np.errstate(divide="ignore"):
                    log_p = np.log(np.asarray(estimator.predict_proba(matrix), dtype=np.float64))
                if log_p.shape[1] != len(outcome.values) or np.isnan(log_p).any():
                    raise DataError(
                        f"predict_proba of {type(estimator).__name__} gave no probabilities of "
                        f"{len(outcome.values)} classes; give an estimator that does"
                    )
            found.append(outcome.spread(log_p))
        return found

    def on(self, view: Plain) -> list[Floats]:
        """Return the same for rows of the view that these were fitted on."""
        return self.log_proba(view.matrix)

    def only(self, targets: Labels) -> Wrapped:
        """Return the classifiers of some of the targets."""
        return Wrapped(
            tuple(self.estimators[j] for j in targets), tuple(self.outcomes[j] for j in targets)
        )

    def join(self, others: Sequence[Wrapped]) -> Wrapped:
        """Return all as one."""
        every = (self, *others)
        return Wrapped(
            tuple(e for each in every for e in each.estimators),
            tuple(o for each in every for o in each.outcomes),
        )


@dataclass(frozen=True, eq=False)
class EstimatorLearner:
    """A clone of one classifier for each target."""

    estimator: Any

    def __post_init__(self) -> None:
        if not hasattr(self.estimator, "fit") or not hasattr(self.estimator, "predict_proba"):
            raise ParameterError(
                f"estimator={self.estimator!r} has no predict_proba; give a classifier that has, "
                "or wrap it in sklearn.calibration.CalibratedClassifierCV"
            )

    def view(self, matrix: Any, fixed: int = 0) -> Plain:  # noqa: ARG002  nothing is rotated
        """Return the rows as they are."""
        return Plain(matrix)

    def settings(
        self, view: Plain, codes: Labels, cards: Sequence[int], free: Mask | None = None
    ) -> Floats:
        """Return nothing of interest: a given classifier comes with its settings."""
        del view, codes, free
        return np.zeros(len(cards))

    def fit(
        self,
        view: Plain,
        codes: Labels,
        cards: Sequence[int],
        settings: Floats,
        free: Mask | None = None,
        start: Wrapped | None = None,
    ) -> Wrapped:
        """Return a fitted clone for each column of codes."""
        del settings, free, start
        found = outcomes(codes, cards)
        return Wrapped(
            tuple(
                clone(self.estimator).fit(view.matrix, np.searchsorted(o.values, c))
                if len(o.values) > 1
                else None
                for o, c in zip(found, codes.T, strict=True)
            ),
            tuple(found),
        )
