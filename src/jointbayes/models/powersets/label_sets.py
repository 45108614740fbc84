"""Label sets as the classes of one classifier: P(Y_F | x) as a table over the sets that occurred.

A label set that never occurred has probability 0. If only one occurred there is nothing to
discriminate: of a single label every value then gets its smoothed frequency, (n + 1/k) / (N + 1).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from jointbayes.arrays import Labels
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace
from jointbayes.posterior import Listed

__all__ = ["LabelSets", "learn_label_sets"]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """A fitted classifier and the label vectors its classes stand for.

    Parameters
    ----------
    vectors
        (m, d) label codes.
    log_prior
        (m,) log-probabilities where no classifier is needed.
    classifier
        Gives (n, m) probabilities of the vectors; None to use ``log_prior``.
    space
        The labels.
    """

    vectors: Labels
    log_prior: NDArray[np.float64]
    classifier: Any
    space: LabelSpace

    def posterior(self, rows: Any) -> Listed:
        """Return the table of each row of what the classifier was fitted to."""
        if self.classifier is None:
            return Listed(self.vectors, np.tile(self.log_prior, (rows.shape[0], 1)), self.space)
        p = np.asarray(self.classifier.predict_proba(rows), dtype=float)
        total = p.sum(axis=1, keepdims=True)
        if not np.isfinite(p).all() or (total <= 0).any():
            raise DataError(
                f"predict_proba of {type(self.classifier).__name__} gave no distribution in row "
                f"{int(np.argmax(~(total > 0)))}; take a classifier whose probabilities are finite"
            )
        with np.errstate(divide="ignore"):
            return Listed(self.vectors, np.log(p / total), self.space)


def learn_label_sets(estimator: Any, rows: Any, targets: Labels, space: LabelSpace) -> LabelSets:
    """Fit a clone of a classifier to the label sets of some rows.

    Parameters
    ----------
    estimator
        Any classifier with ``predict_proba``.
    rows
        What it is fitted to; with no columns, label sets have their relative frequencies.
    targets
        (n, d) label codes.
    space
        The labels.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from jointbayes.labels import learn_labels
    >>> Y = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> sets = learn_label_sets(GaussianNB(), X, Y, learn_labels(Y))
    >>> sets.posterior(X[2:3]).map().tolist(), sets.vectors.tolist()
    ([[1, 1]], [[0, 0], [1, 1]])
    """
    vectors, which = np.unique(targets, axis=0, return_inverse=True)
    n, counts = len(targets), np.bincount(which.ravel())
    if len(vectors) > 1 and rows.shape[1]:
        with warnings.catch_warnings():
            # Label sets may well be as many as rows; they are classes all the same.
            warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
            classifier = clone(estimator).fit(rows, which.ravel())
        return LabelSets(vectors, np.log(counts / n), classifier, space)
    if len(space) > 1:
        return LabelSets(vectors, np.log(counts / n), None, space)
    k = space.cards[0]
    counts = np.bincount(targets[:, 0], minlength=k)
    return LabelSets(np.arange(k)[:, None], np.log((counts + 1 / k) / (n + 1)), None, space)
