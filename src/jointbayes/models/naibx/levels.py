r"""The levels of a cascade: a classifier for each label that is picked (Mossina 2017, Sec. 3.4).

Level k sees the columns of a row, the size m of its label set where sizes differ, and, from level 2
on, the k − 1 labels picked so far:

(1)  p(y | x, m, F) = P_k(y | x, m, F) / Σ_{y' ∉ F} P_k(y' | x, m, F),   y ∉ F, k = |F| + 1.

Where a classifier calls all of them impossible, they are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.checks import check_indices, check_shape, check_that
from jointbayes.design.as_given import GivenRows
from jointbayes.design.label_columns import beside
from jointbayes.inference.logs import log_normalize
from jointbayes.inference.set_steps import Step
from jointbayes.learners.stored import check_classifiers
from jointbayes.learners.wrapped import Learner, takes_weights
from jointbayes.models.naibx.examples import examples_of

__all__ = ["Levels", "learn_levels"]

CELLS = 1 << 22
"""Cells of a matrix that a classifier sees at once."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The fitted classifiers of all levels.

    Parameters
    ----------
    classifiers
        One for each level.
    sizes
        The sizes of label sets that occurred.
    names
        Of the labels.
    """

    classifiers: tuple[Any, ...]
    sizes: Labels
    names: tuple[str, ...]

    def check_columns(self, width: int) -> None:
        """Refuse what came from a file unless its classifiers take rows of so many numbers."""
        q = len(self.names)
        check_shape("sizes", self.sizes, (None,))
        check_indices("sizes", self.sizes, q + 1)
        check_that(len(self.classifiers) == self.sizes.max(initial=0), "there are too few levels")
        for k, classifier in enumerate(self.classifiers):
            check_classifiers(classifier, [q], width + (len(self.sizes) > 1) + q * (k > 0))

    def seen(self, matrix: Any, sizes: Labels, picked: NDArray[Any], level: int) -> Any:
        """Return what a level, numbered from 0, sees of rows of a matrix."""
        columns = [sizes[:, None]] if len(self.sizes) > 1 else []
        columns += [picked] if level else []
        if not columns:
            return matrix
        if isinstance(matrix, GivenRows):
            own = ("size",) if len(self.sizes) > 1 else ()
            matrix = replace(matrix, expected=(*own, *self.names))
        return beside(matrix, np.hstack(columns).astype(np.float64))

    def step(self, matrix: Any) -> Step:
        """Return (1) for the rows of a matrix."""
        block = max(1, CELLS // (matrix.shape[1] + len(self.names) + 1))

        def step(rows: Labels, sizes: Labels, picked: Labels) -> Floats:
            out = np.zeros(picked.shape)
            level = picked.sum(axis=1)
            for k in np.unique(level[level < len(self.classifiers)]).tolist():
                at = np.flatnonzero(level == k)
                for part in (at[start : start + block] for start in range(0, len(at), block)):
                    seen = self.seen(matrix[rows[part]], sizes[part], picked[part], k)
                    out[part] = self.classifiers[k].log_proba(seen)[0]
            return _among(out, picked == 0)

        return step


def _among(log_p: Floats, free: Mask) -> Floats:
    """Return (1) from log P_k and which labels are not picked yet.

    >>> log_p = np.array([[-1.0, -2.0, -2.0], [0.0, -np.inf, -np.inf]])
    >>> np.exp(_among(log_p, np.array([[False, True, True]]))).tolist()
    [[0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    """
    left = np.where(free, log_p, -np.inf)
    none = np.isneginf(left).all(axis=1, keepdims=True)
    return log_normalize(np.where(free & none, 0.0, left))


def learn_levels(
    learner: Learner,
    matrix: Any,
    has: Mask,
    names: Sequence[str],
    *,
    weights: Weights = None,
    most: int | None = None,
    seed: int = 0,
) -> Levels:
    """Learn which label comes next, level by level.

    Parameters
    ----------
    learner
        Makes the classifiers. One that takes weights has the weight of a row shared by its
        examples, so that every row counts alike; another counts every example alike.
    matrix
        (n, p) what it sees of rows.
    has
        (n, q) which labels each row has.
    names
        Of the labels.
    weights
        (n,) how often each row counts; None for once.
    most
        Examples of a row at a level.
    seed
        For those that are drawn.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from jointbayes.learners.wrapped import EstimatorLearner
    >>> has = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]] * 10) > 0
    >>> learner = EstimatorLearner(LogisticRegression(C=100.0))
    >>> levels = learn_levels(learner, np.zeros((30, 1)), has, ("a", "b", "c"))
    >>> step = levels.step(np.zeros((1, 1)))
    >>> np.exp(step(np.array([0]), np.array([2]), np.array([[0, 1, 0]]))).round(2).tolist()
    [[0.5, 0.0, 0.5]]
    """
    sizes = has.sum(axis=1)
    blank, found = Levels((), np.unique(sizes), tuple(names)), list[Any]()
    for k in range(int(sizes.max(initial=0))):
        examples = examples_of(has, k + 1, most, seed)
        row, y = examples.row, examples.label[:, None]
        own = None if weights is None else weights[row]
        if takes_weights(learner) and (examples.share < 1).any():
            own = examples.share if own is None else own * examples.share
        seen = blank.seen(matrix[row], sizes[row], examples.picked, k)
        view = learner.view(seen, own)
        # Examples of one row are much alike: held out are rows, not examples of rows that stay.
        one = examples.one_of_each_row
        alone = None if weights is None else weights[row[one]]
        settings = learner.settings(learner.view(seen[one], alone), y[one], [len(names)])
        found.append(learner.fit(view, y, [len(names)], settings))
    return replace(blank, classifiers=tuple(found))
