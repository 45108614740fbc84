"""The cascade posterior: all sets by definition, the listed against the searched, and its marks."""

from __future__ import annotations

from itertools import combinations, permutations
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import space_of

from jointbayes.inference.picking import log_prob_of_sets, widen
from jointbayes.labels import learn_labels
from jointbayes.posterior import Cascade, Listed, cascade, sets_by_size

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=15, deadline=None)


def random_cascade(seed, d=4, n=3, sharpness=1.0):
    rng = np.random.default_rng(seed)
    size = rng.dirichlet(np.ones(d + 1), n)
    size[:, rng.integers(0, d + 1)] *= rng.random() < 0.5  # a size that was never seen
    together = np.log(rng.random((d, d)))
    np.fill_diagonal(together, -np.inf)
    with np.errstate(divide="ignore"):
        log_size = np.log(size / size.sum(axis=1, keepdims=True))
    base, by_size = rng.normal(0, sharpness, (n, d)), np.log(rng.random((d + 1, d)))
    return Cascade(log_size, base, by_size, together, space_of((2,) * d))


def by_definition(post, row):
    """P of every label vector: the cascade along every order, in plain loops."""
    d = len(post.space)
    joint = {}
    for m in range(d + 1):
        for labels in combinations(range(d), m):
            total = sum(along(post, row, m, order) for order in permutations(labels))
            vector = tuple(int(j in labels) for j in range(d))
            joint[vector] = exp(post.log_size[row, m]) * total
    return joint


def along(post, row, m, order):
    p = 1.0
    for k, y in enumerate(order):
        scores = {
            other: exp(
                post.base[row, other]
                + post.by_size[m, other]
                + sum(post.together[picked, other] for picked in order[:k])
            )
            for other in range(len(post.space))
            if other not in order[:k]
        }
        p *= scores[y] / sum(scores.values())
    return p


@FEW
@given(SEEDS)
def test_every_query_is_that_of_the_listed_joint(seed):
    post = random_cascade(seed)
    vectors = np.indices((2,) * 4).reshape(4, -1).T
    joint = [[by_definition(post, row)[tuple(v)] for v in vectors.tolist()] for row in range(3)]
    np.testing.assert_allclose(np.sum(joint, axis=1), 1, atol=1e-12)
    with np.errstate(divide="ignore"):
        table = Listed(vectors, np.log(joint), post.space)
    for got, want in ((post, table), (post.given({"y1": 1}), table.given({"y1": 1}))):
        for loss in ("subset", "hamming", "f1", "jaccard"):
            np.testing.assert_array_equal(got.decide(loss), want.decide(loss))
            np.testing.assert_array_equal(got.decide(loss, "forbid"), want.decide(loss, "forbid"))
        np.testing.assert_allclose(got.marginals(), want.marginals(), atol=1e-12)
        np.testing.assert_array_equal(got.top_k(5)[0], want.top_k(5)[0])
        np.testing.assert_allclose(got.top_k(5)[1], want.top_k(5)[1], rtol=1e-9)
        for v in vectors:
            np.testing.assert_allclose(
                np.exp(got.log_prob([v] * 3)), np.exp(want.log_prob([v] * 3)), atol=1e-12
            )
    assert set(post.exactness.values()) == {"exact"}
    assert not post.gap().any()


def test_samples_follow_the_joint():
    post = random_cascade(5, d=3, n=1)
    drawn = post.sample(20000)[:, 0]
    for vector, p in by_definition(post, 0).items():
        share = (drawn == vector).all(axis=1).mean()
        assert share == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 20000) + 1e-9)


@pytest.fixture
def searched(monkeypatch):
    """Take sets for too many to be listed, however few they are."""
    monkeypatch.setattr(cascade, "TABULATED", 1)
    monkeypatch.setattr(sets_by_size, "DRAWS", 4000)


