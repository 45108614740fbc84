"""A learner for targets that rows do not know alike: each learns from the rows that know it.

Where a row counts more for one target than for another, the view of the rows has a weight for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.design.design import Design
from jointbayes.learners.wrapped import Learner

__all__ = ["KnownLearner", "TargetWeights", "of_known_rows", "of_targets"]


def of_known_rows(learner: Learner, codes: Labels, entries: Floats | None = None) -> Learner:
    """Return a learner for such codes: the same, if no target is −1 anywhere.

    ``entries`` are (n, t) weights of targets, where rows have more than one.

    >>> from jointbayes.learners.logistic.batch import LogisticLearner
    >>> learner = LogisticLearner()
    >>> of_known_rows(learner, np.array([[0], [1]])) is learner
    True
    """
    if entries is None and (not codes.size or codes.min() >= 0):
        return learner
    return KnownLearner(learner, entries)


@dataclass(frozen=True, eq=False)
class TargetWeights:
    """Rows as another learner wants them, and (n, t) how often each counts for each target."""

    view: Any
    entries: Floats

    @property
    def weights(self) -> Floats:
        """How often each row counts for each target."""
        return self.entries

    @property
    def n_columns(self) -> int:
        """How many columns there are to learn from."""
        return int(self.view.n_columns)

    def rows(self, index: Any) -> TargetWeights:
        """Return some of the rows."""
        return TargetWeights(self.view.rows(index), self.entries[index])


def of_targets(view: Any, targets: Labels) -> Any:
    """Return the rows with their weights for some of the targets."""
    if not isinstance(view, TargetWeights):
        return view
    return TargetWeights(view.view, view.entries[:, targets])


@dataclass(frozen=True, eq=False)
class KnownLearner:
    """Lets another learner make the classifier of each target from rows where it is not −1.

    Examples
    --------
    >>> from jointbayes.learners.logistic.batch import LogisticLearner
    >>> X, codes = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0], [1], [1], [-1]])
    >>> plain = LogisticLearner(penalty=1.0)
    >>> learner = of_known_rows(plain, codes)
    >>> view = learner.view(X)
    >>> some = learner.fit(view, codes, (2,), learner.settings(view, codes, (2,)))
    >>> same = plain.fit(view.rows(np.arange(3)), codes[:3], (2,), np.ones(1))
    >>> bool((some.W == same.W).all())
    True
    """

    learner: Learner
    entries: Floats | None = None

    def read(self, X: Any, categorical_features: Any) -> tuple[Design, Any]:
        """Return how rows become numbers, and the matrix of these rows."""
        return self.learner.read(X, categorical_features)

    def view(self, matrix: Any, weights: Weights = None, fixed: int = 0, rounds: int = 1) -> Any:
        """Return all rows, whatever is known of them, as `fit` wants them."""
        view = self.learner.view(matrix, weights, fixed, rounds)
        return view if self.entries is None else TargetWeights(view, self.entries)

    def rough(self, view: Any) -> tuple[KnownLearner, Any]:
        """Return learner and view for classifiers that only serve to choose among structures."""
        plain = view.view if isinstance(view, TargetWeights) else view
        learner, rough = self.learner.rough(plain)
        own = rough if plain is view else TargetWeights(rough, view.entries)
        return replace(self, learner=learner), own

    def settings(
        self, view: Any, codes: Labels, cards: Sequence[int], free: Mask | None = None
    ) -> Floats:
        """Return what is to be chosen for each target before `fit`."""
        found = [
            self.learner.settings(
                _alone(view, j, rows), codes[rows, j : j + 1], [k], _column(free, j)
            )
            for j, (rows, k) in enumerate(zip(_known_rows(codes), cards, strict=True))
        ]
        return np.concatenate(found)

    def fit(
        self,
        view: Any,
        codes: Labels,
        cards: Sequence[int],
        settings: Floats,
        free: Mask | None = None,
        start: Any = None,
    ) -> Any:
        """Return a classifier for each column of codes, of the rows in which it is known."""
        parts = [
            self.learner.fit(
                _alone(view, j, rows),
                codes[rows, j : j + 1],
                [k],
                settings[j : j + 1],
                _column(free, j),
                None if start is None else start.only(np.array([j])),
            )
            for j, (rows, k) in enumerate(zip(_known_rows(codes), cards, strict=True))
        ]
        return parts[0].join(parts[1:])


def _known_rows(codes: Labels) -> list[Labels]:
    return [np.flatnonzero(column >= 0) for column in codes.T]


def _alone(view: Any, j: int, rows: Labels) -> Any:
    """Return some rows as they count for one target."""
    if not isinstance(view, TargetWeights):
        return view.rows(rows)
    return replace(view.view.rows(rows), weights=view.entries[rows, j])


def _column(free: Mask | None, j: int) -> Mask | None:
    return None if free is None else free[:, j : j + 1]
