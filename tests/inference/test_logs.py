"""Sums of probabilities held as logarithms: alike by all ways, and as scipy has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

from jointbayes.inference import logs


@pytest.mark.parametrize("shape", [(1, 5), (3, 2), (2, 4, 8), (40, 12), (70, 9), (6, 16), (2, 30)])
def test_few_rows_are_normalised_as_many(shape, monkeypatch):
    rng = np.random.default_rng(sum(shape))
    scores = 10 * rng.normal(size=shape)
    scores[rng.random(shape) < 0.2] = -np.inf
    scores[..., 0] = 0.0
    at_once = logs.log_normalize(scores)
    monkeypatch.setattr(logs, "FEW", 0)
    np.testing.assert_array_equal(at_once, logs.log_normalize(scores))
    np.testing.assert_allclose(np.exp(at_once).sum(axis=-1), 1.0)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 4), st.integers(0, 5), st.integers(0, 99), st.sampled_from([1.0, 30.0, 900.0])
)
def test_sums_and_weights_are_those_of_scipy(k, n, seed, spread):
    rng = np.random.default_rng(seed)
    terms = spread * rng.normal(size=(k, n, 2))
    terms[rng.random(terms.shape) < 0.3] = -np.inf
    possible = ~np.isneginf(terms).all(axis=0)
    expected, weights = np.full((n, 2), -np.inf), np.zeros((k, n, 2))
    expected[possible] = logsumexp(terms[:, possible], axis=0)
    weights[:, possible] = softmax(terms[:, possible], axis=0)
    np.testing.assert_allclose(logs.log_sum(terms, axis=0), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(
        logs.log_sum(np.moveaxis(terms, 0, 1), axis=1), expected, rtol=1e-13, atol=1e-13
    )
    found, total = logs.weigh(terms.copy())
    np.testing.assert_allclose(found, weights, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(total, expected, rtol=1e-13, atol=1e-13)
