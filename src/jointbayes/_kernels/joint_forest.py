r"""Trees grown for all labels together, the leaves of rows, and what leaves hold, by definition.

Columns are codes 0 … 254, missing is 255. A row holds items, the values of its labels; item i has
worth g_i. A node that holds more than one label vector tries some features, drawn without
replacement, each with some cuts drawn between the least and the largest code of its rows
(extremely randomized trees: Geurts, Ernst & Wehenkel 2006), missing ones going left or right,
and splits its rows where

(1)  Σ_i g_i L_i² / L + Σ_i g_i R_i² / R

is largest, L_i and R_i being the weights of item i on either side, L and R those of all rows. With
the value 1 of each binary label as an item of worth 2, and all values of any other as items of
worth 1, that is where the Gini impurity, summed over labels, drops most. As long as those tried are
constant among its rows further ones are tried. Missing codes that a node has not met go to the
heavier side.

Sums run over the side with fewer rows, in the order of rows; those of the other side are what is
left: L_i − Σ, so Σ_i g_i (T_i − L_i)² = Σ g_i T_i² − 2 Σ g_i T_i L_i + Σ g_i L_i².
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np

from jointbayes._kernels.arguments import FLOATS, INT32, INT64, array, parts, takes
from jointbayes._kernels.permutations import stream, uniform
from jointbayes.arrays import Bytes, Floats, Ints, Nodes, Values

__all__ = ["MISSING", "add_leaves", "grow_joint_forest", "joint_forest_leaves"]

MISSING = 255
"""The code of what is not known."""

Columns = tuple[Bytes, Nodes, Ints, Nodes, Bytes, Bytes]
Target = tuple[Nodes, Ints, Nodes, Floats, Floats]


BYTES = array("uint8")


@takes(
    columns=parts(array("uint8", axes=2, order="F"), INT32, INT64, INT32, BYTES, BYTES),
    target=parts(INT32, INT64, INT32, FLOATS, FLOATS),
    bags=array("uint8", axes=2),
)
def grow_joint_forest(
    columns: Columns,
    target: Target,
    bags: Bytes,
    n_tried: int,
    n_cuts: int,
    min_split: int,
    seed: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[Nodes, Ints, Floats, Nodes]:
    """Return the nodes of all trees, where they begin, the gain of nodes, and the leaves of rows.

    Parameters
    ----------
    columns
        Dense columns, (n, q) column-major; the (p,) slot of every column, that is its number there,
        or, below 0, −1 − its number among the sparse ones; of these where each begins, rows
        (increasing) and codes unlike the default, and the defaults.
    target
        (n,) numbers of label vectors; where the items of each row begin; the items; the worth of
        every item; the (n,) weights of rows.
    bags
        (trees, n) 1 for the rows that a tree is grown on.
    n_tried, n_cuts
        Features tried at each node, and cuts of each.
    min_split
        Rows that a node must have to be split.
    seed
        Unsigned 64-bit.

    Returns
    -------
    nodes
        (m, 4) feature, the largest code that goes left, whether missing ones go left, and the left
        child, counted from the root of its tree; the right child follows it. A leaf has feature −1
        and its number, leaves of all trees counted, in place of the child.
    starts
        (trees + 1,) tree b has the nodes ``nodes[starts[b]:starts[b + 1]]``.
    gains
        (m,) by how much (1) rises at each split, 0 at leaves.
    leaves
        (trees, n) the leaf of each row of a tree's bag, −1 for others.
    """
    codes = _written_out(columns, len(target[0]))
    trees = [
        _Tree(codes, target, n_tried, n_cuts, min_split).grow(stream(seed, b), bag)
        for b, bag in enumerate(bags)
    ]
    nodes = np.array([node for tree, _ in trees for node in tree], dtype=np.int32).reshape(-1, 4)
    leaf = nodes[:, 0] < 0
    nodes[leaf, 3] = np.arange(leaf.sum())
    starts = np.cumsum([0, *(len(tree) for tree, _ in trees)], dtype=np.int64)
    gains = np.array([gain for _, gains in trees for gain in gains])
    rows = np.ascontiguousarray(codes, dtype=np.uint8)
    leaves = joint_forest_leaves(rows, nodes, starts, 1).T
    return nodes, starts, gains, np.where(bags > 0, leaves, -1).astype(np.int32)


@takes(codes=array("uint8", axes=2), nodes=array("int32", axes=2), starts=INT64)
def joint_forest_leaves(
    codes: Bytes,
    nodes: Nodes,
    starts: Ints,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Nodes:
    """Return (n, trees) numbers of the leaves that rows of codes end in."""
    rows, leaves = np.arange(len(codes)), []
    for a, b in pairwise(starts):
        tree, at = nodes[a:b], np.zeros(len(codes), dtype=np.int64)
        while (inner := tree[at, 0] >= 0).any():
            code = codes[rows, tree[at, 0]]
            left = np.where(code == MISSING, tree[at, 2] == 1, code <= tree[at, 1])
            at = np.where(inner, tree[at, 3] + ~left, at)
        leaves.append(tree[at, 3])
    return np.stack(leaves, axis=1).astype(np.int32)


@takes(leaves=array("int32", axes=2), indptr=INT64, sets=INT32, shares=FLOATS)
def add_leaves(
    leaves: Nodes,
    indptr: Ints,
    sets: Nodes,
    shares: Floats,
    n_sets: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return (n, n_sets) sums over trees of the shares of label vectors in each row's leaf.

    Leaf l holds the vectors ``sets[indptr[l]:indptr[l + 1]]``; a leaf below 0 is left out.
    """
    sums = np.zeros((len(leaves), n_sets))
    for leaf in leaves.T:
        for row, one in enumerate(leaf.tolist()):
            part = slice(indptr[one], indptr[one + 1]) if one >= 0 else slice(0, 0)
            np.add.at(sums[row], sets[part], shares[part])
    return sums


