"""Classifier: what every estimator of the library does, except learning.

Labelled rows come in through one door (`reading`), a model learns from them and makes a posterior
of rows; every answer is a function of that posterior, the same for all models. A model fills two
hooks::

    _learn(rows: Labelled) -> None      learn; what was learned before is forgotten
    _condition(X) -> Posterior          the distribution of the labels given each row

and a third, `_learn_known`, if it can make more of rows some labels of which are not known than to
learn from them as a first model completes them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Floats, Values
from jointbayes.checks import check_attributes, check_that
from jointbayes.doors import through
from jointbayes.errors import DataError
from jointbayes.estimator.cautions import warn_of
from jointbayes.estimator.counting import add_counts
from jointbayes.estimator.memory import Memory
from jointbayes.estimator.parameters import documented
from jointbayes.estimator.ranges import Range, check_names, check_parameters
from jointbayes.estimator.reading import Labelled, read_columns, read_labelled
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.labels.known import KnownLabels, known_labels
from jointbayes.posterior import Posterior, frame_of
from jointbayes.threads import governed_by

__all__ = ["Classes", "Classifier"]

ANSWERED = 1 << 26
"""Probabilities of values that are held at once where labels are predicted: 512 MiB."""


class Classes(list[Values]):
    """The values of every label: a list with a shape, for which `cross_val_predict` asks.

    >>> Classes([np.array([0, 1]), np.array([0, 1])]).shape
    (2,)
    """

    @property
    def shape(self) -> tuple[int]:
        """The number of labels."""
        return (len(self),)


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """The part that all classifiers share."""

    _ranges: ClassVar[Mapping[str, Range]] = {}
    """Which values its own parameters may have; those that models share are in `ranges`."""

    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty")
    """Parameters that matter when a fitted model is asked, and not before."""

    _targets: ClassVar[str] = "several"
    """Whether it takes "one" class variable or "several"."""

    _weighs: ClassVar[str] = "rows"
    """Whether "rows" have weights, or "entries": each label of each row."""

    loss: Any = "subset"
    empty: str = "auto"
    unknown: str = "refuse"

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        documented(cls)

    def __new__(cls, *_values: Any, **parameters: Any) -> Self:  # noqa: D102  as ever
        check_names(cls, parameters)
        made: Self = super().__new__(cls)
        return made

    @abstractmethod
    def _learn(self, rows: Labelled) -> None:
        """Learn from labelled rows; `_adopt` has not been called yet."""

    @abstractmethod
    def _condition(self, X: Any) -> Posterior:
        """Return the posterior of the rows of a Table or sparse matrix."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from labelled rows; what was learned before is forgotten.

        Parameters
        ----------
        X
            (n, p) array, nested lists, pandas or polars frame, Table, or sparse matrix; or a
            `Dataset`, which brings its labels.
        y
            (n,) labels of any kind; for models of several class variables also (n, d), dense or
            sparse, or a frame whose columns name the labels. With ``unknown="learn"``, NaN, None
            and NA are labels that are not known.
        sample_weight
            (n,) how often each row counts; 0 leaves it out. Or (n, d), how often each label of each
            row counts; one of weight 0 is not known. That a row counts more for one label than for
            another is taken by BinaryRelevance, CTBN, ClassifierChain and MLkNN.
        """
        check_parameters(self)
        with Memory(self, "fit", X), governed_by(self):
            unknown = self._of_unknown()
            rows = read_labelled(
                self, X, y, sample_weight, learn_labels, reset=True, unknown=unknown,
                weighed="entries",
            )  # fmt: skip
            warn_of(rows)
            self._teach(rows)
        self._adopt(rows.space)
        return self

    def _teach(self, rows: Labelled) -> None:
        """Learn from labelled rows, whether all their labels are known or not."""
        if rows.entries is not None and self._weighs != "entries":
            i = int((rows.entries != rows.entries[:, :1]).any(axis=1).argmax())
            least, most = rows.entries[i].min(), rows.entries[i].max()
            raise DataError(
                f"sample_weight is {least:g} for one label of a row and {most:g} for another, and "
                f"{type(self).__name__} takes one weight for each row, with 0 for labels that do "
                "not count; take BinaryRelevance, CTBN, ClassifierChain or MLkNN for more"
            )
        (self._learn if rows.complete else self._learn_known)(rows)

    def _learn_known(self, rows: Labelled) -> None:
        """Learn from rows some labels of which are not known: as a first model completes them."""
        self._learn(through("complete_labels")(rows, getattr(self, "categorical_features", None)))

    def _of_unknown(self) -> str:
        """Return what is to be done with labels that are not known."""
        return self.unknown

    def _begin(self, rows: Labelled) -> None:
        """Learn from the first of several batches."""
        self._learn(rows)

    def _learn_more(self, rows: Labelled) -> None:
        """Learn from a further batch, where a model can."""
        add_counts(self, rows)

    def _further_labels(self, y: Any, classes: Any) -> LabelSpace:
        """Return the labels of a further batch: those of the first, unless a model grows."""
        del y
        self.space_.check_classes(classes)
        return self.space_

    def _adopt(self, space: LabelSpace) -> None:
        """Take the labels that were learned, last of all: from now on the model is fitted."""
        self.space_ = space
        self.classes_ = space.classes[0] if space.single else Classes(space.classes)
        if self._targets == "several":
            self.label_names_ = list(space.names)

    def _check_stored(self) -> None:
        if not hasattr(self, "space_"):
            return
        check_parameters(self)
        check_attributes(self, space_=LabelSpace, n_features_in_=Integral)
        names = getattr(self, "feature_names_in_", None)
        counted = names is None or len(names) == self.n_features_in_
        check_that(
            counted and self.n_features_in_ > 0, "the columns are not as many as their names"
        )
        self._check_learned()

    def _check_learned(self) -> None:
        """Refuse what a file says was learned, unless it is of these columns and labels."""

    def posterior(self, X: Any) -> Posterior:
        """Return the joint distribution of the labels given each row."""
        columns = self._known_columns(X)
        with Memory(self, "posterior", X), governed_by(self):
            return self._condition(columns).in_frame(frame_of(X))

    def predict(self, X: Any) -> Values:
        """Return the labels of least expected ``loss``, in the shape of the labels of ``fit``."""
        check_parameters(self, self._asked)
        with Memory(self, "predict", X):
            answers = [self.predict_from(post) for post in self._posteriors(X)]
            return answers[0] if len(answers) == 1 else np.concatenate(answers)

    def predict_from(self, posterior: Posterior) -> Values:
        """Return what `predict` answers, given the posterior of the rows."""
        return self._shaped(posterior.decide(self.loss, self.empty))

    def predict_proba(self, X: Any) -> Floats | list[Floats]:
        """Return the marginal probabilities of the labels.

        Of binary labels (n, d), the probability of relevance; of many-valued ones a list of
        (n, k_j); of one class variable (n, k).
        """
        with Memory(self, "predict_proba", X):
            columns = self._known_columns(X)
            if columns.shape[0] <= self._block_rows():
                return self._shaped_proba(next(self._conditioned(columns)).marginals())
            found, start = [np.empty((columns.shape[0], k)) for k in self.space_.cards], 0
            for post in self._conditioned(columns):
                for whole, part in zip(found, post.marginals(), strict=True):
                    whole[start : start + len(part)] = part
                start += len(post)
            return self._shaped_proba(found)

    def proba_from(self, posterior: Posterior) -> Floats | list[Floats]:
        """Return what `predict_proba` answers, given the posterior of the rows."""
        return self._shaped_proba(posterior.marginals())

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose whole label vector is right.

        A label value that was not there in ``fit`` counts as a miss. Where a model learns from
        labels some of which are not known, rows that know all of them are scored.
        """
        predicted = self.space_.encode(self.predict(X))
        labels = known_labels(y) if getattr(self, "unknown", "refuse") == "learn" else y
        right = (predicted == self.space_.encode(labels, unseen="mark")).all(axis=1)
        weight = np.ones(len(right)) if sample_weight is None else np.asarray(sample_weight)
        if isinstance(labels, KnownLabels):
            weight = weight * labels.known.all(axis=1)
            if not weight.any():
                raise DataError(
                    "no row of y knows all labels, so none can be right as a whole; measure single "
                    "labels: jointbayes.metrics.hamming_loss"
                )
        return float(np.average(right, weights=weight))

    def explore(self, path: Any, X: Any = None, title: str | None = None) -> None:
        """Write a page in which the model can be asked, in a browser, without a server or network.

        ``X`` are rows to choose from, as for `predict`. A model whose answers a page cannot
        recompute exactly is refused, with what to do: see ``docs/explorer.md``.
        """
        through("explore")(self, path, X=X, title=title)

    def _known_columns(self, X: Any) -> Any:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # raises, in scikit-learn's words
        return read_columns(self, X, reset=False)

    def _posteriors(self, X: Any) -> Iterator[Posterior]:
        """Yield the posteriors of blocks of rows, of as many as `_block_rows` says."""
        return self._conditioned(self._known_columns(X))

    def _conditioned(self, columns: Any) -> Iterator[Posterior]:
        n, step = columns.shape[0], self._block_rows()
        for start in range(0, max(n, 1), step):
            with governed_by(self):
                post = self._condition(columns if n <= step else columns[start : start + step])
            yield post

    def _block_rows(self) -> int:
        """Return how many rows may be asked at a time, so that their answers are not too large."""
        return max(1, ANSWERED // sum(self.space_.cards))

    def _shaped(self, labels: Values) -> Values:
        return np.asarray(labels[:, 0]) if self.space_.single else labels

    def _shaped_proba(self, marginals: list[Floats]) -> Floats | list[Floats]:
        if self.space_.single:
            return marginals[0]
        return np.stack([p[:, 1] for p in marginals], axis=1) if self.space_.binary else marginals

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "space_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        if self._targets == "several":
            tags.target_tags.multi_output = True
            tags.target_tags.single_output = True
            tags.classifier_tags.multi_label = True
        return tags
