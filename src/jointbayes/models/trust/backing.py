r"""Backing: probability for label vectors that a model calls impossible.

(1)  P'(y | x) = (1 − w) P(y | x) + w B(y | x)
(2)  B(y | x) = ∏_j (1 − s) P(y_j | x) + s f(y_j)

In B labels are independent, with their smoothed frequencies f among them. The share s and the
weight w are those of largest likelihood of rows held out, w by expectation-maximisation with one
more row on either side, so that it is never 0, nor 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.checks import check_counts, check_that
from jointbayes.labels import LabelSpace
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.pooling import mean_log, pool_weights, pooled_log_p
from jointbayes.posterior import BackedOff, Independent, Listed, Posterior, mix

__all__ = ["Backing", "learn_backing"]

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

    def check_labels(self, cards: Sequence[int]) -> None:
        """Refuse what came from a file unless it is of these labels."""
        legal = 0 < self.weight < 1 and 0 < self.share <= 1
        check_that(legal and len(self.frequencies) == len(cards), "a backing is of other labels")
        for frequency, card in zip(self.frequencies, cards, strict=True):
            check_counts("frequencies", frequency, (card,))

    def of(self, posterior: Posterior) -> Posterior:
        """Return (1): exact where the posterior is a list of vectors.

        >>> from jointbayes.labels import learn_labels
        >>> space = learn_labels([[0, 0], [1, 1]])
        >>> post = Listed(np.array([[0, 0], [1, 1]]), np.log([[0.5, 0.5]]), space)
        >>> backed = Backing(0.2, 0.1, (np.array([0.5, 0.5]),) * 2).of(post)
        >>> np.exp(backed.log_prob([[0, 1]])).round(2).tolist(), backed.exactness["map"]
        ([0.05], 'exact')
        """
        return self.behind(posterior, self.around(posterior.marginals(), posterior.space))

    def behind(self, posterior: Posterior, back: Posterior) -> Posterior:
        """Return (1) with another B."""
        if not isinstance(posterior, Listed):
            return mix([posterior, back], [1 - self.weight, self.weight])
        log_w = np.log([[1 - self.weight, self.weight]])
        return BackedOff(
            (posterior, back), np.repeat(log_w, len(posterior), axis=0), posterior.space
        )

    def around(self, marginals: Sequence[Floats], space: LabelSpace) -> Independent:
        """Return B for rows of these marginals."""
        each = zip(marginals, self.frequencies, strict=True)
        return Independent([np.log((1 - self.share) * p + self.share * f) for p, f in each], space)


def learn_backing(
    log_p: Floats, marginals: Sequence[Sequence[Floats]], held: HeldOut, space: LabelSpace
) -> Backing:
    """Return the backing of largest likelihood of rows held out.

    Parameters
    ----------
    log_p
        (n,) of their labels, by a model that has not seen them.
    marginals
        For each fold what that model says of each label, one (rows, k_j) array for each.
    held
        These rows.
    space
        The labels.

    Examples
    --------
    Of four rows, one has what the model calls impossible:

    >>> from jointbayes.labels import learn_labels
    >>> held = HeldOut([np.arange(4)], np.array([[1], [1], [1], [0]]))
    >>> sure = [np.tile([[0.0, 1.0]], (4, 1))]
    >>> found = learn_backing(np.array([0, 0, 0, -np.inf]), [sure], held, learn_labels([0, 1]))
    >>> found.share, 0.3 < found.weight < 0.7
    (0.5, True)
    """
    frequencies = held.frequencies(space.cards)
    found: list[tuple[float, Backing]] = []
    for share in SHARES:
        back = Backing(0.5, share, frequencies)
        other = held.log_p([back.around(each, space) for each in marginals])
        both = np.stack([log_p, other], axis=1)
        w = pool_weights(both, held.weights, extra=1.0)
        likelihood = mean_log(pooled_log_p(both, w), held.weights)
        found.append((likelihood, Backing(float(w[1]), share, frequencies)))
    return max(found, key=lambda one: one[0])[1]
