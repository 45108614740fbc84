r"""MLkNN: how many neighbours carry a label, read by Bayes' rule (Zhang & Zhou 2007).

With C the number of the k nearest training rows that have the value v of a label,

(1)  P(Y = v | C = r) ∝ P(Y = v) P(C = r | Y = v),

both from counts over the training rows, whose neighbours are the nearest others,

(2)  P(Y = v) = (s + n_v) / (2 s + n),   P(C = r | Y = v) = (s + n_vr) / ((k + 1) s + n_v),

and likewise for Y ≠ v. A label of more than two values asks so for each, and normalises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.checks import (
    check_attributes,
    check_finite,
    check_indices,
    check_shape,
    check_that,
)
from jointbayes.design.design import learn_matrix
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.inference.logs import log_normalize
from jointbayes.learners.neighbours import METRICS, Neighbours, learn_neighbours
from jointbayes.learners.stored import check_design
from jointbayes.posterior import Independent

__all__ = ["MLkNN", "neighbour_tables"]

CELLS = 1 << 20
"""Labels of neighbours that are looked at together."""


def neighbour_tables(
    has: Mask, count: Labels, k: int, smoothing: float, weights: Weights = None
) -> Floats:
    """Return log P(Y = v | C = r) − log P(Y ≠ v | C = r) for r = 0 … k, by (1) and (2).

    Parameters
    ----------
    has
        (n,) whether each row has the value.
    count
        (n,) how many of its neighbours have it.
    k
        Number of neighbours.
    smoothing
        The s of (2), above 0.
    weights
        (n,) how often each row counts; None for once.

    Examples
    --------
    >>> has = np.array([True, True, False, False])
    >>> neighbour_tables(has, has * 2, 2, 1.0).round(2).tolist()
    [-1.1, 0.0, 1.1]
    """
    w = np.ones(len(has)) if weights is None else weights
    sides = [has == v for v in (False, True)]
    n = np.array([w[side].sum() for side in sides])
    counts = np.stack([np.bincount(count[side], w[side], minlength=k + 1) for side in sides])
    prior = (smoothing + n) / (2 * smoothing + n.sum())
    likelihood = (smoothing + counts) / ((k + 1) * smoothing + n[:, None])
    joint = np.log(prior[:, None]) + np.log(likelihood)
    odds: Floats = joint[1] - joint[0]
    return odds


class MLkNN(Classifier):
    """Multi-label k nearest neighbours.

    Parameters
    ----------
    k
        Number of neighbours.
    smoothing
        Pseudo-count of every cell of (2).
    metric
        How far rows are apart: "euclidean", with all columns on the range 1, or "cosine", by their
        direction; "auto" is the latter for rows that are nearly empty, such as texts.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]] * 5
    >>> Y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]] * 5
    >>> MLkNN(k=3).fit(X, Y).predict([[0.05], [0.95]]).tolist()
    [[1, 0], [0, 1]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "k": integer(1),
        "smoothing": number(0, ends="()"),
        "metric": named(*METRICS),
    }

    _weighs: ClassVar[str] = "entries"

    def __init__(
        self,
        k: int = 10,
        *,
        smoothing: float = 1.0,
        metric: str = "auto",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        n_jobs: int | None = None,
    ):
        self.k = k
        self.smoothing = smoothing
        self.metric = metric
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        self.design_, matrix = learn_matrix(rows.X, self.categorical_features)
        self.neighbours_ = learn_neighbours(matrix, self.metric)
        self.targets_ = rows.codes
        self.votes_ = rows.weights if rows.entries is None else rows.entries
        nearest = self.neighbours_.of_training(self.k, self.n_jobs)
        self.tables_ = [self._table(rows, nearest, j) for j in range(len(rows.space))]

    def _table(self, rows: Labelled, nearest: Labels, j: int) -> Floats:
        label = slice(j, j + 1)
        held = rows.codes[nearest, label]
        found = []
        for v in range(rows.space.cards[j]):
            count = self._count(v, held, nearest, label)[:, 0]
            right = rows.codes[:, j] == v
            found.append(neighbour_tables(right, count, self.k, self.smoothing, rows.weights_of(j)))
        return np.stack(found)

    def _count(self, value: int, held: Labels, nearest: Labels, labels: slice) -> Labels:
        """Return (n, m) how many of k neighbours, which hold (n, k, m) values, have this one.

        Weighted ones count by their share.
        """
        has = held == value
        weights: Weights = getattr(self, "votes_", None)  # absent in files of earlier versions
        if weights is None:
            return np.asarray(has.sum(axis=1))
        votes = (weights[:, None] if weights.ndim == 1 else weights[:, labels])[nearest]
        share = (has * votes).sum(axis=1) / np.maximum(votes.sum(axis=1), 1e-300)
        return np.asarray(np.rint(share * nearest.shape[1]), dtype=np.intp)

    def _check_learned(self) -> None:
        check_attributes(self, neighbours_=Neighbours, targets_=np.ndarray, tables_=list)
        n, p = self.neighbours_.matrix.shape
        check_that(check_design(self, self.design_) == p, "neighbours are of other columns")
        check_shape("targets_", self.targets_, (n, len(self.space_)))
        for codes, odds, card in zip(self.targets_.T, self.tables_, self.space_.cards, strict=True):
            check_indices("targets_", codes, card)
            check_finite("tables_", odds, (card, None))
            check_that(odds.shape[1] > min(self.k, n), "a table is too short")

    def _condition(self, X: Any) -> Independent:
        nearest = self.neighbours_.of(self.design_.matrix(X), self.k, self.n_jobs)
        log_p: list[Floats] = []
        for labels in self._alike(nearest.size):
            odds = np.array(self.tables_[labels])
            own, held = np.arange(len(odds)), self.targets_[:, labels][nearest]
            each = np.empty((len(nearest), len(odds), odds.shape[1]))
            for v in range(odds.shape[1]):
                each[:, :, v] = odds[own, v, self._count(v, held, nearest, labels)]
            log_p.extend(log_normalize(-np.logaddexp(0.0, -each)).swapaxes(0, 1))
        return Independent(log_p, self.space_)

    def _alike(self, cells: int) -> Iterator[slice]:
        """Yield labels in their order, as many at once as have tables of a shape and fit."""
        most, start = max(1, CELLS // max(cells, 1)), 0
        shapes = [table.shape for table in self.tables_]
        for end, (shape, following) in enumerate(zip(shapes, [*shapes[1:], None], strict=True), 1):
            if shape != following or end - start == most:
                yield slice(start, end)
                start = end
