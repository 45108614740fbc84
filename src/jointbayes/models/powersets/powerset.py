"""Powerset: the label vectors that occur as the classes of one classifier.

A vector that never occurred has probability 0. Where there is nothing to tell vectors apart (one of
them, or no columns) they have their relative frequencies; of a single label every value then has
its smoothed frequency, (n + 1/k) / (N + 1).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.checks import check_indices, check_log_probabilities, check_shape, check_that
from jointbayes.labels import LabelSpace
from jointbayes.learners.stored import check_classifiers
from jointbayes.learners.wrapped import Classifiers, Learner
from jointbayes.network import log_m_estimate
from jointbayes.posterior import Listed

__all__ = ["Powerset", "learn_powerset", "log_frequencies"]


@dataclass(frozen=True, eq=False)
class Powerset:
    """A classifier of label vectors.

    Parameters
    ----------
    vectors
        (m, d) label codes.
    classifier
        Tells them apart; None: nothing does.
    log_prior
        (m,) their log-probabilities where nothing does.
    """

    vectors: Labels
    classifier: Classifiers | None
    log_prior: Floats | None = None

    def check_labels(self, cards: Sequence[int], width: int) -> None:
        """Refuse what came from a file unless it is of these labels and so many columns."""
        check_shape("vectors", self.vectors, (None, len(cards)))
        for codes, card in zip(self.vectors.T, cards, strict=True):
            check_indices("vectors", codes, card)
        check_that(len(self.vectors) > 0, "there are no label vectors")
        if self.classifier is not None:
            check_classifiers(self.classifier, [len(self.vectors)], width)
        else:
            check_that(self.log_prior is not None, "nothing tells label vectors apart")
        if self.log_prior is not None:
            check_log_probabilities("log_prior", self.log_prior, (len(self.vectors),))

    def posterior(self, matrix: Any, space: LabelSpace) -> Listed:
        """Return the table of the vectors given each row."""
        if self.classifier is None:
            assert self.log_prior is not None
            log_p = np.tile(self.log_prior, (matrix.shape[0], 1))
        else:
            log_p = self.classifier.log_proba(matrix)[0]
        return Listed(self.vectors, log_p, space)


def learn_powerset(learner: Learner, view: Any, codes: Labels, cards: Sequence[int]) -> Powerset:
    """Learn which of the (n, d) label vectors that occur belongs to a row.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.learners.wrapped import EstimatorLearner
    >>> Y, X = np.array([[0, 0], [0, 0], [1, 1], [1, 1]]), np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> learner = EstimatorLearner(GaussianNB())
    >>> sets = learn_powerset(learner, learner.view(X), Y, (2, 2))
    >>> sets.posterior(X[2:3], learn_labels(Y)).map().tolist(), sets.vectors.tolist()
    ([[1, 1]], [[0, 0], [1, 1]])
    """
    vectors, place = np.unique(codes, axis=0, return_inverse=True)
    if len(vectors) == 1 or not view.n_columns:
        return _learn_frequencies(vectors, place.ravel(), codes, cards, view.weights)
    target, classes = place.reshape(-1, 1).astype(np.intp), [len(vectors)]
    with warnings.catch_warnings():
        # Label sets may well be as many as rows; they are classes all the same.
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        settings = learner.settings(view, target, classes)
        return Powerset(vectors, learner.fit(view, target, classes, settings))


def _learn_frequencies(
    vectors: Labels, place: Labels, codes: Labels, cards: Sequence[int], weights: Weights
) -> Powerset:
    if len(cards) == 1:
        every = np.arange(cards[0])[:, None]
        return Powerset(every, None, log_frequencies(codes[:, 0], cards[0], weights))
    counts = np.bincount(place, weights)
    return Powerset(vectors, None, np.log(counts / counts.sum()))


def log_frequencies(codes: Labels, card: int, weights: Weights = None) -> Floats:
    """Return the logarithms of the smoothed frequencies (n + 1/k) / (N + 1) of a label's values.

    >>> np.exp(log_frequencies(np.array([0, 0, 0]), 2)).round(3).tolist()
    [0.875, 0.125]
    """
    counts = np.bincount(codes, weights, minlength=card).astype(np.float64)
    return log_m_estimate(counts, 0, smoothing=1.0)
