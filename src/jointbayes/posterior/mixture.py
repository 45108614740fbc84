"""Mixture: P(y | x) = Σ_m w_m P_m(y | x), posteriors of the same labels averaged.

Sums pass through: log-probabilities, marginals, sizes and samples come from the members. The best
vector does not. Up to 2^12 vectors all are compared; beyond, the K best of every member are, and a
vector outside these lists has at most Σ_m w_m P_m(K-th best of m): once the k-th best found reaches
that bound, the k best are proven (the threshold algorithm of Fagin, Lotem & Naor, 2003). K grows
for the rows that lack a proof, up to a limit, which is low where a member lists the best that it
found and proves nothing; what is left unproven is said (`exactness`, `gap`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.budgets import ENUMERATED_LABELS
from jointbayes.errors import DataError, ParameterError
from jointbayes.inference.lists import Best, count_vectors, distinct, select, stack
from jointbayes.inference.logs import log_normalize, log_sum
from jointbayes.inference.sampling import draw_codes
from jointbayes.labels import LabelSpace
from jointbayes.posterior.chain import Chain
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.product import least_exact
from jointbayes.posterior.reweighted import Power, conditioned, reweigh

__all__ = ["Mixture", "mix"]


FIRST, LONGEST, UNPROVEN = 8, 512, 32
"""Lengths of the members' lists where the search for a proof begins and ends; and where it ends if
one of them proves nothing."""

ROUNDING = 1e-12
"""What sums of probabilities may be off by: no proof is built on less."""


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(Posterior):
    """A weighted average of posteriors over the same labels and rows.

    Parameters
    ----------
    parts
        The members.
    log_w
        Their (n, members) log-weights on each row, normalised.
    space
        Names and values of the class variables.

    Examples
    --------
    Two members that are sure of opposite vectors: their mean knows that the labels agree.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior.independent import Independent
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> low, high = np.log([[0.9, 0.1]]), np.log([[0.1, 0.9]])
    >>> post = mix([Independent([low, low], space), Independent([high, high], space)])
    >>> np.exp(post.log_prob([[0, 0]])).round(2).tolist(), post.marginals()[0].tolist()
    ([0.41], [[0.5, 0.5]])
    >>> post.given({"y0": 1}).map().tolist()
    [[1, 1]]
    """

    parts: Sequence[Posterior]
    log_w: Floats
    space: LabelSpace

    def __post_init__(self) -> None:
        if {part.space.names for part in self.parts} != {self.space.names}:
            raise DataError("the members of a mixture must hold the same labels in the same order")
        rows = {len(part) for part in self.parts}
        if rows != {len(self)} or self.log_w.shape[1] != len(self.parts):
            raise DataError(
                f"log_w has shape {self.log_w.shape}; it needs a column for each of the "
                f"{len(self.parts)} members, which have {sorted(rows)} rows"
            )

    def __len__(self) -> int:
        return len(self.log_w)

    def _log_prob(self, codes: Labels) -> Floats:
        terms = [w[:, None] + p._log_prob(codes) for p, w in self._each()]
        total: Floats = log_sum(np.stack(terms), axis=0)
        return total

    def _marginals(self) -> list[Floats]:
        members = [[np.exp(w)[:, None] * q for q in p._marginals()] for p, w in self._each()]
        return [np.sum(each, axis=0) for each in zip(*members, strict=True)]

    def _sizes(self) -> Floats:
        total = np.zeros((len(self), len(self.space), len(self.space) + 1))
        for part, w in self._each():
            total += np.exp(w)[:, None, None] * part._sizes()
        return total

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        member = draw_codes(np.exp(self.log_w), rng.random((size, len(self))))
        out = np.empty((size, len(self), len(self.space)), dtype=np.intp)
        for m, part in enumerate(self.parts):
            out = np.where((member == m)[:, :, None], part._sample(size, rng), out)
        return out

    def _evidence(self, known: Labels) -> Floats:
        terms = [w + part._evidence(known) for part, w in self._each()]
        total: Floats = log_sum(np.stack(terms), axis=0)
        return total

    def _given(self, known: Labels) -> Mixture:
        parts, log_p = zip(*(conditioned(part, known) for part in self.parts), strict=True)
        log_w = self.log_w + np.stack(log_p, axis=1)
        return Mixture(parts, log_normalize(log_w), self.space)

    def _power(self, t: float) -> Posterior:
        return reweigh(self, Power(t))

    def _rows(self, index: Rows) -> Mixture:
        return Mixture([part._rows(index) for part in self.parts], self.log_w[index], self.space)

    def _best(self, k: int) -> Best:
        codes, log_p, _ = self._proven if k == 1 else self._search(k)
        return codes.copy(), log_p.copy()

    def gap(self) -> Floats:
        """Bound by how much a vector outside the lists can beat ``map()``."""
        return self._proven[2].copy()

    @cached_property
    def _proven(self) -> tuple[Labels, Floats, Floats]:
        return self._search(1)

    def _search(self, k: int) -> tuple[Labels, Floats, Floats]:
        """Return the k best with, for each row, a bound on what the list may lack (0 = proven)."""
        if self._enumerable:
            cells = count_vectors(self.space.cards)
            best = stack(_enumerate(part, k) for part in self._blocks(cells * len(self.parts)))
            return *best, np.zeros(len(self))
        length = max(k, FIRST)
        codes, log_p, bound = self._candidates(k, length)
        rows = np.flatnonzero(bound > log_p[:, -1])
        longest = LONGEST if _proves(self) else UNPROVEN
        while rows.size and length < longest:
            length *= 4
            codes[rows], log_p[rows], bound[rows] = self._rows(rows)._candidates(k, length)
            rows = rows[bound[rows] > log_p[rows, -1]]
        if rows.size and count_vectors(self.space.cards) <= min(map(_quickly_listed, self.parts)):
            cells = len(self.parts) * count_vectors(self.space.cards)
            best = stack(_enumerate(part, k) for part in self._rows(rows)._blocks(cells))
            codes[rows], log_p[rows], bound[rows] = *best, -np.inf
        return codes, log_p, np.where(bound > log_p[:, -1], bound - log_p[:, 0], 0.0)

    def _candidates(self, k: int, length: int) -> tuple[Labels, Floats, Floats]:
        cells = len(self.parts) * length * len(self.space)
        found = [part._compare_lists(k, length) for part in self._blocks(cells)]
        codes, log_p, bound = map(np.concatenate, zip(*found, strict=True))
        return codes, log_p, bound

    def _compare_lists(self, k: int, length: int) -> tuple[Labels, Floats, Floats]:
        """Return the k best of the members' lists and a bound on log P of any other vector."""
        lists = [_ranked(part, length) for part in self.parts]
        codes = np.concatenate([codes for codes, _, _ in lists], axis=1)
        log_p = distinct(codes, self._log_prob(codes))
        last = [w + rest for (_, _, rest), w in zip(lists, self.log_w.T, strict=True)]
        # What the found vectors leave over bounds the others too, whatever the members promise.
        left = np.log(np.maximum(1 - np.exp(log_p).sum(axis=1), ROUNDING))
        bound = np.minimum(left, log_sum(np.stack(last), axis=0))
        return *select(codes, log_p, k), bound

    @property
    def _enumerable(self) -> bool:
        return count_vectors(self.space.cards) <= 1 << ENUMERATED_LABELS

    def _every(self) -> tuple[Labels, Floats]:
        if not all(isinstance(part, Chain) for part in self.parts):
            return super()._every()
        found = [(*part._every(), w[:, None]) for part, w in self._each()]  # all in one order
        log_p: Floats = log_sum(np.stack([own + w for _, own, w in found]), axis=0)
        return found[0][0], log_p

    def _inexact(self) -> dict[str, str]:
        words = least_exact(self.parts)
        if self._enumerable:
            return words | {"map": words["log_prob"], "top_k": words["log_prob"]}
        return words | {"map": "bounded" if self.gap().any() else "exact", "top_k": "bounded"}

    def _each(self) -> list[tuple[Posterior, Floats]]:
        return list(zip(self.parts, self.log_w.T, strict=True))


