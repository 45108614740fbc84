r"""From the shares of label vectors in leaves to a posterior that gives every vector probability.

Let p(s) be the mean share, over trees, of the label vector s that occurred in training, and f(s)
its frequency there. The posterior of a row mixes three distributions,

(1)  P(y) = w_q q(y) + w_r r(y) + w_T T(y),
(2)  q(s) ∝ p(s)^t                     what the leaves say, sharpened,
(3)  r(s) ∝ f(s) (T(s) / T_0(s))^e     vectors that occurred, in other leaves perhaps,
(4)  T(y) = ∏_j T(y_j | y_parent(j))   all vectors, on a tree of labels (Chow & Liu 1968),

whose tables are those of p at this row, and those of T_0 are those of f, smoothed:

(5)  T(y_j = b | y_parent = a) = (N p(a, b) + κ p(b)) / (N p(a) + κ),

where N is the number of trees and p(b) itself is smoothed by σ trees that vote as training rows do;
κ = ∞ makes labels independent. The weights, t, e, κ and σ are chosen out of bag
(`jointbayes.models.forests.out_of_bag`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_cards, check_counts, check_indices, check_shape, check_that
from jointbayes.inference.logs import log_normalize
from jointbayes.labels import LabelSpace
from jointbayes.posterior import BackedOff, Listed, Tree
from jointbayes.structure import maximum_spanning_tree

__all__ = ["BackOff", "Sets", "label_tree", "logs"]


@dataclass(frozen=True, eq=False)
class Sets:
    """The label vectors that occurred.

    Parameters
    ----------
    vectors
        (m, d) label codes.
    weights
        (m,) the weight of the rows that held each.
    parents
        The parent of each label in the tree (4); −1 is a root.
    cards
        How many values each label has.
    """

    vectors: Labels
    weights: Floats
    parents: tuple[int, ...]
    cards: tuple[int, ...]

    def _check_stored(self) -> None:
        check_cards("cards", self.cards)
        check_shape("vectors", self.vectors, (None, len(self.cards)))
        for codes, card in zip(self.vectors.T, self.cards, strict=True):
            check_indices("vectors", codes, card)
        check_counts("weights", self.weights, (len(self.vectors),))
        check_that(self.weights.sum() > 0, "no label vector has any weight")
        check_that(len(self.parents) == len(self.cards), "the tree is of other labels")
        check_indices("parents", self.parents, len(self.cards), least=-1)

    @property
    def frequency(self) -> Floats:
        """(m,) f(s)."""
        return np.asarray(self.weights / self.weights.sum())

    @cached_property
    def pairs(self) -> Floats:
        """(m, c) 1 for the values that a vector has at a label and its parent, label by label."""
        parts = []
        for j, (parent, card) in enumerate(zip(self.parents, self.cards, strict=True)):
            above = 0 if parent < 0 else self.vectors[:, parent]
            held = (above * card + self.vectors[:, j])[:, None]
            parts.append(held == np.arange(self._above(parent) * card))
        return np.hstack(parts).astype(np.float64)

    def _above(self, parent: int) -> int:
        return 1 if parent < 0 else self.cards[parent]

    def joints(self, proba: Floats) -> list[Floats]:
        """Return p(a, b) of (n, m) shares: one (n, k_parent, k_j) array per label."""
        shapes = [(self._above(a), k) for a, k in zip(self.parents, self.cards, strict=True)]
        ends = np.cumsum([a * k for a, k in shapes])[:-1]
        parts = np.split(proba @ self.pairs, ends, axis=1)
        return [part.reshape(len(proba), *shape) for part, shape in zip(parts, shapes, strict=True)]

    def sum_over_labels(self, tables: Sequence[Floats]) -> Floats:
        """Return, for each row and vector, the sum of its entries in (n, k_parent, k_j) tables."""
        flat = [table.reshape(len(table), prod(table.shape[1:])) for table in tables]
        total: Floats = np.hstack(flat) @ self.pairs.T
        return total


@dataclass(frozen=True)
class BackOff:
    """The numbers of (1) to (5).

    Parameters
    ----------
    n_trees
        N.
    sharpness, evidence, independence
        t, e and κ.
    weights
        w_q, w_r and w_T.
    smoothing
        σ.
    """

    n_trees: int
    sharpness: float = 1.0
    evidence: float = 1.0
    independence: float = 8.0
    weights: tuple[float, float, float] = (0.5, 0.3, 0.2)
    smoothing: float = 1.0

    def _check_stored(self) -> None:
        numbers = (self.sharpness, self.evidence, self.independence, *self.weights, self.smoothing)
        legal = all(isinstance(x, float) and x > 0 for x in numbers) and len(self.weights) == 3
        check_that(legal and abs(sum(self.weights) - 1) < 1e-9, "weights do not add up to 1")
        check_that(isinstance(self.n_trees, int) and self.n_trees > 0, "there are no trees")

    def posterior(self, proba: Floats, sets: Sets, space: LabelSpace) -> BackedOff:
        """Return the posterior of rows, given the (n, m) shares of label vectors."""
        answered = proba.any(axis=1, keepdims=True)
        proba = np.where(answered, proba, sets.frequency)
        tables = self.tables(proba, sets)
        q = np.exp(log_normalize(self.sharpness * logs(proba)))
        r = np.exp(log_normalize(self.reweighed(tables, sets) + logs(sets.frequency)))
        w_q, w_r, w_t = self.weights
        listed = Listed(sets.vectors, logs((w_q * q + w_r * r) / (w_q + w_r)), space)
        tree = Tree(sets.parents, [np.log(table) for table in tables], space)
        log_w = np.log([[w_q + w_r, w_t]])
        return BackedOff((listed, tree), np.repeat(log_w, len(proba), axis=0), space)

    def tables(self, proba: Floats, sets: Sets) -> list[Floats]:
        """Return the tables (5) of rows: one (n, k_parent, k_j) array per label."""
        n, more, found = self.n_trees, self.smoothing, []
        prior = [joint[0].sum(axis=0) for joint in sets.joints(sets.frequency[None])]
        for joint, f in zip(sets.joints(proba), prior, strict=True):
            seen = (n * f + 1) / (n + len(f))  # not 0 where no row had the value
            marginal = (n * joint.sum(axis=1, keepdims=True) + more * seen) / (n + more)
            above = n * joint.sum(axis=2, keepdims=True)
            trust = above / (above + self.independence)
            own = n * joint / np.where(above > 0, above, 1.0)
            found.append(marginal if joint.shape[1] == 1 else trust * own + (1 - trust) * marginal)
        return found

    def reweighed(self, tables: Sequence[Floats], sets: Sets) -> Floats:
        """Return (n, m) e · log(T(s) / T_0(s))."""
        overall = self.tables(sets.frequency[None], sets)
        ratios = [np.log(t / t_0) for t, t_0 in zip(tables, overall, strict=True)]
        return self.evidence * sets.sum_over_labels(ratios)


def label_tree(vectors: Labels, weights: Floats, cards: tuple[int, ...]) -> tuple[int, ...]:
    """Return the parents of the labels on the tree of largest mutual information.

    >>> label_tree(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 1], [1, 1, 0]]), np.ones(4), (2, 2, 2))
    (-1, 0, 0)
    """
    held = np.hstack([vectors[:, [j]] == np.arange(k) for j, k in enumerate(cards)]).astype(float)
    joint = held.T @ (held * (weights / weights.sum())[:, None])
    single = np.diag(joint)
    chance = single[:, None] * single
    cells = joint * np.log(np.where(joint > 0, joint, 1.0) / np.where(joint > 0, chance, 1.0))
    starts = np.cumsum([0, *cards[:-1]])
    information = np.add.reduceat(np.add.reduceat(cells, starts, axis=0), starts, axis=1)
    return tuple(maximum_spanning_tree(information).tolist())


def logs(p: Floats) -> Floats:
    """Return logarithms; that of 0 is −∞."""
    with np.errstate(divide="ignore"):
        return np.log(p)
