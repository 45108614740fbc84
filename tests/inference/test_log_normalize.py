"""Scores are normalised alike, whether a row is looked at in one call or column by column."""

from __future__ import annotations

import numpy as np
import pytest

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
