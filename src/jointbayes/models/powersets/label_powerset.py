"""Label powerset: every label vector that occurs is a class of its own (Tsoumakas & Katakis 2007).

All dependence between labels is kept, and nothing is known of vectors that did not occur: they have
probability 0, which suits few labels and many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.estimator.joint import JointClassifier
from jointbayes.labels import LabelSpace
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.wrapped import Learner
from jointbayes.posterior import Listed

__all__ = ["LabelPowerset", "Powerset", "learn_powerset"]


@dataclass(frozen=True, eq=False)
class Powerset:
    """A classifier of label vectors: the (m, d) vectors, and who tells them apart."""

    vectors: Labels
    classifier: Any

    def log_proba(self, matrix: Any) -> Floats:
        """Return (n, m) log-probabilities of the vectors."""
        found: Floats = self.classifier.log_proba(matrix)[0]
        return found


def learn_powerset(learner: Learner, view: Any, codes: Labels) -> Powerset:
    """Learn which of the (n, d) label vectors that occur belongs to a row."""
    vectors, place = np.unique(codes, axis=0, return_inverse=True)
    target, cards = place.reshape(-1, 1).astype(np.intp), [len(vectors)]
    settings = learner.settings(view, target, cards)
    return Powerset(vectors, learner.fit(view, target, cards, settings))


class LabelPowerset(JointClassifier):
    """One classifier whose classes are the label vectors that occur.

    The posterior is the table of these vectors, with all dependence between their labels. It leaves
    out every vector that did not occur: its probability is 0, whatever the row says.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`; None for `BatchedLogistic`.
    categorical_features
        Which columns are nominal: "from_dtype", a mask, indices or names.
    loss
        What `predict` minimizes in expectation: "subset", "hamming", "f1" or "jaccard".
    empty
        Whether the empty label set is a legal answer: "allow" or "forbid".

    Attributes
    ----------
    classes_, label_names_
        The values and the name of every label.
    powerset_
        The label vectors, and the classifier that tells them apart.

    Examples
    --------
    Two labels that exclude each other, on rows that tell nothing; no row had both:

    >>> X, Y = [[0.0]] * 20, [[0, 1], [1, 0]] * 10
    >>> post = LabelPowerset().fit(X, Y).posterior(X[:1])
    >>> np.exp(post.log_prob([[0, 1]])).round(2).tolist(), post.log_prob([[1, 1]]).tolist()
    ([0.5], [-inf])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "allow",
    ):
        self.estimator = estimator
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty

    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Any) -> None:
        del space, weights
        learner = learner_of(self.estimator)
        self.design_, matrix = learner.read(X, self.categorical_features)
        self.powerset_ = learn_powerset(learner, learner.view(matrix), targets)
        warn_unless_converged(self, self.powerset_.classifier)

    def _condition(self, X: Any) -> Listed:
        log_p = self.powerset_.log_proba(self.design_.matrix(X))
        return Listed(self.powerset_.vectors, log_p, self.space_)
