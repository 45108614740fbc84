"""Bytes of columns, copies of rows and bags: what trees are grown on, and what leaves hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from jointbayes._kernels.joint_forest import MISSING
from jointbayes.learners.joint_trees.bags import copy_rows, draw_bags
from jointbayes.learners.joint_trees.binned import Bins, kernel_columns, learn_columns
from jointbayes.learners.joint_trees.trees import Growth, Training, grow_trees
from jointbayes.table import Column, Table


def test_bins_keep_all_values_or_share_them_evenly():
    rng = np.random.default_rng(0)
    few = np.repeat(rng.normal(size=200), 3)
    cuts = Bins().fit(few[:, None]).cuts_[0]
    assert len(cuts) == 199
    assert not np.isin(cuts, few).any()
    many = rng.normal(size=5100)
    cuts = Bins().fit(many[:, None]).cuts_[0]
    sizes = np.bincount(np.searchsorted(cuts, many))
    assert len(sizes) == 255
    assert sizes.min() == sizes.max() == 20


def test_more_categories_than_bytes_are_put_together_in_order():
    n = 400
    names = np.array([f"c{i:03}" for i in range(n)])
    Y = (np.arange(n) >= 200).astype(int)[:, None]
    X = Table((Column.of("name", np.repeat(names, 5)),))
    found = learn_columns(X, np.repeat(Y, 5, axis=0), (2,)).bytes(X)[:, 0]
    assert found.max() < MISSING
    assert found[Y.repeat(5) == 0].max() <= found[Y.repeat(5) == 1].min()


def test_bytes_of_sparse_and_dense_columns_are_the_same():
    rng = np.random.default_rng(1)
    X = rng.poisson([0.1, 0.5, 3.0, 0.0], (90, 4)).astype(float)
    Y = rng.integers(0, 2, (90, 2))
    dense = learn_columns(Table.of(X), Y, (2, 2))
    sparse = learn_columns(csr_array(X), Y, (2, 2))
    np.testing.assert_array_equal(dense.bytes(Table.of(X)), sparse.bytes(csr_array(X)))
    one, varying = kernel_columns(dense.codes(Table.of(X)))
    two, others = kernel_columns(sparse.codes(csr_array(X)))
    assert varying.tolist() == others.tolist() == [0, 1, 2]
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("sparse", [False, True])
def test_copies_are_the_same_for_any_order_of_rows_and_for_weights(sparse):
    rng = np.random.default_rng(2)
    X, sets = rng.integers(0, 3, (60, 3)).astype(float), rng.integers(0, 2, 60)
    weights = rng.integers(1, 4, 60).astype(float)

    def content(rows, w):
        matrix = csr_array(X[rows]) if sparse else Table.of(X[rows])
        columns = learn_columns(matrix, sets[rows][:, None], (2,), w)
        copies = copy_rows(columns.codes(matrix), sets[rows], w)
        held = np.column_stack([X[rows], sets[rows]])[copies.rows]
        assert (held[copies.of_rows] == np.column_stack([X[rows], sets[rows]])).all()
        return np.column_stack([held, copies.weights])

    expected = content(np.arange(60), weights)
    shuffled = rng.permutation(60)
    np.testing.assert_array_equal(content(shuffled, weights[shuffled]), expected)
    again = np.repeat(np.arange(60), weights.astype(int))
    np.testing.assert_array_equal(content(again, None), expected)
    assert expected[:, -1].sum() == weights.sum()


def test_many_equal_rows_become_few_copies():
    codes, sets = np.zeros((10_000, 1), dtype=np.uint8), np.arange(10_000) % 2
    copies = copy_rows(codes, sets, None)
    assert len(copies.rows) == 16
    assert copies.weights.sum() == 10_000


def test_bags_are_shares_of_their_rows_and_never_empty():
    bags = draw_bags(2000, 50, 0.5, seed=3)
    assert abs(bags.mean() - 0.5) < 0.01
    assert len(np.unique(bags, axis=0)) == 50
    assert draw_bags(1, 40, 0.5, seed=3).all()


def test_leaves_count_the_rows_of_their_bag():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(np.intp)
    columns = learn_columns(Table.of(X), Y, (2, 2))
    codes = columns.codes(Table.of(X))
    vectors, sets = np.unique(Y, axis=0, return_inverse=True)
    weights = rng.random(80) + 0.5
    training = Training(codes, Y, (2, 2), sets.ravel(), len(vectors), weights)
    bags = draw_bags(80, 5, 0.6, seed=0)
    trees = grow_trees(training, bags, Growth(2, 1, 2, seed=0, n_threads=2))
    leaves = trees.leaves(codes, 1)
    counts = np.zeros(trees.counts.shape)
    for tree, bag in enumerate(bags):
        for row in np.flatnonzero(bag):
            counts[leaves[row, tree], sets.ravel()[row]] += weights[row]
    np.testing.assert_allclose(trees.counts.toarray(), counts, atol=1e-12)
    shares = counts / counts.sum(axis=1, keepdims=True)
    expected = np.mean([shares[leaves[:, tree]] for tree in range(5)], axis=0)
    np.testing.assert_allclose(trees.proba(leaves, 1), expected, atol=1e-12)
    nobody = np.full_like(leaves, -1)
    assert not trees.proba(nobody, 1).any()
    assert trees.importances(3).argmin() == 2
