"""Fisher's z on numbers uncut: its definition, its level and power, and who takes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from jointbayes import ILFCompo, NaiveBayes
from jointbayes.codes import Codes
from jointbayes.errors import ParameterError
from jointbayes.independence import LabelFactors, Procedure, fisher_z_test, iamb, label_factors
from jointbayes.independence.boundary import find_boundary
from jointbayes.independence.correlations import LinearHypotheses
from jointbayes.independence.reading import read_numbers_of
from jointbayes.select import MarkovBoundary
from jointbayes.table import Column, Table


def correlated(seed, n, k):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, k))


def hypotheses(columns, target, known):
    return LinearHypotheses(columns, np.ones(columns.shape[1], dtype=np.int64), target, known)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 3))
def test_partial_correlations_are_those_of_the_inverse_covariance(seed, k):
    X = correlated(seed, 40, k + 4)
    columns, target, known = X[:, :3], X[:, [3]], X[:, 4:]
    found = hypotheses(columns, target, known).tests()
    for j in range(3):
        inverse = np.linalg.inv(np.cov(np.column_stack([columns[:, j], target, known]).T))
        r = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
        z = np.sqrt(40 - k - 3) * np.arctanh(r)
        assert found.statistic[j] == pytest.approx(z**2, rel=1e-6, abs=1e-9)
        one = fisher_z_test(columns[:, j], target[:, 0], known if k else None)
        assert found.p_value[j] == pytest.approx(one.p_value, rel=1e-6, abs=1e-12)
    assert found.dof.tolist() == [1, 1, 1]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_several_columns_add_up_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    X = correlated(seed, 50, 2)
    colour, y = rng.integers(0, 3, (2, 50))
    table = Table((Column.of("c", colour.astype(str)), *Table.of(X).columns))
    rows, _ = read_numbers_of(table, y)
    one = LinearHypotheses(*rows.of_features([0]), rows.targets, X).tests()
    ones, labels = np.eye(3)[colour], np.eye(3)[y][:, 1:]
    total = 0.0
    for b in range(2):
        for a in range(2):  # the third indicator follows from the others
            z = np.column_stack([X, ones[:, :a], labels[:, :b]])
            total += fisher_z_test(ones[:, a], labels[:, b], z).statistic ** 2
    assert (one.dof[0], one.statistic[0]) == (4, pytest.approx(total, rel=1e-8))
    assert one.p_value[0] == pytest.approx(stats.chi2.sf(total, 4), rel=1e-6)


def test_units_and_origins_do_not_matter():
    X, rng = correlated(0, 300, 5), np.random.default_rng(0)
    y = (X[:, 1] + rng.normal(size=300) > 0).astype(int)
    plain = find_boundary(read_numbers_of(X, y)[0], 0, Procedure(method="fisher_z"))
    moved = find_boundary(
        read_numbers_of(X * [1e-3, 1, 1e6, 1, 1] + 1e3, y)[0], 0, Procedure(method="fisher_z")
    )
    assert plain.features == moved.features
    for a, b in zip(plain.rounds, moved.rounds, strict=True):
        np.testing.assert_allclose(a.tests.statistic, b.tests.statistic, rtol=1e-6)


def test_the_level_holds_and_what_is_there_is_found_from_few_rows():
    rng = np.random.default_rng(1)
    false, found = 0, {"fisher_z": 0, "semiparametric": 0}
    for _ in range(40):
        X = rng.normal(size=(50, 6))
        coin = rng.integers(0, 2, 50)
        false += len(iamb(X, coin, 0.05, test="fisher_z"))
        y = (X[:, 0] + X[:, 1] + rng.normal(size=50) > 0).astype(int)
        for test in found:
            found[test] += iamb(X, y, 0.01, random_state=0, test=test) == (0, 1)
    assert false / 240 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 240)
    assert found["fisher_z"] > found["semiparametric"] + 15


def test_a_number_that_is_known_uncut_explains_what_its_halves_do_not():
    """Two labels that one number causes are apart given it, and not given on which side it is."""
    rng = np.random.default_rng(2)
    apart = {"fisher_z": 0, "semiparametric": 0}
    for _ in range(10):
        x = rng.normal(size=1600)
        Y = (x[:, None] + 0.8 * rng.normal(size=(1600, 2)) > 0).astype(int)
        for test in apart:
            found = label_factors(x[:, None], Y, 0.001, random_state=0, test=test)
            apart[test] += found == ((0,), (1,))
    assert apart["fisher_z"] >= 8
    assert apart["semiparametric"] <= 2


def test_every_search_takes_it():
    rng = np.random.default_rng(3)
    x, coin = rng.normal(size=400), rng.integers(0, 2, 400)
    noise = rng.normal(size=400)
    noise[::7] = np.nan
    Y = np.stack([coin, 1 - coin, x > 0.3], axis=1).astype(int)
    X = np.stack([x, noise], axis=1)
    found = LabelFactors.of(X, Y, test="fisher_z")
    assert (found.factors, found.tests.method) == (((0, 1), (2,)), "fisher_z")
    assert found.tests[0, 1].basis == "normal"
    selector = MarkovBoundary(test="fisher_z").fit(X, Y)
    assert selector.get_support().tolist() == [True, False]
    thin = MarkovBoundary(test="fisher_z").fit(sparse.csr_array(np.nan_to_num(X)), Y)
    assert thin.get_support().tolist() == [True, False]
    model = ILFCompo(NaiveBayes(), test="fisher_z", features="boundary", n_jobs=1).fit(X, Y)
    assert model.factors_ == ((0, 1), (2,))
    assert model.factor_features_ == ((), (0,))


def test_more_columns_than_rows_find_nothing_and_drop_nothing():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(6, 9)), np.array([0, 1] * 3)
    assert set(iamb(X, y, 0.5, test="fisher_z")) <= set(range(9))
    nothing = hypotheses(X[:, :1], y[:, None].astype(float), X[:, 1:]).tests()
    assert (nothing.dof[0], nothing.p_value[0]) == (0, 1.0)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="ties is 'triples', but method='fisher_z'"):
        Procedure(method="fisher_z", ties="triples")
    codes = Codes.of([[0], [1]], targets=[[0], [1]])
    with pytest.raises(ParameterError, match="rows are Codes"):
        find_boundary(codes, 0, Procedure(method="fisher_z"))
