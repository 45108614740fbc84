r"""AsSaid: the labels as a classifier says them, each by itself.

Of columns of log-odds z, as `log_odds_table` makes them,

(1)  P(y | z) = ∏_j p_j(y_j),   p_j(1) = 1 / (1 + e^{−z_j})

where labels of several values have a column for each, and their probabilities are made to add up
to 1. Nothing is learned: it is what a joint layer has to be better than, and a member of its pool.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from jointbayes.checks import check_that
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.reading import Labelled
from jointbayes.models.layers.marginal_source import odds_columns
from jointbayes.posterior import Independent

__all__ = ["AsSaid"]


class AsSaid(Classifier):
    """Independent labels, whose log-odds are the columns.

    Parameters
    ----------
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.

    Examples
    --------
    >>> model = AsSaid().fit([[0.0, -1.0], [1.0, 0.0]], [[1, 0], [0, 1]])
    >>> model.predict_proba([[0.0, 2.0]]).round(2).tolist()
    [[0.5, 0.88]]
    """

    def __init__(
        self,
        *,
        categorical_features: Any = "from_dtype",
        loss: Any = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        n_jobs: int | None = None,
    ):
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        needed, found = odds_columns(rows.space), rows.X.shape[1]
        check_that(
            found == needed,
            f"AsSaid reads the log-odds of the labels, {needed} columns; found {found}; give one "
            "for each binary label and one for each value of the others",
        )

    def _check_learned(self) -> None:
        own = odds_columns(self.space_)
        check_that(self.n_features_in_ == own, "columns are not log-odds of the labels")

    def _condition(self, X: Any) -> Independent:
        odds, found, start = np.asarray(X, dtype=np.float64), [], 0
        for card in self.space_.cards:
            width = 1 if card == 2 else card
            p = expit(odds[:, start : start + width])
            p = np.hstack([1 - p, p]) if card == 2 else p / p.sum(axis=1, keepdims=True)
            found.append(np.log(p))
            start += width
        return Independent(found, self.space_)
