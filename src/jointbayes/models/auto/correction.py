r"""Correction: what the posteriors of rows held out say about how far a model is to be trusted.

(1)  P'(y | x) = (1 − w) P(y | x)^t / Z + w B(y | x)

The exponent t is that of largest joint likelihood out of fold, which is concave in t; it stays 1
where a power takes a list of all label vectors, as for chains and NaiBX, and these are many. Models
that may call a label vector impossible are backed by B, in which labels are independent
(`jointbayes.models.trust.backing`). Other models have w = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize_scalar

from jointbayes.inference.lists import count_vectors
from jointbayes.models.trust.backing import Backing, learn_backing
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.posterior import Listed, Posterior

__all__ = ["Correction", "learn_correction"]

EXPONENTS = (0.01, 16.0)
"""The range in which t is looked for."""

LISTED_VECTORS, LISTED_CELLS = 1 << 10, 1 << 24
"""Label vectors, and rows times vectors, up to which all are listed to find t."""


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
        back = self.backing.around(posterior.marginals(), posterior.space)
        return self.backing.behind(powered, back)


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
    >>> from jointbayes.posterior import Independent
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
    marginals = [post.marginals() for post in posteriors]
    return Correction(power, learn_backing(powered, marginals, held, posteriors[0].space))


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
