r"""Sets of binary labels by size: how many there are first, then the labels one by one.

(1)  P(S | x) = P(M = |S| | x) × Σ_orders ∏_k p(y_k | x, |S|, {y_1 … y_{k−1}})

(Mossina & Rachelson 2017, Sec. 3.4). A set may be picked in any order, so its probability is the
sum over orders; (1) then sums to one. Kinds say how labels are picked; what follows is here.

Of few labels it is a table of all sets, and every answer is exact. Beyond, sampling is exact; the
best sets are those of a beam, marginals come from samples, and sets of many labels get their
probability from sampled orders: `exactness` says so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best, distinct, select, stack
from jointbayes.inference.logs import log_sum
from jointbayes.inference.picking import CELLS
from jointbayes.inference.sampling import draw_codes
from jointbayes.posterior.cascade_table import all_sets
from jointbayes.posterior.known import Known, binary_marginals
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.reweighted import Power, reweigh

__all__ = ["ORDERS", "SetsBySize"]

T = TypeVar("T")

ORDERS = 32
"""Orders drawn for each set that is too large for its orders to be summed."""

DRAWS = 256
"""Sets drawn for each row where sums over all of them are estimated."""

SIZES = 4
"""Sizes that a beam tries, the most probable ones of each row."""


class SetsBySize(Posterior):
    """What the kinds share; each is a frozen dataclass that has these among its fields.

    Parameters
    ----------
    log_size
        (n, d + 1) log P(M = m | x), normalised.
    width
        Of the beam, where sets are too many to list.
    known
        The labels that are known; None if none is.
    """

    log_size: Floats
    width: int
    known: Known | None

    @property
    @abstractmethod
    def _listed(self) -> bool:
        """Whether all sets are listed."""

    @property
    @abstractmethod
    def _summed(self) -> int:
        """Most labels of a set whose orders are summed."""

    @property
    @abstractmethod
    def _cells(self) -> int:
        """How many numbers are held for each row while all its sets are weighed."""

    @abstractmethod
    def pick(self, size: Labels) -> Labels:
        """Return the (n, d) sets of given sizes that the greedy Algorithm 2 picks."""

    @abstractmethod
    def _widened(self, at: Labels, m: int, width: int) -> Best:
        """Return the best sets of m labels of some rows that a beam finds, and log p of orders."""

    @abstractmethod
    def _picked(
        self, row: Labels, m: Labels, known: Labels, rng: np.random.Generator
    ) -> tuple[Labels, Floats]:
        """Draw a set of m labels for each of some rows; return it and its log-weight."""

    @abstractmethod
    def _of_orders(self, row: Labels, codes: Labels) -> Floats:
        """Return the logarithm of the sum in (1) for one set for each of some rows."""

    @abstractmethod
    def _weigh_all(self) -> Floats:
        """Return (n, 2^d) the logarithm of (1) for all sets, in the order of their vectors."""

    @abstractmethod
    def _of_rows(self, index: Rows) -> dict[str, Any]:
        """Return the fields that are not those above, of some of the rows."""

    def _with(self, **changes: Any) -> Self:
        same: Any = self  # a dataclass, as all kinds are
        changed: Self = replace(same, **changes)
        return changed

    def __len__(self) -> int:
        return len(self.log_size)

    def best_of(self, width: int) -> Labels:
        """Return the (n, d) sets of largest posterior that a beam finds, none below greedy ones."""
        found = []
        for part in self._blocks(8 * width * len(self.space)):
            codes = part.sets(width)
            found.append(codes[np.arange(len(part)), part._log_prob(codes).argmax(axis=1)])
        return np.concatenate(found)

    def without_empty(self) -> Self:
        """Return the cascade of the sets that have labels, up to a constant."""
        log_size = self.log_size.copy()
        log_size[:, 0] = -np.inf
        log_size[np.isneginf(log_size).all(axis=1), 1] = 0.0  # only the empty set was ever seen
        return self._with(log_size=log_size)

    def sets(self, width: int) -> Labels:
        """Return (n, m, d) sets: the greedy one of the likeliest size, then those of a beam."""
        greedy = self.pick(self.log_size.argmax(axis=1))[:, None]
        tried = np.argsort(-self.log_size, axis=1, kind="stable")[:, : min(width, SIZES)]
        codes = np.repeat(greedy, width * tried.shape[1], axis=1)
        log_p = np.full(codes.shape[:2], -np.inf)  # of the orders that the beam has followed
        for place, sizes in enumerate(tried.T):
            for m in np.unique(sizes).tolist():
                at = np.flatnonzero((sizes == m) & (self.log_size[:, m] > -np.inf))
                if len(at):
                    found, p = self._widened(at, m, width)
                    here = slice(place * width, place * width + found.shape[1])
                    codes[at, here], log_p[at, here] = found, self.log_size[at, m, None] + p
        best = np.argsort(-log_p, axis=1, kind="stable")[:, : 2 * width]
        return np.concatenate([greedy, np.take_along_axis(codes, best[:, :, None], axis=1)], axis=1)

    def _table(self) -> Listed:
        """Return the listed posterior of the rows, which are to be few."""
        table = Listed(all_sets(len(self.space)), self._weigh_all(), self.space)
        return table if self.known is None else table._given(self.known.codes)

    def _by_table(self, ask: Callable[[Listed], T]) -> list[T]:
        return [ask(part._table()) for part in self._parts()]

    def _parts(self) -> Iterator[Self]:
        """Cut the rows so that their tables stay small."""
        return self._blocks(self._cells)

    def _log_prob(self, codes: Labels) -> Floats:
        n, k, d = codes.shape
        row, flat = np.repeat(np.arange(n), k), codes.reshape(n * k, d)
        log_p = self._of_orders(row, flat) + self.log_size[row, flat.sum(axis=1)]
        if self.known is None:
            return np.asarray(log_p.reshape(n, k))
        evidence = self._with(known=None)._evidence(self.known.codes)
        log_p = log_p.reshape(n, k) - evidence[:, None]
        return np.where(self.known.agrees(codes), log_p, -np.inf)

    def _best(self, k: int) -> Best:
        if self._listed:
            return stack(self._by_table(lambda table: table._best(k)))
        width = max(self.width, k)
        return stack(part._beam(k, width) for part in self._blocks(8 * width * len(self.space)))

    def _beam(self, k: int, width: int) -> Best:
        if self.known is None:
            codes = self.sets(width)
        else:
            codes = self._drawn(max(k, 64), np.random.default_rng(0))[0].swapaxes(0, 1)
        return select(codes, distinct(codes, self._log_prob(codes)), k)

    def _drawn(self, draws: int, rng: np.random.Generator) -> tuple[Labels, Floats]:
        """Return (draws, n, d) sets and the (draws, n) log-weights of what is known."""
        n, d = len(self), len(self.space)
        known = np.full((n, d), -1) if self.known is None else self.known.codes
        least, most = (known == 1).sum(axis=1), d - (known == 0).sum(axis=1)
        sizes = np.arange(d + 1)
        possible = (sizes >= least[:, None]) & (sizes <= most[:, None])
        p = np.where(possible, np.exp(self.log_size), 0.0)
        with np.errstate(divide="ignore"):
            mass = np.log(p.sum(axis=1))
        codes, log_w = np.empty((draws, n, d), dtype=np.intp), np.empty((draws, n))
        step = max(1, CELLS // max(n * d, 1))
        for start in range(0, draws, step):
            count = min(step, draws - start)
            row = np.tile(np.arange(n), count)
            m = np.clip(draw_codes(p[row], rng.random(len(row))), least[row], most[row])
            drawn, w = self._picked(row, m, known[row], rng)
            codes[start : start + count] = drawn.reshape(count, n, d)
            log_w[start : start + count] = mass + w.reshape(count, n)
        return codes, log_w

    def _weighted(self) -> tuple[Labels, Floats]:
        """Return (n, draws, d) sets and their (n, draws) weights, which sum to one."""
        codes, log_w = self._drawn(DRAWS, np.random.default_rng(0))
        w = np.exp(log_w - log_w.max(axis=0))
        return codes.swapaxes(0, 1), (w / w.sum(axis=0)).T

    def _marginals(self) -> list[Floats]:
        if self._listed:
            parts = self._by_table(lambda table: table._marginals())
            return [np.concatenate(each) for each in zip(*parts, strict=True)]
        codes, w = self._weighted()
        return binary_marginals(np.einsum("nk,nkd->nd", w, codes), self.known)

    def _sizes(self) -> Floats:
        if self._listed:
            return np.concatenate(self._by_table(lambda table: table._sizes()))
        codes, w = self._weighted()
        of_size = w[:, :, None] * (codes.sum(axis=2)[:, :, None] == np.arange(len(self.space) + 1))
        found: Floats = np.einsum("nkd,nkm->ndm", codes, of_size)
        return found

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        if self.known is None or not size:
            return self._drawn(size, rng)[0]
        if self._listed:
            d = len(self.space)  # the parts, and so the draws of a seed, are the same everywhere
            parts = [p._table()._sample(size, rng) for p in self._blocks(4 * (d + 1) << d)]
            return np.concatenate(parts, axis=1)
        codes, w = self._weighted()
        chosen = draw_codes(w[None], rng.random((size, len(self))))
        return codes[np.arange(len(self)), chosen]

    def _evidence(self, known: Labels) -> Floats:
        if self._listed:
            start, found = 0, []
            for part in self._parts():
                found.append(part._table()._evidence(known[start : start + len(part)]))
                start += len(part)
            return np.concatenate(found)
        both = self._given(known)._drawn(DRAWS, np.random.default_rng(0))[1]
        log_p: Floats = log_sum(both, axis=0) - np.log(DRAWS)
        if self.known is None:
            return log_p
        before = self._with(known=None)._evidence(self.known.codes)
        return self.known.refuse_clash(known, log_p - before)

    def _given(self, known: Labels) -> Self:
        return self._with(known=Known(known) if self.known is None else self.known.also(known))

    def _rows(self, index: Rows) -> Self:
        known = None if self.known is None else self.known.rows(index)
        return self._with(log_size=self.log_size[index], known=known, **self._of_rows(index))

    def _power(self, t: float) -> Posterior:
        return reweigh(self, Power(t))

    def _every(self) -> tuple[Labels, Floats]:
        return self._table()._every()

    def gap(self) -> Floats:
        """Bound by how much a set can beat ``map()``: by what the others have in all."""
        if self._listed:
            return np.zeros(len(self))
        codes, log_p = self._best(1)
        p = np.exp(log_p[:, 0])
        with np.errstate(divide="ignore"):
            bound = np.maximum(np.log1p(-np.minimum(p, 1.0)) - np.log(p), 0.0)
        return np.where(
            codes[:, 0].sum(axis=1) > self._summed, np.inf, bound
        )  # nothing is proven there

    def _inexact(self) -> dict[str, str]:
        queries = ("map", "top_k", "marginals", "log_prob", "sizes")
        asked = queries if self.known is None else (*queries, "sample")
        return {} if self._listed else dict.fromkeys(asked, "approximate")
