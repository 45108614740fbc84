import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jointbayes.codes import Codes
from jointbayes.counts import count
from jointbayes.graph import Dag
from jointbayes.network import families_of
from jointbayes.network.parameters import estimate, log_m_estimate

COUNTS = arrays(float, (3, 4), elements=st.sampled_from([0.0, 0.5, 1.0, 7.0, 1e6]))


@given(COUNTS, st.sampled_from([0.0, 1e-300, 0.5, 1.0, 1e9]), st.sampled_from([0, 1]))
@settings(max_examples=40, deadline=None)
def test_probabilities_of_a_context_sum_to_one_and_are_finite(n, m, axis):
    log_p = log_m_estimate(n, axis, m)
    assert np.isfinite(log_p).all()
    np.testing.assert_allclose(np.exp(log_p).sum(axis=axis), 1, rtol=1e-12)


def test_the_m_estimate_is_its_formula():
    n = np.array([[3.0, 0.0, 1.0]])
    np.testing.assert_allclose(np.exp(log_m_estimate(n, 1, 2.0)), (n + 2 / 3) / (4 + 2))


def test_no_smoothing_is_the_limit_of_little_smoothing():
    n = np.array([[3.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(
        np.exp(log_m_estimate(n, 1, 0.0)), np.exp(log_m_estimate(n, 1, 1e-12)), atol=1e-12
    )


def test_a_network_of_pooled_counts_is_that_of_all_rows():
    rng = np.random.default_rng(0)
    codes = Codes.of(rng.integers(0, 3, (50, 2)), (3, 3), rng.integers(0, 2, 50), (2,))
    dag = Dag(((), (0,), (0, 1)))
    families = families_of(dag)
    whole = estimate(dag, count(codes, families))
    pooled = estimate(dag, count(codes[:20], families) + count(codes[20:], families))
    for a, b in zip(whole.log_tables, pooled.log_tables, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n_targets", [1, 2])
def test_cards_are_those_of_the_tables(n_targets):
    codes = Codes.of(np.zeros((4, 2), int), (3, 2), np.zeros((4, n_targets), int), (2,) * n_targets)
    dag = Dag((*((),) * n_targets, (0,), (n_targets - 1, n_targets)))
    counts = count(codes, families_of(dag, n_targets))
    assert estimate(dag, counts, n_targets=n_targets).cards == (2,) * n_targets + (3, 2)
