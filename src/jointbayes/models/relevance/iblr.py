r"""IBLR-ML+: the labels of neighbours as further columns (Cheng & Hüllermeier 2009).

(1)  P(y_i | x) = logistic(w_i'x + Σ_j α_ij c_j(x) + b_i)

with c_j(x) the share of neighbours that carry label j. The neighbours of a training row are the
nearest other rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Labels, Weights
from jointbayes.checks import check_attributes, check_finite, check_that
from jointbayes.design.as_given import expect_labels, with_numbers
from jointbayes.design.label_columns import beside, label_columns
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.ranges import Range, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.logistic.reasons import our_logistics
from jointbayes.learners.neighbours import METRICS, Neighbours, learn_neighbours
from jointbayes.learners.stored import check_classifiers, check_design, number_columns
from jointbayes.models.conditional.reasons import explain_alone
from jointbayes.posterior import Independent

__all__ = ["IBLR"]


class IBLR(Classifier):
    """Instance-based learning and logistic regression in one.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each label; None for `BatchedLogistic`.
    k
        Number of neighbours.
    metric
        How far rows are apart: "euclidean", with all columns on the range 1, or "cosine", by their
        direction; "auto" is the latter for rows that are nearly empty, such as texts.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    classifiers_
        The fitted classifiers.

    Examples
    --------
    Labels that change twice along the column: no line separates them, neighbours do.

    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> Y = np.stack([(0.3 < X[:, 0]) & (X[:, 0] < 0.7), X[:, 0] > 0.5], axis=1).astype(int)
    >>> IBLR(k=5).fit(X, Y).predict([[0.1], [0.45], [0.9]]).tolist()
    [[0, 0], [1, 0], [0, 1]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "k": integer(1),
        "metric": named(*METRICS),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        k: int = 10,
        metric: str = "auto",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.k = k
        self.metric = metric
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
        self.design_ = with_numbers(self.design_, rows.X, self.categorical_features)
        self.neighbours_ = learn_neighbours(self.design_.numbers(rows.X), self.metric)
        self.labels_, self.votes_ = label_columns(codes, cards), rows.weights
        shares = self._shares(self.neighbours_.of_training(self.k, self.n_jobs))
        view = learner.view(beside(expect_labels(matrix, rows.space), shares), rows.weights)
        self.classifiers_ = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
        warn_unless_converged(self, self.classifiers_)

    def _shares(self, nearest: Labels) -> NDArray[np.float64]:
        weights: Weights = getattr(self, "votes_", None)  # absent in files of earlier versions
        if weights is None:
            return np.asarray(self.labels_[nearest].sum(axis=1) / max(nearest.shape[1], 1))
        votes = weights[nearest]
        total = np.einsum("ij,ijk->ik", votes, self.labels_[nearest])
        return np.asarray(total / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300))

    def _check_learned(self) -> None:
        check_attributes(self, neighbours_=Neighbours, labels_=np.ndarray)
        columns = sum(1 if k == 2 else k for k in self.space_.cards)
        n, p = self.neighbours_.matrix.shape
        check_finite("labels_", self.labels_, (n, columns))
        width = check_design(self, self.design_)
        check_that(p == number_columns(self, self.design_), "neighbours differ")
        check_classifiers(self.classifiers_, self.space_.cards, width + columns)

    def _seen(self, X: Any) -> Any:
        """Return the columns of (1): those of the design, then the shares of neighbours."""
        numbers = self.design_.numbers(X)
        shares = self._shares(self.neighbours_.of(numbers, self.k, self.n_jobs))
        seen = expect_labels(self.design_.beside_numbers(X, numbers), self.space_)
        return beside(seen, shares)

    def _condition(self, X: Any) -> Independent:
        return Independent(self.classifiers_.log_proba(self._seen(X)), self.space_)

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked, found = ask(self, X), our_logistics(self, self.classifiers_)
        return explain_alone(asked, found, self.design_, self._seen(asked.X))
