"""Sums over orders against all orders one by one; compiled kernels against the definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import orders

KERNELS = {"compiled": _kernels, "definition": orders}
both = pytest.mark.parametrize("kernels", KERNELS.values(), ids=KERNELS)


def cascade(seed, n, d, spread=3.0, share=0.0):
    """The arrays of a cascade; a share of what is in them is impossible."""
    rng = np.random.default_rng(seed)
    log_size, base, by_size, together = (
        np.where(rng.random(shape) < share, -np.inf, spread * rng.normal(size=shape))
        for shape in ((n, d + 1), (n, d), (d + 1, d), (d, d))
    )
    together[np.diag_indices(d)] = -np.inf
    return log_size, base, by_size, together


def by_orders(base, together, labels):
    """Σ over orders of ∏ p(y | those before), as plain as can be."""
    total = 0.0
    for order in permutations(labels):
        p = 1.0
        for k, y in enumerate(order):
            left = [j for j in range(len(base)) if j not in order[:k]]
            score = {j: np.exp(base[j] + sum(together[i, j] for i in order[:k])) for j in left}
            p *= score[y] / sum(score.values())
        total += p
    return total


@both
@pytest.mark.parametrize("d", [1, 2, 4, 5])
def test_the_probability_of_a_set_is_the_sum_over_its_orders(kernels, d):
    log_size, base, by_size, together = cascade(d, 2, d)
    found = kernels.sum_orders_of_all_sets(log_size, base, by_size, together, 2)
    for row in range(2):
        for number in range(1 << d):
            labels = [j for j in range(d) if number >> (d - 1 - j) & 1]
            scores = base[row] + by_size[len(labels)]
            expected = np.log(by_orders(scores, together, labels)) + log_size[row, len(labels)]
            assert found[row, number] == pytest.approx(expected, abs=1e-12)


@both
@pytest.mark.parametrize("spread", [1.0, 3000.0])
def test_the_sets_of_one_size_add_up_to_one(kernels, spread):
    log_size, base, by_size, together = cascade(0, 4, 8, spread)
    together /= spread
    found = kernels.sum_orders_of_all_sets(log_size * 0, base, by_size, together, 1)
    size = np.array([number.bit_count() for number in range(1 << 8)])
    for m in range(9):
        np.testing.assert_allclose(np.exp(found[:, size == m]).sum(axis=1), 1.0, rtol=1e-9)


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition is what runs")
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(0, 3),
    st.integers(1, 8),
    st.sampled_from([0.1, 5.0, 1000.0]),
    st.sampled_from([0.0, 0.3]),
)
def test_compiled_sums_are_those_of_the_definition(seed, n, d, spread, share):
    arrays = cascade(seed, n, d, spread, share)
    expected = orders.sum_orders_of_all_sets(*arrays, 1)
    for threads in (1, 3):
        found = _kernels.sum_orders_of_all_sets(*arrays, threads)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)
    _, base, by_size, together = arrays
    log_size = arrays[0] - np.maximum(arrays[0], -1e300).max(axis=1, keepdims=True)
    few = log_size, base, by_size, together
    expected, (best, top) = (
        orders.sum_orders_by_label(*few, 1),
        orders.sum_orders_of_best_set(*few, 1),
    )
    for threads in (1, 3):
        by_label = _kernels.sum_orders_by_label(*few, threads)
        np.testing.assert_allclose(by_label, expected, rtol=1e-10, atol=1e-12)
        found, log_p = _kernels.sum_orders_of_best_set(*few, threads)
        assert found.tolist() == best.tolist()
        np.testing.assert_allclose(log_p, top, rtol=1e-11, atol=1e-9)
    codes = np.random.default_rng(seed).integers(0, 2, (n, d))
    expected = orders.sum_orders_of_sets(base, together, codes, 1)
    found = _kernels.sum_orders_of_sets(base, together, codes, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition multiplies matrices")
@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_a_row_has_the_same_answer_alone_as_with_others(spread):
    log_size, base, by_size, together = cascade(3, 21, 6, spread, share=0.1)
    for name in ("sum_orders_of_all_sets", "sum_orders_of_best_set", "sum_orders_by_label"):
        every = getattr(_kernels, name)(log_size, base, by_size, together, 2)
        for row in range(21):
            here = slice(row, row + 1)
            one = getattr(_kernels, name)(log_size[here], base[here], by_size, together, 1)
            pairs = zip(every, one, strict=True) if isinstance(every, tuple) else [(every, one)]
            for some, alone in pairs:
                np.testing.assert_array_equal(some[here], alone)


@both
def test_of_equally_good_sets_the_lowest_is_the_best(kernels):
    once = np.where(np.eye(3), -np.inf, 0.0)
    log_size = np.log(np.array([[0.1, 0.45, 0.45, 0.0]]) + 1e-300)
    best, log_p = kernels.sum_orders_of_best_set(
        log_size, np.zeros((1, 3)), np.zeros((4, 3)), once, 1
    )
    assert best.tolist() == [1]
    assert np.exp(log_p) == pytest.approx([0.15])


@both
def test_where_no_set_is_possible_the_best_is_none(kernels):
    nothing = np.full((2, 4), -np.inf)
    best, log_p = kernels.sum_orders_of_best_set(
        nothing, np.zeros((2, 3)), np.zeros((4, 3)), np.zeros((3, 3)), 1
    )
    assert best.tolist() == [0, 0]
    assert np.isneginf(log_p).all()


@both
def test_one_set_has_the_probability_that_it_has_among_all(kernels):
    _, base, by_size, together = cascade(5, 3, 6)
    codes = np.array([[0] * 6, [1, 0, 1, 1, 0, 0], [1] * 6])
    size = codes.sum(axis=1)
    every = kernels.sum_orders_of_all_sets(np.zeros((3, 7)), base, by_size, together, 1)
    one = kernels.sum_orders_of_sets(base + by_size[size], together, codes, 1)
    number = codes @ (1 << np.arange(6)[::-1])
    np.testing.assert_allclose(one, every[np.arange(3), number], atol=1e-12)


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition would take all memory")
def test_too_many_labels_are_refused():
    arrays = cascade(0, 1, 25)
    with pytest.raises(ValueError, match="too many labels"):
        _kernels.sum_orders_of_all_sets(*arrays, 1)
    with pytest.raises(ValueError, match="too many labels"):
        _kernels.sum_orders_of_sets(arrays[1], arrays[3], np.ones((1, 25), dtype=np.int64), 1)
