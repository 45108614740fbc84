r"""The max-margin metric of output codes (Zhang & Schneider 2012).

Codewords z = V'y are linear in the label vector, and so is what ridge regression predicts of them,
V'ŷ(x), if ŷ(x) is what it predicts of the labels. The predicted codeword should be nearer to that
of the true labels than to any other, by as many labels as the other has wrong. With the metric
Q = VV' and d_Q(a, b) = (a − b)'Q(a − b),

(1)  min_Q  ½ |Q|² + C/n Σ_i ξ_i   subject to   Q positive semidefinite and, for all i and y,
     d_Q(ŷ_i, y) − d_Q(ŷ_i, y_i) ≥ |y_i − y|₁ − ξ_i.

There are exponentially many y. Relaxed to y ∈ [0, 1]^q (*overgenerated*: more constraints than
needed), the one that is violated most is a concave maximum over a box, see `box`. So ξ_i is a
convex function of Q, and (1) is solved by cutting planes: the mean of ξ lies above the plane

(2)  ξ(Q) ≥ β_k + ⟨A_k, Q⟩,   β_k = mean |y_i − y|₁,
     A_k = mean (ŷ_i − y_i)(ŷ_i − y_i)' − (ŷ_i − y)(ŷ_i − y)'

of any y in the box, and the minimum over planes is the maximum of its dual over α ≥ 0, Σα = C,

(3)  Σ α_k β_k − ½ |Π(−Σ α_k A_k)|²,   Q = Π(−Σ α_k A_k),   Π onto the semidefinite matrices.

The value of (3) is a lower bound of (1), whatever α; by (2) of `box` there is an upper one. The
search ends when they meet within ``tol``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.learners.coding.box import ascend, upper_bounds

__all__ = ["MarginMetric", "learn_metric", "margin_objective"]

INNER_STEPS = 300
"""Steps of the dual search between two planes."""

KEPT_PLANES = 20
"""The newest planes, which are kept even where they do not bind."""


@dataclass(frozen=True, eq=False)
class MarginMetric:
    """The metric Q of (1), and two numbers between which the minimum of (1) lies."""

    matrix: Floats
    objective: float
    bound: float
    n_iter: int


def margin_objective(
    metric: Floats, predicted: Floats, truth: Floats, C: float, weights: Weights = None
) -> tuple[float, Floats]:
    """Return what (1) is at most for this metric, and the (n, q) labels that violate it most.

    >>> truth = np.array([[0.0, 1.0]])
    >>> margin_objective(np.zeros((2, 2)), truth, truth, 1.0)
    (2.0, array([[1., 0.]]))
    """
    worst = ascend(2 * metric, _slopes(metric, predicted, truth), 1 - truth, sweeps=1000)
    return _upper(metric, predicted, truth, C, _shares(len(truth), weights), worst), worst


def learn_metric(
    predicted: Floats,
    truth: Floats,
    C: float = 1.0,
    *,
    weights: Weights = None,
    tol: float = 1e-3,
    max_iter: int = 500,
) -> MarginMetric:
    """Solve (1) to a relative distance of ``tol`` between its bounds.

    Parameters
    ----------
    predicted, truth
        (n, q) what is predicted of the labels, and the labels, 0 and 1.
    C
        The price of violations.
    weights
        (n,) how often each row counts; None for once.
    tol, max_iter
        When to stop: the relative distance, or so many planes.

    Examples
    --------
    The first label is predicted well, the second not at all: differences in the first count.

    >>> truth = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = learn_metric(np.array([[0.1, 0.5], [0.1, 0.5], [0.9, 0.5], [0.9, 0.5]]), truth)
    >>> bool(found.matrix[0, 0] > 2 * found.matrix[1, 1])
    True
    """
    share, q = _shares(len(truth), weights), truth.shape[1]
    metric, worst = np.zeros((q, q)), 1 - truth
    right = _scatter(predicted - truth, share)
    planes, heights, alpha = np.zeros((1, q * q)), np.zeros(1), np.array([float(C)])
    best, lowest, sweeps, n_iter = (np.inf, metric), 0.0, 4, 0
    while n_iter < max_iter:
        n_iter += 1
        worst = ascend(2 * metric, _slopes(metric, predicted, truth), worst, sweeps)
        value = _upper(metric, predicted, truth, C, share, worst)
        height = float(share @ np.abs(truth - worst).sum(axis=1))
        plane = (right - _scatter(predicted - worst, share)).ravel()
        reached = 0.5 * float((metric**2).sum()) + C * (height + float(plane @ metric.ravel()))
        if value < best[0]:
            best = value, metric
        if value - reached > 0.1 * max(reached - lowest, tol * value):
            sweeps = min(2 * sweeps, 1000)  # the box is not searched well enough to tell
        if best[0] - lowest <= tol * best[0]:
            break
        planes, heights = np.vstack([planes, plane]), np.append(heights, height)
        alpha, metric = _dual(planes, heights, np.append(alpha, 0.0), C)
        lowest = max(lowest, float(alpha @ heights) - 0.5 * float((metric**2).sum()))
        kept = (alpha > 0) | (np.arange(len(alpha)) >= len(alpha) - KEPT_PLANES)
        planes, heights, alpha = planes[kept], heights[kept], alpha[kept]
    return MarginMetric(best[1], best[0], lowest, n_iter)


def _shares(n: int, weights: Weights) -> Floats:
    return np.full(n, 1 / n) if weights is None else np.asarray(weights / weights.sum())


def _slopes(metric: Floats, predicted: Floats, truth: Floats) -> Floats:
    """Return the linear part of |y_i − y|₁ − d_Q(ŷ_i, y), whose quadratic part is −y'Qy."""
    return np.asarray(1 - 2 * truth + 2 * (predicted @ metric))


