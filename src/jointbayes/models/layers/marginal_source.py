"""Anybody's multi-label classifier as a source of probabilities of each label.

What `predict_proba` answers comes in several shapes: a list with an (n, k_j) array for each label
(scikit-learn's forests and `MultiOutputClassifier`), an (n, d) array of the probabilities of
relevance (CatBoost, `OneVsRestClassifier`, neural networks, our own models), or an (n, k) array for
one class variable. Values that did not occur among the rows learned from may be missing in it;
``classes_`` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from jointbayes.arrays import Floats, Values
from jointbayes.design.as_given import AsGiven, learn_view, readable
from jointbayes.design.design import Design
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import LabelSpace
from jointbayes.learners.wrapped import fit_weighted
from jointbayes.models.trust.inner_folds import learn_rows
from jointbayes.table import Column, Table

__all__ = [
    "CERTAIN",
    "MarginalSource",
    "learn_source",
    "log_odds_table",
    "odds_columns",
    "value_probabilities",
]

CERTAIN = 1e-3
"""Probabilities are kept this far from 0 and 1, so that forests, which say 0, have log-odds."""


@dataclass(frozen=True, eq=False)
class MarginalSource:
    """A fitted classifier of several labels, and how rows become what it reads.

    Parameters
    ----------
    estimator
        Fitted to codes of labels.
    design
        How rows become what the estimator sees; None for one of our models.
    space
        The labels.
    """

    estimator: Any
    design: Design | AsGiven | None
    space: LabelSpace

    def probabilities(self, X: Any) -> list[Floats]:
        """Return the (n, k_j) probabilities of the values of each label."""
        if isinstance(self.estimator, Classifier):
            return self.estimator.posterior(X).marginals()
        seen = readable(X if self.design is None else self.design.matrix(X))
        classes = getattr(self.estimator, "classes_", None)
        return value_probabilities(self.estimator.predict_proba(seen), classes, self.space.cards)


def learn_source(estimator: Any, rows: Labelled, categorical_features: Any) -> MarginalSource:
    """Fit a clone of a multi-label classifier to labelled rows.

    One of our models reads the columns themselves, a Pipeline what the user gave, any other
    classifier numbers.
    """
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict_proba"):
        raise ParameterError(
            f"estimator={estimator!r} has no predict_proba; give a classifier of several labels "
            "that has"
        )
    if isinstance(estimator, Classifier):
        return MarginalSource(learn_rows(estimator, rows), None, rows.space)
    design, matrix = learn_view(estimator, rows.X, categorical_features)
    y = rows.codes[:, 0] if rows.space.single else rows.codes
    fitted = fit_weighted(estimator, readable(matrix), y, rows.weights)
    return MarginalSource(fitted, design, rows.space)


def value_probabilities(proba: Any, classes: Any, cards: Sequence[int]) -> list[Floats]:
    """Return (n, k_j) probabilities of the values of each label, 0 for values never seen.

    Parameters
    ----------
    proba
        What `predict_proba` answered.
    classes
        The ``classes_`` of the classifier, which learned codes; None if it has none.
    cards
        How many values each label has.

    Examples
    --------
    >>> [p.tolist() for p in value_probabilities(np.array([[0.25, 1.0]]), None, (2, 2))]
    [[[0.75, 0.25]], [[0.0, 1.0]]]
    >>> forest = [np.array([[0.25, 0.75]]), np.array([[1.0]])]
    >>> classes = [np.array([0, 1]), np.array([1])]
    >>> [p.tolist() for p in value_probabilities(forest, classes, (2, 2))]
    [[[0.25, 0.75]], [[0.0, 1.0]]]
    """
    if isinstance(proba, list | tuple):
        parts = [np.asarray(p, dtype=np.float64) for p in proba]
        known = [None] * len(parts) if classes is None else list(classes)
    else:
        array = np.asarray(proba, dtype=np.float64)
        if array.ndim == 1:
            array = array[:, None]
        if len(cards) == 1 and array.shape[1] > 1:
            parts, known = [array], [classes]
        else:
            parts = [np.stack([1 - p, p], axis=1) for p in array.T]
            known = [None] * len(parts)
    fits = len(parts) == len(cards) and not any(np.isnan(p).any() for p in parts)
    if not fits:
        raise DataError(
            f"predict_proba gave no probabilities of {len(cards)} labels; give an estimator whose "
            "answer is an (n, labels) array, or a list with an array for each label"
        )
    each = zip(parts, known, cards, strict=True)
    return [_spread(p, seen, card) for p, seen, card in each]


def _spread(proba: Floats, seen: Values | None, card: int) -> Floats:
    """Put the probabilities of the values that were seen in their places."""
    if proba.shape[1] == card:
        return proba
    if seen is None or len(seen) != proba.shape[1]:
        raise DataError(
            f"predict_proba gave {proba.shape[1]} columns for a label of {card} values, and "
            "classes_ does not say which; give an estimator with classes_"
        )
    out = np.zeros((len(proba), card))
    out[:, np.asarray(seen, dtype=np.intp)] = proba
    return out


def log_odds_table(proba: Sequence[Floats], space: LabelSpace) -> Table:
    """Return a column of log-odds for each binary label, and for each value of the others.

    >>> from jointbayes.labels import learn_labels
    >>> table = log_odds_table([np.array([[0.5, 0.5], [1.0, 0.0]])], learn_labels([0, 1]))
    >>> table.names, np.asarray(table).round(2).tolist()
    (('class',), [[0.0], [-6.91]])
    """
    columns = []
    for name, values, p in zip(space.names, space.classes, proba, strict=True):
        odds = logit(np.clip(p, CERTAIN, 1 - CERTAIN))
        if len(values) == 2:
            columns.append(Column.of(str(name), odds[:, 1]))
        else:
            named = zip(values.tolist(), odds.T, strict=True)
            columns += [Column.of(f"{name}={value}", column) for value, column in named]
    return Table(tuple(columns))


def odds_columns(space: LabelSpace) -> int:
    """Return how many columns `log_odds_table` makes."""
    return sum(1 if card == 2 else card for card in space.cards)
