"""Rows with labels that depend on each other and on the columns."""

from __future__ import annotations

import numpy as np


def dependent_rows(n: int, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, 3) columns and (n, d) labels, which copy the one before them half the time."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, d)) + rng.normal(size=(n, d)) > 0).astype(int)
    for j in range(1, d):
        copied = rng.random(n) < 0.5
        Y[copied, j] = Y[copied, j - 1]
    return X, Y


def every_vector(d: int) -> np.ndarray:
    """Return all (2^d, d) vectors of zeros and ones, the lowest first."""
    return np.array(list(np.ndindex(*(2,) * d)))
