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
from jointbayes._kernels.joint_forest import Columns, Target
from jointbayes.arrays import Bytes, Floats, Ints, Labels, Nodes, Weights
from jointbayes.checks import (
    check_contiguous,
    check_counts,
    check_finite,
    check_indices,
    check_shape,
    check_that,
)
from jointbayes.codes import CodeArray, SparseCodes
from jointbayes.learners.joint_trees.binned import kernel_columns

__all__ = ["Growth", "JointTrees", "Training", "grow_trees", "taken"]

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
class Training:
    """The rows that trees are grown on.

    Parameters
    ----------
    codes
        (c, p) bytes.
    targets, cards
        (c, d) label codes, and how many values each label has.
    sets, n_sets
        (c,) the numbers of the label vectors, and how many there are.
    weights
        (c,) of the rows.
    """

    codes: CodeArray | SparseCodes
    targets: Labels
    cards: tuple[int, ...]
    sets: Labels
    n_sets: int
    weights: Floats

    @cached_property
    def columns(self) -> tuple[Columns, Labels]:
        """The columns that vary, as the kernel takes them, and which they are."""
        return kernel_columns(self.codes)

    def take(self, rows: Labels) -> Training:
        """Return some of the rows; label vectors keep their numbers."""
        return replace(
            self,
            codes=taken(self.codes, rows),
            targets=self.targets[rows],
            sets=self.sets[rows],
            weights=self.weights[rows],
        )

    @property
    def total(self) -> Floats:
        """(n_sets,) the weight of the rows that have each label vector."""
        return np.bincount(self.sets, self.weights, self.n_sets).astype(np.float64)

    @property
    def target(self) -> Target:
        """The labels as the kernel takes them."""
        return _target(self.targets, self.sets, self.weights, self.cards)


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

    def check_columns(self, n_columns: int, n_sets: int) -> None:
        """Refuse trees from a file that do not fit columns of bytes and label vectors."""
        nodes, starts = self.nodes, self.starts
        check_shape("nodes", nodes, (None, 4))
        check_finite("gains", self.gains, (len(nodes),))
        check_shape("starts", starts, (None,))
        check_contiguous(nodes=nodes, starts=starts)
        types = [array.dtype.str[1:] for array in (nodes, starts)]
        check_that(types == ["i4", "i8"], f"nodes are of the types {types}")
        whole = len(starts) > 1 and starts[0] == 0 and starts[-1] == len(nodes)
        check_that(whole and (np.diff(starts) > 0).all(), "starts does not part the nodes")
        size = np.repeat(np.diff(starts), np.diff(starts))
        place = np.arange(len(nodes)) - np.repeat(starts[:-1], np.diff(starts))
        below, inner = nodes[:, 3].astype(np.int64), nodes[:, 0] >= 0
        check_indices("a node", nodes[inner, 0], n_columns)
        check_indices("a leaf", below[~inner], int((~inner).sum()))
        rooted = (below > place) & (below + 1 < size)  # so that every walk goes on, and ends
        check_that(rooted[inner].all(), "a node comes before its parent, or is not there")
        counts = self.counts
        check_that(sparse.issparse(counts) and counts.format == "csr", "counts are not sparse rows")
        check_that(counts.shape == (int((~inner).sum()), n_sets), "counts are of other leaves")
        counts.check_format()
        check_counts("counts", counts.data, (None,))
        check_that((counts.sum(axis=1) > 0).all(), "a leaf is empty")

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

    @cached_property
    def _of_leaves(self) -> tuple[Any, Any, Any, int]:
        """The shares as the kernel takes them, and of how many label vectors they are."""
        own = self.shares
        parts = own.indptr.astype(np.int64), own.indices.astype(np.int32, copy=False), own.data
        return *parts, own.shape[1]

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
        sums = _kernels.add_leaves(np.ascontiguousarray(leaves), *self._of_leaves, n_threads)
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


def grow_trees(training: Training, bags: Bytes, growth: Growth) -> JointTrees:
    """Grow a tree for every bag, a row of (trees, copies) that are 1 inside it and 0 outside."""
    columns, varying = training.columns
    nodes, starts, gains, leaves = _kernels.grow_joint_forest(
        columns,
        training.target,
        bags,
        growth.n_tried,
        growth.n_cuts,
        growth.min_split,
        growth.seed,
        growth.n_threads,
    )
    nodes[:, 0] = np.append(varying, -1)[nodes[:, 0]]
    n_leaves = int((nodes[:, 0] < 0).sum())
    empty = JointTrees(nodes, starts, gains, sparse.csr_array((n_leaves, training.n_sets)))
    return empty.learn(leaves.T, training.sets, training.weights, training.n_sets)


def taken(codes: CodeArray | SparseCodes, rows: Labels) -> CodeArray | SparseCodes:
    """Return some rows of coded columns, column-major if they are dense.

    >>> taken(np.array([[1], [2]], dtype=np.uint8), np.array([1])).tolist()
    [[2]]
    """
    return codes.take(rows) if isinstance(codes, SparseCodes) else np.asfortranarray(codes[rows])


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
