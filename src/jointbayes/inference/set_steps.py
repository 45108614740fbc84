r"""Picking labels one by one where every step is asked for: the cascade of any classifiers.

A *step* gives log p(y | x, m, F) of all labels y for rows, the sizes m of their sets and the labels
F picked so far; those picked have −inf, and the others sum to one. What `picking` does with tables
of scores is done here with steps, for a set S of m labels (Mossina & Rachelson 2017, Sec. 3.4):

(1)  P(S | x, m) = P(S),   P(F) = Σ_{y ∈ F} P(F ∖ y) p(y | x, m, F ∖ y),   P(∅) = 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.inference.lists import Best, vectors
from jointbayes.inference.logs import log_sum
from jointbayes.inference.picking import CELLS, best_distinct
from jointbayes.inference.sampling import draw_codes

__all__ = ["Step", "asked_of", "grow", "pick_by_steps", "sum_orders", "sum_orders_of_all", "walk"]

Step = Callable[[Labels, Labels, Labels], Floats]
"""((m,) rows, (m,) sizes, (m, d) labels picked) → (m, d) log p of the label that is picked next."""


def pick_by_steps(step: Step, rows: Labels, size: Labels, d: int) -> Labels:
    """Return (n, d) sets of given sizes: always the best label.

    >>> step = lambda rows, sizes, F: np.where(F == 1, -np.inf, [[-2.0, -1.0, -1.5]])
    >>> pick_by_steps(step, np.array([0]), np.array([2]), 3).tolist()
    [[0, 1, 1]]
    """
    codes = np.zeros((len(rows), d), dtype=np.intp)
    for k in range(int(size.max(initial=0))):
        at = np.flatnonzero(size > k)
        codes[at, step(rows[at], size[at], codes[at]).argmax(axis=1)] = 1
    return codes


def walk(
    step: Step, rows: Labels, size: Labels, known: Labels, rng: np.random.Generator
) -> tuple[Labels, Floats]:
    """Draw one set for each row; return it with the log-weight of what is ``known``.

    Labels of code 0 are not picked, those of code 1 are picked in any case, −1 is not known. The
    mean of the weights is the probability of what is known.
    """
    codes, log_w = np.zeros(known.shape, dtype=np.intp), np.zeros(len(rows))
    for k in range(int(size.max(initial=0))):
        at = np.flatnonzero(size > k)
        must = (known[at] == 1) & (codes[at] == 0)
        allowed = known[at] != 0
        hurry = must.sum(axis=1) >= size[at] - k
        allowed[hurry] &= must[hurry]
        log_p = np.where(allowed, step(rows[at], size[at], codes[at]), -np.inf)
        mass = log_sum(log_p, axis=-1)
        log_w[at] += mass
        # Where nothing is allowed the weight is 0, and any label will do.
        p = np.exp(log_p - np.where(np.isneginf(mass), 0.0, mass)[:, None])
        codes[at, draw_codes(p, rng.random(len(at)))] = 1
    return codes, log_w


def grow(step: Step, rows: Labels, size: int, d: int, width: int) -> Best:
    """Grow the ``width`` best sets of every row to ``size`` labels; orders that meet are added up.

    Returns (n, w, d) codes and the (n, w) logarithm of the orders that were followed: less than the
    probability of the set, as orders that left the beam are missing.
    """
    n = len(rows)
    codes, log_p = np.zeros((n, 1, d), dtype=np.intp), np.zeros((n, 1))
    for _ in range(size):
        w = codes.shape[1]
        told = step(np.repeat(rows, w), np.full(n * w, size), codes.reshape(n * w, d))
        grown = (log_p[:, :, None] + told.reshape(n, w, d)).reshape(n, w * d)
        # Those that may meet are among the best few, or they hardly count.
        keep = min(4 * width, w * d)
        top = np.argpartition(-grown, keep - 1, axis=1)[:, :keep]
        parent, label = np.divmod(top, d)
        codes = np.take_along_axis(codes, parent[:, :, None], axis=1)
        np.put_along_axis(codes, label[:, :, None], 1, axis=2)
        log_p = np.take_along_axis(grown, top, axis=1)
        codes, log_p = best_distinct(codes, log_p, width)
    return codes, log_p


def sum_orders(step: Step, rows: Labels, codes: Labels, exact: int, draws: int) -> Floats:
    """Return (1) of one set for each row, (n,): exactly up to ``exact`` labels, else from draws.

    The mean over walks through the labels of the set is P(S) without bias.
    """
    out, size = np.zeros(len(rows)), codes.sum(axis=1)
    for m in np.unique(size[size > 0]).tolist():
        at = np.flatnonzero(size == m)
        for part in np.array_split(at, -(-len(at) * (codes.shape[1] << min(m, exact)) // CELLS)):
            if m <= exact:
                members = np.nonzero(codes[part])[1].reshape(len(part), m)
                out[part] = _sums(step, rows[part], members, m, codes.shape[1])[:, -1]
            else:
                out[part] = _mean_of_walks(step, rows[part], codes[part], draws)
    return out


def _mean_of_walks(step: Step, rows: Labels, codes: Labels, draws: int) -> Floats:
    rng, size = np.random.default_rng(0), codes.sum(axis=1)
    log_w = [walk(step, rows, size, codes, rng)[1] for _ in range(draws)]
    return np.asarray(log_sum(np.stack(log_w, axis=1), axis=-1) - np.log(draws))


def sum_orders_of_all(step: Step, rows: Labels, log_size: Floats) -> Floats:
    """Return (n, 2^d) log P(m) + (1) of all sets, in the order of their vectors.

    Sizes that are impossible in a row, by its (n, d + 1) ``log_size``, are not asked for.
    """
    d = log_size.shape[1] - 1
    out, size = np.full((len(rows), 1 << d), -np.inf), vectors((2,) * d, 1 << d).sum(axis=1)
    for m in range(d + 1):
        at, sets = np.flatnonzero(log_size[:, m] > -np.inf), np.flatnonzero(size == m)
        if len(at):
            found = _sums(step, rows[at], np.tile(np.arange(d), (len(at), 1)), m, d)
            out[np.ix_(at, sets)] = log_size[at, m, None] + found[:, sets]
    return out


def asked_of(sizes: Labels, d: int) -> int:
    """Return how many steps a row is asked for where all sets of some sizes are listed.

    >>> asked_of(np.array([0, 1, 2]), 4)
    6
    """
    size = vectors((2,) * d, 1 << d).sum(axis=1)
    return int(sum((size < m).sum() for m in sizes.tolist()))


def _sums(step: Step, rows: Labels, members: Labels, m: int, d: int) -> Floats:
    """Return (n, 2^s), the logarithm of (1) of all subsets of up to m of (n, s) members."""
    n, s = members.shape
    held = vectors((2,) * s, 1 << s)
    size, bit = held.sum(axis=1), 1 << np.arange(s)[::-1]
    log_p = np.full((n, 1 << s), -np.inf)
    log_p[:, 0] = 0.0
    for level in range(m):
        sets = np.flatnonzero(size == level)
        codes = np.zeros((n, len(sets), d), dtype=np.intp)
        place = np.broadcast_to(members[:, None], (n, len(sets), s))
        np.put_along_axis(codes, place, np.broadcast_to(held[sets], place.shape), axis=2)
        row = np.repeat(rows, len(sets))
        told = step(row, np.full(len(row), m), codes.reshape(len(row), d))
        own = np.take_along_axis(told.reshape(codes.shape), place, axis=2)
        for j in range(s):
            free = held[sets, j] == 0
            after = sets[free] + bit[j]
            grown = log_p[:, sets[free]] + own[:, free, j]
            log_p[:, after] = np.logaddexp(log_p[:, after], grown)
    return log_p