def _written_out(columns: Columns, n: int) -> Values:
    dense, slot, indptr, rows, codes, default = columns
    out = np.empty((n, len(slot)), dtype=np.int64)
    for j, at in enumerate(slot.tolist()):
        if at >= 0:
            out[:, j] = dense[:, at]
        else:
            part = slice(indptr[-1 - at], indptr[-at])
            out[:, j] = default[-1 - at]
            out[rows[part], j] = codes[part]
    return out


class _Tree:
    """One tree at a time; sums are Python's, so that their order is plain to see."""

    def __init__(self, codes: Values, target: Target, n_tried: int, n_cuts: int, min_split: int):
        sets, indptr, items, worth, weights = (a.tolist() for a in target)
        self.codes, self.sets, self.worth, self.weights = codes, sets, worth, weights
        self.items = [items[a:b] for a, b in pairwise(indptr)]
        self.n_tried, self.n_cuts, self.min_split = n_tried, n_cuts, min_split

    def grow(self, key: Any, bag: Bytes) -> tuple[list[tuple[int, ...]], list[float]]:
        nodes: list[tuple[int, ...]] = [(-1, 0, 0, 0)]
        gains, members = [0.0], [np.flatnonzero(bag)]
        for v, rows in enumerate(members):  # grows while it is read
            if len(rows) < self.min_split or len({self.sets[r] for r in rows}) < 2:
                continue
            weight, squares, _, total = self.add(rows, None)
            found = self.split(rows, weight, squares, total, stream(key, v + 1))
            if found is None:
                continue
            score, feature, cut, missing_left = found
            nodes[v] = (feature, cut, int(missing_left), len(nodes))
            gains[v] = score - squares / weight
            left = self.left(rows, feature, cut, missing_left)
            nodes += [(-1, 0, 0, 0)] * 2
            gains += [0.0] * 2
            members += [rows[left], rows[~left]]
        return nodes, gains

    def add(
        self, rows: Values, total: dict[int, float] | None
    ) -> tuple[float, float, float, dict[int, float]]:
        """Return the weight of rows, Σ g_i L_i², Σ g_i T_i L_i and L_i."""
        weight = squares = cross = 0.0
        part: dict[int, float] = {}
        for r in rows.tolist():
            w = self.weights[r]
            weight += w
            for i in self.items[r]:
                so_far = part.get(i, 0.0)
                squares += self.worth[i] * w * (2.0 * so_far + w)
                cross += 0.0 if total is None else self.worth[i] * w * total[i]
                part[i] = so_far + w
        return weight, squares, cross, part

    def left(self, rows: Values, feature: int, cut: int, missing_left: bool) -> Values:  # noqa: FBT001
        code = self.codes[rows, feature]
        return np.where(code == MISSING, missing_left, code <= cut)

    def split(
        self, rows: Values, weight: float, squares: float, total: dict[int, float], key: Any
    ) -> tuple[float, int, int, bool] | None:
        """Return score, feature, cut and the side of missing; None if all is constant."""
        p = self.codes.shape[1]
        found, best, order = None, -np.inf, np.arange(p)
        for k in range(p):
            if k >= self.n_tried and found:
                break
            j = k + int(uniform(key, k) * (p - k))
            order[[k, j]] = order[[j, k]]
            feature = int(order[k])
            code = self.codes[rows, feature]
            known, missing = code[code != MISSING], bool((code == MISSING).any())
            if not len(known) or (known.min() == known.max() and not missing):
                continue
            low, high = int(known.min()), int(known.max())
            index = p + k * self.n_cuts + np.arange(self.n_cuts)
            cuts = low + (uniform(key, index) * (high - low)).astype(int)
            sides = (False, True) if missing and low < high else (False,)
            for cut, side in product(cuts.tolist(), sides):
                left = self.left(rows, feature, cut, side)
                small = left if 2 * left.sum() <= len(rows) else ~left
                w, q, cross, _ = self.add(rows[small], total)
                rest = weight - w
                score = q / w + (squares - 2.0 * cross + q) / rest
                heavier = w >= rest if small is left else rest >= w
                if score > best:
                    best, found = score, (score, feature, cut, side if missing else heavier)
        return found
