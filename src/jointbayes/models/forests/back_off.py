r"""From the shares of label vectors in leaves to a posterior that gives every vector probability.

Let p(s) be the mean share, over trees, of the label vector s that occurred in training, and f(s)
its frequency there. The posterior of a row is

(1)  P(y) = (1 − ε) · q(y) + ε · T(y),    q(s) ∝ ((1 − α) p(s) + α f(s))^t,

T being a tree of labels (Chow & Liu 1968, learned from the training labels) whose tables are those
of p at this row, smoothed: T gives probability to vectors that never occurred,

(2)  T(y_j = b | y_parent = a) = (N p(a, b) + κ p(b)) / (N p(a) + κ),

where N is the number of trees and p(b) itself is smoothed by one tree that votes as training
frequencies do; κ = ∞ is independent labels. The four numbers are those of largest likelihood of
training rows by trees that have not seen them. A row's own share of f is left out, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.information.pairs import pair_mutual_information
from jointbayes.labels import LabelSpace
from jointbayes.posterior import BackedOff, Listed, Tree
from jointbayes.structure import maximum_spanning_tree

__all__ = ["BackOff", "learn_back_off"]

SHARPNESS = np.exp2(np.arange(-4, 9) / 4)
"""Exponents t that are tried: 1/2 to 4."""

SMOOTHING = (0.0, 0.01, 0.03, 0.1, 0.25)
"""Shares α of the training frequencies that are tried."""

TIES = (2.0, 8.0, 32.0, np.inf)
"""Numbers κ of trees that vote for independence that are tried."""

CELLS = 1 << 22
"""Shares p(s) that are looked at in the choice."""


@dataclass(frozen=True, eq=False)
class BackOff:
    """What stands between the leaves of trees and the posterior of a row.

    Parameters
    ----------
    parents
        The parent of each label in T; −1 is a root.
    n_trees
        N of (2).
    sharpness, smoothing, weight, independence
        t, α and ε of (1), κ of (2).
    """

    parents: tuple[int, ...]
    n_trees: int
    sharpness: float = 1.0
    smoothing: float = 0.01
    weight: float = 0.1
    independence: float = 8.0

    def posterior(
        self, proba: Floats, vectors: Labels, frequency: Floats, space: LabelSpace
    ) -> BackedOff:
        """Return the posterior of rows, given (n, m) shares of vectors and their frequency."""
        log_p = _sharpened(_logs(self._smoothed(proba, frequency)), self.sharpness)
        listed = Listed(vectors, log_p, space)
        tables = self.tables(proba, vectors, frequency, space.cards)
        tree = Tree(self.parents, [np.log(table) for table in tables], space)
        log_w = np.log([[1 - self.weight, self.weight]])
        return BackedOff((listed, tree), np.repeat(log_w, len(proba), axis=0), space)

    def _smoothed(self, proba: Floats, frequency: Floats) -> Floats:
        answered = proba.any(axis=1, keepdims=True)  # a row that no tree answers has frequencies
        alpha = np.where(answered, self.smoothing, 1.0)
        mixed: Floats = (1 - alpha) * proba + alpha * frequency
        return mixed

    def tables(
        self, proba: Floats, vectors: Labels, frequency: Floats, cards: tuple[int, ...]
    ) -> list[Floats]:
        """Return the tables (2) of T: one (n, k_parent, k_j) array per label."""
        n_trees, found, marginals = self.n_trees, [], []
        for j, card in enumerate(cards):
            holds = (vectors[:, [j]] == np.arange(card)).astype(np.float64)
            # One more row of each value, so that a value never seen with these trees is possible.
            prior = (frequency @ holds * n_trees + 1) / (n_trees + card)
            marginals.append((n_trees * (proba @ holds) + prior) / (n_trees + 1))
        for j, (parent, card) in enumerate(zip(self.parents, cards, strict=True)):
            if parent < 0:
                found.append(marginals[j][:, None])
                continue
            pair = vectors[:, parent] * card + vectors[:, j]
            holds = (pair[:, None] == np.arange(cards[parent] * card)).astype(np.float64)
            joint = (proba @ holds).reshape(len(proba), cards[parent], card)
            above = n_trees * joint.sum(axis=2, keepdims=True)
            trust = above / (above + self.independence)
            with np.errstate(invalid="ignore", divide="ignore"):
                own = np.where(above > 0, n_trees * joint / above, 0.0)
            found.append(trust * own + (1 - trust) * marginals[j][:, None])
        return found


def learn_back_off(
    proba: Floats, sets: Labels, vectors: Labels, weights: Floats, space: LabelSpace, n_trees: int
) -> BackOff:
    """Choose the four numbers by rows whose shares are those of trees that have not seen them.

    Parameters
    ----------
    proba
        (n, m) shares; rows with none are left out.
    sets
        (n,) which of the vectors is the true one.
    vectors
        (m, d) label vectors.
    weights
        (n,) of the rows.
    space
        The labels.
    n_trees
        How many trees will be asked.
    """
    frequency = np.bincount(sets, weights, len(vectors))
    parents = _label_tree(vectors, frequency, space.cards)
    asked = np.flatnonzero(proba.any(axis=1))
    if not len(asked) or len(vectors) < 2:
        return BackOff(parents, n_trees)
    asked = asked[:: max(1, len(asked) * len(vectors) // CELLS)]
    evidence = _Evidence(proba[asked], sets[asked], vectors, frequency, weights[asked], space.cards)
    fixed = (parents, n_trees)
    best = max(evidence.candidates(fixed), key=lambda found: found[0])
    return best[1]


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Rows, what trees that have not seen them say, and the truth."""

    proba: Floats
    sets: Labels
    vectors: Labels
    frequency: Floats
    weights: Floats
    cards: tuple[int, ...]

    def candidates(self, fixed: tuple[tuple[int, ...], int]) -> Iterator[tuple[float, BackOff]]:
        """Yield models (1) with their mean log-likelihood."""
        of_tree = {kappa: self._of_tree(BackOff(*fixed, independence=kappa)) for kappa in TIES}
        for alpha, t in self._of_vectors():
            for kappa, log_t in of_tree.items():
                yield self._weighed(fixed, alpha, t, kappa, log_t)

    def _of_vectors(self) -> Iterator[Any]:
        raise NotImplementedError

    def _of_tree(self, model: BackOff) -> Floats:
        raise NotImplementedError

    def _weighed(self, *args: Any) -> Any:
        raise NotImplementedError
