"""Weights of a pool: a maximum of the likelihood, on the simplex."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hn
from scipy.optimize import minimize

from jointbayes.models.trust.pooling import (
    ENOUGH,
    LEAST,
    ROUNDS,
    mean_log,
    pool_weights,
    pooled_log_p,
    prune,
)

LOGS = hn.arrays(np.float64, st.tuples(st.integers(3, 12), st.integers(1, 4)),
                 elements=st.floats(-6, -0.01))  # fmt: skip


@given(LOGS, st.integers(0, 3))
def test_no_member_alone_is_more_likely(log_p, seed):
    weights = np.random.default_rng(seed).uniform(0.1, 2, len(log_p))
    w = pool_weights(log_p, weights)
    assert abs(w.sum() - 1) < 1e-9
    assert (w >= 0).all()
    lacking = ENOUGH + np.log(len(w)) / ROUNDS
    likelihood = mean_log(pooled_log_p(log_p, w), weights)
    alone = [mean_log(column, weights) for column in log_p.T]
    assert likelihood >= max(alone) - lacking


@given(LOGS)
def test_pruned_weights_are_0_or_worth_it(log_p):
    w = prune(log_p)
    assert abs(w.sum() - 1) < 1e-12
    assert ((w == 0) | (w >= LEAST - 1e-6)).all()


def test_it_finds_what_a_general_optimiser_finds():
    log_p = np.log(np.random.default_rng(1).uniform(0.05, 1, (60, 3)))

    def cost(z):
        return -mean_log(pooled_log_p(log_p, np.exp(z) / np.exp(z).sum()))

    z = minimize(cost, np.zeros(3), tol=1e-12).x
    np.testing.assert_allclose(pool_weights(log_p), np.exp(z) / np.exp(z).sum(), atol=1e-3)


def test_extra_rows_keep_a_useless_member():
    log_p = np.log(np.tile([[0.9, 1e-9]], (8, 1)))
    np.testing.assert_allclose(pool_weights(log_p, extra=1.0), [0.9, 0.1], atol=1e-6)


def test_a_row_that_one_member_calls_impossible():
    log_p = np.array([[0.0, -1.0], [-np.inf, -1.0]])
    w = pool_weights(log_p)
    assert np.isfinite(pooled_log_p(log_p, w)).all()
