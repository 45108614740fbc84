"""Any classifier, made to call no class impossible that it has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Floats

__all__ = ["NeverZero"]


class NeverZero(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """A classifier that has n votes, one for each training row, beside one for the frequencies.

    P(c | x) = (n P_estimator(c | x) + f(c)) / (n + 1).

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = NeverZero(DecisionTreeClassifier()).fit([[0.0], [1.0], [1.0]], [0, 1, 1])
    >>> model.predict_proba([[0.0]]).round(3).tolist()
    [[0.833, 0.167]]
    """

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> NeverZero:
        """Fit a clone of the estimator, and count the classes."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.counts_ = counts.astype(np.float64)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the (n, k) probabilities of the classes."""
        check_is_fitted(self)
        n = self.counts_.sum()
        proba = np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)
        return np.asarray((n * proba + self.counts_ / n) / (n + 1))

    def predict(self, X: Any) -> Any:
        """Return the class of largest probability."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
