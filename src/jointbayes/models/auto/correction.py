r"""Correction: what the posteriors of rows held out say about how far a model is to be trusted.

(1)  P'(y | x) = (1 − w) P(y | x)^t / Z + w B(y | x)
(2)  B(y | x) = ∏_j (1 − s) P(y_j | x) + s f(y_j)

The exponent t is that of largest joint likelihood out of fold, which is concave in t; it stays 1
where a power takes a list of all label vectors, as for chains and NaiBX, and these are many. Models
that may call a label vector impossible are backed by B, in which labels are independent, with their
smoothed frequencies f among them; its weight w is found by expectation-maximisation out of fold,
with one more row on either side, so that it is never 0. Other models have w = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize_scalar

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.inference.lists import count_vectors
from jointbayes.labels import LabelSpace
from jointbayes.models.auto.pooling import mean_log, pool_weights, pooled_log_p
from jointbayes.posterior import Independent, Listed, Posterior, mix

__all__ = ["Backing", "Correction", "HeldOut", "learn_correction"]

EXPONENTS = (0.01, 16.0)
"""The range in which t is looked for."""

LISTED_VECTORS, LISTED_CELLS = 1 << 10, 1 << 24
"""Label vectors, and rows times vectors, up to which all are listed to find t."""

SHARES = (0.5, 0.2, 0.05, 0.01)
"""What s may be."""


@dataclass(frozen=True, eq=False)
class Backing:
    """The part B of (1), and its weight.

    Parameters
    ----------
    weight, share
        w and s.
    frequencies
        For each label the (k_j,) f of its values.
    """

    weight: float
    share: float
    frequencies: tuple[Floats, ...]

    def of(self, posterior: Posterior) -> Posterior:
        """Return B for the rows of a posterior."""
        return self.around(posterior.marginals(), posterior.space)

    def around(self, marginals: Sequence[Floats], space: LabelSpace) -> Independent:
        """Return B for rows of these marginals."""
        each = zip(marginals, self.frequencies, strict=True)
        return Independent([np.log((1 - self.share) * p + self.share * f) for p, f in each], space)


@dataclass(frozen=True, eq=False)
class Correction:
    """The exponent t and the backing of (1)."""

    power: float = 1.0
    backing: Backing | None = None

    def of(self, posterior: Posterior) -> Posterior:
        """Return the corrected posterior.

        >>> from jointbayes.labels import learn_labels
        >>> from jointbayes.posterior import Listed
        >>> space = learn_labels([[0, 0], [1, 1]])
        >>> post = Listed(np.array([[0, 0], [1, 1]]), np.log([[0.5, 0.5]]), space)
        >>> even = (np.array([0.5, 0.5]),) * 2
        >>> corrected = Correction(1.0, Backing(0.2, 0.1, even)).of(post)
        >>> np.exp(corrected.log_prob([[0, 1]])).round(2).tolist()
        [0.05]
        """
        powered = posterior.power(self.power)
        if self.backing is None:
            return powered
        w = self.backing.weight
        return mix([powered, self.backing.of(posterior)], [1 - w, w])


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The rows of each fold, and what their labels are.

    Parameters
    ----------
    folds
        The row numbers of each.
    codes
        (n, d) labels of all rows.
    weights
        (n,) of the rows; None for equal ones.
    """

    folds: Sequence[Labels]
    codes: Labels
    weights: Weights = None

    def log_p(self, posteriors: Sequence[Posterior]) -> Floats:
        """Return (n,) log P of the labels of each row, given the posterior of each fold."""
        found = np.empty(len(self.codes))
        for rows, post in zip(self.folds, posteriors, strict=True):
            found[rows] = post._log_prob(self.codes[rows][:, None])[:, 0]
        return found

    def frequencies(self, cards: Sequence[int]) -> tuple[Floats, ...]:
        """Return the frequencies of the values of labels, with one row spread over them."""
        w = np.ones(len(self.codes)) if self.weights is None else self.weights
        each = zip(self.codes.T, cards, strict=True)
        return tuple((np.bincount(c, w, minlength=k) + 1 / k) / (w.sum() + 1) for c, k in each)


def learn_correction(
    posteriors: Sequence[Posterior], held: HeldOut, backing: str = "none"
) -> Correction:
    """Return the correction of largest likelihood of rows held out.

    Parameters
    ----------
    posteriors
        Of the rows of each fold, by a model that has not seen them.
    held
        These rows.
    backing
        "independent" to back the model by independent labels, or "none".

    Examples
    --------
    A model that is sure, and right on three rows of four, is less sure when it is corrected:

    >>> from jointbayes.labels import learn_labels
    >>> codes = np.array([[1], [1], [1], [0]])
    >>> post = Independent([np.log(np.tile([[0.01, 0.99]], (4, 1)))], learn_labels([0, 1]))
    >>> found = learn_correction([post], HeldOut([np.arange(4)], codes))
    >>> found.of(post).marginals()[0][0].round(2).tolist()
    [0.25, 0.75]
    """
    power = _best_power(posteriors, held)
    if backing == "none":
        return Correction(power)
    powered = held.log_p([post.power(power) for post in posteriors])
    space, marginals = posteriors[0].space, [post.marginals() for post in posteriors]
    frequencies = held.frequencies(space.cards)
    found: list[tuple[float, Backing]] = []
    for share in SHARES:
        back = Backing(0.0, share, frequencies)
        other = held.log_p([back.around(each, space) for each in marginals])
        both = np.stack([powered, other], axis=1)
        w = pool_weights(both, held.weights, extra=1.0)
        likelihood = mean_log(pooled_log_p(both, w), held.weights)
        found.append((likelihood, Backing(float(w[1]), share, frequencies)))
    return Correction(power, max(found, key=lambda one: one[0])[1])


def _best_power(posteriors: Sequence[Posterior], held: HeldOut) -> float:
    """Return t, or 1 where powers of this kind of posterior are too dear, or not exact."""
    if not _is_closed(posteriors[0]):
        m = count_vectors(posteriors[0].space.cards)
        if m > LISTED_VECTORS or m * len(held.codes) > LISTED_CELLS:
            return 1.0
        posteriors = [Listed(*post._every(), post.space) for post in posteriors]
    possible = np.isfinite(held.log_p(posteriors))
    if not possible.any():
        return 1.0
    rows = [index[possible[index]] for index in held.folds]
    parts = [p[possible[index]] for p, index in zip(posteriors, held.folds, strict=True)]
    cost = partial(_cost, parts=parts, held=HeldOut(rows, held.codes, held.weights))
    low, high = np.log(EXPONENTS)
    found = minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 0.01})
    return 1.0 if cost(0.0) <= found.fun else float(np.exp(found.x))


def _is_closed(posterior: Posterior) -> bool:
    """Say whether powers of a posterior are of its own kind, so that no vectors are listed."""
    return type(posterior[:0].power(2.0)) is type(posterior)


def _cost(log_t: float, parts: Sequence[Posterior], held: HeldOut) -> float:
    t, total, weight = float(np.exp(log_t)), 0.0, 0.0
    for rows, post in zip(held.folds, parts, strict=True):
        if len(rows):
            w = np.ones(len(rows)) if held.weights is None else held.weights[rows]
            total -= float(w @ post.power(t)._log_prob(held.codes[rows][:, None])[:, 0])
            weight += float(w.sum())
    return total / weight
