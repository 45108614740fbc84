"""A learner for targets that are not known on every row: each learns from the rows that know it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.design.design import Design
from jointbayes.learners.wrapped import Learner

__all__ = ["KnownLearner", "of_known_rows"]


def of_known_rows(learner: Learner, codes: Labels) -> Learner:
    """Return a learner for such codes: the same, if no target is −1 anywhere.

    >>> from jointbayes.learners.logistic.batch import LogisticLearner
    >>> learner = LogisticLearner()
    >>> of_known_rows(learner, np.array([[0], [1]])) is learner
    True
    """
    return learner if not codes.size or codes.min() >= 0 else KnownLearner(learner)


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

    def read(self, X: Any, categorical_features: Any) -> tuple[Design, Any]:
        """Return how rows become numbers, and the matrix of these rows."""
        return self.learner.read(X, categorical_features)

    def view(self, matrix: Any, weights: Weights = None, fixed: int = 0) -> Any:
        """Return all rows, whatever is known of them, as `fit` wants them."""
        return self.learner.view(matrix, weights, fixed)

    def rough(self, view: Any) -> tuple[KnownLearner, Any]:
        """Return learner and view for classifiers that only serve to choose among structures."""
        learner, view = self.learner.rough(view)
        return replace(self, learner=learner), view

    def settings(
        self, view: Any, codes: Labels, cards: Sequence[int], free: Mask | None = None
    ) -> Floats:
        """Return what is to be chosen for each target before `fit`."""
        found = [
            self.learner.settings(view.rows(rows), codes[rows, j : j + 1], [k], _column(free, j))
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
                view.rows(rows),
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


def _column(free: Mask | None, j: int) -> Mask | None:
    return None if free is None else free[:, j : j + 1]
