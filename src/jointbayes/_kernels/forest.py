r"""Trees of a random forest grown on ranks, and the classes they vote for, by definition.

A tree is grown on n rows drawn with replacement, so that row r has an integer weight w_r. A node
that is not pure tries some features, drawn without replacement, and splits rows by the code that
maximizes

(1)  Σ_c L_c² / L + Σ_c R_c² / R,

where L_c and R_c are the weights of class c on either side, L and R their sums: that is where the
Gini impurity drops most (Breiman 2001). Of equal splits the most even one is kept, else rows that
all have classes of their own would be split off one by one; of these the first, features in the
order drawn, codes from the largest down. As long as those tried are constant among its rows
further ones are tried, so only rows that agree in all features share a leaf with different classes;
it then has the most frequent of them, drawn if there are several.

Squares are updated row by row as rows change sides, (a + w)² − a² = w (2a + w), so a split costs
the same for two classes and for thousands. They are whole numbers: nothing is rounded but (1).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import COLUMNS, FLOATS, INT32, INT64, array, takes
from jointbayes._kernels.permutations import stream, uniform
from jointbayes.arrays import Values

__all__ = ["forest_votes", "grow_forest"]

Ints = NDArray[np.int32]
Node = tuple[int, int, int, int]


@takes(
    columns=COLUMNS,
    target=INT32,
)
def grow_forest(
    columns: Values,
    target: Ints,
    n_classes: int,
    n_trees: int,
    n_tried: int,
    seed: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[Ints, NDArray[np.int64]]:
    """Return the nodes of all trees, and where each tree begins and the last ends.

    Parameters
    ----------
    columns
        (n, p) codes, column-major: rank 0 … k−1 of each value among those of its column.
    target
        (n,) classes.
    n_classes, n_trees, n_tried
        How many classes, trees, and features tried at each node.
    seed
        Unsigned 64-bit.

    Returns
    -------
    nodes
        (m, 4) feature, the largest code that goes left, the smallest that goes right, and the
        left child, counted from the root of its tree; the right child follows it. A leaf has
        feature −1 and its class in place of the child.
    starts
        (n_trees + 1,) tree b has the nodes ``nodes[starts[b]:starts[b + 1]]``.
    """
    trees = [
        _grow(columns, target, n_classes, n_tried, stream(seed, tree)) for tree in range(n_trees)
    ]
    nodes = np.array([node for tree in trees for node in tree], dtype=np.int32)
    return nodes.reshape(-1, 4), np.cumsum([0, *map(len, trees)], dtype=np.int64)


@takes(
    X=array("float64", axes=2),
    nodes=array("int32", axes=2),
    thresholds=FLOATS,
    starts=INT64,
)
def forest_votes(
    X: NDArray[np.float64],
    nodes: Ints,
    thresholds: NDArray[np.float64],
    starts: NDArray[np.int64],
    n_classes: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Ints:
    """Return (n, n_classes) how many trees vote for each class; values ≤ threshold go left."""
    votes = np.zeros((len(X), n_classes), dtype=np.int32)
    rows = np.arange(len(X))
    for a, b in pairwise(starts):
        tree, cut, at = nodes[a:b], thresholds[a:b], np.zeros(len(X), dtype=np.int64)
        while (inner := tree[at, 0] >= 0).any():
            right = ~(X[rows, tree[at, 0]] <= cut[at])
            at = np.where(inner, tree[at, 3] + right, at)
        votes[rows, tree[at, 3]] += 1
    return votes


def _below(key: Any, index: Any, n: Any) -> Values:
    return np.asarray(uniform(key, index) * n).astype(np.int64)


def _grow(columns: Values, target: Ints, n_classes: int, n_tried: int, key: Any) -> list[Node]:
    n = len(columns)
    weight = np.bincount(_below(stream(key, 0), np.arange(n), n), minlength=n)
    nodes: list[Node] = [(-1, 0, 0, 0)]
    members = [np.flatnonzero(weight)]
    for v, rows in enumerate(members):  # grows while it is read
        mine = stream(key, v + 1)
        total = np.bincount(target[rows], weight[rows], n_classes).astype(np.int64)
        split = None
        if np.count_nonzero(total) > 1:
            split = _split(columns[rows], target[rows], weight[rows], n_tried, mine)
        if split is None:
            tied = np.flatnonzero(total == total.max())
            nodes[v] = (-1, 0, 0, int(tied[_below(mine, columns.shape[1], len(tied))]))
            continue
        nodes[v] = (*split, len(nodes))
        nodes += [(-1, 0, 0, 0)] * 2
        left = columns[rows, split[0]] <= split[1]
        members += [rows[left], rows[~left]]
    return nodes


def _split(
    x: Values, y: Ints, weight: Values, n_tried: int, key: Any
) -> tuple[int, int, int] | None:
    """Return feature and the codes left and right of its best cut; None if all are constant."""
    best, found = (-1.0, 0.0), None
    order = np.arange(x.shape[1])
    classes, c = np.unique(y, return_inverse=True)
    for k in range(len(order)):
        if k >= n_tried and found:
            break
        j = k + int(_below(key, k, len(order) - k))
        order[[k, j]] = order[[j, k]]
        codes, place = np.unique(x[:, order[k]], return_inverse=True)
        if len(codes) < 2:
            continue
        cells = np.bincount(place * len(classes) + c, weight, len(codes) * len(classes))
        up_to = cells.reshape(len(codes), -1)[::-1].cumsum(axis=0)  # from the largest code down
        right, left = up_to[:-1], up_to[-1] - up_to[:-1]
        score = (left**2).sum(axis=1) / left.sum(axis=1)
        score += (right**2).sum(axis=1) / right.sum(axis=1)
        evenness = np.minimum(left.sum(axis=1), right.sum(axis=1))
        first = int(np.lexsort((-evenness, -score))[0])
        if (this := (float(score[first]), float(evenness[first]))) > best:
            high = len(codes) - 1 - first
            best, found = this, (int(order[k]), int(codes[high - 1]), int(codes[high]))
    return found