def _scatter(difference: Floats, share: Floats) -> Floats:
    return np.asarray(difference.T @ (difference * share[:, None]))


def _upper(
    metric: Floats, predicted: Floats, truth: Floats, C: float, share: Floats, worst: Floats
) -> float:
    """Return an upper bound of (1) for this metric, from points of the box."""
    most = upper_bounds(2 * metric, _slopes(metric, predicted, truth), worst)
    none = truth.sum(axis=1) - ((predicted @ metric) * predicted).sum(axis=1)  # at y = 0
    off = predicted - truth
    slack = np.maximum(most + none + ((off @ metric) * off).sum(axis=1), 0.0)
    return 0.5 * float((metric**2).sum()) + C * float(share @ slack)


def _dual(planes: Floats, heights: Floats, alpha: Floats, C: float) -> tuple[Floats, Floats]:
    """Return α that (nearly) maximises (3), and its Q, by accelerated projected gradients."""
    steep = float(np.linalg.norm(planes @ planes.T, 2))
    if steep == 0.0:  # no plane leans: the metric stays 0
        return alpha, np.zeros((int(np.sqrt(planes.shape[1])),) * 2)
    ahead, momentum = alpha, 1.0
    for _ in range(INNER_STEPS):
        slope = heights + planes @ _nearest_metric(planes, ahead).ravel()
        new = _onto_simplex(ahead + slope / steep, C)
        if slope @ (new - alpha) < 0:  # overshot: start again from here
            momentum = 1.0
        grown = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        moved = float(np.abs(new - alpha).max())
        ahead, alpha, momentum = new + (momentum - 1) / grown * (new - alpha), new, grown
        if moved < 1e-9 * C:
            break
    return alpha, _nearest_metric(planes, alpha)


def _nearest_metric(planes: Floats, alpha: Floats) -> Floats:
    q = int(np.sqrt(planes.shape[1]))
    values, vectors = np.linalg.eigh(-(alpha @ planes).reshape(q, q))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def _onto_simplex(point: Floats, total: float) -> Floats:
    """Return the nearest point with no negative coordinate and that total."""
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(point) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    return np.asarray(np.maximum(point - excess[last], 0.0))
