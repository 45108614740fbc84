"""What every classifier with one class variable does, except learning.

Tables become codes, labels become codes, codes are tallied into knowledge, knowledge becomes what
was learned, whose scores become a posterior. A model says how to tally and how to learn, nothing
else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from jointbayes.arrays import Weights
from jointbayes.codes import Codes, SparseCodes
from jointbayes.encoding import Encoder, learn_encoder
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.explanation import Explanation, explain_scores
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import (
    accept_tables,
    check_label_column,
    check_no_sets,
    read_columns,
    read_weights,
)
from jointbayes.inference import log_normalize
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.one_class.learned import Learned
from jointbayes.posterior import Independent

__all__ = ["COMMON", "NetworkClassifier"]

BLOCK = 4096


def _negative(value: Any) -> bool:
    return isinstance(value, Integral) and value < 0


COMMON: Mapping[str, Range] = {
    "smoothing": number(0),
    "missing": named("value", "ignore"),
    "n_jobs": named(None) | integer(1) | Range("a negative integer", _negative),
}


class NetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """The part that all classifiers with one class variable share.

    A model adds two functions: `_tally` makes knowledge (something that adds) of coded rows, and
    `_learn` makes of all knowledge what scores rows.
    """

    _ranges: ClassVar[Mapping[str, Range]] = COMMON

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        discretizer: Any = "mdl",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        n_jobs: int | None = None,
    ):
        self.smoothing = smoothing
        self.discretizer = discretizer
        self.categorical_features = categorical_features
        self.missing = missing
        self.n_jobs = n_jobs

    @abstractmethod
    def _tally(self, codes: Codes, weights: Weights) -> Any:
        """Return what is to be remembered of some coded rows; memories of two batches add."""

    @abstractmethod
    def _learn(self, known: Any) -> Learned:
        """Return what follows from all that is remembered."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labelled rows; what was learned before is forgotten.

        Parameters
        ----------
        X
            (n, p) array, nested lists, pandas or polars frame, Table, or sparse matrix.
        y
            (n,) labels of any kind.
        sample_weight
            (n,) how often each row counts; 0 leaves it out.
        """
        check_parameters(self, self._ranges)
        X, y, weights = self._check(X, y, sample_weight, reset=True)
        space = learn_labels(y)
        encoder, codes = self._encode_first(X, space.encode(y), space, weights)
        return self._become(encoder, space, self._tally(codes, weights))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a further batch; any split into batches gives the model of one `fit`.

        Labels, cuts and categories are those of the first batch, or of `fit`; ``classes`` declares
        labels that the first batch lacks. A batch that is refused leaves no trace.
        """
        check_parameters(self, self._ranges)
        if not hasattr(self, "learned_"):
            X, y, weights = self._check(X, y, sample_weight, reset=True)
            space = learn_labels(y, classes)
            encoder, codes = self._encode_first(X, space.encode(y), space, weights)
            return self._become(encoder, space, self._tally(codes, weights))
        X, y, weights = self._check(X, y, sample_weight, reset=False)
        self.space_.check_classes(classes)
        codes = self.encoder_.codes(X, self.space_.encode(y), self.space_.cards)
        batch = self._tally(codes, weights)
        if type(batch) is not type(self.knowledge_):
            raise ParameterError(
                f"{type(self).__name__} was given other parameters than for the batches before, "
                "and remembers too little of those; set them back, or fit again"
            )
        return self._become(self.encoder_, self.space_, self.knowledge_ + batch)

    def _become(self, encoder: Encoder, space: LabelSpace, known: Any) -> Self:
        learned = self._learn(known)
        self.encoder_, self.space_, self.knowledge_, self.learned_ = encoder, space, known, learned
        self.classes_ = space.classes[0]
        names = ("class", *encoder.names)
        self.edges_ = [(names[parent], names[child]) for parent, child in learned.arcs]
        return self

    def posterior(self, X: Any) -> Independent:
        """Return the distribution of the label given each row."""
        return self._posterior(self._encode(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return (n, k), P(label | row), labels in the order of ``classes_``."""
        return self.posterior(X).marginals()[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return (n,), the most probable label of each row."""
        return np.asarray(self.posterior(X).map()[:, 0])

    def explain(self, X: Any) -> Explanation:
        """Say what each feature contributed to each answer; see `Explanation`."""
        codes = self._encode(X)
        features = codes.features
        x = features.dense() if isinstance(features, SparseCodes) else features
        name = type(self).__name__
        return explain_scores(
            name, self.encoder_.names, self.learned_.members(x), self._posterior(codes)
        )

    def _posterior(self, codes: Codes) -> Independent:
        scores = self.learned_.log_scores(codes, self.n_jobs)
        for start in range(0, len(scores), BLOCK):  # in the cache, not in fresh memory
            scores[start : start + BLOCK] = log_normalize(scores[start : start + BLOCK])
        return Independent([scores], self.space_)

    def _encode(self, X: Any) -> Codes:
        check_is_fitted(self)
        return self.encoder_.codes(read_columns(self, X, reset=False))

    def _encode_first(
        self, X: Any, targets: NDArray[np.intp], space: LabelSpace, weights: Weights
    ) -> tuple[Encoder, Codes]:
        encoder = learn_encoder(
            X,
            targets[:, 0],
            n_classes=space.cards[0],
            categorical_features=self.categorical_features,
            discretizer=self.discretizer,
            missing=self.missing,
            sample_weight=weights,
        )
        return encoder, encoder.codes(X, targets, space.cards)

    def _check(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Any, NDArray[Any], Weights]:
        """Return rows, labels and weights in step, without the rows that weigh nothing."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None"
            )
        X = read_columns(self, X, reset=reset)
        check_no_sets(y)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        check_label_column(y)
        weights = read_weights(sample_weight, X)
        if weights is None or weights.all():
            return X, y, weights
        kept = weights > 0
        return X[kept], y[kept], weights[kept]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learned_")

    def __sklearn_tags__(self) -> Any:
        return accept_tables(super().__sklearn_tags__())
