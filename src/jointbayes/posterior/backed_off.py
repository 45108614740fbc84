"""Listed vectors, with the rest of the probability spread over all vectors by another posterior.

P(y | x) = w · P_listed(y | x) + (1 − w) · P_rest(y | x): a mixture whose best vectors are found
with proof at any number of labels. A vector that is not listed has (1 − w) P_rest(y); if it is not
among the k best of the rest, these k are at least as probable. So the k best are among the listed
vectors and the k best of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best, distinct, select, stack
from jointbayes.inference.logs import log_normalize
from jointbayes.posterior.independent import Independent
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.mixture import Mixture
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.product import least_exact
from jointbayes.posterior.reweighted import conditioned
from jointbayes.posterior.tree import Tree

__all__ = ["BackedOff"]

SPARE = 8
"""Listed vectors that are compared beyond those asked for."""

NEVER = -1e300
"""What stands for the logarithm of 0 in products, where it may meet a 0."""


@dataclass(frozen=True, eq=False, repr=False)
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
        table = self.parts[0]
        assert isinstance(table, Listed)
        found = stack(part._proven_best(k) for part in self._blocks(4 * len(table.vectors)))
        return *found, np.zeros(len(self))

    def _proven_best(self, k: int) -> Best:
        table, rest = self.parts
        assert isinstance(table, Listed)
        log_rest = _of_each(rest, table.vectors)
        log_p = np.logaddexp(self.log_w[:, :1] + table.log_p, self.log_w[:, 1:] + log_rest)
        # Some more than k, since sums in another order may tell equal ones apart.
        length = min(k + SPARE, len(table.vectors))
        order = np.argpartition(-log_p, length - 1, axis=1)[:, :length]
        codes = np.concatenate([table.vectors[order], self._best_of_rest(k)[0]], axis=1)
        return select(codes, distinct(codes, self._log_prob(codes)), k)

    def _best_of_rest(self, k: int) -> Best:
        if k > 1:
            return self.parts[1]._best(k)
        mode = self.parts[1]._mode()[:, None]  # faster than a list of one
        return mode, self.parts[1]._log_prob(mode)

    def _given(self, known: Labels) -> BackedOff:
        parts, log_p = zip(*(conditioned(part, known) for part in self.parts), strict=True)
        log_w = self.log_w + np.stack(log_p, axis=1)
        return BackedOff(parts, log_normalize(log_w), self.space)

    def _rows(self, index: Rows) -> BackedOff:
        return BackedOff([part._rows(index) for part in self.parts], self.log_w[index], self.space)

    def _inexact(self) -> dict[str, str]:
        return least_exact(self.parts)


def _of_each(post: Posterior, vectors: Labels) -> Floats:
    """Return the (n, m) log-probabilities of m vectors, the same for all rows."""
    if not isinstance(post, Independent | Tree):
        return post._log_prob(np.broadcast_to(vectors, (len(post), *vectors.shape)))
    parents = post.parents if isinstance(post, Tree) else (-1,) * len(post.space)
    tables, held = [], []
    for log_p, values, parent in zip(post.log_p, vectors.T, parents, strict=True):
        flat = np.maximum(log_p.reshape(len(post), prod(log_p.shape[1:])), NEVER)
        above = 0 if parent < 0 else vectors[:, parent] * log_p.shape[-1]
        tables.append(flat)
        held.append((above + values)[:, None] == np.arange(flat.shape[1]))
    total = np.hstack(tables) @ np.hstack(held).T.astype(np.float64)
    return np.where(total < NEVER / 2, -np.inf, total)
