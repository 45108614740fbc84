r"""From the shares of label vectors in leaves to a posterior that gives every vector probability.

Let p(s) be the mean share, over trees, of the label vector s that occurred in training, and f(s)
its frequency there. The posterior of a row mixes three distributions,

(1)  P(y) = w_q q(y) + w_r r(y) + w_T T(y),
(2)  q(s) ∝ p(s)^t                     what the leaves say, sharpened,
(3)  r(s) ∝ f(s) (T(s) / T_0(s))^e     vectors that occurred, in other leaves perhaps,
(4)  T(y) = ∏_j T(y_j | y_parent(j))   all vectors, on a tree of labels (Chow & Liu 1968),

whose tables are those of p at this row, and those of T_0 are those of f, smoothed:

(5)  T(y_j = b | y_parent = a) = (N p(a, b) + κ p(b)) / (N p(a) + κ),

where N is the number of trees and p(b) itself is smoothed by one tree that votes as training rows
do; κ = ∞ makes labels independent. The weights, by expectation-maximisation, and t, e and κ are
those of largest likelihood of training rows by trees that have not seen them; a row's own part in
f(s) of (3) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from scipy.special import logsumexp

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_cards, check_counts, check_indices, check_shape, check_that
from jointbayes.labels import LabelSpace
from jointbayes.posterior import BackedOff, Listed, Tree
from jointbayes.structure import maximum_spanning_tree

__all__ = ["BackOff", "Sets", "label_tree", "learn_back_off"]

SHARPNESS = tuple(np.exp2(np.arange(-2, 5) / 2).tolist())
"""Exponents t that are tried: 1/2 to 4."""

EVIDENCE = (0.5, 0.75, 1.0, 1.5, 2.0)
"""Exponents e that are tried."""

INDEPENDENCE = (2.0, 8.0, 32.0, np.inf)
"""Numbers κ that are tried."""

LEAST = 1e-4
"""No weight is chosen smaller: a vector that no training row held must stay possible."""


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
    """

    n_trees: int
    sharpness: float = 1.0
    evidence: float = 1.0
    independence: float = 8.0
    weights: tuple[float, float, float] = (0.5, 0.3, 0.2)

    def _check_stored(self) -> None:
        numbers = (self.sharpness, self.evidence, self.independence, *self.weights)
        legal = all(isinstance(x, float) and x > 0 for x in numbers) and len(self.weights) == 3
        check_that(legal and abs(sum(self.weights) - 1) < 1e-9, "weights do not add up to 1")
        check_that(isinstance(self.n_trees, int) and self.n_trees > 0, "there are no trees")

    def posterior(self, proba: Floats, sets: Sets, space: LabelSpace) -> BackedOff:
        """Return the posterior of rows, given the (n, m) shares of label vectors."""
        answered = proba.any(axis=1, keepdims=True)
        proba = np.where(answered, proba, sets.frequency)
        tables = self.tables(proba, sets)
        q = np.exp(_normalised(self.sharpness * _logs(proba)))
        r = np.exp(_normalised(self._reweighed(tables, sets) + _logs(sets.frequency)))
        w_q, w_r, w_t = self.weights
        listed = Listed(sets.vectors, _logs((w_q * q + w_r * r) / (w_q + w_r)), space)
        tree = Tree(sets.parents, [np.log(table) for table in tables], space)
        log_w = np.log([[w_q + w_r, w_t]])
        return BackedOff((listed, tree), np.repeat(log_w, len(proba), axis=0), space)

    def tables(self, proba: Floats, sets: Sets) -> list[Floats]:
        """Return the tables (5) of rows: one (n, k_parent, k_j) array per label."""
        n, found = self.n_trees, []
        prior = [joint[0].sum(axis=0) for joint in sets.joints(sets.frequency[None])]
        for joint, f in zip(sets.joints(proba), prior, strict=True):
            seen = (n * f + 1) / (n + len(f))  # not 0 where no row had the value
            marginal = (n * joint.sum(axis=1, keepdims=True) + seen) / (n + 1)
            above = n * joint.sum(axis=2, keepdims=True)
            trust = above / (above + self.independence)
            own = n * joint / np.where(above > 0, above, 1.0)
            found.append(marginal if joint.shape[1] == 1 else trust * own + (1 - trust) * marginal)
        return found

    def _reweighed(self, tables: Sequence[Floats], sets: Sets) -> Floats:
        """Return (n, m) e · log(T(s) / T_0(s))."""
        overall = self.tables(sets.frequency[None], sets)
        ratios = [np.log(t / t_0) for t, t_0 in zip(tables, overall, strict=True)]
        return self.evidence * sets.sum_over_labels(ratios)


