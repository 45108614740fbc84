r"""MLkNN: how many neighbours carry a label, read by Bayes' rule (Zhang & Zhou 2007).

With C the number of the k nearest training rows that have the value v of a label,

(1)  P(Y = v | C = r) ∝ P(Y = v) P(C = r | Y = v),

both from counts over the training rows, whose neighbours are the nearest others,

(2)  P(Y = v) = (s + n_v) / (2 s + n),   P(C = r | Y = v) = (s + n_vr) / ((k + 1) s + n_v),

and likewise for Y ≠ v. A label of more than two values asks so for each, and normalises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.design.design import learn_matrix
from jointbayes.estimator.joint import DECIDING, JointClassifier
from jointbayes.estimator.ranges import Range, integer, named, number
from jointbayes.inference.logs import log_normalize
from jointbayes.labels import LabelSpace
from jointbayes.learners.neighbours import METRICS, learn_neighbours
from jointbayes.posterior import Independent

__all__ = ["MLkNN", "neighbour_tables"]


def neighbour_tables(has: NDArray[np.bool_], count: Labels, k: int, smoothing: float) -> Floats:
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

    Examples
    --------
    >>> has = np.array([True, True, False, False])
    >>> neighbour_tables(has, has * 2, 2, 1.0).round(2).tolist()
    [-1.1, 0.0, 1.1]
    """
    n = np.array([(~has).sum(), has.sum()])
    counts = np.stack([np.bincount(count[has == v], minlength=k + 1) for v in (False, True)])
    prior = (smoothing + n) / (2 * smoothing + n.sum())
    likelihood = (smoothing + counts) / ((k + 1) * smoothing + n[:, None])
    joint = np.log(prior[:, None]) + np.log(likelihood)
    odds: Floats = joint[1] - joint[0]
    return odds


class MLkNN(JointClassifier):
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
    categorical_features
        Which columns are nominal: "from_dtype", a mask, indices or names.
    loss
        What `predict` minimizes in expectation: "subset", "hamming", "f1" or "jaccard".
    empty
        Whether the empty label set is a legal answer: "allow" or "forbid".

    Attributes
    ----------
    classes_, label_names_
        The values and the name of every label.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]] * 5
    >>> Y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]] * 5
    >>> MLkNN(k=3).fit(X, Y).predict([[0.05], [0.95]]).tolist()
    [[1, 0], [0, 1]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        **DECIDING,
        "k": integer(1),
        "smoothing": number(0, ends="()"),
        "metric": named(*METRICS),
    }

    def __init__(
        self,
        k: int = 10,
        *,
        smoothing: float = 1.0,
        metric: str = "auto",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "allow",
    ):
        self.k = k
        self.smoothing = smoothing
        self.metric = metric
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty

    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Any) -> None:
        del weights
        self.design_, matrix = learn_matrix(X, self.categorical_features)
        self.neighbours_ = learn_neighbours(matrix, self.metric)
        self.targets_ = targets
        nearest = targets[self.neighbours_.of_training(self.k)]  # (n, k, d)
        self.tables_ = [
            np.stack(
                [
                    neighbour_tables(
                        targets[:, j] == v,
                        (nearest[:, :, j] == v).sum(axis=1),
                        self.k,
                        self.smoothing,
                    )
                    for v in range(card)
                ]
            )
            for j, card in enumerate(space.cards)
        ]

    def _condition(self, X: Any) -> Independent:
        nearest = self.targets_[self.neighbours_.of(self.design_.matrix(X), self.k)]
        log_p = []
        for j, odds in enumerate(self.tables_):
            counts = [(nearest[:, :, j] == v).sum(axis=1) for v in range(len(odds))]
            each = np.stack([odds[v, c] for v, c in enumerate(counts)], axis=1)
            log_p.append(log_normalize(-np.logaddexp(0.0, -each)))
        return Independent(log_p, self.space_)
