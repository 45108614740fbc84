"""All sets of a few labels, with the probability that a cascade gives each; see `cascade`."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from jointbayes import _kernels
from jointbayes._kernels import COMPILED
from jointbayes.arrays import Floats
from jointbayes.inference.lists import vectors
from jointbayes.inference.picking import kernels_for
from jointbayes.threads import n_threads

__all__ = ["cells_of_row", "marginals_of_sets", "weigh_all_sets"]

UNNOTICED = 40.0
"""Sizes by so much less likely, in logarithms, than the likeliest add nothing to a sum."""


def weigh_all_sets(
    log_size: Floats, base: Floats, by_size: Floats, together: Floats, n_jobs: int | None
) -> Floats:
    """Return (n, 2^d) log-probabilities of all sets, in the order of their vectors.

    >>> size, alike = np.log([[0.2, 0.6, 0.2]]), np.where(np.eye(2), -np.inf, 0.0)
    >>> np.exp(weigh_all_sets(size, np.zeros((1, 2)), np.zeros((3, 2)), alike, 1)).round(6).tolist()
    [[0.2, 0.3, 0.3, 0.2]]
    """
    found: Floats = kernels_for(base, by_size, together).sum_orders_of_all_sets(
        np.ascontiguousarray(log_size),
        np.ascontiguousarray(base),
        np.ascontiguousarray(by_size),
        np.ascontiguousarray(together),
        n_threads(n_jobs),
    )
    return found


def cells_of_row(base: Floats, by_size: Floats, together: Floats) -> int:
    """Return how many numbers are held for each row while all its sets are weighed."""
    d: int = base.shape[1]
    by_kernel = COMPILED and kernels_for(base, by_size, together) is _kernels
    return (4 if by_kernel else 4 * (d + 1)) << d  # the definition looks at all labels of all sets


def marginals_of_sets(
    log_size: Floats, base: Floats, by_size: Floats, together: Floats, n_jobs: int | None
) -> Floats:
    """Return (n, 2 d), the probabilities that each label is not in the set, then that it is.

    >>> size, alike = np.log([[0.2, 0.6, 0.2]]), np.where(np.eye(2), -np.inf, 0.0)
    >>> marginals_of_sets(size, np.zeros((1, 2)), np.zeros((3, 2)), alike, 1).round(6).tolist()
    [[0.5, 0.5, 0.5, 0.5]]
    """
    least = log_size.max(axis=1, keepdims=True) - UNNOTICED
    likely = np.where(log_size < least, -np.inf, log_size)
    log_p = weigh_all_sets(likely, base, by_size, together, n_jobs)
    return np.asarray(np.exp(log_p) @ _lacking_and_holding(base.shape[1]))


@lru_cache(maxsize=1)
def _lacking_and_holding(d: int) -> Floats:
    """Return (2^d, 2 d) ones where a set lacks a label, and then where it holds one."""
    codes = vectors((2,) * d, 1 << d).astype(np.float64)
    return np.concatenate([1 - codes, codes], axis=1)
