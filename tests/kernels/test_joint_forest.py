"""Trees for all labels: the kernel against its definition, and the definition against Gini."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import joint_forest as definition
from jointbayes._kernels.joint_forest import MISSING

FEW = settings(max_examples=40, deadline=None)


@st.composite
def problems(draw):
    """Codes with gaps and repeats, each column dense or sparse; binary and many-valued labels."""
    n, p = draw(st.integers(1, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    X = rng.integers(0, draw(st.sampled_from([2, 5, 255])), (n, p))
    X[rng.random((n, p)) < draw(st.sampled_from([0.0, 0.2, 0.8]))] = draw(st.integers(0, 4))
    X[rng.random((n, p)) < draw(st.sampled_from([0.0, 0.3]))] = MISSING
    cards = draw(st.lists(st.integers(2, 4), min_size=1, max_size=5))
    Y = np.stack([rng.integers(0, k, n) for k in cards], axis=1)
    weights = rng.random(n) + 0.1 if draw(st.booleans()) else np.ones(n)
    bags = (rng.random((3, n)) < 0.7).astype(np.uint8)
    bags[:, 0] = 1
    sparse = rng.random(p) < 0.5
    return X.astype(np.uint8), sparse, Y, cards, weights, bags


def columns_of(X, sparse):
    slot, dense, lists = [], [], []
    for column, listed in zip(X.T, sparse, strict=True):
        slot.append(-1 - len(lists) if listed else len(dense))
        if not listed:
            dense.append(column)
            continue
        default = int(np.bincount(column).argmax())
        rows = np.flatnonzero(column != default)
        lists.append((rows, column[rows], default))
    none = np.zeros(0)
    return (
        np.asfortranarray(np.array(dense, dtype=np.uint8).reshape(len(dense), len(X)).T),
        np.array(slot, dtype=np.int32),
        np.cumsum([0, *(len(rows) for rows, _, _ in lists)], dtype=np.int64),
        np.concatenate([none, *(rows for rows, _, _ in lists)]).astype(np.int32),
        np.concatenate([none, *(codes for _, codes, _ in lists)]).astype(np.uint8),
        np.array([default for _, _, default in lists], dtype=np.uint8),
    )


def target_of(Y, cards, weights):
    """All values of all labels as items of worth 1: Gini by definition."""
    sets = np.unique(Y, axis=0, return_inverse=True)[1].ravel().astype(np.int32)
    first = np.cumsum([0, *cards])
    items = (Y + first[:-1]).ravel().astype(np.int32)
    indptr = np.arange(0, items.size + 1, len(cards), dtype=np.int64)
    return sets, indptr, items, np.ones(first[-1]), weights


def test_of_many_sparse_columns_those_that_share_a_mark_are_told_apart():
    rng = np.random.default_rng(0)
    X = (rng.random((60, 5000)) < 0.1).astype(np.uint8)
    Y, bags = rng.integers(0, 2, (60, 3)), np.ones((4, 60), dtype=np.uint8)
    target = target_of(Y, [2, 2, 2], np.ones(60))
    sparse, dense = (
        _kernels.grow_joint_forest(columns_of(X, stored), target, bags, 70, 1, 2, 5, 1)
        for stored in (np.ones(5000, dtype=bool), np.zeros(5000, dtype=bool))
    )
    for ours, theirs in zip(sparse, dense, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition is what runs")
@FEW
@given(problems(), st.integers(1, 6), st.integers(1, 3), st.integers(0, 2**64 - 1))
def test_the_kernel_grows_and_asks_the_trees_of_the_definition(problem, tried, n_cuts, seed):
    X, sparse, Y, cards, weights, bags = problem
    target = target_of(Y, cards, weights)
    options = (bags, min(tried, X.shape[1]), n_cuts, 2, seed)
    expected = definition.grow_joint_forest(columns_of(X, sparse), target, *options, 1)
    for threads, stored in ((1, sparse), (3, sparse), (2, np.zeros_like(sparse))):
        found = _kernels.grow_joint_forest(columns_of(X, stored), target, *options, threads)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    nodes, starts, _, _ = expected
    leaves = _kernels.joint_forest_leaves(X, nodes, starts, 2)
    np.testing.assert_array_equal(leaves, definition.joint_forest_leaves(X, nodes, starts, 1))
    # Many trees and rows at once, and few rows through many trees.
    times = 7
    forest = np.tile(nodes, (times, 1))
    where = np.concatenate([[0], *(starts[1:] + i * starts[-1] for i in range(times))])
    for some in (np.tile(X, (300 // len(X) + 1, 1)), X[:3]):
        found = _kernels.joint_forest_leaves(some, forest, where, 2)
        expected = np.tile(definition.joint_forest_leaves(some, nodes, starts, 1), times)
        np.testing.assert_array_equal(found, expected)
    n_leaves = int((nodes[:, 0] < 0).sum())
    rng = np.random.default_rng(0)
    indptr = np.concatenate([[0], np.cumsum(rng.integers(1, 4, n_leaves))]).astype(np.int64)
    held = (rng.integers(0, 5, indptr[-1]).astype(np.int32), rng.random(indptr[-1]))
    leaves[rng.random(leaves.shape) < 0.3] = -1
    np.testing.assert_array_equal(
        _kernels.add_leaves(leaves, indptr, *held, 5, 2),
        definition.add_leaves(leaves, indptr, *held, 5, 1),
    )


def impurity(Y):
    """Gini's, summed over labels, times the number of rows."""
    total = Fraction(0)
    for column in Y.T.tolist():
        total += len(column) - sum(Fraction(column.count(c)) ** 2 for c in set(column)) / len(Y)
    return total


@FEW
@given(problems(), st.integers(0, 100))
def test_gains_are_the_impurity_that_splits_remove(problem, seed):
    X, sparse, Y, cards, _, bags = problem
    target = target_of(Y, cards, np.ones(len(X)))
    nodes, starts, gains, _ = _kernels.grow_joint_forest(
        columns_of(X, sparse), target, bags, X.shape[1], 2, 2, seed, 1
    )
    for b, bag in enumerate(bags):
        tree, gain = nodes[starts[b] : starts[b + 1]], gains[starts[b] : starts[b + 1]]
        members = {0: np.flatnonzero(bag)}
        for v, (feature, cut, missing_left, then) in enumerate(tree.tolist()):
            rows = members[v]
            assert len(rows)
            if feature < 0:
                one_vector = len(np.unique(Y[rows], axis=0)) == 1
                assert one_vector or (X[rows] == X[rows][0]).all()
                continue
            code = X[rows, feature]
            left = np.where(code == MISSING, missing_left == 1, code <= cut)
            members[then], members[then + 1] = rows[left], rows[~left]
            drop = impurity(Y[rows]) - impurity(Y[rows[left]]) - impurity(Y[rows[~left]])
            assert gain[v] == pytest.approx(float(drop), abs=1e-9)
            if not (code == MISSING).any():
                assert missing_left == (2 * left.sum() >= len(rows))


def test_the_split_that_all_labels_gain_from_most_wins():
    """A feature that tells one label of three, and one that tells two of them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 2)).astype(np.uint8)
    Y = np.stack([X[:, 0], X[:, 1], X[:, 1]], axis=1)
    target = target_of(Y, [2, 2, 2], np.ones(200))
    nodes, starts, _, _ = _kernels.grow_joint_forest(
        columns_of(X, [False, True]), target, np.ones((9, 200), np.uint8), 2, 1, 2, 3, 1
    )
    assert (nodes[starts[:-1], 0] == 1).all()
