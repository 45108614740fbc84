"""Spanning trees as parent vectors: entry j is the parent of node j, −1 for the root.

Weights are compared after rounding to 1e-10, so that ties do not depend on the order of sums.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes.errors import DataError

__all__ = ["DECIMALS", "maximum_spanning_tree", "reroot"]

DECIMALS = 10  # ties are weights that agree to this many decimals

Parents = NDArray[np.int64]


def maximum_spanning_tree(weights: ArrayLike) -> Parents:
    """Return the spanning tree of largest total weight, rooted at node 0 (Prim).

    Starting from node 0, the heaviest link to the outside joins the next node; of equal links the
    one to the lower node, which hangs on the member that joined first. O(n²).

    Parameters
    ----------
    weights
        (n, n) symmetric and finite; the diagonal is not read.

    Returns
    -------
    numpy.ndarray
        (n,) the parent of each node, −1 for node 0.

    Examples
    --------
    >>> maximum_spanning_tree([[0, 1, 5], [1, 0, 4], [5, 4, 0]]).tolist()
    [-1, 2, 0]

    With nothing to choose from, all hang on the first:

    >>> maximum_spanning_tree(np.zeros((4, 4))).tolist()
    [-1, 0, 0, 0]
    """
    w = np.round(_square(weights), DECIMALS)
    if not np.isfinite(w[~np.eye(len(w), dtype=bool)]).all():
        raise DataError("weights of a spanning tree have to be finite; found nan or infinity")
    if not np.array_equal(np.triu(w, 1), np.tril(w, -1).T):
        raise DataError("weights of a spanning tree have to be symmetric; average the two halves")
    parents = np.zeros(len(w), dtype=np.int64)
    if not len(w):
        return parents
    best = w[0].copy()
    best[0], parents[0] = -np.inf, -1
    outside = np.arange(len(w)) > 0
    for _ in range(len(w) - 1):
        node = int(best.argmax())  # argmax takes the lowest of equals
        outside[node], best[node] = False, -np.inf
        better = outside & (w[node] > best)
        best[better] = w[node, better]
        parents[better] = node
    return parents


def reroot(parents: Parents, root: int) -> Parents:
    """Return the same tree with all links pointing away from ``root``.

    >>> reroot(np.array([-1, 0, 1, 1]), 2).tolist()
    [1, 2, -1, 1]
    """
    turned = np.array(parents)
    above, node = -1, root
    while node >= 0:
        above, turned[node], node = node, above, int(turned[node])
    return turned


def _square(weights: ArrayLike) -> NDArray[np.float64]:
    w = np.asarray(weights, dtype=float)
    if w.ndim != 2 or w.shape[0] != w.shape[1]:
        raise DataError(f"weights have the shape {w.shape}; a square matrix is needed")
    return w
