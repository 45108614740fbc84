"""Tests over folds against their definition, and against Student's t where they are the same."""

from __future__ import annotations

import math
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jointbayes.errors import DataError, ParameterError
from jointbayes.statistics import benjamini_hochberg, corrected_t, fold_pairs, paired_t

scores = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=12).map(
    lambda pairs: np.array(pairs).T / 100
)


@given(scores, st.floats(0.05, 2.0))
@settings(max_examples=60, deadline=None)
def test_the_corrected_test_is_its_definition(pair, share):
    first, second = pair
    test = corrected_t(first, second, test_share=share)
    d = [round(a - b, 10) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    if len(set(d)) == 1:
        assert test.p_value == (1.0 if d[0] == 0 else 0.0)
        return
    t = mean(d) / math.sqrt((1 / len(d) + share) * variance(d))
    assert test.statistic == pytest.approx(t, rel=1e-9)
    assert test.p_value == pytest.approx(2 * stats.t.cdf(-abs(t), len(d) - 1), rel=1e-9)
    back = corrected_t(second, first, test_share=share)
    assert (back.statistic, back.p_value) == pytest.approx((-test.statistic, test.p_value))
    assert test.p_value >= paired_t(first, second).p_value - 1e-12  # never more certain


def test_without_test_rows_it_is_student_s_t():
    first, second = [0.8, 0.9, 0.7, 0.85], [0.7, 0.9, 0.65, 0.8]
    test = corrected_t(first, second, test_share=1e-12)
    assert test.p_value == pytest.approx(paired_t(first, second).p_value, rel=1e-6)


def test_every_pair_is_tested_and_adjusted():
    rng = np.random.default_rng(0)
    table = {name: (rng.random(10) + (name == "c")).tolist() for name in "abc"}
    pairs = fold_pairs(table, test_share=1 / 9)
    assert [(p.first, p.second) for p in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    alone = [corrected_t(table[p.first], table[p.second], test_share=1 / 9) for p in pairs]
    assert [p.p_value for p in pairs] == [test.p_value for test in alone]
    adjusted = benjamini_hochberg([test.p_value for test in alone])
    assert [p.adjusted for p in pairs] == adjusted.tolist()


@pytest.mark.parametrize("share", [0, -1, math.nan, math.inf])
def test_shares_that_are_none_are_refused(share):
    with pytest.raises(ParameterError, match="test_share must be larger than 0"):
        corrected_t([1, 2], [2, 1], test_share=share)


def test_one_fold_is_too_few():
    with pytest.raises(DataError, match="needs two of them at least; found 1"):
        corrected_t([1], [2], test_share=0.5)
