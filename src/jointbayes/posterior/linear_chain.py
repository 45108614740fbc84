"""A chain of logistic regressions of binary labels: its log-odds are linear in the labels before.

Kernels search, list and draw it; see `jointbayes._kernels.chains`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes._kernels import COMPILED
from jointbayes.arrays import Floats, Labels
from jointbayes.inference.lists import count_vectors
from jointbayes.inference.logistic_steps import LogisticSteps
from jointbayes.inference.prefixes import Conditional, Reached
from jointbayes.labels import LabelSpace
from jointbayes.posterior.chain import Chain
from jointbayes.posterior.chain_search import ChainSearch, places_of
from jointbayes.posterior.known import binary_marginals

__all__ = ["LinearChain", "chain_of"]


def chain_of(
    steps: Conditional, n: int, order: tuple[int, ...], space: LabelSpace, search: ChainSearch
) -> Chain:
    """Return the posterior of n rows, by kernels if they are there and can take the steps.

    >>> from jointbayes.labels import learn_labels
    >>> steps = LogisticSteps(np.zeros((1, 2)), np.array([[0.0, 3.0], [0.0, 0.0]]))
    >>> chain_of(steps, 1, (0, 1), learn_labels([[0, 0], [1, 1]]), ChainSearch()).map().tolist()
    [[1, 1]]
    """
    kind = LinearChain if COMPILED and isinstance(steps, LogisticSteps) else Chain
    return kind(steps, np.arange(n), order, space, search)


@dataclass(frozen=True, eq=False, repr=False)
class LinearChain(Chain):
    """Binary labels one after the other, each a logistic regression on those before.

    Examples
    --------
    The second label follows the first, which is likely:

    >>> from jointbayes.labels import learn_labels
    >>> steps = LogisticSteps(np.array([[1.0, -1.0]]), np.array([[0.0, 3.0], [0.0, 0.0]]))
    >>> post = LinearChain(steps, np.arange(1), (0, 1), learn_labels([[0, 0], [1, 1]]))
    >>> post.map().tolist(), post.marginals()[1].round(2).tolist()
    ([[1, 1]], [[0.28, 0.72]])
    """

    @cached_property
    def _logistic(self) -> LogisticSteps:
        """The steps of these rows."""
        assert isinstance(self.conditional, LogisticSteps)  # `chain_of` sees to it
        return self.conditional.rows(self.rows)

    @cached_property
    def _fixed(self) -> Labels | None:
        """What is known, in the order of the chain."""
        if self.known is None:
            return None
        return np.ascontiguousarray(self.known.codes[:, list(self.order)], dtype=np.int64)

    def _steps(self) -> Floats:
        return self._logistic.every(self._fixed)

    def _drawn(self, size: int, rng: Any) -> tuple[Labels, Floats, list[Floats]]:
        shape = (size, 1 if rng is None else len(self), len(self.space))
        uniform = np.random.default_rng(0 if rng is None else rng).random(shape)
        drawn, importance, means = self._logistic.walk(self._fixed, uniform)
        return self._in_order_of_labels(drawn), importance, means

    def _log_prob(self, codes: Labels) -> Floats:
        log_p = self._logistic.log_prob(codes[:, :, list(self.order)])
        if self.known is not None:
            log_p = np.where(self.known.agrees(codes), log_p, -np.inf)
        return np.asarray(log_p - self._log_z[:, None])

    @property
    def quickly_listed(self) -> int:
        """How many vectors may be listed where that is faster than a search."""
        return self.search.enumerated

    @property
    def _few(self) -> bool:
        return count_vectors(self._cards) <= self._logistic.proven(self.search.width)

    def _prove(self, k: int, width: int, time_limit: float | None) -> Reached:
        return self._logistic.best(self._fixed, k, width, time_limit)

    def _marginals(self) -> list[Floats]:
        if not self._enumerable:
            return super()._marginals()
        return binary_marginals(self._summed.sum(axis=2), self.known)

    def _sizes(self) -> Floats:
        return self._summed.copy() if self._enumerable else super()._sizes()

    @cached_property
    def _summed(self) -> Floats:
        """Return `_sizes`, all vectors being added up."""
        return self._logistic.sizes(self._fixed)[:, places_of(self.order)]
