"""Listed vectors, with the rest of the probability spread over all vectors by another posterior.

P(y | x) = w · P_listed(y | x) + (1 − w) · P_rest(y | x): a mixture whose best vectors are found
with proof at any number of labels. A vector that is not listed has (1 − w) P_rest(y); if it is not
among the k best of the rest, these k are at least as probable. So the k best are among the listed
vectors and the k best of the rest. Of the listed ones the K most probable are looked at; any other
has at most w · P_listed(K-th) + (1 − w) · P_rest(best), and K grows for rows where that is enough
to matter, until all are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.inference.lists import distinct, select
from jointbayes.posterior.mixture import FIRST, Mixture
from jointbayes.posterior.posterior import Rows, conditioned
from jointbayes.posterior.product import least_exact

__all__ = ["BackedOff"]


@dataclass(frozen=True, eq=False)
class BackedOff(Mixture):
    """A table of label vectors (the first part), backed off to a posterior of all (the second).

    Exact in all it answers if the second part is.

    Examples
    --------
    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent, Listed
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> listed = Listed(np.array([[0, 0], [1, 1]]), np.log([[0.25, 0.75]]), space)
    >>> coin = np.log([[0.5, 0.5]])
    >>> post = BackedOff((listed, Independent([coin, coin], space)), np.log([[0.8, 0.2]]), space)
    >>> best, log_p = post.top_k(3)
    >>> best.tolist(), np.exp(log_p).round(2).tolist()
    ([[[1, 1], [0, 0], [0, 1]]], [[0.65, 0.25, 0.05]])
    >>> post.exactness["top_k"]
    'exact'
    """

    def _search(self, k: int) -> tuple[Labels, Floats, Floats]:
        parts = [part._proven_best(k) for part in self._blocks(3 * max(k, FIRST) * len(self.space))]
        codes, log_p = (np.concatenate(each) for each in zip(*parts, strict=True))
        return codes, log_p, np.zeros(len(self))

    def _proven_best(self, k: int) -> tuple[Labels, Floats]:
        length = max(k, FIRST)
        codes, log_p, more = self._looked_at(k, length)
        while (rows := np.flatnonzero(more)).size:
            length *= 8
            found = self._rows(rows)._looked_at(k, length)
            codes[rows], log_p[rows], more[rows] = found
        return codes, log_p

    def _looked_at(self, k: int, length: int) -> tuple[Labels, Floats, Mask]:
        """Return the k best of those looked at, and whether a listed one may be better."""
        (listed, own), (rest, other) = self.parts[0]._best(length), self.parts[1]._best(k)
        codes = np.concatenate([listed, rest], axis=1)
        best = select(codes, distinct(codes, self._log_prob(codes)), k)
        bound = np.logaddexp(self.log_w[:, 0] + own[:, -1], self.log_w[:, 1] + other[:, 0])
        more = (bound >= best[1][:, -1]) & (own.shape[1] == length) & (own[:, -1] > -np.inf)
        return *best, more

    def _given(self, known: Labels) -> BackedOff:
        parts, log_p = zip(*(conditioned(part, known) for part in self.parts), strict=True)
        log_w = self.log_w + np.stack(log_p, axis=1)
        return BackedOff(parts, log_w - logsumexp(log_w, axis=1, keepdims=True), self.space)

    def _rows(self, index: Rows) -> BackedOff:
        return BackedOff([part._rows(index) for part in self.parts], self.log_w[index], self.space)

    def _inexact(self) -> dict[str, str]:
        return least_exact(self.parts)
