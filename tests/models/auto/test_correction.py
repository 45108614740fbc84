"""Corrections: the best exponent, and no label vector that is impossible."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from jointbayes.labels import learn_labels
from jointbayes.models.auto.correction import learn_correction
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.posterior import Independent, Listed, mix

EVERY = np.array(list(product([0, 1], repeat=3)))


def overconfident(n=200, seed=0):
    """Rows whose labels follow p, and a posterior that says p³."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(8), n)
    truth = EVERY[[rng.choice(8, p=row) for row in p]]
    log_p = 3 * np.log(p)
    log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
    return Listed(EVERY, log_p, learn_labels(EVERY)), truth


def folds(n):
    return [np.arange(0, n, 2), np.arange(1, n, 2)]


def test_the_exponent_is_that_of_a_fine_grid():
    post, truth = overconfident()
    parts = folds(len(truth))
    held = HeldOut(parts, truth)
    found = learn_correction([post[rows] for rows in parts], held)
    grid = np.exp(np.linspace(np.log(0.05), np.log(4), 400))
    best = grid[np.argmax([post.power(t).log_prob(truth).mean() for t in grid])]
    assert found.power == pytest.approx(best, rel=0.03)
    assert 0.2 < found.power < 0.5
    assert found.backing is None


def test_rows_that_weigh_more_count_more():
    post, truth = overconfident(40)
    weights = np.random.default_rng(3).integers(1, 4, 40)
    parts = folds(40)
    weighted = HeldOut(parts, truth, weights.astype(float))
    one = learn_correction([post[rows] for rows in parts], weighted, "independent")
    again = np.repeat(np.arange(40), weights)
    twice = HeldOut([np.arange(len(again))], truth[again])
    other = learn_correction([post[again]], twice, "independent")
    assert one.power == pytest.approx(other.power, rel=1e-6)
    assert one.backing.weight == pytest.approx(other.backing.weight, rel=1e-6)


def test_no_vector_is_impossible_once_it_is_backed():
    space = learn_labels(EVERY)
    post = Listed(EVERY[:2], np.log(np.tile([[0.6, 0.4]], (30, 1))), space)
    truth = EVERY[np.arange(30) % 3]
    held = HeldOut([np.arange(30)], truth)
    assert np.isinf(held.log_p([post])).any()
    corrected = learn_correction([post], held, "independent").of(post)
    for vector in EVERY:
        assert np.isfinite(corrected.log_prob(np.tile(vector, (30, 1)))).all()
    total = sum(np.exp(corrected.log_prob(np.tile(v, (30, 1)))) for v in EVERY)
    np.testing.assert_allclose(total, 1.0, atol=1e-9)


def test_a_power_that_could_not_be_exact_is_not_taken():
    space = learn_labels(np.array([[0] * 20, [1] * 20]))
    part = Independent([np.log(np.tile([[0.01, 0.99]], (6, 1)))] * 20, space)
    post, truth = mix([part, part]), np.zeros((6, 20), dtype=int)
    assert learn_correction([post], HeldOut([np.arange(6)], truth)).power == 1.0


def test_all_rows_impossible():
    post = Listed(EVERY[:1], np.zeros((5, 1)), learn_labels(EVERY))
    held = HeldOut([np.arange(5)], np.tile(EVERY[-1], (5, 1)))
    correction = learn_correction([post], held, "independent")
    assert correction.power == 1.0
    assert np.isfinite(held.log_p([correction.of(post)])).all()
