"""Logistic regressions of all labels at once: the default base learner, and a classifier itself."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from jointbayes.design.design import Design
from jointbayes.design.texts import WORDS
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.known import of_known_rows
from jointbayes.learners.logistic.batch import LogisticLearner, Logistics
from jointbayes.learners.stored import check_classifiers, check_design
from jointbayes.learners.wrapped import EstimatorLearner, Learner
from jointbayes.posterior import Independent
from jointbayes.seeds import seed_of

__all__ = ["BatchedLogistic", "learner_of", "warn_unless_converged"]


class BatchedLogistic(Classifier):
    r"""L2-penalised logistic regressions of all labels, solved together.

    Columns are standardised, those that are mostly 0 (words) by one factor for all of them, the
    intercept is free, and every label has its own penalty λ,

    .. math:: \sum_i \ell(y_i, w'x_i + b) + \tfrac{\lambda}{2} |w|^2,

    chosen by cross-validation along a path. Labels with more than two values are multinomial.

    Parameters
    ----------
    penalty
        λ of every label (1 / C in scikit-learn's terms), or "cv".
    folds
        Of the cross-validation.
    tol
        How far, relative to its value, the objective may be above its minimum.
    max_iter
        Steps of the solver.
    words
        How columns that are mostly 0 are read: "unit" (with length 1 in every row, so that a long
        text is no louder than a short one, and that length as one more column), "keep", or "auto":
        "unit" for texts.
    categorical_features, loss, empty
        See `jointbayes.estimator.parameters`.
    unknown
        "refuse": every label of every row has to be known; "learn": NaN, None and NA are labels
        that are not known, and a row is left out for these labels alone.
    random_state
        Seed for dealing out rows to folds.
    n_jobs
        Threads of matrix products; None for all cores.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    penalty_
        The penalty of every label.
    n_iter_
        Steps that the solver took.
    coef_, intercept_
        (K, m) and (K,) what the columns say: one line for a label of two values, the log-odds of
        the larger, and one for each value of any other, NaN for values that did not occur.
    columns_
        The names of those m columns: those of ``X``, or what became of them.
    logistics_
        The fitted regressions.

    Examples
    --------
    Two labels that read one column in opposite ways:

    >>> X = [[0.0], [1.0], [2.0], [3.0]] * 10
    >>> Y = [[0, 1], [0, 1], [1, 0], [1, 0]] * 10
    >>> model = BatchedLogistic().fit(X, Y)
    >>> model.predict([[0.5], [2.5]]).tolist()
    [[0, 1], [1, 0]]
    >>> model.columns_, np.sign(model.coef_).tolist()
    (('x0',), [[1.0], [-1.0]])
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "penalty": named("cv") | number(0, ends="()"),
        "folds": integer(2),
        "tol": number(0, 1, "(]"),
        "max_iter": integer(1),
        "words": named(*WORDS),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        *,
        penalty: float | str = "cv",
        folds: int = 5,
        tol: float = 1e-5,
        max_iter: int = 1000,
        words: str = "auto",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.penalty = penalty
        self.folds = folds
        self.tol = tol
        self.max_iter = max_iter
        self.words = words
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        codes, cards = rows.codes, rows.space.cards
        learner = of_known_rows(learner_of(self), codes)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        view = learner.view(matrix, rows.weights)
        self.logistics_ = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
        self.penalty_ = self.logistics_.penalty
        self.n_iter_ = max(self.logistics_.n_iter, 1)
        warn_unless_converged(self, self.logistics_)

    def _learn_known(self, rows: Labelled) -> None:
        self._learn(rows)

    def _check_learned(self) -> None:
        check_classifiers(self.logistics_, self.space_.cards, check_design(self, self.design_))

    @property
    def columns_(self) -> tuple[str, ...]:
        """The names of the columns that the coefficients are for."""
        design: Design = self.design_
        return design.columns

    @property
    def coef_(self) -> NDArray[np.float64]:
        """(K, m) what the columns say."""
        return np.concatenate([slopes for slopes, _ in self._lines()])

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """(K,) what is said without them."""
        return np.concatenate([level for _, level in self._lines()])

    def _lines(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        return [
            (A[1:] - A[:1], b[1:] - b[:1]) if len(A) == 2 else (A, b)
            for A, b in self.logistics_.lines()
        ]

    def _condition(self, X: Any) -> Independent:
        return Independent(self.logistics_.log_proba(self.design_.matrix(X)), self.space_)


def learner_of(estimator: Any, n_jobs: int | None = None) -> Learner:
    """Return what learns conditionals: by default, and for `BatchedLogistic`, a batch of logistics.

    >>> learner_of(None).folds, learner_of(BatchedLogistic(penalty=2.0)).penalty
    (5, 2.0)
    """
    if estimator is None:
        return LogisticLearner(n_jobs=n_jobs)
    if not isinstance(estimator, BatchedLogistic):
        return EstimatorLearner(estimator)
    check_parameters(estimator)
    penalty = None if isinstance(estimator.penalty, str) else float(estimator.penalty)
    return LogisticLearner(
        penalty,
        estimator.folds,
        estimator.tol,
        estimator.max_iter,
        seed_of(estimator.random_state),
        estimator.words,
        estimator.n_jobs if n_jobs is None else n_jobs,
    )


def warn_unless_converged(model: Any, fitted: Any) -> None:
    """Warn, once, of logistic regressions that were stopped before their minimum."""
    if isinstance(fitted, Logistics) and not fitted.converged.all():
        count = int((~fitted.converged).sum())
        warnings.warn(
            f"{type(model).__name__}: {count} of {len(fitted.converged)} logistic regressions did "
            "not reach their tolerance; raise max_iter or the penalty of BatchedLogistic",
            ConvergenceWarning,
            stacklevel=2,
        )
