"""Label powerset: every label vector that occurs is a class of its own (Tsoumakas & Katakis 2007).

All dependence between labels is kept, and nothing is known of vectors that did not occur: they have
probability 0, which suits few labels and many rows, or what is left to them by backing off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from jointbayes.checks import check_attributes
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, named
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.stored import check_design
from jointbayes.models.powersets.powerset import UNSEEN, Powerset, learn_powerset
from jointbayes.posterior import Posterior

__all__ = ["LabelPowerset"]


class LabelPowerset(Classifier):
    """One classifier whose classes are the label vectors that occur.

    The posterior is the table of these vectors, with all dependence between their labels. It leaves
    out every vector that did not occur: its probability is 0, whatever the row says, unless
    ``unseen="back_off"``.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`; None for `BatchedLogistic`.
    unseen
        What label vectors have that no training row had: "zero", or "back_off", a share of the
        probability, that of independent labels; how large a share, three more classifiers tell
        that learn two thirds of the rows each.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    powerset_
        The label vectors, and the classifier that tells them apart.

    Examples
    --------
    Two labels that exclude each other, on rows that tell nothing; no row had both:

    >>> import numpy as np
    >>> X, Y = [[0.0]] * 20, [[0, 1], [1, 0]] * 10
    >>> post = LabelPowerset().fit(X, Y).posterior(X[:1])
    >>> np.exp(post.log_prob([[0, 1]])).round(2).tolist(), post.log_prob([[1, 1]]).tolist()
    ([0.5], [-inf])
    >>> post = LabelPowerset(unseen="back_off").fit(X, Y).posterior(X[:1])
    >>> np.exp(post.log_prob([[1, 1]])).round(2).tolist(), post.exactness["top_k"]
    ([0.02], 'exact')
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"unseen": named(*UNSEEN)}

    def __init__(
        self,
        estimator: Any = None,
        *,
        unseen: str = "zero",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.unseen = unseen
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner = learner_of(self.estimator, self.n_jobs)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        view = learner.view(matrix, rows.weights)
        self.powerset_ = learn_powerset(learner, view, rows.codes, rows.space.cards, self.unseen)
        warn_unless_converged(self, self.powerset_.classifier)

    def _check_learned(self) -> None:
        check_attributes(self, powerset_=Powerset)
        self.powerset_.check_labels(self.space_.cards, check_design(self, self.design_))

    def _condition(self, X: Any) -> Posterior:
        return self.powerset_.posterior(self.design_.matrix(X), self.space_)
