r"""Concave quadratics over the unit box, one for each row, all by the same matrix.

(1)  maximise  g_i(y) = b_i'y − ½ y'W y   over y ∈ [0, 1]^q,   W positive semidefinite,

by coordinate ascent, all rows at once. As g_i is concave, any point y° proves a bound,

(2)  max g_i ≤ g_i(y°) + Σ_j max(0·s_j − y°_j s_j, s_j − y°_j s_j),   s = b_i − W y°,

which is tight at the maximum: where an answer is not, one knows by how much at most.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Mask

__all__ = ["ascend", "upper_bounds", "values_at"]

FLAT = 1e-12
"""A curvature below it is none: the coordinate goes to an end of the box."""


def values_at(W: Floats, b: Floats, y: Floats) -> Floats:
    """Return (n,) the values of (1)."""
    return np.asarray(((b - 0.5 * (y @ W)) * y).sum(axis=1))


def upper_bounds(W: Floats, b: Floats, y: Floats) -> Floats:
    """Return (n,) the bounds (2)."""
    slope = b - y @ W
    return np.asarray(values_at(W, b, y) + np.maximum(-y * slope, (1 - y) * slope).sum(axis=1))


def ascend(
    W: Floats, b: Floats, start: Floats, sweeps: int = 20, fixed: Mask | None = None
) -> Floats:
    """Return (n, q) points of the box, each at least as high as where it started.

    Parameters
    ----------
    W, b
        (q, q) and (n, q), of (1).
    start
        (n, q) points of the box.
    sweeps
        How often every coordinate is set to its best at most.
    fixed
        (n, q) which coordinates are to stay; none where None.

    Examples
    --------
    >>> W, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 0.5], [9.0, 9.0]])
    >>> ascend(W, b, np.zeros((2, 2))).round(6).tolist()
    [[0.5, 0.0], [1.0, 1.0]]
    """
    y, slope, curve = start.T.copy(), (b - start @ W).T.copy(), np.diag(W)
    for _ in range(sweeps):
        moved = 0.0
        for j in range(len(W)):
            if curve[j] > FLAT:
                new = np.clip(y[j] + slope[j] / curve[j], 0.0, 1.0)
            else:
                new = np.where(slope[j] > 0, 1.0, np.where(slope[j] < 0, 0.0, y[j]))
            step = new - y[j] if fixed is None else np.where(fixed[:, j], 0.0, new - y[j])
            moved = max(moved, float(np.abs(step).max(initial=0.0)))
            y[j] += step
            slope -= W[:, j, None] * step
        if moved < 1e-9:
            break
    return np.ascontiguousarray(y.T)
