"""JointTrees: trees grown for all labels together, whose leaves count label vectors.

A split is judged by all labels (`jointbayes._kernels.joint_forest`), and a leaf keeps the weight of
every label vector among its rows: their dependence is kept whole. A row's answer is the mean over
trees of the shares of vectors in its leaf. Counts add: further rows go to the leaves of trees
that stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from jointbayes import _kernels
from jointbayes._kernels.joint_forest import Bytes, Nodes, Target
from jointbayes.arrays import Floats, Ints, Labels, Weights
from jointbayes.codes import CodeArray, SparseCodes
from jointbayes.learners.joint_trees.bags import Copies
from jointbayes.learners.joint_trees.binned import kernel_columns

__all__ = ["Growth", "JointTrees", "grow_trees"]

BLOCK = 1 << 26
"""Bytes of columns that are made dense at a time."""


@dataclass(frozen=True)
class Growth:
    """How trees are grown.

    Parameters
    ----------
    n_tried, n_cuts
        Features tried at each node, and random cuts of each.
    min_split
        Rows that a node must have to be split.
    seed
        Unsigned 64-bit.
    n_threads
        How many; trees do not depend on it.
    """

    n_tried: int
    n_cuts: int
    min_split: int
    seed: int
    n_threads: int


@dataclass(frozen=True, eq=False)
class JointTrees:
    """Trees, and the weight of every label vector in every leaf.

    Parameters
    ----------
    nodes, starts, gains
        As `jointbayes._kernels.joint_forest.grow_joint_forest` returns them.
    counts
        (leaves, m) sparse weights of m label vectors.
    """

    nodes: Nodes
    starts: Ints
    gains: Floats
    counts: Any

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self.starts) - 1

    @cached_property
    def shares(self) -> Any:
        """The counts, as shares of each leaf."""
        total = np.asarray(self.counts.sum(axis=1)).ravel()
        shares = self.counts.copy()
        shares.data = shares.data / np.repeat(total, np.diff(shares.indptr))
        return shares

    def leaves(self, codes: CodeArray | SparseCodes, n_threads: int) -> Nodes:
        """Return the (n, trees) numbers of the leaves of rows of bytes."""
        n, p = codes.shape
        step = max(1, BLOCK // p)
        parts = []
        for start in range(0, max(n, 1), step):
            rows = np.arange(start, min(n, start + step))
            block = codes.take(rows).dense() if isinstance(codes, SparseCodes) else codes[rows]
            parts.append(
                _kernels.joint_forest_leaves(
                    np.ascontiguousarray(block), self.nodes, self.starts, n_threads
                )
            )
        return np.concatenate(parts)

    def proba(self, leaves: Nodes, n_threads: int) -> Floats:
        """Return (n, m) mean shares of label vectors over the trees whose leaf is not below 0.

        A row that no tree answers for has 0 everywhere.
        """
        shares = self.shares
        sums = _kernels.add_leaves(
            np.ascontiguousarray(leaves),
            shares.indptr.astype(np.int64),
            shares.indices.astype(np.int32),
            shares.data,
            shares.shape[1],
            n_threads,
        )
        total = sums.sum(axis=1, keepdims=True)
        proba: Floats = np.divide(sums, total, out=sums, where=total > 0)
        return proba

    def learn(self, leaves: Nodes, sets: Labels, weights: Weights, n_sets: int) -> JointTrees:
        """Return the trees with further rows in their leaves, a leaf below 0 being left out."""
        more = _count(leaves, sets, weights, (self.counts.shape[0], n_sets))
        old = self.counts.copy()
        old.resize(more.shape)
        return replace(self, counts=_sorted(old + more))

    def importances(self, n_features: int) -> Floats:
        """Return (p,) how much of all impurity that splits removed was removed by each feature."""
        inner = self.nodes[:, 0] >= 0
        total = np.bincount(self.nodes[inner, 0], self.gains[inner], n_features).astype(np.float64)
        return np.asarray(total / total.sum()) if total.any() else total


def grow_trees(
    codes: CodeArray | SparseCodes,
    targets: Labels,
    sets: Labels,
    copies: Copies,
    bags: Bytes,
    cards: tuple[int, ...],
    growth: Growth,
) -> tuple[JointTrees, Nodes]:
    """Grow a tree for every bag; return them with the (copies, trees) leaves of all copies.

    Parameters
    ----------
    codes
        (n, p) bytes.
    targets, cards
        (n, d) label codes, and how many values each label has.
    sets
        (n,) the numbers of the label vectors.
    copies, bags
        The rows that trees are grown on, and which of them each tree is grown on.
    growth
        How.
    """
    rows = copies.rows
    own = codes.take(rows) if isinstance(codes, SparseCodes) else np.asfortranarray(codes[rows])
    columns, varying = kernel_columns(own)
    nodes, starts, gains = _kernels.grow_joint_forest(
        columns,
        _target(targets[rows], sets[rows], copies.weights, cards),
        bags,
        growth.n_tried,
        growth.n_cuts,
        growth.min_split,
        growth.seed,
        growth.n_threads,
    )
    nodes[:, 0] = np.append(varying, -1)[nodes[:, 0]]
    n_leaves = int((nodes[:, 0] < 0).sum())
    empty = JointTrees(nodes, starts, gains, sparse.csr_array((n_leaves, int(sets.max()) + 1)))
    leaves = empty.leaves(own, growth.n_threads)
    inside = np.where(bags.T > 0, leaves, -1)
    return empty.learn(inside, sets[rows], copies.weights, int(sets.max()) + 1), leaves


def _target(targets: Labels, sets: Labels, weights: Floats, cards: tuple[int, ...]) -> Target:
    """Return the items of rows: the value 1 of binary labels, all values of others."""
    n_items = np.array([1 if k == 2 else k for k in cards])
    first = np.cumsum(n_items) - n_items
    held = (n_items > 1) | (targets == 1)
    rows, labels = np.nonzero(held)
    items = first[labels] + np.where(n_items[labels] == 1, 0, targets[rows, labels])
    worth = np.repeat(np.where(n_items == 1, 2.0, 1.0), n_items)
    indptr = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int64)
    return sets.astype(np.int32), indptr, items.astype(np.int32), worth, weights


def _count(leaves: Nodes, sets: Labels, weights: Weights, shape: tuple[int, int]) -> Any:
    row, tree = np.nonzero(leaves >= 0)
    w = np.ones(len(row)) if weights is None else weights[row]
    return _sorted(sparse.coo_array((w, (leaves[row, tree], sets[row])), shape).tocsr())


def _sorted(matrix: Any) -> Any:
    matrix.sort_indices()
    return matrix
