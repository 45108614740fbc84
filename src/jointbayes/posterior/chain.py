r"""A chain of labels: P(y | x) = ∏_j P(y_j | x, y_1 … y_{j−1}), a full Bayesian network.

The conditionals are asked for when they are needed, for many rows and prefixes at once; how the
best vectors are found, and proven so, is told in :mod:`jointbayes.inference.prefixes`. Up to
``enumerated`` vectors, whatever needs a sum over all of them is summed; beyond that it comes from
1,000 samples and says so: a marginal then has a standard error of 0.016 at most. Known labels
(`given`) are values that the chain must take: the conditionals of all others become 0, and
P(known | x), a sum, is divided out. Where the steps are logistic regressions of binary labels,
kernels search, list and draw: :mod:`jointbayes.posterior.linear_chain`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.budgets import ENUMERATED_LABELS, SAMPLED_VECTORS
from jointbayes.inference.lists import Best, count_vectors, distinct, select
from jointbayes.inference.logs import log_sum
from jointbayes.inference.prefixes import (
    Conditional,
    Reached,
    beam,
    enumerate_all,
    prove,
    walk_often,
)
from jointbayes.inference.sampling import draw_codes
from jointbayes.labels import LabelSpace
from jointbayes.posterior.chain_search import (
    ChainSearch,
    count_sizes,
    listing,
    places_of,
    weigh_values,
    weights_of,
)
from jointbayes.posterior.known import Known
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.reweighted import Power, reweigh

__all__ = ["Chain"]


@dataclass(frozen=True, eq=False, repr=False)
class Chain(Posterior):
    """Labels one after the other, each given all before it.

    Parameters
    ----------
    conditional
        Log-probabilities of the label at a place, given rows and the labels before it.
    rows
        The rows of which this is the posterior, as the conditional numbers them.
    order
        The label at each place.
    space
        Names and values of the class variables.
    search
        How vectors are looked for.
    known
        The labels that are known; None if none is.

    Examples
    --------
    The likelier value of the first label leads the greedy chain astray:

    >>> from jointbayes.labels import learn_labels
    >>> def conditional(place, rows, before):
    ...     p = [[0.6, 0.4]] if place == 0 else np.array([[0.5, 0.5], [0.1, 0.9]])[before[:, 0]]
    ...     return np.log(np.broadcast_to(p, (len(rows), 2)))
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> post = Chain(conditional, np.arange(1), (0, 1), space)
    >>> post.map().tolist(), np.exp(post.top_k(1)[1]).round(2).tolist()
    ([[1, 1]], [[0.36]])
    >>> greedy = replace(post, search=ChainSearch("beam", width=1))
    >>> greedy.map().tolist(), np.exp(greedy.gap()).round(2).tolist(), greedy.exactness["map"]
    ([[0, 0]], [1.33], 'bounded')
    >>> post.given({"y1": 0}).marginals()[0].round(3).tolist()
    [[0.882, 0.118]]
    """

    conditional: Conditional
    rows: Labels
    order: tuple[int, ...]
    space: LabelSpace
    search: ChainSearch = field(default_factory=ChainSearch)
    known: Known | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def visited(self) -> Labels:
        """How many prefixes of each row the search for ``map()`` has looked at."""
        return self._likeliest.visited

    def gap(self) -> Floats:
        """Bound by how much a vector that was not found can beat ``map()``."""
        best, bound = self._likeliest.log_p[:, 0], self._likeliest.bound
        return np.where(bound > best, bound, best) - best

    def _step(self, place: int, at: Labels, before: Labels) -> Floats:
        log_p = self.conditional(place, self.rows[at], before)
        if self.known is None:
            return log_p
        fixed = self.known.codes[at, self.order[place]][:, None]
        return np.where((fixed < 0) | (fixed == np.arange(log_p.shape[1])), log_p, -np.inf)

    @cached_property
    def _cards(self) -> tuple[int, ...]:
        return tuple(self.space.cards[j] for j in self.order)

    def _in_order_of_labels(self, codes: Labels) -> Labels:
        return codes[..., places_of(self.order)]

    @property
    def _enumerable(self) -> bool:
        return count_vectors(self.space.cards) <= self.search.enumerated

    @cached_property
    def _log_z(self) -> Floats:
        """Return log P(known | x), by which the steps are too likely."""
        if self.known is None:
            return np.zeros(len(self))
        if self._enumerable:
            return np.concatenate([log_sum(block._steps(), axis=1) for block in self._parts()])
        drawn = np.concatenate([importance for _, importance, _ in self._walks()], axis=1)
        total: Floats = log_sum(drawn, axis=0) - np.log(SAMPLED_VECTORS)
        return total

    def _parts(self) -> Iterator[Chain]:
        return self._blocks(count_vectors(self.space.cards) * len(self.space))

    def _steps(self) -> Floats:
        """Return the (n, m) log-probabilities of all steps through the vectors."""
        return enumerate_all(self._step, np.arange(len(self)), self._cards)

    def _tables(self) -> Iterator[Listed]:
        for block in self._parts():
            yield Listed(*block._every(), self.space)

    def _drawn(self, size: int, rng: Any) -> tuple[Labels, Floats, list[Floats]]:
        """Draw vectors (size, n, d) that agree with what is known.

        With them come their (size, n) importance and the mean probabilities of values at each
        place of the chain, when they were drawn. If ``rng`` is None, every row has the same luck:
        its draws do not depend on which other rows there are.
        """
        drawn, importance, means = walk_often(self._step, len(self), self._cards, size, rng or 0)
        return self._in_order_of_labels(drawn), importance, means

    def _log_prob(self, codes: Labels) -> Floats:
        n, m, d = codes.shape
        at, flat = np.repeat(np.arange(n), m), codes[:, :, list(self.order)].reshape(n * m, d)
        log_p = np.zeros(n * m)
        for place in range(d):
            step = self._step(place, at, flat[:, :place])
            log_p += step[np.arange(n * m), flat[:, place]]
        return log_p.reshape(n, m) - self._log_z[:, None]

    def ranked(self, k: int) -> tuple[Labels, Floats, Floats]:
        """Return codes and log-probability of k vectors, and what no other exceeds (n,)."""
        found = self._find(k)
        return found.codes, found.log_p, np.maximum(found.bound, found.log_p[:, -1])

    @property
    def quickly_listed(self) -> int:
        """How many vectors may be listed where that is faster than a search."""
        return 1 << ENUMERATED_LABELS

    def _best(self, k: int) -> Best:
        found = self._likeliest if k == 1 else self._find(k)
        return found.codes, found.log_p

    @cached_property
    def _likeliest(self) -> Reached:
        return self._find(1)

    @property
    def _few(self) -> bool:
        """Whether a search cannot but find the best."""
        return count_vectors(self._cards) <= self.search.width

    def _find(self, k: int) -> Reached:
        """Return the k best vectors found, in the order of the labels."""
        if self.search.method == "sample":
            return self._best_drawn(k)
        k = min(k, count_vectors(self._cards))
        width = max(self.search.width, k)
        if self.search.method == "exact":
            found = self._prove(k, width, None if self._few else self.search.time_limit)
        else:
            found = beam(self._step, np.arange(len(self)), self._cards, width)
        codes, log_p = select(self._in_order_of_labels(found.codes), found.log_p, k)
        z = self._log_z
        return Reached(codes, log_p - z[:, None], found.bound - z, found.visited)

    def _prove(self, k: int, width: int, time_limit: float | None) -> Reached:
        """Return the k best vectors, in the order of the chain."""
        seconds = None if time_limit is None else time_limit * len(self)
        return prove(self._step, np.arange(len(self)), self._cards, k, width, seconds)

    def _best_drawn(self, k: int) -> Reached:
        codes = self._drawn(max(self.search.width, k), None)[0].transpose(1, 0, 2)
        log_p = distinct(codes, self._log_prob(codes))
        left = np.log(np.maximum(1 - np.exp(log_p).sum(axis=1), 1e-12))
        visited = np.full(len(self), codes.shape[1] * codes.shape[2])
        return Reached(*select(codes, log_p, k), left, visited)

    def _marginals(self) -> list[Floats]:
        if self._enumerable:
            found = [table._marginals() for table in self._tables()]
            return [np.concatenate([p[j] for p in found]) for j in range(len(self.space))]
        return [p.copy() for p in self._estimated]

    @cached_property
    def _estimated(self) -> list[Floats]:
        """Return marginals from samples."""
        parts: list[list[Floats]] = []
        for codes, importance, means in self._walks():
            if self.known is None:  # the mean of the conditionals along the walks, not of the draws
                parts.append([means[place] for place in places_of(self.order)])
                continue
            parts.append(weigh_values(codes, weights_of(importance), self.space.cards))
        return [np.concatenate(each) for each in zip(*parts, strict=True)]

    def _walks(self) -> Iterator[tuple[Labels, Floats, list[Floats]]]:
        """Yield what is drawn of a few rows at a time."""
        for block in self._blocks(SAMPLED_VECTORS * len(self.space)):
            yield block._drawn(SAMPLED_VECTORS, None)

    def _sizes(self) -> Floats:
        if self._enumerable:
            return np.concatenate([table._sizes() for table in self._tables()])
        return np.concatenate([count_sizes(codes, weights_of(w)) for codes, w, _ in self._walks()])

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        if self.known is None:
            return self._drawn(size, rng)[0]
        if self._enumerable:
            return np.concatenate([t._sample(size, rng) for t in self._tables()], axis=1)
        codes, importance, _ = self._drawn(SAMPLED_VECTORS, rng)
        chosen = draw_codes(weights_of(importance).T, rng.random((size, len(self))))
        return codes[chosen, np.arange(len(self))]

    def _evidence(self, known: Labels) -> Floats:
        log_p: Floats = self._given(known)._log_z - self._log_z
        return log_p if self.known is None else self.known.refuse_clash(known, log_p)

    def _given(self, known: Labels) -> Chain:
        return replace(self, known=Known(known) if self.known is None else self.known.also(known))

    def _rows(self, index: Rows) -> Chain:
        known = None if self.known is None else self.known.rows(index)
        return replace(self, rows=self.rows[index], known=known)

    def _power(self, t: float) -> Posterior:
        return reweigh(self, Power(t))

    def _every(self) -> tuple[Labels, Floats]:
        codes, places = listing(self.order, self.space.cards)
        return codes, (self._steps() - self._log_z[:, None])[:, places]

    def _inexact(self) -> dict[str, str]:
        sums = "exact" if self._enumerable else "approximate"
        words = {
            "marginals": sums,
            "sizes": sums,
            "map": "bounded" if self.gap().any() else "exact",
        }
        exact = self._few and self.search.method == "exact"
        words["top_k"] = "exact" if exact else "bounded"
        if self.known is not None:
            words |= {"log_prob": sums, "sample": sums}
        return words
