"""Branchings at random: as often as their weights say, whatever the range of these."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from jointbayes.errors import DataError
from jointbayes.structure import draw_branchings


def is_branching(parents):
    for node in range(len(parents)):
        seen, at = set(), node
        while at >= 0 and at not in seen:
            seen.add(at)
            at = parents[at]
        if at >= 0:
            return False
    return True


def every_branching(d):
    return [p for p in product(range(-1, d), repeat=d) if is_branching(p)]


@pytest.mark.parametrize("seed", range(2))
def test_each_is_drawn_as_often_as_its_weight_says(seed):
    w = np.random.default_rng(seed).normal(0, 1.5, (3, 3))
    every = every_branching(3)
    log_p = np.array([sum(w[j, i] for i, j in enumerate(p) if j >= 0) for p in every])
    p = np.exp(log_p - np.logaddexp.reduce(log_p))
    drawn = [tuple(one) for one in draw_branchings(w, 1000, seed).tolist()]
    counts = np.array([drawn.count(one) for one in every])
    assert counts.sum() == 1000  # nothing else is drawn
    assert stats.power_divergence(counts, 1000 * p, lambda_="log-likelihood").pvalue > 0.001


def test_arcs_are_as_frequent_as_the_matrix_tree_theorem_says():
    w = np.random.default_rng(3).normal(0, 1, (6, 6))
    np.fill_diagonal(w, -np.inf)
    weight = np.exp(w)

    def forests(weight):
        laplacian = np.diag(weight.sum(axis=0) + 1) - weight
        return np.linalg.det(laplacian)

    drawn, n = draw_branchings(w, 800, 0), 800
    for i, j in ((0, 1), (2, 5), (4, 3)):
        without = weight.copy()
        without[i, j] = 0.0
        p = 1 - forests(without) / forests(weight)
        assert (drawn[:, j] == i).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / n))


def test_two_that_want_nothing_but_each_other_do_not_wait_for_ever():
    w = np.array([[0, 500.0, -5], [500.0, 0, 2], [-5, -np.inf, 0]])
    drawn = draw_branchings(w, 300, 0)
    together = (drawn[:, 1] == 0) ^ (drawn[:, 0] == 1)
    assert together.all()
    assert 0.4 < (drawn[:, 1] == 0).mean() < 0.6
    assert not (drawn[:, 1] == 2).any()


def test_draws_depend_on_the_seed_alone():
    w = np.random.default_rng(0).normal(0, 40, (12, 12))
    np.testing.assert_array_equal(draw_branchings(w, 5, 1), draw_branchings(w, 5, 1))
    assert all(is_branching(p) for p in draw_branchings(w, 20, 2).tolist())
    assert draw_branchings(np.empty((0, 0)), 2).shape == (2, 0)
    assert draw_branchings([[7.0]], 2).tolist() == [[-1], [-1]]


@pytest.mark.parametrize("wrong", [[[0.0, 1.0]], [[0.0, np.nan], [0.0, 0.0]]])
def test_what_is_not_a_matrix_of_weights_is_refused(wrong):
    with pytest.raises(DataError, match="weights"):
        draw_branchings(wrong, 1)
