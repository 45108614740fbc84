"""Probabilistic classifiers of many targets on the same rows: what CTBN and its rivals consist of.

A learner makes classifiers of rows and coded targets; there are two. `LogisticLearner` solves all
targets together as one batch of logistic regressions; `EstimatorLearner`, here, fits a clone of any
classifier of scikit-learn's kind to each. A value of a target that does not occur among n rows gets
the smoothed frequency

(1)  P(v) = (1/k) / (n + 1)

of k values, and those that occur share the rest; where one value is left there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.checks import check_indices, check_shape, check_that
from jointbayes.design.as_given import learn_view, readable
from jointbayes.errors import DataError, ParameterError

__all__ = [
    "Classifiers",
    "EstimatorLearner",
    "Learner",
    "Outcome",
    "Wrapped",
    "fit_weighted",
    "outcomes",
    "takes_weights",
]


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

    def read(self, X: Any, categorical_features: Any) -> tuple[Any, Any]:
        """Return how rows become what the classifiers see, and these rows so."""

    def view(self, matrix: Any, weights: Weights = None, fixed: int = 0, rounds: int = 1) -> Any:
        """Return rows as `fit` wants them, with ``rows(index)``, ``weights`` and ``n_columns``.

        A target that is fitted in many rounds, on some of the rows each, pays for a dearer view.
        """

    def rough(self, view: Any) -> tuple[Self, Any]:
        """Return learner and view for classifiers that only serve to choose among structures."""

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
    """The values of a target of ``card`` values that occur among rows of total weight ``n``."""

    values: Labels
    card: int
    n: float

    def _check_stored(self) -> None:
        check_shape("values", self.values, (None,))
        check_indices("values", self.values, self.card)
        rising = (self.values[1:] > self.values[:-1]).all()
        check_that(rising and 0 < self.card <= 2**31, "the values of a target are not in order")
        rows = 0 <= self.n < np.inf and (self.n > 0) == (len(self.values) > 0)
        check_that(rows, "n is not a weight of rows")

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
        if self.n == 0:
            return out
        out[:, self.values] = log_p + np.log1p(-(self.card - len(self.values)) * unseen)
        return out


def outcomes(codes: Labels, cards: Sequence[int], weights: Weights = None) -> list[Outcome]:
    """Return what occurs in each column of codes.

    >>> one, both = outcomes(np.array([[1, 0], [1, 1], [1, 0]]), (2, 2))
    >>> one.values.tolist(), both.values.tolist()
    ([1], [0, 1])
    >>> np.exp(one.spread(np.zeros((1, 1)))).round(3).tolist()
    [[0.125, 0.875]]
    """
    n = len(codes) if weights is None else float(weights.sum())
    return [
        Outcome(np.flatnonzero(np.bincount(c, minlength=k)), k, n)
        for c, k in zip(codes.T, cards, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Plain:
    """The rows of a matrix as they are, and how often each counts."""

    matrix: Any
    weights: Weights = None

    @property
    def n_columns(self) -> int:
        """How many columns there are to learn from."""
        return int(self.matrix.shape[1])

    def rows(self, index: Any) -> Plain:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[index]
        return Plain(self.matrix[index], weights)


@dataclass(frozen=True, eq=False)
class Wrapped:
    """Fitted classifiers of scikit-learn's kind, one for each target; None where none is needed."""

    estimators: tuple[Any, ...]
    outcomes: tuple[Outcome, ...]

    def _check_stored(self) -> None:
        for estimator, outcome in zip(self.estimators, self.outcomes, strict=True):
            told = hasattr(estimator, "predict_proba") == (len(outcome.values) > 1)
            check_that(told, "a classifier is missing, or too many")

    def log_proba(self, matrix: Any) -> list[Floats]:
        """Return log P(value | row), one (n, k) array for each target."""
        found, seen = [], readable(matrix)
        for estimator, outcome in zip(self.estimators, self.outcomes, strict=True):
            log_p = np.zeros((matrix.shape[0], 1))
            if estimator is not None:
                with np.errstate(divide="ignore"):
                    log_p = np.log(np.asarray(estimator.predict_proba(seen), dtype=np.float64))
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

    def read(self, X: Any, categorical_features: Any) -> tuple[Any, Any]:
        """Return the design of rows, and their numbers, or for a Pipeline the rows, as they are."""
        return learn_view(self.estimator, X, categorical_features)

    def view(self, matrix: Any, weights: Weights = None, fixed: int = 0, rounds: int = 1) -> Plain:
        """Return the rows as they are."""
        del fixed, rounds  # nothing is rotated
        if weights is not None:
            _weight_parameter(self.estimator)  # which refuses one that takes none
        return Plain(matrix, weights)

    def rough(self, view: Plain) -> tuple[EstimatorLearner, Plain]:
        """Return the same: a given classifier is what it is."""
        return self, view

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
        found, seen = outcomes(codes, cards, view.weights), readable(view.matrix)
        return Wrapped(
            tuple(
                fit_weighted(self.estimator, seen, np.searchsorted(o.values, c), view.weights)
                if len(o.values) > 1
                else None
                for o, c in zip(found, codes.T, strict=True)
            ),
            tuple(found),
        )


def fit_weighted(estimator: Any, X: Any, y: Any, weights: Weights) -> Any:
    """Fit a clone of a classifier, or of a Pipeline whose last step takes weights, to rows.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    >>> fitted = fit_weighted(make_pipeline(GaussianNB()), X, y, np.array([1.0, 1.0, 2.0]))
    >>> fitted[-1].class_prior_.tolist()
    [0.5, 0.5]
    """
    weighted = {} if weights is None else {_weight_parameter(estimator): weights}
    return clone(estimator).fit(X, y, **weighted)


def takes_weights(learner: Learner) -> bool:
    """Return whether what a learner makes can be told how often each row counts.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> takes_weights(EstimatorLearner(KNeighborsClassifier()))
    False
    """
    if not isinstance(learner, EstimatorLearner):
        return True
    return bool(has_fit_parameter(_last_step(learner.estimator)[0], "sample_weight"))


def _last_step(estimator: Any) -> tuple[Any, str]:
    """Return who learns, and what `fit` calls weights: a Pipeline hands them to its last step."""
    if not isinstance(estimator, Pipeline):
        return estimator, "sample_weight"
    step, last = estimator.steps[-1]
    return last, f"{step}__sample_weight"


def _weight_parameter(estimator: Any) -> str:
    last, name = _last_step(estimator)
    if not has_fit_parameter(last, "sample_weight"):
        raise ParameterError(
            f"estimator={estimator!r} takes no sample_weight; leave the weights out, or give an "
            "estimator that takes them"
        )
    return name
