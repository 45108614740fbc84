"""Chains of logistic regressions: the kernels against their definitions and against all vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import chains, nearest

KERNELS = {"compiled": _kernels, "definition": chains}
both = pytest.mark.parametrize("kernels", KERNELS.values(), ids=KERNELS)
ALWAYS = 1 << 40


def chain(seed, n, d, scale=1.5, known=0.0):
    """Base, links and fixed labels; what lies on or below the diagonal of the links is not read."""
    rng = np.random.default_rng(seed)
    base, links = scale * rng.normal(size=(n, d)), scale * rng.normal(size=(d, d))
    fixed = np.where(rng.random((n, d)) < known, rng.integers(0, 2, (n, d)), -1)
    return base, links, fixed


def vectors(d):
    return np.indices((2,) * d).reshape(d, -1).T


def by_steps(base, links, y):
    """log P of one vector, label by label."""
    total = 0.0
    for t, value in enumerate(y):
        z = base[t] + sum(links[s, t] for s in range(t) if y[s])
        total += np.log(1 / (1 + np.exp(-z if value else z)))
    return total


@both
def test_probabilities_are_products_of_the_steps(kernels):
    base, links, fixed = chain(0, 3, 4)
    codes = vectors(4)
    expected = np.array([[by_steps(b, links, y) for y in codes] for b in base])
    every = kernels.chain_all(base, links, fixed, 2)
    np.testing.assert_allclose(every, expected, atol=1e-12)
    tiled = np.tile(codes, (3, 1)).astype(np.int64)
    found = kernels.chain_log_prob(base, links, tiled, 16, 2)
    np.testing.assert_allclose(found.reshape(3, 16), expected, atol=1e-12)


@both
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 9),
    st.sampled_from([0.0, 0.4]), st.sampled_from([0.3, 3.0]),
)  # fmt: skip
@settings(max_examples=20, deadline=None)
def test_the_k_best_are_those_of_all_vectors(kernels, seed, d, k, known, scale):
    base, links, fixed = chain(seed, 2, d, scale, known)
    every = chains.chain_all(base, links, fixed, 1)
    codes, log_p, bound, visited = kernels.chain_best(base, links, fixed, k, ALWAYS, np.inf, 2)
    expected = -np.sort(-np.hstack([every, np.full((2, k), -np.inf)]), axis=1)[:, :k]
    np.testing.assert_allclose(log_p, expected, atol=1e-9)
    assert np.isneginf(bound).all()
    assert (visited <= 2 ** (d + 1)).all()
    for row in range(2):
        numbers = (codes[row] @ (1 << np.arange(d)[::-1]))[log_p[row] > -np.inf]
        assert len(set(numbers.tolist())) == len(numbers)
        np.testing.assert_allclose(
            every[row, numbers], log_p[row][log_p[row] > -np.inf], atol=1e-12
        )


@both
@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_a_search_that_ends_early_says_what_it_may_lack(kernels, seed, most, k):
    base, links, fixed = chain(seed, 2, 7, 0.4)
    best = chains.chain_all(base, links, fixed, 1).max(axis=1)
    _, log_p, bound, visited = kernels.chain_best(base, links, fixed, k, most, np.inf, 1)
    assert (log_p[:, 0] > -np.inf).all()
    assert (best <= np.maximum(log_p[:, 0], bound) + 1e-9).all()
    assert (visited <= most + 7).all()


def test_time_ends_a_search_too():
    base, links, fixed = chain(0, 2, 60, 0.05)
    _, log_p, bound, visited = _kernels.chain_best(base, links, fixed, 1, ALWAYS, 1e-6, 1)
    assert (bound > log_p[:, 0]).all()
    assert (visited < 1 << 12).all()


def test_bounds_prune_what_one_by_one_would_not_end():
    base, links, fixed = chain(0, 20, 50, 3.0)
    links /= 20
    *_, bound, visited = _kernels.chain_best(base, links, fixed, 1, 1 << 17, np.inf, 1)
    assert np.isneginf(bound).all()
    assert visited.max() < 1 << 17


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.0, 0.4]), st.booleans())
@settings(max_examples=30, deadline=None)
def test_draws_are_those_of_the_definition(seed, d, known, alike):
    base, links, fixed = chain(seed, 3, d, known=known)
    uniform = np.random.default_rng(seed).random((5, 1 if alike else 3, d))
    for ours, theirs in zip(
        _kernels.chain_walk(base, links, fixed, uniform, 2),
        chains.chain_walk(base, links, fixed, uniform, 1),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@both
@pytest.mark.parametrize("known", [0.0, 0.4])
def test_sums_are_those_of_all_vectors(kernels, known):
    base, links, fixed = chain(5, 3, 4, known=known)
    total, sizes = kernels.chain_sums(base, links, fixed, 2)
    p = np.exp(chains.chain_all(base, links, fixed, 1))
    np.testing.assert_allclose(total, p.sum(axis=1), atol=1e-12)
    codes = vectors(4)
    for label in range(4):
        for size in range(5):
            some = (codes[:, label] == 1) & (codes.sum(axis=1) == size)
            np.testing.assert_allclose(sizes[:, label, size], p[:, some].sum(axis=1), atol=1e-12)


@both
def test_draws_have_the_probabilities_of_the_vectors(kernels):
    base, links, fixed = chain(3, 1, 3)
    uniform = np.random.default_rng(0).random((20_000, 1, 3))
    codes, importance, means = kernels.chain_walk(base, links, fixed, uniform, 1)
    share = np.bincount(codes[:, 0] @ [4, 2, 1], minlength=8) / 20_000
    p = np.exp(kernels.chain_all(base, links, fixed, 1)[0])
    np.testing.assert_allclose(share, p, atol=0.015)  # four standard errors
    np.testing.assert_allclose(means[0], p @ vectors(3), atol=0.015)
    assert not importance.any()


@both
def test_shapes_that_do_not_fit_are_refused(kernels):
    base, links, fixed = chain(0, 2, 3)
    with pytest.raises((ValueError, IndexError)):
        kernels.chain_all(base, links[:2], fixed, 1)
    with pytest.raises((ValueError, IndexError)):
        kernels.chain_walk(base, links, fixed, np.zeros((2, 3, 3)), 1)


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_nearest_by_products_are_those_of_the_definition(seed, k, own):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (8, 2)).astype(float)  # many are equally far
    asked = rows[2:5] if own else rng.integers(0, 3, (3, 2)).astype(float)
    arguments = (asked @ rows.T, (asked**2).sum(axis=1), (rows**2).sum(axis=1), k)
    found = _kernels.nearest_by_products(*arguments, 2 if own else -1, 2)
    expected = nearest.nearest_by_products(*arguments, 2 if own else -1, 1)
    np.testing.assert_array_equal(found, expected)
