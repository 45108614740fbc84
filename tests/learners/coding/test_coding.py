"""The solvers of output coding against plain ones: all vectors, general solvers, rows left out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from jointbayes.errors import CostError
from jointbayes.learners.coding import ridge as ridge_module
from jointbayes.learners.coding.box import ascend, upper_bounds, values_at
from jointbayes.learners.coding.decoding import decode_by_list, decode_by_search
from jointbayes.learners.coding.indicators import blocks_of, every_vector, indicators_of
from jointbayes.learners.coding.margin import learn_metric, margin_objective
from jointbayes.learners.coding.ridge import learn_ridge


def quadratic(seed, n, q, rank=None):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(q, rank or q))
    return root @ root.T, rng.normal(size=(n, q)) * 3


@given(st.integers(0, 10_000), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_the_box_is_searched_to_its_maximum(seed, q):
    W, b = quadratic(seed, 3, q, max(1, q - 1))
    found = ascend(W, b, np.full((3, q), 0.5), 5000)
    for i in range(3):
        best = minimize(
            lambda y, i=i: 0.5 * y @ W @ y - b[i] @ y, np.full(q, 0.5), bounds=[(0, 1)] * q
        )
        assert values_at(W, b, found)[i] >= -best.fun - 1e-6
    assert (upper_bounds(W, b, found) >= values_at(W, b, found) - 1e-12).all()


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_a_bound_holds_wherever_it_is_taken(seed):
    W, b = quadratic(seed, 4, 4, 2)
    anywhere = np.random.default_rng(seed).random((4, 4))
    corners = np.array(list(product((0.0, 1.0), repeat=4)))
    for i in range(4):
        highest = values_at(W, np.repeat(b[[i]], 16, axis=0), corners).max()
        assert upper_bounds(W, b, anywhere)[i] >= highest - 1e-9


def objective_by_definition(Q, predicted, truth, C):
    """(1) with y in the box, one row at a time, by a general solver from every corner."""

    def distance(a, y):
        return (a - y) @ Q @ (a - y)

    slack = []
    for p, t in zip(predicted, truth, strict=True):
        ends = [
            minimize(
                lambda y, p=p, t=t: distance(p, y) - np.abs(t - y).sum(),
                np.abs(np.array(start) - 0.01),
                bounds=[(0, 1)] * len(t),
            ).fun
            for start in product((0, 1), repeat=len(t))
        ]
        slack.append(distance(p, t) - min(ends))
    return 0.5 * (Q**2).sum() + C * np.mean(slack)


def few_rows(seed, n=12, q=3):
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, q)) < 0.4).astype(float)
    return 0.3 + 0.4 * truth + 0.2 * rng.normal(size=(n, q)), truth


def test_the_objective_is_that_of_the_definition():
    predicted, truth = few_rows(0)
    root = np.random.default_rng(1).normal(size=(3, 3))
    for Q in (np.zeros((3, 3)), np.eye(3), root @ root.T):
        found, worst = margin_objective(Q, predicted, truth, 2.0)
        assert found == pytest.approx(objective_by_definition(Q, predicted, truth, 2.0), abs=1e-5)
        assert ((worst >= 0) & (worst <= 1)).all()


@pytest.mark.parametrize(("seed", "C"), [(0, 1.0), (1, 10.0), (2, 0.1)])
def test_no_metric_that_a_general_solver_finds_is_better(seed, C):
    """Q = LL' over L, without constraints, from several starts; it has no worse local minima."""
    predicted, truth = few_rows(seed)
    q = truth.shape[1]
    found = learn_metric(predicted, truth, C, tol=1e-4)

    def of_root(flat):
        root = flat.reshape(q, q)
        return margin_objective(root @ root.T, predicted, truth, C)[0]

    rng = np.random.default_rng(9)
    starts = [rng.normal(size=q * q) * size for size in (0.3, 1.0)]
    general = min(
        minimize(of_root, s, method="Powell", options={"maxiter": 20}).fun for s in starts
    )
    assert found.bound <= general + 1e-9
    assert found.objective <= general * (1 + 2e-4)
    assert found.objective - found.bound <= 1e-4 * found.objective
    assert margin_objective(found.matrix, predicted, truth, C)[0] <= found.objective + 1e-9
    assert np.linalg.eigvalsh(found.matrix)[0] >= -1e-9


