"""Judging: who is asked about which rows, and that no row is lost where trees judge themselves."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.models.forests import judging


@pytest.fixture
def few_are_many(monkeypatch):
    """Let trees be grown without 60 of 240 rows."""
    monkeypatch.setattr(judging, "PART", 4)
    monkeypatch.setattr(judging, "HELD_OUT", 60)


def rows(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(2)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + rng.normal(0, 0.5, n) > 0, X[:, 0] * X[:, 1] > 0])
    return X, Y.astype(int)


def test_of_many_rows_few_are_asked_and_of_few_all():
    every, apart = judging.asked_rows(20_000, 10)
    assert (len(every), apart) == (20_000, False)
    some, apart = judging.asked_rows(100_000, 10)
    assert (len(some), apart) == (2000, True)
    # As many shares of label vectors as are looked at.
    some, apart = judging.asked_rows(100_000, 5000)
    assert 400 < len(some) < 440
    assert apart


@pytest.mark.usefixtures("few_are_many")
def test_rows_that_trees_are_grown_without_are_counted_in_their_leaves():
    X, Y = rows()
    forest = jb.JointForest(n_estimators=20).fit(X, Y)
    of_tree = np.add.reduceat(forest.trees_.counts.sum(axis=1), np.cumsum(leaves_of(forest))[:-1])
    np.testing.assert_array_equal(of_tree, len(Y))
    again = forest.trees_.leaves(forest.columns_.codes(X[:9], 1), 1)
    vector = np.unique(Y, axis=0, return_inverse=True)[1].ravel()[:9]
    counts = forest.trees_.counts.toarray()
    assert (counts[again, vector[:, None]] >= 1).all()  # each row is in its own leaves


def leaves_of(forest):
    """Return 0, then how many leaves each tree has."""
    is_leaf = (forest.trees_.nodes[:, 0] < 0).astype(int)
    return np.concatenate([[0], np.add.reduceat(is_leaf, forest.trees_.starts[:-1])])


@pytest.mark.usefixtures("few_are_many")
def test_weights_and_the_order_of_rows_mean_the_same_where_trees_judge_themselves():
    X, Y = rows()
    weights = np.random.default_rng(1).integers(0, 4, len(Y))
    again = np.random.default_rng(2).permutation(np.repeat(np.arange(len(Y)), weights))
    weighed = jb.JointForest(n_estimators=20).fit(X, Y, weights)
    repeated = jb.JointForest(n_estimators=20).fit(X[again], Y[again])
    assert weighed.weights_ == pytest.approx(repeated.weights_)
    np.testing.assert_allclose(
        weighed.posterior(X).log_prob(Y), repeated.posterior(X).log_prob(Y), atol=1e-10
    )


def test_trees_that_judge_themselves_are_as_good_as_those_that_others_judge(monkeypatch):
    X, Y = rows(n=1600)
    learned, asked = slice(0, 800), slice(800, None)
    loss = []
    for part, held_out in ((20, 2000), (8, 100)):
        monkeypatch.setattr(judging, "PART", part)
        monkeypatch.setattr(judging, "HELD_OUT", held_out)
        forest = jb.JointForest(n_estimators=60).fit(X[learned], Y[learned])
        loss.append(-forest.posterior(X[asked]).log_prob(Y[asked]).mean())
    assert loss[1] == pytest.approx(loss[0], abs=0.03)
