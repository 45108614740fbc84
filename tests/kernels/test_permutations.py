"""Permuted tables: the kernel against its definition, and the definition against shuffling."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, xlogy

from jointbayes import _kernels
from jointbayes._kernels import permutations as definition
from jointbayes.independence.strata import Strata

FEW = settings(max_examples=40, deadline=None)


def arguments(x, y, z):
    strata = Strata.whole(len(y)).split(np.asarray(z))
    n = np.arange(len(y) + 1.0)
    columns = np.asfortranarray(np.atleast_2d(np.asarray(x, dtype=np.uint8)).T)
    tables = np.stack([gammaln(n + 1), xlogy(n, n)])
    return columns, np.asarray(y, dtype=np.uint32), strata.order, strata.starts, tables


def permute(kernel, x, y, z, n_permutations, enough=0, seed=0, threads=1):
    columns, target, order, starts, tables = arguments(x, y, z)
    answer = kernel(columns, target, order, starts, n_permutations, enough, seed, tables, threads)
    return np.asarray(answer)


def plain_g2(x, y, z):
    """G² as a loop over rows."""
    rows = list(zip(x, y, z, strict=True))
    cell, left = Counter(rows), Counter((a, c) for a, _, c in rows)
    right, whole = Counter((b, c) for _, b, c in rows), Counter(z)
    ratio = [cell[a, b, c] * whole[c] / (left[a, c] * right[b, c]) for a, b, c in rows]
    return 2 * sum(map(log, ratio))


@st.composite
def rows(draw, most=60):
    n = draw(st.integers(2, most))
    cards = draw(st.integers(1, 5)), draw(st.integers(1, 4)), 4
    return tuple(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)) for k in cards)


@pytest.mark.skipif(not _kernels.COMPILED, reason="the definition is what runs")
@FEW
@given(rows(), st.sampled_from([0, 1, 300]), st.sampled_from([0, 2]), st.integers(0, 2**64 - 1))
def test_the_kernel_draws_what_the_definition_draws(data, n_permutations, enough, seed):
    expected = permute(definition.permute_columns, *data, n_permutations, enough, seed)
    found = permute(_kernels.permute_columns, *data, n_permutations, enough, seed)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@FEW
@given(rows())
def test_the_statistic_is_that_of_a_loop_over_rows(data):
    found = permute(_kernels.permute_columns, *data, 0)[0, 0]
    assert found == pytest.approx(plain_g2(*data), abs=1e-9)


def every_shuffle(y, z):
    """All ways to shuffle y within the strata of z."""
    groups = [[i for i, c in enumerate(z) if c == value] for value in sorted(set(z))]
    for orders in product(*(permutations(group) for group in groups)):
        shuffled = list(y)
        for group, order in zip(groups, orders, strict=True):
            for i, j in zip(group, order, strict=True):
                shuffled[i] = y[j]
        yield shuffled


@pytest.mark.parametrize(
    "data",
    [
        ([0, 0, 1, 1, 2, 2, 2], [0, 1, 0, 1, 1, 1, 0], [0] * 7),
        ([0, 1, 1, 0, 1, 1, 0, 0], [2, 1, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1]),
        ([1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [3] * 6),
    ],
)
def test_mean_tail_and_table_are_those_of_all_permutations(data):
    x, y, z = data
    observed = plain_g2(x, y, z)
    table = Counter(zip(x, y, z, strict=True))
    shuffles = list(every_shuffle(y, z))
    g2 = np.array([plain_g2(x, shuffled, z) for shuffled in shuffles])
    same = [Counter(zip(x, shuffled, z, strict=True)) == table for shuffled in shuffles]

    _, _, mean, _, _, log_p = permute(_kernels.permute_columns, x, y, z, 0)[0]
    assert mean == pytest.approx(g2.mean(), abs=1e-10)
    assert np.exp(log_p) == pytest.approx(np.mean(same), rel=1e-10)

    draws = 40_000
    _, _, mean, reached, drawn, _ = permute(_kernels.permute_columns, x, y, z, draws)[0]
    share = np.mean(g2 >= observed - 1e-9)
    assert drawn == draws
    assert abs(mean - g2.mean()) < 4 * g2.std() / np.sqrt(draws)
    assert abs(reached / draws - share) < 4 * np.sqrt(share * (1 - share) / draws) + 1e-12


def test_drawing_stops_at_the_permutation_that_makes_enough():
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 2, (3, 200))
    whole = permute(_kernels.permute_columns, x, y, z, 3000)[0]
    assert whole[3] > 20
    *_, reached, drawn, _ = permute(_kernels.permute_columns, x, y, z, 3000, enough=20)[0]
    assert reached == 20
    before = permute(_kernels.permute_columns, x, y, z, int(drawn) - 1)[0]
    assert before[3] == 19


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X, y, z = rng.integers(0, 3, (50, 300)), rng.integers(0, 2, 300), rng.integers(0, 5, 300)
    one, four = (permute(_kernels.permute_columns, X, y, z, 50, threads=t) for t in (1, 4))
    np.testing.assert_array_equal(one, four)
