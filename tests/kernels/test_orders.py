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
    codes = np.random.default_rng(seed).integers(0, 2, (n, d))
    _, base, _, together = arrays
    expected = orders.sum_orders_of_sets(base, together, codes, 1)
    found = _kernels.sum_orders_of_sets(base, together, codes, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)


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
