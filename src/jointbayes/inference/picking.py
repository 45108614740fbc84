r"""Picking labels one by one: the cascade of Mossina & Rachelson (2017, Sec. 3.4).

Given a row and a size, the k-th label is drawn from

(1)  p(y | F) ∝ exp(base_y + Σ_{y' ∈ F} together_{y' y}),   y ∉ F,

where F holds the labels picked so far; ``base`` has one row for every set that is being built, and
the diagonal of ``together`` is −inf. The probability of a *set* is the sum over all orders in which
its labels can be picked, by a recursion over its subsets,

(2)  P(F) = Σ_{y ∈ F} P(F ∖ y) p(y | F ∖ y),   P(∅) = 1.

For large sets the sum is estimated from orders drawn among the labels of the set: the mean of
∏_k Σ_{y ∈ S ∖ F_k} p(y | F_k) is P(S) without bias.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes import _kernels
from jointbayes._kernels import orders
from jointbayes.arrays import Floats, Labels
from jointbayes.inference.logs import log_sum
from jointbayes.inference.sampling import draw_codes
from jointbayes.threads import n_threads

__all__ = [
    "best_distinct",
    "kernels_for",
    "log_prob_of_sets",
    "pick_greedily",
    "pick_randomly",
    "widen",
]


WIDEST = 1e7
"""Scores so far apart (in nats) that the kernel may take one for impossible; definitions do not."""

CELLS = 1 << 20
"""Scores that are held at once where many sets are built."""


def pick_greedily(base: Floats, together: Floats, size: Labels) -> Labels:
    """Return the (n, d) sets that Algorithm 2 picks: always the best label, ``size`` times.

    >>> base, together = np.log([[0.5, 0.3, 0.2]]), np.log(np.array([[1, 1, 9]] * 3) / 10)
    >>> pick_greedily(base, together, np.array([2])).tolist()
    [[1, 0, 1]]
    """
    order = np.argsort(-size, kind="stable")  # the rows still at work are the first ones
    left, scores = size[order], base[order]
    codes = np.zeros(base.shape, dtype=np.intp)
    for k in range(int(left[0]) if len(left) else 0):
        active = int(np.searchsorted(-left, -k, side="left"))
        pick = scores[:active].argmax(axis=1)
        codes[order[:active], pick] = 1
        scores[:active] += together[pick]
        scores[np.arange(active), pick] = -np.inf
    return codes


def pick_randomly(
    base: Floats, together: Floats, size: Labels, known: Labels, rng: np.random.Generator
) -> tuple[Labels, Floats]:
    """Draw one set for each row by (1); return it with the log-weight of what is ``known``.

    Labels of code 0 are not picked, those of code 1 are picked in any case, −1 is not known. The
    mean of the weights is the probability of what is known.
    """
    n = len(base)
    rows, scores, log_w = np.arange(n), base.copy(), np.zeros(n)
    codes, must = np.zeros(base.shape, dtype=np.intp), known == 1
    for k in range(int(size.max(initial=0))):
        at = rows[size > k]
        log_p = scores[at] - log_sum(scores[at], axis=1)[:, None]
        allowed = known[at] != 0
        hurry = (must[at] & (codes[at] == 0)).sum(axis=1) >= size[at] - k
        allowed[hurry] &= must[at][hurry]
        log_p = np.where(allowed, log_p, -np.inf)
        mass = log_sum(log_p, axis=-1)
        log_w[at] += mass
        # Where nothing is allowed the weight is 0, and any label will do.
        p = np.exp(log_p - np.where(np.isneginf(mass), 0.0, mass)[:, None])
        pick = draw_codes(p, rng.random(len(at)))
        codes[at, pick] = 1
        scores[at] += together[pick]
        scores[at, pick] = -np.inf
    return codes, log_w


def log_prob_of_sets(
    base: Floats,
    together: Floats,
    codes: Labels,
    exact: int,
    draws: int,
    n_jobs: int | None = 1,
) -> Floats:
    """Return (2) for one set of each row, (n,): exactly up to ``exact`` labels, else from draws."""
    out, size = np.zeros(len(base)), codes.sum(axis=1)
    few = np.flatnonzero(size <= exact)
    if len(few):
        sets = codes[few].astype(np.int64)
        scores, links = np.ascontiguousarray(base[few]), np.ascontiguousarray(together)
        kernel = kernels_for(scores, links).sum_orders_of_sets
        out[few] = kernel(scores, links, sets, n_threads(n_jobs))
    for s in np.unique(size[size > exact]).tolist():
        at = np.flatnonzero(size == s)
        out[at] = _sampled_orders(base[at], together, codes[at], draws)
    return out


def kernels_for(*scores: Floats) -> Any:
    """Return who sums orders: the kernels, or their definitions where scores are far apart.

    >>> kernels_for(np.array([0.0, -1e9])).__name__
    'jointbayes._kernels.orders'
    """
    finite = [part[np.isfinite(part)] for part in scores]
    apart = sum(float(np.ptp(part)) for part in finite if part.size)
    return orders if apart > WIDEST else _kernels


def _sampled_orders(base: Floats, together: Floats, codes: Labels, draws: int) -> Floats:
    """Return log P of one set of each row, from orders drawn within the set."""
    n, d = base.shape
    rng, step, log_w = np.random.default_rng(0), max(1, CELLS // (n * d)), []
    for start in range(0, draws, step):
        row = np.tile(np.arange(n), min(step, draws - start))
        size = codes[row].sum(axis=1)
        w = pick_randomly(base[row], together, size, codes[row], rng)[1]
        log_w.append(w.reshape(-1, n))
    return np.asarray(log_sum(np.concatenate(log_w).T, axis=-1) - np.log(draws))


def widen(base: Floats, together: Floats, size: int, width: int) -> tuple[Labels, Floats]:
    """Grow the ``width`` best sets of every row to ``size`` labels; orders that meet are added up.

    Returns (n, w, d) codes and the (n, w) logarithm of the orders that were followed: less than the
    probability of the set, as orders that left the beam are missing.
    """
    n, d = base.shape
    codes, log_p = np.zeros((n, 1, d), dtype=np.intp), np.zeros((n, 1))
    links = np.where(np.eye(d), 0.0, together)
    for _ in range(size):
        scores = np.where(codes == 1, -np.inf, base[:, None] + codes @ links)
        step = log_p[:, :, None] + scores - log_sum(scores, axis=-1)[:, :, None]
        # Those that may meet are among the best few, or they hardly count.
        keep = min(4 * width, step.shape[1] * d)
        top = np.argpartition(-step.reshape(n, -1), keep - 1, axis=1)[:, :keep]
        parent, label = np.divmod(top, d)
        codes = np.take_along_axis(codes, parent[:, :, None], axis=1)
        np.put_along_axis(codes, label[:, :, None], 1, axis=2)
        log_p = np.take_along_axis(step.reshape(n, -1), top, axis=1)
        codes, log_p = best_distinct(codes, log_p, width)
    return codes, log_p


def best_distinct(codes: Labels, log_p: Floats, width: int) -> tuple[Labels, Floats]:
    """Add up equal sets, and keep the ``width`` best of them."""
    order = np.lexsort(np.moveaxis(codes, 2, 0)[::-1], axis=1)
    codes = np.take_along_axis(codes, order[:, :, None], axis=1)
    log_p = np.take_along_axis(log_p, order, axis=1)
    for k in range(log_p.shape[1] - 1):
        same = (codes[:, k] == codes[:, k + 1]).all(axis=1)
        log_p[:, k + 1] = np.where(
            same, np.logaddexp(log_p[:, k], log_p[:, k + 1]), log_p[:, k + 1]
        )
        log_p[same, k] = -np.inf
    best = np.argsort(-log_p, axis=1, kind="stable")[:, :width]
    return (
        np.take_along_axis(codes, best[:, :, None], axis=1),
        np.take_along_axis(log_p, best, axis=1),
    )