def test_a_weight_of_two_is_the_row_twice():
    predicted, truth = few_rows(3)
    weights = np.arange(12) % 3 + 1.0
    twice = np.repeat(np.arange(12), weights.astype(int))
    one = learn_metric(predicted, truth, weights=weights, tol=1e-5)
    other = learn_metric(predicted[twice], truth[twice], tol=1e-5)
    np.testing.assert_allclose(one.matrix, other.matrix, atol=2e-2)
    assert one.objective == pytest.approx(other.objective, rel=3e-5)


def test_the_search_stops_when_told():
    predicted, truth = few_rows(4)
    found = learn_metric(predicted, truth, 10.0, tol=1e-9, max_iter=3)
    assert found.n_iter == 3
    assert found.bound < found.objective


@given(st.integers(0, 10_000), st.sampled_from(["allow", "forbid"]))
@settings(max_examples=40, deadline=None)
def test_the_search_finds_what_the_list_does(seed, empty):
    rng = np.random.default_rng(seed)
    cards = (2,) * 6 if empty == "forbid" else tuple(rng.choice([2, 3], 5).tolist())
    q = blocks_of(cards)[-1].stop
    W, b = quadratic(seed, 6, q)
    listed = decode_by_list(W, b, cards, empty=empty)
    searched = decode_by_search(W, b, cards, empty=empty, width=200)
    scores = [values_at(W, b, indicators_of(f.codes, cards)) for f in (listed, searched)]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-8)
    assert (searched.gap == 0).all()
    assert searched.codes.any(axis=1).all() or empty == "allow"


def test_a_narrow_search_says_what_it_may_have_missed():
    W, b = quadratic(5, 30, 10)
    listed = decode_by_list(W, b, (2,) * 10)
    searched = decode_by_search(W, b, (2,) * 10, width=1)
    best, found = (values_at(W, b, f.codes.astype(float)) for f in (listed, searched))
    assert (best <= found + searched.gap + 1e-9).all()
    assert (searched.gap > 0).any()


def test_there_is_an_answer_for_no_rows():
    for decode in (decode_by_list, decode_by_search):
        assert decode(np.eye(3), np.zeros((0, 3)), (2, 2, 2)).codes.shape == (0, 3)


def test_indicators_are_a_way_there_and_back():
    cards = (3, 2, 1)
    vectors = every_vector(cards)
    ones = indicators_of(vectors, cards)
    assert len(vectors) == 6
    assert [blocks_of(cards)[j].stop for j in range(3)] == [3, 4, 5]
    assert (ones[:, :3].argmax(axis=1) == vectors[:, 0]).all()
    assert (ones[:, 3] == vectors[:, 1]).all()


@pytest.mark.parametrize("shape", [(30, 4), (8, 20)])
@pytest.mark.parametrize("weighted", ["equal", "weighted"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_ridge_is_that_of_the_normal_equations(shape, weighted, make):
    rng = np.random.default_rng(0)
    X, T = rng.normal(size=shape) * (rng.random(shape) < 0.6), rng.normal(size=(shape[0], 2))
    w = rng.integers(1, 4, shape[0]).astype(float) if weighted == "weighted" else None
    found = learn_ridge(make(X), T, w)
    np.testing.assert_allclose(found.ridge.predict(make(X)), found.fitted, atol=1e-9)
    Z, each = found.ridge.scaling.apply(X), np.ones(shape[0]) if w is None else w

    def plain(rows):
        """The regression of some rows in the same units, by its normal equations."""
        A = np.column_stack([Z[rows], np.ones(len(rows))])
        ridge = np.diag([found.penalty] * shape[1] + [0.0])
        return np.linalg.solve(
            A.T @ (A * each[rows, None]) + ridge, A.T @ (T[rows] * each[rows, None])
        )

    def answer(B, rows):
        return np.column_stack([Z[rows], np.ones(len(rows))]) @ B

    everything = np.arange(shape[0])
    np.testing.assert_allclose(answer(plain(everything), everything), found.fitted, atol=1e-8)
    for i in range(3):
        others = np.delete(everything, i)
        residual = T[i] - answer(plain(others), np.array([i]))[0]
        np.testing.assert_allclose(residual, found.left_out[i], atol=1e-8)


def test_a_matrix_that_is_too_wide_and_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(ridge_module, "DECOMPOSED", 3)
    with pytest.raises(CostError, match="found 5 rows of 4"):
        learn_ridge(np.eye(5)[:, :4], np.eye(5)[:, :1])
