r"""Chains of logistic regressions of binary labels, by definition.

Label t of a row has log-odds that every relevant label before it moves,

(1)  z_t = base_t + Σ_{s < t} y_s links_{s t},   P(y_t = 1 | y_1 … y_{t−1}) = 1 / (1 + exp(−z_t)).

Once y_1 … y_{t−1} are chosen, the labels from t on can move z_s by no less than the sum of the
negative and no more than the sum of the positive links between them, so that the label s adds to
log P at most

(2)  −log(1 + exp(−max(most, −least))),   least ≤ z_s ≤ most,

and a prefix whose own log P and these bounds are below the k-th best vector found is let go. A
label that is ``fixed`` to 0 or 1 (−1: is free) takes that value with the probability (1) has for
it; the others are impossible.
"""

from __future__ import annotations

from heapq import heappush, heappushpop
from time import perf_counter
from typing import Any

import numpy as np

from jointbayes._kernels.arguments import array, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["chain_all", "chain_best", "chain_log_prob", "chain_sums", "chain_walk"]

MATRIX, CODES = array("float64", axes=2), array("int64", axes=2)
ROUNDING = 1e-12


@takes(base=MATRIX, links=MATRIX, fixed=CODES)
def chain_best(
    base: Floats,
    links: Floats,
    fixed: Ints,
    k: int,
    most: int,
    seconds: float,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[Ints, Floats, Floats, Ints]:
    """Return the k best vectors of each row: a search that looks at ``most`` prefixes or longer.

    Returns (n, k, d) codes and (n, k) log P, best first, −inf where fewer were found; (n,) what no
    other vector exceeds, −inf if nothing was left out; (n,) prefixes that were looked at.
    """
    (n, d), links = base.shape, np.triu(links, 1)
    codes, log_p = np.zeros((n, k, d), dtype=np.int64), np.full((n, k), -np.inf)
    bound, visited = np.full(n, -np.inf), np.zeros(n, dtype=np.int64)
    for row in range(n):
        search = _Descending(links, fixed[row], k, most, perf_counter() + seconds)
        search.descend(base[row], (), 0.0)
        for i, (p, y) in enumerate(sorted(search.found, key=lambda f: -f[0])):
            codes[row, i], log_p[row, i] = y, p
        bound[row], visited[row] = search.bound, search.visited
    return codes, log_p, bound, visited


class _Descending:
    def __init__(self, links: Floats, fixed: Ints, k: int, most: int, end: float) -> None:
        self.links, self.fixed, self.k, self.most, self.end = links, fixed, k, most, end
        self.found: list[tuple[float, tuple[int, ...]]] = []
        self.bound, self.visited = -np.inf, 0

    def descend(self, z: Floats, before: tuple[int, ...], log_p: float) -> None:
        t = len(before)
        if t == len(z):
            push: Any = heappush if len(self.found) < self.k else heappushpop
            push(self.found, (log_p, before))
            return
        over = self.visited >= self.most or perf_counter() > self.end
        self.visited += 1
        children = []
        for value in (0, 1):
            if self.fixed[t] in (-1, value):
                own, moved = log_p + float(_log_p(z[t], value)), z + value * self.links[t]
                children.append((own + self._ahead(moved, t + 1), own, moved, value))
        for bound, own, moved, value in sorted(children, key=lambda child: -child[0]):
            full = len(self.found) == self.k
            if full and bound <= self.found[0][0] + ROUNDING:
                continue
            if over and self.found:
                self.bound = max(self.bound, bound)
                continue
            self.descend(moved, (*before, value), own)

    def _ahead(self, z: Floats, t: int) -> float:
        rest = self.links[t:, t:]
        least = z[t:] + np.minimum(rest, 0).sum(axis=0)
        most = z[t:] + np.maximum(rest, 0).sum(axis=0)
        either = np.maximum(most, -least)
        at_best = np.where(self.fixed[t:] < 0, either, np.where(self.fixed[t:] == 1, most, -least))
        return float(-np.logaddexp(0.0, -at_best).sum())  # (2)


@takes(base=MATRIX, links=MATRIX, fixed=CODES)
def chain_all(
    base: Floats,
    links: Floats,
    fixed: Ints,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return (n, 2^d), log P of all vectors in order; the first label is the highest bit."""
    n, d = base.shape
    numbers = np.arange(1 << d)[:, None] >> np.arange(d)[::-1]
    codes = np.tile(numbers & 1, (n, 1)).astype(np.int64)
    log_p = _sums(base, links, codes, 1 << d).reshape(n, 1 << d)
    wrong = (fixed[:, None] >= 0) & (fixed[:, None] != codes[: 1 << d])
    return np.where(wrong.any(axis=2), -np.inf, log_p)


@takes(base=MATRIX, links=MATRIX, fixed=CODES)
def chain_sums(
    base: Floats,
    links: Floats,
    fixed: Ints,
    n_threads: int,
) -> tuple[Floats, Floats]:
    """Return (n,) the probability of what is fixed, and (n, d, d + 1) that of each label and size.

    The latter is that of vectors in which the label is relevant and so many labels are.
    """
    d = base.shape[1]
    p = np.exp(chain_all(base, links, fixed, n_threads))
    codes = (np.arange(1 << d)[:, None] >> np.arange(d)[::-1]) & 1
    of_size = codes.sum(axis=1)[:, None] == np.arange(d + 1)
    return p.sum(axis=1), np.einsum("nm,md,ms->nds", p, codes, of_size)


@takes(base=MATRIX, links=MATRIX, codes=CODES)
def chain_log_prob(
    base: Floats,
    links: Floats,
    codes: Ints,
    each: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return (n · each,), log P of ``each`` vectors of every row, those of a row together."""
    return _sums(base, links, codes, each)


@takes(base=MATRIX, links=MATRIX, fixed=CODES, uniform=array("float64", axes=3))
def chain_walk(
    base: Floats,
    links: Floats,
    fixed: Ints,
    uniform: Floats,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[Ints, Floats, Floats]:
    """Draw vectors label by label, from (size, n, d) or (size, 1, d) uniform numbers.

    Returns (size, n, d) codes, the (size, n) log-probability that the steps left to what is fixed,
    and the (n, d) mean probabilities of relevance along the way.
    """
    size, (n, d) = len(uniform), base.shape
    codes = np.zeros((size, n, d), dtype=np.int64)
    importance, means = np.zeros((size, n)), np.zeros((n, d))
    for t in range(d):
        z = base[:, t] + codes[:, :, :t] @ links[:t, t]
        none, one = np.exp(_log_p(z, 0)), np.exp(_log_p(z, 1))
        known = fixed[:, t]
        drawn = uniform[:, :, t] * (none + one) >= none
        codes[:, :, t] = np.where(known < 0, drawn, known)
        importance += np.where(known < 0, 0.0, _log_p(z, known))
        means[:, t] = np.where(known == 0, 0.0, one).sum(axis=0) / max(size, 1)
    return codes, importance, means


def _log_p(z: Any, value: Any) -> Any:
    return -np.logaddexp(0.0, np.where(value, -z, z))  # (1)


def _sums(base: Floats, links: Floats, codes: Ints, each: int) -> Floats:
    z = np.repeat(base, each, axis=0) + codes @ np.triu(links, 1)
    return np.asarray(_log_p(z, codes).sum(axis=1))