def mix(parts: Sequence[Posterior], weights: Sequence[float] | None = None) -> Mixture:
    """Mix posteriors of the same rows with one weight each; equal ones if none are given."""
    w = np.ones(len(parts)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not (w >= 0).all() or not 0 < w.sum() < np.inf:
        raise ParameterError(f"weights={list(w)}: give finite ones, none negative, not all 0")
    with np.errstate(divide="ignore"):
        log_w = np.log(w / w.sum())
    return Mixture(parts, np.tile(log_w, (len(parts[0]), 1)), parts[0].space)


def _enumerate(post: Posterior, k: int) -> Best:
    codes, log_p = post._every()
    if k == 1:  # the first of equal ones, as in a stable sort
        best = log_p.argmax(axis=1)
        return codes[best][:, None], np.take_along_axis(log_p, best[:, None], axis=1)
    order = np.argsort(-log_p, axis=1, kind="stable")[:, :k]
    return codes[order], np.take_along_axis(log_p, order, axis=1)


def _proves(part: Posterior) -> bool:
    """Return whether the best vectors that a posterior lists are known to be the best."""
    if isinstance(part, Mixture):
        return all(map(_proves, part.parts))
    return part.exactness["top_k"] != "approximate"


def _ranked(part: Posterior, k: int) -> tuple[Labels, Floats, Floats]:
    """Return a member's k best, or fewer, and the log-probability (n,) that no other exceeds."""
    if isinstance(part, Chain):
        return part.ranked(k)
    codes, log_p = part._best(k)
    if log_p.shape[1] < k:
        return codes, log_p, np.full(len(part), -np.inf)
    exact = part.exactness["top_k"] == "exact"
    return codes, log_p, log_p[:, -1] if exact else np.zeros(len(part))


def _quickly_listed(part: Posterior) -> int:
    return part.quickly_listed if isinstance(part, Chain) else 1 << ENUMERATED_LABELS
