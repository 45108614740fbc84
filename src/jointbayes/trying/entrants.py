"""Entrants: whoever takes part, with what it says of the rows of each fold that it has not seen.

The baseline knows the labels and no features: it gives every row the label vectors as often as the
other folds had them, and so answers the same for all rows. The yardstick is what people use today,
scikit-learn's forest and logistic regression, which know the labels one by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from jointbayes.arrays import Floats, Labels
from jointbayes.design import learn_matrix
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.wrapped import EstimatorLearner, outcomes
from jointbayes.models.auto.correction import learn_correction
from jointbayes.models.auto.trying import Budget, LeftOut
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.inner_folds import with_others
from jointbayes.posterior import Independent, Listed, Posterior
from jointbayes.threads import n_threads

__all__ = ["BASELINE", "YARDSTICKS", "Entrant", "Kind", "enter_baseline", "enter_yardstick"]

BASELINE = "baseline"
SHARE = 0.25  # of the time that a yardstick may take at most

Kind = Literal["baseline", "scikit-learn", "model", "pool"]


@dataclass(frozen=True, eq=False)
class Entrant:
    """Who took part.

    Parameters
    ----------
    name, kind
        What it is.
    posteriors
        Of the rows of each fold.
    answers
        For each fold the (n, d) codes that it answers.
    seconds
        All that it took.
    """

    name: str
    kind: Kind
    posteriors: tuple[Posterior, ...]
    answers: tuple[Labels, ...]
    seconds: float


def enter_baseline(rows: Labelled, held: HeldOut, decide: Callable[..., Labels]) -> Entrant:
    """Return the baseline; vectors that the other folds do not have are backed off."""
    start = perf_counter()
    raw = []
    for fold, train in with_others(held.folds):
        vectors, counts = np.unique(rows.codes[train], axis=0, return_counts=True)
        log_p = np.broadcast_to(np.log(counts / counts.sum()), (len(fold), len(counts)))
        raw.append(Listed(vectors, np.array(log_p), rows.space))
    correction = learn_correction(raw, held, "independent")
    posteriors = tuple(correction.of(post) for post in raw)
    answers = tuple(decide(post) for post in posteriors)
    return Entrant(BASELINE, "baseline", posteriors, answers, perf_counter() - start)


def enter_yardstick(
    name: str, rows: Labelled, held: HeldOut, budget: Budget, settings: Mapping[str, Any]
) -> Entrant | LeftOut:
    """Return one of scikit-learn's, which answers as its ``predict`` does, label by label."""
    start, posteriors = perf_counter(), []
    for i, (fold, train) in enumerate(with_others(held.folds)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            log_p = YARDSTICKS[name](rows.take(train), rows.X[fold], settings)
        posteriors.append(Independent(log_p, rows.space))
        spent = perf_counter() - start
        whole = spent / (i + 1) * len(held.folds)
        if budget.limit is not None and whole > SHARE * budget.limit:
            why = f"left out after {i + 1} of {len(held.folds)} folds: it takes too long"
            return LeftOut(name, why, spent)
    answers = tuple(_likeliest(post) for post in posteriors)
    seconds = perf_counter() - start
    return Entrant(name, "scikit-learn", tuple(posteriors), answers, seconds)


def _likeliest(posterior: Posterior) -> Labels:
    return np.stack([p.argmax(axis=1) for p in posterior.marginals()], axis=1)


def _forest(train: Labelled, X: Any, settings: Mapping[str, Any]) -> list[Floats]:
    """Grow one forest for all labels, as scikit-learn does for a matrix of labels."""
    design, matrix = learn_matrix(train.X)
    seen = outcomes(train.codes, train.space.cards)
    threads = n_threads(settings["n_jobs"])
    forest = RandomForestClassifier(random_state=settings["random_state"], n_jobs=threads)
    forest.fit(matrix, train.codes if len(seen) > 1 else train.codes[:, 0])
    proba = forest.predict_proba(design.matrix(X))
    each: Sequence[Any] = proba if len(seen) > 1 else [proba]
    with np.errstate(divide="ignore"):
        return [one.spread(np.log(p)) for one, p in zip(seen, each, strict=True)]


def _regression(train: Labelled, X: Any, settings: Mapping[str, Any]) -> list[Floats]:
    """Fit a regression to each label, on columns of unit variance."""
    del settings  # nothing is drawn
    design, matrix = learn_matrix(train.X)
    pipeline = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=1000))
    learner, cards = EstimatorLearner(pipeline), train.space.cards
    fitted = learner.fit(learner.view(matrix), train.codes, cards, np.zeros(len(cards)))
    return fitted.log_proba(design.matrix(X))


YARDSTICKS: Mapping[str, Callable[[Labelled, Any, Mapping[str, Any]], list[Floats]]] = {
    "LogisticRegression": _regression,
    "RandomForestClassifier": _forest,
}
"""How scikit-learn's learn rows and give log P of each label's values for others."""
