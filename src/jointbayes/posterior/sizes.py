"""How many labels are relevant: distributions of sizes, as arrays over 0 … m relevant labels.

The size of a union of independent groups of labels is distributed as the convolution of theirs.
What the F-measure needs is P(Y_j = 1, |Y| = s) for every label j and size s: label j against *all
others*, and :func:`all_but_one` gives those others for every j at once by halving: O(d log d)
convolutions instead of d². Only sums of products of probabilities occur, so nothing cancels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["all_but_one", "convolve", "size_distribution"]

Floats = NDArray[np.float64]


def convolve(a: Floats, b: Floats) -> Floats:
    """Return the distribution of the sum of two independent sizes (last axis).

    >>> convolve(np.array([0.5, 0.5]), np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    if a.shape[-1] < b.shape[-1]:
        a, b = b, a
    m = a.shape[-1]
    lead = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    out = np.zeros((*lead, m + b.shape[-1] - 1))
    for s in range(b.shape[-1]):
        out[..., s : s + m] += a * b[..., s : s + 1]
    return out


def all_but_one(parts: Sequence[Floats], outside: Floats) -> list[Floats]:
    """Return, for each part, the convolution of ``outside`` with all the other parts.

    >>> coin = np.array([0.5, 0.5])
    >>> [rest.tolist() for rest in all_but_one([coin, coin, coin], np.ones(1))]
    [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]]
    """
    if len(parts) <= 1:
        return [outside] * len(parts)
    half = len(parts) // 2
    left, right = outside, outside
    for part in parts[half:]:
        left = convolve(left, part)
    for part in parts[:half]:
        right = convolve(right, part)
    return all_but_one(parts[:half], left) + all_but_one(parts[half:], right)


def size_distribution(sizes: Floats, p_empty: Floats) -> Floats:
    """Return P(|Y| = s) from P(Y_j = 1, |Y| = s): a set of size s is counted by its s labels.

    >>> size_distribution(np.array([[[0, 0.2, 0.3], [0, 0.4, 0.3]]]), np.array([0.1])).tolist()
    [[0.1, 0.6..., 0.3]]
    """
    d = sizes.shape[1]
    return np.concatenate(
        [p_empty[:, None], sizes.sum(axis=1)[:, 1:] / np.arange(1, d + 1)], axis=1
    )
