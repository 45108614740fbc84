"""Trees: the kernel against its definition, and the definition against Gini's impurity by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import forest as definition
from jointbayes._kernels.permutations import stream, uniform

FEW = settings(max_examples=40, deadline=None)


@st.composite
def problems(draw):
    n, p = draw(st.integers(2, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    kind = draw(st.sampled_from([np.uint8, np.uint16, np.uint32]))
    X = rng.integers(0, draw(st.sampled_from([2, 5, 40])), (n, p))
    X[:, 0] *= draw(st.booleans())  # a constant column, or not
    n_classes = draw(st.integers(2, 30))
    y = rng.integers(0, n_classes, n).astype(np.int32)
    n_tried = draw(st.integers(1, p))
    return np.asfortranarray(X.astype(kind)), y, n_classes, n_tried


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition is what runs")
@FEW
@given(problems(), st.integers(0, 2**64 - 1), st.integers(1, 3))
def test_the_kernel_grows_and_asks_the_trees_of_the_definition(problem, seed, threads):
    X, y, n_classes, n_tried = problem
    found = _kernels.grow_forest(X, y, n_classes, 3, n_tried, seed, threads)
    expected = definition.grow_forest(X, y, n_classes, 3, n_tried, seed, 1)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    nodes, starts = expected
    rows = np.ascontiguousarray(X, dtype=float)
    cuts = (nodes[:, 1] + nodes[:, 2]) / 2
    votes = _kernels.forest_votes(rows, nodes, cuts, starts, n_classes, threads)
    np.testing.assert_array_equal(
        votes, definition.forest_votes(rows, nodes, cuts, starts, n_classes, 1)
    )
    assert (votes.sum(axis=1) == 3).all()


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition is what runs")
@pytest.mark.parametrize("n", [1, 7, 8, 9, 65, 130])
def test_rows_that_go_down_a_tree_together_end_where_each_would_alone(n):
    rng = np.random.default_rng(n)
    ranks = np.asfortranarray(rng.integers(0, 50, (200, 4)).astype(np.uint8))
    y = rng.integers(0, 9, 200).astype(np.int32)
    nodes, starts = _kernels.grow_forest(ranks, y, 9, 5, 2, 0, 1)
    cuts = (nodes[:, 1] + nodes[:, 2]) / 2
    rows = rng.normal(25, 15, (n, 4))
    rows[rng.random((n, 4)) < 0.2] = np.nan  # goes right, and stays at its leaf
    votes = _kernels.forest_votes(rows, nodes, cuts, starts, 9, 1)
    np.testing.assert_array_equal(votes, definition.forest_votes(rows, nodes, cuts, starts, 9, 1))


def drawn_rows(seed, tree, n):
    """The rows of a tree, each as often as it was drawn."""
    key = stream(stream(seed, tree), 0)
    return [int(uniform(key, i) * n) for i in range(n)]


def impurity(classes):
    return 1 - sum(Fraction(classes.count(c), len(classes)) ** 2 for c in set(classes))


def least_impurity(X, y, rows):
    """The least mean impurity of two sides, over all features and cuts, by trying all of them."""
    best = None
    for column in X.T.tolist():
        for cut in sorted({column[r] for r in rows})[:-1]:
            left = [int(y[r]) for r in rows if column[r] <= cut]
            right = [int(y[r]) for r in rows if column[r] > cut]
            mean = len(left) * impurity(left) + len(right) * impurity(right)
            best = mean if best is None else min(best, mean)
    return best


@FEW
@given(problems(), st.integers(0, 100))
def test_with_all_features_tried_no_split_is_better(problem, seed):
    X, y, n_classes, _ = problem
    nodes, _ = _kernels.grow_forest(X, y, n_classes, 1, X.shape[1], seed, 1)
    members = {0: drawn_rows(seed, 0, len(X))}
    for v, (feature, low, high, then) in enumerate(nodes.tolist()):
        rows = members[v]
        classes = [int(y[r]) for r in rows]
        if feature < 0:
            assert then in classes
            assert classes.count(then) == max(map(classes.count, classes))
            assert len(set(classes)) == 1 or least_impurity(X, y, rows) is None
            continue
        codes = X[:, feature].tolist()
        left = [r for r in rows if codes[r] <= low]
        right = [r for r in rows if codes[r] >= high]
        assert len(left) + len(right) == len(rows)
        assert left
        assert right
        sides = ([int(y[r]) for r in side] for side in (left, right))
        mean = sum(len(side) * impurity(side) for side in sides)
        assert float(mean) == pytest.approx(float(least_impurity(X, y, rows)), abs=1e-9)
        members[then], members[then + 1] = left, right


def test_rows_with_classes_of_their_own_make_an_even_tree():
    n = 512
    X = np.arange(n, dtype=np.uint16)[:, None]
    nodes, _ = _kernels.grow_forest(
        np.asfortranarray(X), np.arange(n, dtype=np.int32), n, 1, 1, 0, 1
    )
    depth = {0: 0}
    for v, (feature, _, _, then) in enumerate(nodes.tolist()):
        if feature >= 0:
            depth[then] = depth[then + 1] = depth[v] + 1
    assert max(depth.values()) <= 40  # one by one it would be some 300
