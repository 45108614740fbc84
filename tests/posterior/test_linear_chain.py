"""Chains that kernels search against the same chains searched step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import space_of

import jointbayes as jb
from jointbayes.inference.logistic_steps import LogisticSteps
from jointbayes.learners.logistic.estimator import BatchedLogistic
from jointbayes.posterior import Chain, ChainSearch, LinearChain, mix


def pair(seed, d, rows=3, scale=1.5, search=None):
    """One chain twice: by kernels, and by its steps."""
    rng = np.random.default_rng(seed)
    base, links = scale * rng.normal(size=(rows, d)), scale * rng.normal(size=(d, d))
    steps = LogisticSteps(base, np.triu(links, 1))
    order = tuple(rng.permutation(d).tolist())
    common = (np.arange(rows), order, space_of((2,) * d), search or ChainSearch())
    return LinearChain(steps, *common), Chain(steps, *common)


def assert_same(ours, theirs):
    n, d = len(ours), len(ours.space)
    for a, b in zip(ours.marginals(), theirs.marginals(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    np.testing.assert_allclose(ours._sizes(), theirs._sizes(), atol=1e-9)
    for a, b in zip(ours.top_k(5), theirs.top_k(5), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    Y = np.random.default_rng(0).integers(0, 2, (n, d))
    np.testing.assert_allclose(ours.log_prob(Y), theirs.log_prob(Y), atol=1e-9)
    for mine, other in zip(ours._every(), theirs._every(), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)
    assert ours.exactness == theirs.exactness


@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
@settings(max_examples=15, deadline=None)
def test_every_answer_is_that_of_the_steps(seed, d):
    ours, theirs = pair(seed, d)
    assert_same(ours, theirs)
    if d > 1:
        known = {"y0": 1, f"y{d - 1}": np.arange(3) % 2}
        assert_same(ours.given(known), theirs.given(known))
        assert_same(ours[[2, 0]], theirs[[2, 0]])


@given(st.integers(0, 2**32 - 1), st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_what_is_ruled_out_is_so_to_the_last_bit(seed, d):
    """A probability of 1e-16 left of a known label would be asked about, and have no answer."""
    post, _ = pair(seed, d, rows=20)
    after = post.given({"y0": 1, f"y{d - 1}": np.arange(20) % 2}).marginals()
    assert [np.count_nonzero(after[j]) for j in (0, d - 1)] == [20, 20]
    assert all((p >= 0).all() for p in after)


def test_draws_estimate_what_is_too_large_to_sum():
    exact, _ = pair(3, 9)
    sampled, _ = pair(3, 9, search=ChainSearch(enumerated=1))
    for a, b in zip(exact.marginals(), sampled.marginals(), strict=True):
        np.testing.assert_allclose(a, b, atol=0.064)  # four standard errors
    np.testing.assert_allclose(exact._sizes(), sampled._sizes(), atol=0.064)
    share = (sampled.sample(4000) == 1).mean(axis=0)
    np.testing.assert_allclose(share, np.stack([p[:, 1] for p in exact.marginals()], 1), atol=0.04)


def test_estimates_of_a_row_do_not_depend_on_the_others():
    post, _ = pair(4, 20, rows=6)
    for whole, part in zip(post.marginals(), post[2:4].marginals(), strict=True):
        np.testing.assert_allclose(whole[2:4], part, atol=1e-12)


@pytest.mark.parametrize("d", [80, 159])
def test_many_labels_end_with_a_bound(d):
    post, _ = pair(0, d, rows=2, scale=0.1, search=ChainSearch(width=64))
    gap = post.gap()
    assert (gap > 0).all()
    assert np.isfinite(gap).all()
    assert post.exactness["map"] == "bounded"
    flipped = post.map()[:, None] ^ np.eye(d, dtype=np.intp)
    assert (post._log_prob(flipped) <= post.log_prob(post.map())[:, None] + gap[:, None]).all()


def test_a_time_limit_ends_a_search():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = (rng.random((60, 40)) < 0.5).astype(int)
    model = jb.ClassifierChain(BatchedLogistic(penalty=1.0), time_limit=1e-9).fit(X, Y)
    assert model.posterior(X[:3]).exactness["map"] == "bounded"
    with pytest.raises(ValueError, match="time_limit"):
        jb.ClassifierChain(time_limit=0).fit(X, Y)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=4, deadline=None)
def test_the_mode_of_a_mixture_is_that_of_all_vectors(seed):
    parts, plain = zip(*(pair(seed + i, 13, scale=1.0) for i in range(3)), strict=True)
    ours, theirs = mix([*parts]), mix([*plain])
    codes, log_p = ours._every()
    np.testing.assert_allclose(log_p, theirs._log_prob(np.broadcast_to(codes, (3, *codes.shape))))
    np.testing.assert_array_equal(ours.map(), codes[log_p.argmax(axis=1)])
    assert not ours.gap().any()
