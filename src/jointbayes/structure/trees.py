"""Spanning trees as parent vectors: entry j is the parent of node j, −1 for the root.

Weights are compared after rounding to 1e-10, so that ties do not depend on the order of sums.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes.arrays import Ints
from jointbayes.errors import DataError

__all__ = ["DECIMALS", "maximum_spanning_tree", "reroot"]

DECIMALS = 10  # ties are weights that agree to this many decimals


def maximum_spanning_tree(weights: ArrayLike) -> Ints:
    """Return the spanning tree of largest total weight, rooted at node 0 (Prim).

    Starting from node 0, the heaviest link to the outside joins the next node; of equal links the
    one to the lower node, which hangs on the member that joined first. O(n²).

    Parameters
    ----------
    weights
        (n, n) symmetric and finite; the diagonal is not read. Of a stack (…, n, n) each matrix has
        its own tree.

    Returns
    -------
    numpy.ndarray
        (…, n) the parent of each node, −1 for node 0.

    Examples
    --------
    >>> maximum_spanning_tree([[0, 1, 5], [1, 0, 4], [5, 4, 0]]).tolist()
    [-1, 2, 0]

    With nothing to choose from, all hang on the first:

    >>> maximum_spanning_tree(np.zeros((4, 4))).tolist()
    [-1, 0, 0, 0]
    """
    w = _symmetric(weights)
    shape, n = w.shape[:-1], w.shape[-1]
    if 0 in shape:
        return np.zeros(shape, dtype=np.int64)
    w = w.reshape(-1, n, n)
    parents = np.zeros((len(w), n), dtype=np.int64)
    tree, best = np.arange(len(w)), w[:, 0].copy()
    best[:, 0], parents[:, 0] = -np.inf, -1
    outside = np.broadcast_to(np.arange(n) > 0, best.shape).copy()
    for _ in range(n - 1):
        node = best.argmax(axis=1)  # argmax takes the lowest of equals
        outside[tree, node], best[tree, node] = False, -np.inf
        links = w[tree, node]
        better = outside & (links > best)
        best = np.where(better, links, best)
        parents = np.where(better, node[:, None], parents)
    return parents.reshape(shape)


def reroot(parents: Ints, root: int) -> Ints:
    """Return the same tree with all links pointing away from ``root``.

    >>> reroot(np.array([-1, 0, 1, 1]), 2).tolist()
    [1, 2, -1, 1]
    """
    turned = np.array(parents)
    above, node = -1, root
    while node >= 0:
        above, turned[node], node = node, above, int(turned[node])
    return turned


def _symmetric(weights: ArrayLike) -> NDArray[np.float64]:
    w = np.asarray(weights, dtype=float)
    if w.ndim < 2 or w.shape[-2] != w.shape[-1]:
        raise DataError(f"weights have the shape {w.shape}; a square matrix is needed")
    upper, lower = np.triu(w, 1), np.swapaxes(np.tril(w, -1), -2, -1)
    if not (np.isfinite(upper).all() and np.isfinite(lower).all()):
        raise DataError("weights of a spanning tree have to be finite; found nan or infinity")
    if not np.allclose(upper, lower, rtol=1e-9, atol=10.0**-DECIMALS):
        raise DataError("weights of a spanning tree have to be symmetric; average the two halves")
    return np.asarray(np.round(upper + np.swapaxes(upper, -2, -1), DECIMALS))
