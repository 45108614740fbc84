"""All sets of a few labels, with the probability that a cascade gives each; see `cascade`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from jointbayes import _kernels
from jointbayes._kernels import COMPILED
from jointbayes.arrays import Floats, Labels
from jointbayes.inference.lists import Best, vectors
from jointbayes.inference.picking import kernels_for
from jointbayes.threads import n_threads

__all__ = ["all_sets", "best_sets", "cells_of_row", "marginals_of_sets", "weigh_all_sets"]

UNNOTICED = 40.0
"""Sizes by so much less likely, in logarithms, than the likeliest add nothing to a sum."""


@lru_cache(maxsize=4)
def all_sets(d: int) -> Labels:
    """Return the (2^d, d) sets in the order of their vectors; nobody may write to them.

    >>> all_sets(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    found = vectors((2,) * d, 1 << d)
    found.flags.writeable = False
    return found


def weigh_all_sets(
    log_size: Floats, base: Floats, by_size: Floats, together: Floats, n_jobs: int | None
) -> Floats:
    """Return (n, 2^d) log-probabilities of all sets, in the order of their vectors.

    >>> size, alike = np.log([[0.2, 0.6, 0.2]]), np.where(np.eye(2), -np.inf, 0.0)
    >>> np.exp(weigh_all_sets(size, np.zeros((1, 2)), np.zeros((3, 2)), alike, 1)).round(6).tolist()
    [[0.2, 0.3, 0.3, 0.2]]
    """
    found: Floats = _kernel("sum_orders_of_all_sets", log_size, base, by_size, together, n_jobs)
    return found


def best_sets(
    log_size: Floats, base: Floats, by_size: Floats, together: Floats, n_jobs: int | None
) -> Best:
    """Return (n, 1, d), the best set of each row, the lowest of ties, and (n, 1) log-probabilities.

    >>> size, alike = np.log([[0.3, 0.5, 0.2]]), np.where(np.eye(2), -np.inf, 0.0)
    >>> best, log_p = best_sets(size, np.log([[0.2, 0.8]]), np.zeros((3, 2)), alike, 1)
    >>> best.tolist(), np.exp(log_p).round(6).tolist()
    ([[[0, 1]]], [[0.4]])
    """
    arrays = log_size, base, by_size, together
    number, log_p = _kernel("sum_orders_of_best_set", *arrays, n_jobs)
    return number[:, None, None] >> np.arange(base.shape[1])[::-1] & 1, log_p[:, None]


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
    found: Floats = _kernel("sum_orders_by_label", likely, base, by_size, together, n_jobs)
    return found


def _kernel(
    name: str,
    log_size: Floats,
    base: Floats,
    by_size: Floats,
    together: Floats,
    n_jobs: int | None,
) -> Any:
    """Let a kernel sum orders, or its definition where scores are far apart."""
    arrays = (np.ascontiguousarray(a) for a in (log_size, base, by_size, together))
    kernel = getattr(kernels_for(base, by_size, together), name)
    return kernel(*arrays, n_threads(n_jobs, len(log_size) * log_size.shape[1]))
