r"""Branchings drawn at random, each in proportion to the product of its arcs' weights.

Wilson (1996): a node walks to a parent, drawn by the weights of the arcs into it, from there on to
a parent of that one, and so on until it stands on the branching; its path without the loops joins
the branching. Where two nodes want each other far more than anything else the walk would loop for
ever, so the path is drawn without walking: from its end x, with B the nodes on the path,

(1)  P(next = y) ∝ w(y, x) · P(a walk from y is on the branching before it is on B).

The second factor solves linear equations, by an elimination that never subtracts (Grassmann, Taksar
& Heyman 1985): every digit is right, whatever the range of the weights. A branching of d nodes
takes O(d⁴) steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes.arrays import Floats, Ints
from jointbayes.errors import DataError

__all__ = ["draw_branchings"]

LEAST = -300.0
"""Logarithm of the least weight of an arc beside the largest into its node: as good as never."""


def draw_branchings(weights: ArrayLike, n: int, seed: int = 0) -> Ints:
    """Return branchings drawn with probability ∝ exp(sum of the weights of their arcs).

    Parameters
    ----------
    weights
        (d, d) with ``weights[parent, child]``; −inf forbids an arc, the diagonal is not read. To
        have no parent weighs 0.
    n
        How many.
    seed
        Of the draws.

    Returns
    -------
    numpy.ndarray
        (n, d) the parent of each node, −1 if it has none.

    Examples
    --------
    Either node may be the parent of the other, for log 3 each, or none for 0: 3, 3 and 1 of 7.

    >>> drawn = draw_branchings(np.log([[1, 3], [3, 1]]), 700)
    >>> {tuple(one): round(int((drawn == one).all(axis=1).sum()) / 100)
    ...  for one in np.unique(drawn, axis=0)} == {(-1, -1): 1, (-1, 0): 3, (1, -1): 3}
    True
    """
    w = np.array(weights, dtype=float)
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        raise DataError(f"weights have the shape {w.shape}; a square matrix is needed")
    if np.isnan(w).any() or np.isposinf(w).any():
        raise DataError("weights of branchings are numbers or −inf; found nan or +inf")
    np.fill_diagonal(w, -np.inf)
    to = np.vstack([w, np.zeros(len(w))]).T  # [node, parent]; the last parent is none
    to -= to.max(axis=1, keepdims=True)
    to = np.where(np.isneginf(to), 0.0, np.exp(np.maximum(to, LEAST)))
    rng = np.random.default_rng(seed)
    return np.array([_draw_one(to, rng) for _ in range(n)], dtype=np.int64).reshape(n, len(w))


def _draw_one(to: Floats, rng: np.random.Generator) -> list[int]:
    d = len(to)
    parents = np.full(d, -1)
    joined = np.zeros(d + 1, dtype=bool)
    joined[d] = True
    for start in range(d):
        path = [] if joined[start] else [start]
        while path:
            x, on_path = path[-1], np.zeros(d + 1, dtype=bool)
            on_path[path] = True
            p = to[x] * _arrivals(to, joined, on_path)
            chosen = min(int(np.searchsorted(np.cumsum(p), rng.random() * p.sum(), "right")), d)
            parents[x] = chosen if chosen < d else -1
            if joined[chosen]:
                joined[path] = True
                break
            path.append(chosen)
    return parents.tolist()


def _arrivals(to: Floats, joined: NDArray[np.bool_], on_path: NDArray[np.bool_]) -> Floats:
    """Return, for every node, the probability that a walk from it is joined before on the path."""
    free = np.flatnonzero(~joined & ~on_path)
    h = joined.astype(float)
    if not len(free):
        return h
    among = to[np.ix_(free, free)].copy()
    ends = np.stack([to[free][:, joined].sum(axis=1), to[free][:, on_path].sum(axis=1)], axis=1)
    totals = np.empty(len(free))
    for u in range(len(free) - 1, -1, -1):  # fold node u into those before it
        totals[u] = among[u, :u].sum() + ends[u].sum()
        share = among[:u, u] / totals[u]
        among[:u, :u] += share[:, None] * among[u, :u]
        ends[:u] += share[:, None] * ends[u]
        np.fill_diagonal(among[:u, :u], 0.0)  # to come back is to have gone nowhere
    arrived = np.empty(len(free))
    for u in range(len(free)):
        arrived[u] = (ends[u, 0] + among[u, :u] @ arrived[:u]) / totals[u]
    h[free] = arrived
    return h
