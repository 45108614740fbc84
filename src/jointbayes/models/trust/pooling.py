r"""Pooling: the weights of a mixture of posteriors that rows held out find most likely.

(1)  P(y | x) = Σ_m w_m P_m(y | x),   w maximises Σ_rows log P(y | x)

by expectation-maximisation: each round, w_m is the mean share of P_m in P. The likelihood never
falls, and has one maximum.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.inference.logs import log_sum

__all__ = ["LEAST", "mean_log", "pool_weights", "pooled_log_p", "prune"]

ROUNDS = 5000
"""Of expectation-maximisation, at most: log(m) / ROUNDS nats may then be lacking."""

TINY = 1e-300
"""Stands for a weight that has become 0."""

ENOUGH = 1e-5
"""The search ends when the mean log-likelihood cannot rise by more."""

LEAST = 0.02
"""Members of less weight are not worth their time."""


def pool_weights(log_p: Floats, weights: Weights = None, extra: float = 0.0) -> Floats:
    """Return the (m,) weights of (1).

    Parameters
    ----------
    log_p
        (n, m) log P_m of the labels of each row; some member calls them possible, in every row.
    weights
        (n,) of the rows; None for equal ones.
    extra
        Rows that each member has for itself beside, so that its weight is not 0.

    Examples
    --------
    Two members, each of which is right where the other is wrong, on three rows and on one:

    >>> right, wrong = np.log(0.9), np.log(0.1)
    >>> log_p = np.array([[right, wrong]] * 3 + [[wrong, right]])
    >>> pool_weights(log_p).round(3).tolist()
    [0.812, 0.188]
    """
    n, m = log_p.shape
    share = np.concatenate([np.ones(n) if weights is None else weights, np.full(m, extra)])
    share /= share.sum()
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    w = np.full(m, 1 / m)
    for _ in range(ROUNDS):
        slope = (share[:n] / (p @ w)) @ p + share[n:] / np.maximum(w, TINY)
        if slope.max() - 1 < ENOUGH:  # which the likelihood can rise by, at most
            break
        w *= slope
    return np.asarray(w / w.sum())


def prune(log_p: Floats, weights: Weights = None) -> Floats:
    """Return the weights of (1) among the members of at least the weight `LEAST`; others have 0.

    >>> log_p = np.log([[0.8, 0.001], [0.7, 0.001]])
    >>> prune(log_p).tolist()
    [1.0, 0.0]
    """
    kept = np.arange(log_p.shape[1])
    while True:
        w = pool_weights(log_p[:, kept], weights)
        strong = w >= LEAST
        if strong.all():
            out = np.zeros(log_p.shape[1])
            out[kept] = w / w.sum()
            return out
        # One at a time, the weakest first: what it leaves may lift another.
        kept = np.delete(kept, w.argmin())


def mean_log(log_p: Floats, weights: Weights = None) -> float:
    """Return the weighted mean."""
    return float(np.average(log_p, weights=weights))


def pooled_log_p(log_p: Floats, weights: Floats) -> Floats:
    """Return (n,) log P of (1)."""
    with np.errstate(divide="ignore"):
        total: Floats = log_sum(np.log(weights) + log_p, axis=1)
    return total
