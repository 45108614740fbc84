"""Wrapper: what estimators around one of our models share.

A wrapper learns by letting clones of its model learn, from rows that were read once, and changes
or guards the posterior of one of them. What it predicts is decided as its model would decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.arrays import Labels, Values
from jointbayes.checks import check_attributes, check_that
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import SHARED, Range, check_parameters, named
from jointbayes.estimator.reading import Labelled
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.trust.inner_folds import learn_rows
from jointbayes.posterior import Posterior
from jointbayes.seeds import generator_of

__all__ = ["INHERITED", "Wrapper", "out_of_fold"]

INHERITED: Mapping[str, Range] = {
    name: named(None) | SHARED[name] for name in ("loss", "empty", "unknown")
}
"""Parameters that are those of the estimator where they are None."""


class Wrapper(Classifier):
    """The part that all estimators around an estimator share."""

    estimator: Any
    empty: str | None  # type: ignore[assignment]  # None: as the estimator
    unknown: str | None  # type: ignore[assignment]
    n_jobs: int | None
    estimator_: Classifier

    @property
    def _targets(self) -> str:  # type: ignore[override]  # as many as its estimator takes
        return str(getattr(self.estimator, "_targets", "several"))

    @property
    def _weighs(self) -> str:  # type: ignore[override]  # as its estimator
        return self._wrapped()._weighs

    def _wrapped(self) -> Classifier:
        """Return the estimator, not fitted, or refuse it."""
        model = CTBN() if self.estimator is None else self.estimator
        if not isinstance(model, Classifier) or not hasattr(model, "posterior"):
            raise ParameterError(
                f"{type(self).__name__}: estimator={model!r} has no joint posterior; give one of "
                "this library's models that has"
            )
        check_parameters(model)
        if self.n_jobs is not None:
            model = clone(model).set_params(n_jobs=self.n_jobs)
        return model

    def _of_unknown(self) -> str:
        if self._targets == "one":  # there is nothing to learn from a row without its only label
            return "refuse"
        return self._wrapped()._of_unknown() if self.unknown is None else self.unknown

    def _learn_known(self, rows: Labelled) -> None:
        self._learn(rows)

    def _take(self, model: Classifier, rows: Labelled) -> None:
        """Let the estimator learn from rows, and know their columns as this one does."""
        self.estimator_ = learn_rows(model, rows)
        by_position = [f"x{j}" for j in range(self.n_features_in_)]
        unnamed = not hasattr(self, "feature_names_in_")
        if unnamed and list(getattr(self.estimator_, "feature_names_in_", ())) == by_position:
            del self.estimator_.feature_names_in_  # a Table has names, even if none were given

    def _check_learned(self) -> None:
        check_attributes(self, estimator_=Classifier)
        inner = self.estimator_
        check_attributes(inner, space_=type(self.space_))
        same = inner.space_.cards == self.space_.cards
        same = same and inner.n_features_in_ == self.n_features_in_
        check_that(same, "its estimator is of other labels or columns")

    def _condition(self, X: Any) -> Posterior:
        return self.estimator_.posterior(X)

    def predict_from(self, posterior: Posterior) -> Values:
        """Return what `predict` answers, given the posterior of the rows."""
        return self._shaped(posterior.decide(self._told("loss"), self._told("empty")))

    def _told(self, name: str) -> Any:
        """Return a parameter, or that of the estimator where there is none."""
        own, inner = getattr(self, name), self.estimator_
        if own is not None:
            return own
        return inner._told(name) if isinstance(inner, Wrapper) else getattr(inner, name)

    def _block_rows(self) -> int:
        return self.estimator_._block_rows()


def out_of_fold(
    estimator: Classifier, rows: Labelled, cv: int
) -> Iterator[tuple[Labels, Posterior]]:
    """Yield, for each of ``cv`` folds, its rows and their posterior by a model of the others.

    Folds are drawn by a fixed seed, of sizes that differ by one at most; of fewer rows than folds
    each is a fold.
    """
    n = len(rows)
    if n < 2:
        raise DataError(f"folds need at least 2 rows, and there is n_samples={n}; give more rows")
    fold = generator_of(None).permutation(n) % min(cv, n)
    for f in range(min(cv, n)):
        test = np.flatnonzero(fold == f)
        model = learn_rows(estimator, rows.take(np.flatnonzero(fold != f)))
        yield test, model.posterior(rows.X[test])
