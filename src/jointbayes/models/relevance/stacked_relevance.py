r"""Stacked relevance (CHF): labels from the row and a first opinion on all labels.

Godbole & Sarawagi (2004). Classifiers of a first level see the row, those of the second see the row
and what the first level says of all labels:

(1)  P(y | x) = ∏_i P(y_i | x, p(x)),   p_j(x) = P¹(y_j | x)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.design.as_given import expect_labels
from jointbayes.design.label_columns import beside
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.logistic.reasons import our_logistics
from jointbayes.learners.stored import check_classifiers, check_design
from jointbayes.learners.wrapped import Classifiers
from jointbayes.models.conditional.reasons import explain_alone
from jointbayes.posterior import Independent

__all__ = ["StackedRelevance"]


class StackedRelevance(Classifier):
    """Two levels of classifiers; the second sees what the first makes of every label.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each label and level; None for
        `BatchedLogistic`.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    first_, second_
        The fitted classifiers of the two levels.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]] * 10
    >>> Y = [[0, 1], [0, 1], [1, 0], [1, 0]] * 10
    >>> StackedRelevance().fit(X, Y).predict([[0.5], [2.5]]).tolist()
    [[0, 1], [1, 0]]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner, codes, cards = (
            learner_of(self.estimator, self.n_jobs),
            rows.codes,
            rows.space.cards,
        )
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        matrix = expect_labels(matrix, rows.space)
        view = learner.view(matrix, rows.weights)
        self.first_ = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
        view = learner.view(beside(matrix, _opinions(self.first_, matrix)), rows.weights)
        self.second_ = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
        for level in (self.first_, self.second_):
            warn_unless_converged(self, level)

    def _check_learned(self) -> None:
        width, cards = check_design(self, self.design_), self.space_.cards
        check_classifiers(self.first_, cards, width)
        check_classifiers(self.second_, cards, width + sum(1 if k == 2 else k for k in cards))

    def _seen(self, X: Any) -> Any:
        """Return what the second level sees: the columns of the design, then the opinions."""
        matrix = expect_labels(self.design_.matrix(X), self.space_)
        return beside(matrix, _opinions(self.first_, matrix))

    def _condition(self, X: Any) -> Independent:
        return Independent(self.second_.log_proba(self._seen(X)), self.space_)

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked, found = ask(self, X), our_logistics(self, self.second_)
        return explain_alone(asked, found, self.design_, self._seen(asked.X))


def _opinions(classifiers: Classifiers, matrix: Any) -> Floats:
    """Return P(relevant) of binary labels, and P of every value of the others, as columns."""
    p = [np.exp(log_p) for log_p in classifiers.log_proba(matrix)]
    return np.hstack([q[:, 1:] if q.shape[1] == 2 else q for q in p])
