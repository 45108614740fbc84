"""The trees inside estimators of scikit-learn, which its compiled code follows without looking."""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.checks import check_indices, check_that

__all__ = ["check_foreign"]


def check_foreign(part: Any) -> None:
    """Refuse a tree of scikit-learn's in which a child comes before its parent, or is not there.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> check_foreign(DecisionTreeClassifier().fit([[0], [1]], [0, 1]).tree_)
    """
    name = f"{type(part).__module__}.{type(part).__name__}"
    if name == "sklearn.tree._tree.Tree":
        _check_nodes(part.children_left, part.children_right, part.feature, part.n_features)
    elif name in ("sklearn.neighbors._kd_tree.KDTree", "sklearn.neighbors._ball_tree.BallTree"):
        _check_neighbours(part)
    elif name == "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor":
        nodes = part.nodes
        inner = nodes["is_leaf"] == 0
        check_that(len(nodes) and not nodes["is_categorical"].any(), "a tree has no plain nodes")
        place = np.flatnonzero(inner)
        for side in ("left", "right"):
            below = nodes[side].astype(np.int64)[inner]
            check_indices("a tree", below, len(nodes), least=1)
            check_that((below > place).all(), "a child comes before its parent")


def _check_neighbours(tree: Any) -> None:
    """Refuse a tree of neighbours whose nodes are not ranges of its rows, complete by level."""
    state = tree.__getstate__()
    data, rows, nodes, bounds = map(np.asarray, state[:4])
    n_levels, n_nodes = state[5:7]
    every = np.array_equal(np.sort(rows), np.arange(len(data)))
    check_that(len(data) and every, "a tree does not hold every row once")
    complete = len(nodes) == n_nodes == 2**n_levels - 1 and bounds.shape[1] == n_nodes
    inside = (nodes["idx_start"] >= 0) & (nodes["idx_start"] <= nodes["idx_end"])
    inside &= nodes["idx_end"] <= len(data)
    last = np.arange(len(nodes)) >= len(nodes) // 2
    ends = (nodes["is_leaf"] == 1) >= last
    fits = complete and bounds.shape[2] == data.shape[1] and inside.all() and ends.all()
    check_that(fits, "the nodes of a tree are not parts of its rows")


def _check_nodes(left: Any, right: Any, feature: Any, n_features: int) -> None:
    place = np.flatnonzero(left != -1)
    check_that(len(left) > 0, "a tree has no nodes")
    check_that(((left == -1) == (right == -1)).all(), "a node has one child")
    check_indices("a tree", feature[place], n_features)
    for below in (left[place], right[place]):
        check_indices("a tree", below, len(left), least=1)
        check_that((below > place).all(), "a child comes before its parent")
