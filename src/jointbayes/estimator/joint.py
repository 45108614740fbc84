"""What every classifier of several class variables does, except learning.

A model says how to learn from rows and coded labels, and how to make a posterior of rows. The
answers (`predict` for a loss, probabilities, the score) are functions of that posterior, the same
for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from jointbayes.arrays import Labels, Weights
from jointbayes.errors import DataError
from jointbayes.estimator.ranges import Range, check_parameters, named
from jointbayes.estimator.reading import (
    accept_tables,
    check_label_column,
    check_no_sets,
    read_columns,
    read_weights,
)
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.posterior import Posterior
from jointbayes.table import Table

__all__ = ["DECIDING", "Classes", "JointClassifier"]


DECIDING: Mapping[str, Range] = {
    "loss": named("subset", "hamming", "f1", "jaccard"),
    "empty": named("allow", "forbid"),
}


class Classes(list[NDArray[Any]]):
    """The values of every label: a list with a shape, for which `cross_val_predict` asks.

    >>> Classes([np.array([0, 1]), np.array([0, 1])]).shape
    (2,)
    """

    @property
    def shape(self) -> tuple[int]:
        """The number of labels."""
        return (len(self),)


class JointClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """The part that all classifiers of several class variables share.

    A model adds two functions: `_learn` fits to rows and coded labels, and `_condition` returns
    the posterior of rows.
    """

    _ranges: ClassVar[Mapping[str, Range]] = DECIDING
    _asked: ClassVar[tuple[str, ...]] = tuple(DECIDING)
    """Parameters that matter when a fitted model is asked, and not before."""

    loss: str
    empty: str

    @abstractmethod
    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Weights) -> None:
        """Learn from a Table or sparse matrix and (n, d) label codes."""

    @abstractmethod
    def _condition(self, X: Any) -> Posterior:
        """Return the posterior of the rows of a Table or sparse matrix."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X
            (n, p) array, nested lists, pandas or polars frame, Table, or sparse matrix.
        y
            (n, d) labels of any kind, dense or sparse, or a frame whose columns name the labels;
            (n,) for one class variable.
        """
        return self._fit(X, y, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        check_parameters(self, self._ranges)
        X = read_columns(self, X, reset=True)
        check_labels(self, X, y)
        weights = read_weights(sample_weight, X)
        space = learn_labels(y)
        targets = space.encode(y)
        if weights is not None and not weights.all():
            kept = weights > 0
            X, targets, weights = X[kept], targets[kept], weights[kept]
        self._learn(X, targets, space, weights)
        self._adopt(space)
        return self

    def _adopt(self, space: LabelSpace) -> None:
        self.space_ = space
        self.classes_ = space.classes[0] if space.single else Classes(space.classes)
        self.label_names_ = list(space.names)

    def posterior(self, X: Any) -> Posterior:
        """Return the joint distribution of the labels given each row."""
        check_is_fitted(self)
        return self._condition(read_columns(self, X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels of least expected ``loss``, in the shape of the labels of ``fit``."""
        check_parameters(self, DECIDING)
        decided = [post.decide(self.loss, self.empty) for post in self._posteriors(X)]
        return self._shaped(np.concatenate(decided))

    def predict_proba(self, X: Any) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """Return the marginal probabilities of the labels.

        Of binary labels (n, d), the probability of relevance; of many-valued ones a list of
        (n, k_j); of one class variable (n, k).
        """
        blocks = [post.marginals() for post in self._posteriors(X)]
        marginals = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
        if self.space_.single:
            return marginals[0]
        return np.stack([p[:, 1] for p in marginals], axis=1) if self.space_.binary else marginals

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose whole label vector is right."""
        predicted = self.predict(X)
        right = (self.space_.encode(predicted) == self.space_.encode(y)).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    def _posteriors(self, X: Any) -> Iterator[Posterior]:
        """Yield the posteriors of blocks of rows; one block, where a model does not say smaller."""
        yield self.posterior(X)

    def _shaped(self, labels: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(labels[:, 0]) if self.space_.single else labels

    def __sklearn_tags__(self) -> Any:
        tags = accept_tables(super().__sklearn_tags__())
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.classifier_tags.multi_label = True
        return tags


def check_labels(model: Any, X: Any, y: Any) -> None:
    """Refuse labels that are missing, of another length than the rows, or no classes at all."""
    if y is None:
        raise DataError(
            f"This {type(model).__name__} estimator requires y to be passed, "
            "but the target y is None"
        )
    check_no_sets(y)
    check_consistent_length(X, y)
    if isinstance(y, Table):
        columns = [column.values for column in y.columns]
    else:
        dense = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        columns = [dense] if dense.ndim == 1 else list(dense.T)
    if not columns:
        raise DataError("y has no columns; give at least one class variable")
    for column in columns:
        check_label_column(column)
