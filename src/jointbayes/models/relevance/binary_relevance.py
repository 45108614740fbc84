r"""Binary relevance: every label by itself (Batal et al. 2013, Sec. 3).

(2)  P(y | x) = ∏_i P(y_i | x)
"""

from __future__ import annotations

from typing import Any, ClassVar

from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import ask
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.known import of_known_rows
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.logistic.reasons import our_logistics
from jointbayes.learners.stored import check_classifiers, check_design
from jointbayes.models.conditional.reasons import explain_alone
from jointbayes.posterior import Independent

__all__ = ["BinaryRelevance"]


class BinaryRelevance(Classifier):
    """One classifier for each label, as if labels were independent given the row.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each label; None for `BatchedLogistic`.
    categorical_features, loss, empty
        See `jointbayes.estimator.parameters`.
    unknown
        "refuse": every label of every row has to be known; "learn": NaN, None and NA are labels
        that are not known, and a row is left out for these labels alone.
    n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    classifiers_
        The fitted classifiers.

    Examples
    --------
    The labels exclude each other and the row does not tell which it is; (2) cannot say so:

    >>> import numpy as np
    >>> X, Y = [[0.0]] * 20, [[0, 1], [1, 0]] * 10
    >>> post = BinaryRelevance().fit(X, Y).posterior(X[:1])
    >>> np.exp(post.log_prob([[0, 1]])).round(2).tolist()
    [0.25]
    """

    _weighs: ClassVar[str] = "entries"

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
        codes, cards = rows.codes, rows.space.cards
        learner = of_known_rows(learner_of(self.estimator, self.n_jobs), codes, rows.entries)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        view = learner.view(matrix, rows.weights)
        self.classifiers_ = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
        warn_unless_converged(self, self.classifiers_)

    def _learn_known(self, rows: Labelled) -> None:
        self._learn(rows)

    def _check_learned(self) -> None:
        check_classifiers(self.classifiers_, self.space_.cards, check_design(self, self.design_))

    def _condition(self, X: Any) -> Independent:
        return Independent(self.classifiers_.log_proba(self.design_.matrix(X)), self.space_)

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each label of each answer; see `Explanation`."""
        asked, found = ask(self, X), our_logistics(self, self.classifiers_)
        return explain_alone(asked, found, self.design_, self.design_.matrix(asked.X))
