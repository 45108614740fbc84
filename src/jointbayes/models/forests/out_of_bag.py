r"""What trees that have not seen a row say of it, and what that makes of the numbers of a back-off.

Of the numbers of `jointbayes.models.forests.back_off` the weights are those of largest likelihood
of such rows, by expectation-maximisation; sharpness, evidence, independence and smoothing are
changed one at a time, among some values, as long as the likelihood rises. A row's own part in the
frequency of its label vector is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from jointbayes.arrays import Floats, Labels
from jointbayes.models.forests.back_off import BackOff, Sets, logs

__all__ = ["TRIED", "OutOfBag", "learn_back_off", "log_probabilities"]

TRIED: Mapping[str, tuple[float, ...]] = {
    "sharpness": tuple(np.exp2(np.arange(-2, 5) / 2).tolist()),
    "evidence": (0.5, 0.75, 1.0, 1.5, 2.0),
    "independence": (2.0, 8.0, 32.0, np.inf),
    "smoothing": (1.0, 3.0, 10.0, 30.0, 100.0),
}
"""The values that each number may have."""

FIRST: Mapping[str, Any] = {
    "sharpness": 2.0,
    "evidence": 1.0,
    "independence": 32.0,
    "smoothing": 10.0,
}
"""Where the search begins."""

ENOUGH = 1e-9
"""By how much the mean log-likelihood must rise for a change."""

LEAST = 1e-4
"""No weight is chosen smaller: a vector that no training row held must stay possible."""


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
    rows = OutOfBag(proba[asked], truth[asked], weights[asked], sets)
    best, found = rows.weighed(replace(BackOff(n_trees), **FIRST))
    rising = True
    while rising:
        before = best
        for number, values in TRIED.items():
            for value in values:
                change: Any = {number: value}
                likelihood, other = rows.weighed(replace(found, **change))
                if likelihood > best + ENOUGH:
                    best, found = likelihood, other
        rising = best > before
    return found


def log_probabilities(
    proba: Floats, truth: Labels, weights: Floats, sets: Sets, n_trees: int
) -> Floats:
    """Return log P of the label vector of rows at the best sharpness, other numbers as first.

    Parameters
    ----------
    proba, truth, weights, sets, n_trees
        See `learn_back_off`.

    Examples
    --------
    >>> sets = Sets(np.array([[0], [1]]), np.array([50.0, 50.0]), (-1,), (2,))
    >>> proba, truth = np.tile([[0.6, 0.4]], (100, 1)), np.array([0, 0, 0, 1] * 25)
    >>> log_p = log_probabilities(proba, truth, np.ones(100), sets, 50)
    >>> np.exp(log_p[[0, 3]]).round(1).tolist()
    [0.7, 0.3]
    """
    asked = np.flatnonzero(proba.any(axis=1))
    rows = OutOfBag(proba[asked], truth[asked], weights[asked], sets)
    first = replace(BackOff(n_trees), **FIRST)
    tried = [rows.weighed(replace(first, sharpness=value)) for value in TRIED["sharpness"]]
    _, best = max(tried, key=lambda one: one[0])
    return rows.log_p(best)


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Rows, what trees that have not seen them say, and the truth.

    Parameters
    ----------
    proba, truth, weights, sets
        See `learn_back_off`.
    """

    proba: Floats
    truth: Labels
    weights: Floats
    sets: Sets
    _seen: dict[tuple[object, ...], Floats] = field(default_factory=dict)
    _ratios: dict[tuple[float, float], Floats] = field(default_factory=dict)

    def weighed(self, model: BackOff) -> tuple[float, BackOff]:
        """Return the mean log-likelihood of the rows at its largest, and the weights that reach it.

        They are drawn towards equal weights as by three more rows, one of each.
        """
        p = self._parts(model)
        w, share = np.full(3, 1 / 3), self.weights / (self.weights.sum() + 3)
        for _ in range(40):
            own = p * w
            w = share @ (own / own.sum(axis=1, keepdims=True)) + (1 - share.sum()) / 3
        w = np.maximum(w, LEAST)
        w /= w.sum()
        likelihood = float(np.average(np.log(p @ w), weights=self.weights))
        return likelihood, replace(model, weights=(float(w[0]), float(w[1]), float(w[2])))

    def log_p(self, model: BackOff) -> Floats:
        """Return (n,) log P of the truth."""
        return np.asarray(np.log(self._parts(model) @ np.array(model.weights)))

    def _parts(self, model: BackOff) -> Floats:
        return np.stack([self._leaves(model), self._sets(model), self._tree(model)], axis=1)

    def _leaves(self, model: BackOff) -> Floats:
        """Return (n,) q of the truth."""
        key = ("leaves", model.sharpness)
        if key not in self._seen:
            self._seen[key] = self._of_truth(model.sharpness * logs(self.proba))
        return self._seen[key]

    def _sets(self, model: BackOff) -> Floats:
        """Return (n,) r of the truth."""
        key = ("sets", model.evidence, model.independence, model.smoothing)
        if key not in self._seen:
            log_r = model.evidence * self._ratio(model) + self._log_others
            self._seen[key] = self._of_truth(log_r)
        return self._seen[key]

    def _ratio(self, model: BackOff) -> Floats:
        """Return (n, m) log(T(s) / T_0(s)); the last is kept, for it is large."""
        key = (model.independence, model.smoothing)
        if key not in self._ratios:
            self._ratios.clear()
            tables = model.tables(self.proba, self.sets)
            self._ratios[key] = replace(model, evidence=1.0).reweighed(tables, self.sets)
        return self._ratios[key]

    def _tree(self, model: BackOff) -> Floats:
        """Return (n,) T of the truth."""
        key = ("tree", model.independence, model.smoothing)
        if key not in self._seen:
            log_t = [np.log(table) for table in model.tables(self.proba, self.sets)]
            self._seen[key] = np.exp(self._true(self.sets.sum_over_labels(log_t)))
        return self._seen[key]

    @cached_property
    def _log_others(self) -> Floats:
        """(n, m) logarithms of the weights of label vectors without the row itself."""
        others = np.tile(self.sets.weights, (len(self.truth), 1))
        rows = np.arange(len(self.truth))
        others[rows, self.truth] = np.maximum(others[rows, self.truth] - self.weights, 0.0)
        return logs(others)

    def _true(self, values: Floats) -> Floats:
        return np.asarray(values[np.arange(len(self.truth)), self.truth])

    def _of_truth(self, log_p: Floats) -> Floats:
        """Return the probability of the truth, given logarithms that are not normalised."""
        return np.asarray(np.exp(self._true(log_p) - logsumexp(log_p, axis=1)))
