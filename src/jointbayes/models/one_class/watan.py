r"""WATAN: ATAN whose members weigh what their root says about the class (Jiang et al. 2012).

.. math:: P(c \mid x) = \sum_r w_r \, P_r(c \mid x), \qquad w_r = I(X_r; C) / \sum_s I(X_s; C)  (1)

If no feature says anything about the class, all weigh the same.
"""

from __future__ import annotations

from dataclasses import replace

from jointbayes.arrays import Weights
from jointbayes.codes import Codes
from jointbayes.counts import PairCounts
from jointbayes.models.one_class.atan import Rerooted, learn_rerooted
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import Rows, pairs_or_rows, relevance

__all__ = ["WATAN", "learn_watan"]


def learn_watan(known: PairCounts | Rows, smoothing: float = 1.0) -> Rerooted:
    """Return TAN's tree under every root, each with the weight of Eq. 1.

    Examples
    --------
    Only the first feature says something about the class, so its network decides alone:

    >>> from jointbayes.counts import count_pairs
    >>> counts = count_pairs(Codes.of([[0, 0], [0, 1], [1, 1], [1, 0]], targets=[0, 0, 1, 1]))
    >>> learn_watan(counts).weights.tolist()
    [1.0, 0.0]
    """
    members = learn_rerooted(known, smoothing)
    said = relevance(known)
    return replace(members, weights=said / said.sum()) if said.sum() > 0 else members


class WATAN(NetworkClassifier):
    """The average of TANs with every feature as root, weighted by what the root says.

    Parameters
    ----------
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    learn_watan : The members alone.

    Examples
    --------
    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> model = WATAN().fit(X, ["even", "odd", "odd", "even"] * 5)
    >>> model.predict([["a", "b"]]).tolist()
    ['odd']
    """

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        return pairs_or_rows(codes, weights, self.n_jobs)

    def _deduce(self, known: PairCounts | Rows) -> Rerooted:
        return learn_watan(known, self.smoothing)
