"""Tests of independence: definitions, laws, and how often they are wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jointbayes import _kernels
from jointbayes.errors import CostError, DataError, ParameterError
from jointbayes.independence import (
    Procedure,
    chi2_test,
    counts_test,
    fisher_z_test,
    g2_test,
    permutation_test,
)
from jointbayes.independence.screening import Hypotheses, confirmed, screen
from jointbayes.independence.strata import Strata
from jointbayes.information import conditional_mutual_information

FEW = settings(max_examples=40, deadline=None)
LEVELS = (0.05, 0.01, 0.001)
# Thousands of tests; what the definition answers is compared with the kernel elsewhere.
compiled = pytest.mark.skipif(not _kernels.COMPILED, reason="too slow without the kernels")


@st.composite
def columns(draw, most=80):
    n = draw(st.integers(1, most))
    values = [draw(st.lists(st.integers(0, k), min_size=n, max_size=n)) for k in (3, 2, 4)]
    return tuple(map(np.array, values))


def plain_test(x, y, z):
    """(G², X², degrees of freedom), stratum by stratum and cell by cell."""
    g2 = x2 = dof = 0.0
    for stratum in set(z.tolist()):
        a, b = x[z == stratum].tolist(), y[z == stratum].tolist()
        cell, left, right = Counter(zip(a, b, strict=True)), Counter(a), Counter(b)
        dof += (len(left) - 1) * (len(right) - 1)
        for u in left:
            for v in right:
                expected = left[u] * right[v] / len(a)
                x2 += (cell[u, v] - expected) ** 2 / expected
                g2 += 2 * cell[u, v] * log(cell[u, v] / expected) if cell[u, v] else 0.0
    return g2, x2, dof


@FEW
@given(columns())
def test_statistics_and_degrees_of_freedom_are_the_definitions(data):
    g2, x2, dof = plain_test(*data)
    for test, expected in ((g2_test(*data), g2), (chi2_test(*data), x2)):
        assert test.statistic == pytest.approx(expected, abs=1e-9)
        assert test.dof == dof
        assert test.p_value == pytest.approx(stats.chi2.sf(expected, dof) if dof else 1, abs=1e-9)


@FEW
@given(columns())
def test_g2_is_the_information_in_other_units(data):
    bits = conditional_mutual_information(*data)
    found = permutation_test(*data, random_state=0).statistic
    assert found == pytest.approx(2 * np.log(2) * len(data[0]) * bits, abs=1e-9)


def test_without_strata_the_tests_are_scipy_s():
    table = np.array([[30, 5, 9], [12, 14, 3]])
    for method, power in (("chi2", "pearson"), ("g2", "log-likelihood")):
        expected = stats.chi2_contingency(table, correction=False, lambda_=power)
        found = counts_test(table, method=method)
        assert (found.statistic, found.p_value) == pytest.approx(expected[:2])


@FEW
@given(columns(), st.sampled_from(["semiparametric", "permutation", "g2", "chi2"]))
def test_counts_and_columns_give_one_answer(data, method):
    x, y, z = data
    table = np.zeros((z.max() + 1, x.max() + 1, y.max() + 1), dtype=int)
    np.add.at(table, (z, x, y), 1)
    on_counts = counts_test(table, method=method, random_state=3)
    if method in ("g2", "chi2"):
        on_columns = {"g2": g2_test, "chi2": chi2_test}[method](x, y, z)
    else:
        on_columns = permutation_test(x, y, z, method=method, random_state=3)
    assert on_counts.p_value == pytest.approx(on_columns.p_value, abs=1e-12)
    assert on_counts.statistic == pytest.approx(on_columns.statistic, abs=1e-9)


@FEW
@given(columns(), st.randoms(use_true_random=False))
def test_a_test_is_a_function_of_the_table_and_the_seed(data, random):
    order = list(range(len(data[0])))
    random.shuffle(order)
    first = permutation_test(*data, random_state=5)
    again = permutation_test(*(column[order] + 7 for column in data), random_state=5)
    assert first == again


def test_fisher_s_z_is_the_partial_correlation_of_the_inverse():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4))
    inverse = np.linalg.inv(np.cov(data.T))
    r = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    found = fisher_z_test(data[:, 0], data[:, 1], data[:, 2:])
    assert found.statistic == pytest.approx(np.sqrt(300 - 2 - 3) * np.arctanh(r))
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.statistic)))


def test_fisher_s_z_of_perfect_and_of_no_variation():
    x = np.arange(20.0)
    assert fisher_z_test(x, 3 * x).p_value == 0
    assert fisher_z_test(x, np.ones(20)).p_value == 1
    assert fisher_z_test(x, 3 * x, x).p_value == 1
    with pytest.raises(ParameterError, match="at least 4 rows"):
        fisher_z_test([1, 2, 3], [1, 2, 3])


@pytest.mark.parametrize("test", [g2_test, chi2_test, permutation_test])
def test_nothing_to_find_is_a_p_value_of_one(test):
    x = np.arange(12) % 2
    for quiet in (test(x, np.zeros(12, int)), test(np.ones(12, int), x), test(x, x, np.arange(12))):
        assert (quiet.p_value, quiet.statistic, quiet.dof) == (1, 0, 0)


def test_bad_columns_are_refused_with_a_sentence():
    with pytest.raises(DataError, match=r"x holds 0\.25 in row 1; .* fisher_z_test"):
        g2_test([1.0, 0.25], [0, 1])
    with pytest.raises(DataError, match="x holds nan in row 0"):
        permutation_test([np.nan, 1.0], [0, 1])
    with pytest.raises(DataError, match="y has 3 rows and x 2"):
        chi2_test([0, 1], [0, 1, 1])
    with pytest.raises(DataError, match=r"z\[:, 1\] holds 0\.5"):
        g2_test([0, 1], [0, 1], [[0, 0.5], [1, 0.5]])
    with pytest.raises(DataError, match="whole numbers"):
        counts_test([[1, -1], [2, 2]])
    with pytest.raises(ParameterError, match=r"n_permutations is 2\.5"):
        permutation_test([0, 1], [0, 1], n_permutations=2.5)
    with pytest.raises(ParameterError, match="'exact' is not a test of independence"):
        permutation_test([0, 1], [0, 1], method="exact")
    with pytest.raises(CostError, match="cells"):
        permutation_test(np.arange(20_000), np.arange(20_000))


# How often tests are wrong: 8,000 columns that are independent of the target by construction.
SPARSE = {
    "rare values in eight strata": (1000, 0.01, 0.02, 8),
    "one carrier in 500": (1000, 0.002, 0.01, 1),
    "two rows a stratum": (60, 0.5, 0.5, 30),
    "strata of ten": (300, 0.05, 0.1, 30),
}


def null_p_values(how, n, p_x, p_y, n_strata, rng, batches=8, n_columns=1000):
    """P-values of independent binary columns; every batch has a target of its own."""
    found = []
    for batch in range(batches):
        X = np.asfortranarray((rng.random((n, n_columns)) < p_x).astype(np.uint8))
        y = (rng.random(n) < p_y).astype(np.uint32)
        strata = Strata.whole(n).split(rng.integers(0, n_strata, n))
        hypotheses, seeded = Hypotheses(X, y, strata), replace(how, seed=batch)
        every = np.arange(n_columns)
        found.append(confirmed(seeded, hypotheses, screen(seeded, hypotheses), every).p_value)
    return np.concatenate(found)


@compiled
@pytest.mark.parametrize("case", SPARSE)
def test_on_sparse_tables_no_level_is_exceeded(case):
    p = null_p_values(Procedure(), *SPARSE[case], np.random.default_rng(11))
    for level in LEVELS:
        assert (p <= level).sum() <= stats.binom.ppf(0.999, len(p), level)


@compiled
def test_without_confirmation_the_tail_is_too_thin_for_rare_values():
    p = null_p_values(
        Procedure(confirm=0), *SPARSE["rare values in eight strata"], np.random.default_rng(11)
    )
    assert (p <= 0.001).mean() > 0.003


@compiled
@pytest.mark.parametrize("n", [500, 2000])
@pytest.mark.parametrize("method", ["semiparametric", "permutation", "g2"])
def test_on_full_tables_p_values_are_near_uniform(method, n):
    rng = np.random.default_rng(5)
    X = np.asfortranarray(rng.integers(0, 3, (n, 2000), dtype=np.uint8))
    y, z = rng.integers(0, 3, n).astype(np.uint32), rng.integers(0, 2, n)
    hypotheses = Hypotheses(X, y, Strata.whole(n).split(z))
    how = Procedure(method=method, n_permutations=200)
    p = confirmed(how, hypotheses, screen(how, hypotheses), np.arange(2000)).p_value
    # Shares come in steps of 1/201, and a shared target ties the tests together a little.
    assert stats.kstest(p, "uniform").statistic < 0.05


@compiled
def test_power_is_that_of_g2_where_both_are_right():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200).astype(np.uint32)
    X = np.asfortranarray((y[:, None] ^ (rng.random((200, 1000)) < 0.4)).astype(np.uint8))
    hypotheses = Hypotheses(X, y, Strata.whole(200))
    p_semi, p_g2 = (
        confirmed(how, hypotheses, screen(how, hypotheses), np.arange(1000)).p_value
        for how in (Procedure(), Procedure(method="g2"))
    )
    for level in (0.05, 0.01):
        g2, semi = ((p <= level).mean() for p in (p_g2, p_semi))
        assert 0.4 < g2 < 0.95
        assert semi > g2 - 0.1