def learn_back_off(
    proba: Floats, truth: Labels, weights: Floats, sets: Sets, n_trees: int
) -> BackOff:
    """Choose the numbers by rows whose shares are those of trees that have not seen them.

    Parameters
    ----------
    proba
        (n, m) shares; rows that no tree answers are left out.
    truth
        (n,) which vector each row has.
    weights
        (n,) of the rows.
    sets
        The vectors.
    n_trees
        How many trees will be asked.

    Examples
    --------
    Trees that give 0.6 to what is right on three rows of four are sharpened:

    >>> from jointbayes.labels import learn_labels
    >>> sets = Sets(np.array([[0, 0], [1, 1]]), np.array([50.0, 50.0]), (-1, 0), (2, 2))
    >>> proba, truth = np.tile([[0.6, 0.4]], (100, 1)), np.array([0, 0, 0, 1] * 25)
    >>> chosen = learn_back_off(proba, truth, np.ones(100), sets, n_trees=50)
    >>> post = chosen.posterior(proba[:1], sets, learn_labels([[0, 0], [1, 1]]))
    >>> chosen.sharpness > 1, np.exp(post.log_prob([[0, 0]])).round(1).tolist()
    (True, [0.7])
    """
    asked = np.flatnonzero(proba.any(axis=1))
    if not len(asked) or len(sets.vectors) < 2:
        return BackOff(n_trees)
    evidence = _OutOfBag(proba[asked], truth[asked], weights[asked], sets)
    candidates = evidence.candidates(BackOff(n_trees))
    return max(candidates, key=lambda found: found[0])[1]


@dataclass(frozen=True, eq=False)
class _OutOfBag:
    """Rows, what trees that have not seen them say, and the truth."""

    proba: Floats
    truth: Labels
    weights: Floats
    sets: Sets

    def candidates(self, start: BackOff) -> Iterator[tuple[float, BackOff]]:
        """Yield models with the mean log-likelihood of the rows."""
        log_p = _logs(self.proba)
        of_leaves = {t: self._of_truth(t * log_p) for t in SHARPNESS}
        log_f = _logs(self._others())
        for kappa in INDEPENDENCE:
            model = replace(start, independence=kappa)
            tables = model.tables(self.proba, self.sets)
            of_tree = np.exp(self._true(self.sets.sum_over_labels([np.log(t) for t in tables])))
            ratio = replace(model, evidence=1.0)._reweighed(tables, self.sets)
            of_sets = {e: self._of_truth(e * ratio + log_f) for e in EVIDENCE}
            for (e, r), (t, q) in product(of_sets.items(), of_leaves.items()):
                likelihood, w = self._maximised(np.stack([q, r, of_tree], axis=1))
                yield likelihood, replace(model, sharpness=t, evidence=e, weights=w)

    def _others(self) -> Floats:
        """Return (n, m) weights of label vectors without the row itself."""
        others = np.tile(self.sets.weights, (len(self.truth), 1))
        rows = np.arange(len(self.truth))
        others[rows, self.truth] = np.maximum(others[rows, self.truth] - self.weights, 0.0)
        return others

    def _true(self, values: Floats) -> Floats:
        return np.asarray(values[np.arange(len(self.truth)), self.truth])

    def _of_truth(self, log_p: Floats) -> Floats:
        """Return the probability of the truth, given logarithms that are not normalised."""
        return np.asarray(np.exp(self._true(log_p) - logsumexp(log_p, axis=1)))

    def _maximised(self, p: Floats) -> tuple[float, tuple[float, float, float]]:
        """Return the mean log-likelihood and the weights of three distributions that maximise it.

        They are drawn towards equal weights as by three more rows, one of each.
        """
        w, share = np.full(3, 1 / 3), self.weights / (self.weights.sum() + 3)
        for _ in range(40):
            own = p * w
            w = share @ (own / own.sum(axis=1, keepdims=True)) + (1 - share.sum()) / 3
        w = np.maximum(w, LEAST)
        w /= w.sum()
        likelihood = float(np.average(np.log(p @ w), weights=self.weights))
        return likelihood, (float(w[0]), float(w[1]), float(w[2]))


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


def _logs(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(p)


def _normalised(log_p: Floats) -> Floats:
    total: Floats = log_p - logsumexp(log_p, axis=1, keepdims=True)
    return total