@pytest.mark.usefixtures("searched")
def test_what_is_searched_or_sampled_is_near_what_is_listed():
    post = random_cascade(2, d=5, n=4)
    codes = np.indices((2,) * 5).reshape(5, -1).T
    table = post._table()
    exact = table._log_prob(np.broadcast_to(codes, (4, *codes.shape)))
    np.testing.assert_allclose(post._log_prob(np.broadcast_to(codes, (4, *codes.shape))), exact)
    np.testing.assert_allclose(post.marginals(), table.marginals(), atol=0.04)
    np.testing.assert_allclose(post._sizes(), table._sizes(), atol=0.04)
    assert (post.log_prob(post.map()) + post.gap() >= exact.max(axis=1) - 1e-12).all()
    known, listed = post.given({"y2": 1, "y0": 0}), table.given({"y2": 1, "y0": 0})
    np.testing.assert_allclose(known.marginals(), listed.marginals(), atol=0.04)
    sets = np.tile([0, 1, 1, 0, 1], (4, 1))
    np.testing.assert_allclose(known.log_prob(sets), listed.log_prob(sets), atol=0.1)
    drawn = known.sample(500)
    assert (drawn[:, :, 2] == 1).all()
    assert not drawn[:, :, 0].any()
    assert post.exactness["sample"] == "exact"
    assert post.exactness["map"] == post.exactness["marginals"] == "approximate"
    assert known.exactness["sample"] == "approximate"


@pytest.mark.usefixtures("searched")
def test_a_wide_beam_finds_the_best_of_the_joint():
    post = random_cascade(3, d=6, n=20, sharpness=2.0)
    best = post._table()._best(1)[0][:, 0]
    assert (post._beam(1, 32)[0][:, 0] == best).all(axis=1).mean() >= 0.9
    codes, log_p = post.top_k(3)
    assert (np.diff(log_p, axis=1) <= 0).all()
    assert len(np.unique(codes[0], axis=0)) == 3


def test_orders_sampled_within_a_set_give_its_probability():
    post = random_cascade(4, d=6, n=1)
    codes = np.array([[1, 1, 0, 1, 1, 0]])
    base = post.base + post.by_size[4]
    exact = log_prob_of_sets(base, post.together, codes, 6, 0)
    drawn = log_prob_of_sets(base, post.together, codes, 2, 3000)
    np.testing.assert_allclose(drawn, exact, atol=0.05)


def test_a_beam_as_wide_as_all_sets_sums_all_orders():
    post = random_cascade(7, d=5)
    codes, log_p = widen(post.base + post.by_size[3], post.together, 3, 60)
    found = log_p > -np.inf
    assert found.sum(axis=1).tolist() == [10] * 3
    flat = codes[:, :10].reshape(30, 5)
    base = np.repeat(post.base + post.by_size[3], 10, axis=0)
    exact = log_prob_of_sets(base, post.together, flat, 5, 0)
    np.testing.assert_allclose(log_p[:, :10].ravel(), exact, atol=1e-12)


def test_many_labels_are_answered_and_marked():
    post = random_cascade(1, d=40, n=2, sharpness=3.0)
    assert post.map().shape == (2, 40)
    assert post.top_k(4)[0].shape == (2, 4, 40)
    p = np.stack(post.marginals())
    np.testing.assert_allclose(p.sum(axis=2), 1)
    assert np.isfinite(post.log_prob(post.sample(1)[0])).all()
    assert post.exactness["log_prob"] == "approximate"


def test_marginals_of_many_rows_are_those_of_each_and_of_all_sets() -> None:
    rng, d, n = np.random.default_rng(0), 12, 300
    log_size = np.log(rng.dirichlet(np.ones(d + 1), size=n))
    once = np.where(np.eye(d), -np.inf, rng.normal(size=(d, d)))
    space = learn_labels([[0] * d, [1] * d])
    post = Cascade(log_size, rng.normal(size=(n, d)), rng.normal(size=(d + 1, d)), once, space)
    found = np.stack(post.marginals())
    for i in (0, n - 1):
        codes, log_p = post[i : i + 1]._every()
        relevant = np.exp(log_p[0]) @ codes
        np.testing.assert_allclose(found[:, i], np.stack([1 - relevant, relevant], axis=1))
        np.testing.assert_allclose(found[:, i], np.stack(post[i : i + 1].marginals())[:, 0])
