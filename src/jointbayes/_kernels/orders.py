r"""Sums over the orders in which the labels of a set can be picked, by definition.

The cascade of Mossina & Rachelson (2017) picks label after label; F holds those picked so far:

(1)  p(y | F) ∝ exp(base_y + Σ_{y' ∈ F} together_{y' y}),   y ∉ F.

A set can be picked in any order, so its probability is a sum over orders, which a recursion over
its subsets adds up,

(2)  P(F) = Σ_{y ∈ F} P(F ∖ y) p(y | F ∖ y),   P(∅) = 1.

Where no label is possible any more, larger sets have probability 0.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from jointbayes._kernels.arguments import array, takes
from jointbayes.arrays import Floats, Ints

__all__ = [
    "sum_orders_by_label",
    "sum_orders_of_all_sets",
    "sum_orders_of_best_set",
    "sum_orders_of_sets",
]

MATRIX = array("float64", axes=2)


@takes(log_size=MATRIX, base=MATRIX, by_size=MATRIX, together=MATRIX)
def sum_orders_of_all_sets(
    log_size: Floats,
    base: Floats,
    by_size: Floats,
    together: Floats,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return (n, 2^d), log P(m) P(F) of every set F of d labels, m of them, for each row.

    ``log_size`` (n, d + 1) holds log P(m) and ``by_size`` (d + 1, d) what is added to the (n, d)
    ``base`` when m labels are to be picked; ``together`` is (d, d), its diagonal is not read.
    Number b is the set that holds label j if bit d − 1 − j of b is set.
    """
    d = base.shape[1]
    members = np.tile(np.arange(d), (len(base), 1))
    size = _subsets(d).sum(axis=1)
    out = np.full((len(base), 1 << d), -np.inf)
    for m in range(d + 1):
        rows, sets = np.flatnonzero(log_size[:, m] > -np.inf), np.flatnonzero(size == m)
        found = _sums(base[rows] + by_size[m], together, members[rows], m)
        out[np.ix_(rows, sets)] = log_size[rows, m, None] + found[:, sets]
    return out


@takes(log_size=MATRIX, base=MATRIX, by_size=MATRIX, together=MATRIX)
def sum_orders_of_best_set(
    log_size: Floats, base: Floats, by_size: Floats, together: Floats, n_threads: int
) -> tuple[Ints, Floats]:
    """Return (n,) numbers of the best sets, the lowest of ties, and their log P(m) P(F)."""
    log_p = sum_orders_of_all_sets(log_size, base, by_size, together, n_threads)
    best = log_p.argmax(axis=1).astype(np.int64)
    return best, np.take_along_axis(log_p, best[:, None], axis=1)[:, 0]


@takes(log_size=MATRIX, base=MATRIX, by_size=MATRIX, together=MATRIX)
def sum_orders_by_label(
    log_size: Floats, base: Floats, by_size: Floats, together: Floats, n_threads: int
) -> Floats:
    """Return (n, 2 d), what the sets that lack each label weigh, then those that hold it."""
    p = np.exp(sum_orders_of_all_sets(log_size, base, by_size, together, n_threads))
    held = _subsets(base.shape[1]).astype(np.float64)
    return np.concatenate([p @ (1 - held), p @ held], axis=1)


@takes(base=MATRIX, together=MATRIX, codes=array("int64", axes=2))
def sum_orders_of_sets(
    base: Floats,
    together: Floats,
    codes: Ints,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return (n,), log P(F) of one set for each row: the labels of code 1, none or more."""
    out, size = np.zeros(len(base)), codes.sum(axis=1)
    for s in np.unique(size[size > 0]).tolist():
        rows = np.flatnonzero(size == s)
        members = np.nonzero(codes[rows])[1].reshape(len(rows), s)
        out[rows] = _sums(base[rows], together, members, s)[:, -1]
    return out


def _sums(base: Floats, together: Floats, members: Ints, most: int) -> Floats:
    """Return (n, 2^s), log P of all subsets of up to ``most`` of the (n, s) members of each row."""
    n, s = members.shape
    held = _subsets(s)
    size, bit = held.sum(axis=1), 1 << np.arange(s)[::-1]
    links = np.where(np.eye(len(together)), 0.0, together)[members]  # (n, s, d)
    log_p = np.full((n, 1 << s), -np.inf)
    log_p[:, 0] = 0.0
    step = np.full((n, 1 << s, s), -np.inf)  # log p(y | F)
    for level in range(most + 1):
        sets = np.flatnonzero(size == level)
        if level:
            last = np.nonzero(held[sets])[1].reshape(len(sets), level)
            before = sets[:, None] - bit[last]
            log_p[:, sets] = _log_sum(log_p[:, before] + step[:, before, last])  # (2)
        score = np.repeat(base[:, None], len(sets), axis=1)
        for k in range(s):  # one by one, as 0 × −∞ is not 0
            score[:, held[sets, k] == 1] += links[:, k, None]
        row, subset, place = np.nonzero(np.broadcast_to(held[sets], (n, len(sets), s)))
        score[row, subset, members[row, place]] = -np.inf
        total = _log_sum(score)
        own = np.take_along_axis(score, np.repeat(members[:, None], len(sets), axis=1), axis=2)
        step[:, sets] = own - np.where(np.isneginf(total), 0.0, total)[:, :, None]  # (1)
    return log_p


def _log_sum(terms: Floats) -> Floats:
    """Return the logarithm of the sum of exponentials over the last axis; −inf of nothing."""
    top = terms.max(axis=-1, initial=-np.inf)
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(terms - top[..., None]).sum(axis=-1)) + top)


@lru_cache(maxsize=8)
def _subsets(s: int) -> Ints:
    """Return the (2^s, s) subsets of s things in the order of their number."""
    return (np.arange(1 << s)[:, None] >> np.arange(s)[::-1]) & 1
