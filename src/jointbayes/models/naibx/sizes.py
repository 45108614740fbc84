r"""How many labels a row has, as an ordinary classification problem (Mossina 2017, Sec. 5.6).

Most of what NaiBX loses, it loses by a wrong size. Any classifier can say the size instead of its
own naive Bayes; one without probabilities is believed. Sizes never seen keep probability 0.

Three go by name. "logistic" is one multinomial regression, "forest" a random forest, "ordinal" a
regression for every step from one size to the next (Frank & Hall 2001), whose differences are the
sizes' probabilities:

(1)  P(M = m_k | x) = P(M > m_{k−1} | x) − P(M > m_k | x),   0 where the steps cross.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_indices, check_shape, check_that
from jointbayes.design.as_given import AsGiven, learn_view, readable
from jointbayes.design.design import Design, learn_design
from jointbayes.errors import ParameterError
from jointbayes.inference.logs import log_normalize
from jointbayes.learners.logistic.batch import LogisticLearner, Logistics
from jointbayes.learners.stored import check_classifiers, check_design
from jointbayes.learners.wrapped import Wrapped, fit_weighted

__all__ = ["NAMED", "SizeModel", "learn_more_sizes", "learn_sizes"]


NAMED = ("logistic", "ordinal", "forest")
"""Classifiers that go by name."""


@dataclass(frozen=True, eq=False)
class Steps:
    """A classifier of "more than that" for every size but the largest."""

    above: Any

    def log_proba(self, matrix: Any) -> list[Floats]:
        """Return the (n, sizes) logarithm of (1)."""
        more = [np.exp(log_p[:, 1]) for log_p in self.above.log_proba(matrix)]
        ends = np.stack([np.ones_like(more[0]), *more, np.zeros_like(more[0])], axis=1)
        p = np.maximum(-np.diff(ends, axis=1), 0.0)
        with np.errstate(divide="ignore"):
            return [np.asarray(log_normalize(np.log(p)))]


@dataclass(frozen=True, eq=False)
class SizeModel:
    """A fitted classifier of sizes; None knows one size alone."""

    design: Design | AsGiven
    classifier: Any
    seen: Labels

    def check_sizes(self, q: int, p: int) -> None:
        """Refuse what came from a file unless it is of the sizes of q labels and of p columns."""
        check_shape("seen", self.seen, (None,))
        check_indices("seen", self.seen, q + 1)
        rising = len(self.seen) > 0 and (np.diff(self.seen) > 0).all()
        check_that(rising, "the sizes that were seen are not in order")
        width = check_design(SimpleNamespace(n_features_in_=p), self.design)
        if isinstance(self.classifier, Steps):
            check_classifiers(self.classifier.above, [2] * (len(self.seen) - 1), width)
        elif isinstance(self.classifier, Logistics | Wrapped):
            check_classifiers(self.classifier, [len(self.seen)], width)
        elif self.classifier is None:
            check_that(len(self.seen) == 1, "the classifier of sizes is missing")
        else:
            check_that(hasattr(self.classifier, "predict"), "the classifier of sizes is none")

    def log_proba(self, X: Any, q: int) -> Floats:
        """Return (n, q + 1) log P(M = m | x) of the rows of a Table or CSR matrix."""
        out = np.full((X.shape[0], q + 1), -np.inf)
        if self.classifier is None:
            out[:, self.seen] = 0.0
            return out
        matrix = readable(self.design.matrix(X))
        if hasattr(self.classifier, "log_proba"):
            out[:, self.seen] = self.classifier.log_proba(matrix)[0]
        elif hasattr(self.classifier, "predict_proba"):
            with np.errstate(divide="ignore"):
                log_p = np.log(self.classifier.predict_proba(matrix))
            out[:, np.asarray(self.classifier.classes_, dtype=np.intp)] = log_p
            out[:, np.setdiff1d(np.arange(q + 1), self.seen)] = -np.inf
            out = np.asarray(log_normalize(out))
        else:
            said = np.asarray(self.classifier.predict(matrix)).astype(np.intp)
            out[np.arange(len(out)), np.clip(said, 0, q)] = 0.0
        return out


def learn_sizes(
    estimator: Any,
    X: Any,
    sizes: Labels,
    weights: Floats | None,
    categorical_features: Any,
    seed: int = 0,
) -> SizeModel:
    """Fit a named classifier or a clone of a given one to the sizes of rows."""
    seen = np.unique(sizes)
    if len(seen) == 1:
        return SizeModel(learn_design(X, categorical_features), None, seen)
    if isinstance(estimator, str) and estimator == "forest":
        from sklearn.ensemble import RandomForestClassifier

        estimator = RandomForestClassifier(random_state=seed)
    named = isinstance(estimator, str)
    if weights is not None and (named or not has_fit_parameter(estimator, "sample_weight")):
        raise ParameterError(
            f"size={estimator!r} takes no sample_weight; leave the weights out, or give "
            "size='forest' or a classifier that takes them"
        )
    if named:
        learner = LogisticLearner()
        design, matrix = learner.read(X, categorical_features)
        return SizeModel(design, _learn_logistic(learner, estimator, matrix, sizes, seen), seen)
    view, rows = learn_view(estimator, X, categorical_features)
    return SizeModel(view, fit_weighted(estimator, readable(rows), sizes, weights), seen)


def _learn_logistic(
    learner: LogisticLearner, name: str, matrix: Any, sizes: Labels, seen: Labels
) -> Any:
    """Fit "logistic" or "ordinal" regressions, each with a penalty found by cross-validation."""
    codes, cards = np.searchsorted(seen, sizes)[:, None], [len(seen)]
    if name == "ordinal":
        codes, cards = (codes > np.arange(len(seen) - 1)).astype(np.intp), [2] * (len(seen) - 1)
    view = learner.view(matrix)
    fitted = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
    return Steps(fitted) if name == "ordinal" else fitted


def learn_more_sizes(
    known: SizeModel | None,
    estimator: Any,
    X: Any,
    sizes: Labels,
    weights: Floats | None,
    *,
    n_sizes: int,
    categorical_features: Any,
) -> SizeModel:
    """Fit a classifier to a further batch of sizes, or a clone of it to the first."""
    fitted = clone(estimator) if known is None and hasattr(estimator, "fit") else estimator
    if known is not None:
        fitted = deepcopy(known.classifier)  # if the batch is refused, nothing was learned
    if not hasattr(fitted, "partial_fit"):
        raise ParameterError(
            f"NaiBX: size={estimator!r} cannot learn in batches; give size='bayes' or a classifier "
            "with partial_fit, and begin with partial_fit"
        )
    design = learn_design(X, categorical_features) if known is None else known.design
    seen = np.unique(sizes) if known is None else np.union1d(known.seen, sizes)
    if weights is None:
        fitted.partial_fit(design.matrix(X), sizes, classes=np.arange(n_sizes))
    else:
        fitted.partial_fit(
            design.matrix(X), sizes, classes=np.arange(n_sizes), sample_weight=weights
        )
    return SizeModel(design, fitted, seen)
