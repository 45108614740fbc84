"""Growing: more features and cuts are tried where unseen rows gain by it, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.models.forests import growing


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Let 200 rows be enough to tell."""
    monkeypatch.setattr(growing, "FEW", 200)


def needles(n=450, seed=0):
    """Return rows that two columns of thirty tell everything about."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 30))
    X[:, 2:] &= rng.integers(0, 2, (n, 28))
    return X, np.column_stack([X[:, 0], X[:, 0] ^ X[:, 1]])


def echoes(n=450, seed=0):
    """Return rows every column of which tells a little of the same."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(y[:, None], 3.0, (n, 30)), np.column_stack([y, 1 - y])


def test_more_features_are_tried_where_few_columns_tell_everything():
    X, Y = needles()
    forest = jb.JointForest(n_estimators=20).fit(X[:400], Y[:400])
    plain = jb.JointForest(n_estimators=20, max_features="sqrt", n_cuts=2).fit(X[:400], Y[:400])
    assert forest.n_tried_ > plain.n_tried_ == 5
    log_p = [m.posterior(X[400:]).log_prob(Y[400:]).mean() for m in (forest, plain)]
    assert log_p[0] > log_p[1]


def test_the_fewest_are_tried_where_every_column_tells_a_little():
    forest = jb.JointForest(n_estimators=20).fit(*echoes())
    assert (forest.n_tried_, forest.n_cuts_) == (5, 2)


def test_who_says_how_many_gets_them():
    X, Y = needles()
    for features, tried in (("sqrt", 5), (7, 7), (0.5, 15), (99, 30)):
        forest = jb.JointForest(5, max_features=features, n_cuts=3).fit(X, Y)
        assert (forest.n_tried_, forest.n_cuts_) == (tried, 3)


@pytest.mark.parametrize(("limit", "value"), [("WORK", 0), ("FEW", 2000)])
def test_nothing_is_tried_that_takes_long_or_that_rows_are_too_few_to_tell(
    limit, value, monkeypatch
):
    monkeypatch.setattr(growing, limit, value)
    forest = jb.JointForest(n_estimators=20).fit(*needles())
    assert (forest.n_tried_, forest.n_cuts_) == (5, 2)


@pytest.mark.parametrize(("trees", "share"), [(2, 0.5), (1, 0.9), (5, 1.0)])
def test_rows_that_no_judge_is_left_for_are_not_asked(trees, share):
    X, Y = needles()
    forest = jb.JointForest(trees, max_samples=share).fit(X, Y)
    assert np.isfinite(forest.posterior(X[:50]).log_prob(Y[:50])).all()
    assert forest.n_tried_ >= 5


def test_some_rows_are_enough_to_tell(monkeypatch):
    monkeypatch.setattr(growing, "MANY", 250)
    assert jb.JointForest(n_estimators=20).fit(*needles()).n_tried_ > 5


def test_the_choice_is_the_same_for_rows_in_another_order_and_for_weights():
    X, Y = needles()
    weights = np.random.default_rng(1).integers(0, 3, len(Y))
    again = np.random.default_rng(2).permutation(np.repeat(np.arange(len(Y)), weights))
    weighed = jb.JointForest(n_estimators=20).fit(X, Y, weights)
    repeated = jb.JointForest(n_estimators=20).fit(X[again], Y[again])
    assert (weighed.n_tried_, weighed.n_cuts_) == (repeated.n_tried_, repeated.n_cuts_)
    np.testing.assert_array_equal(weighed.predict_proba(X[:50]), repeated.predict_proba(X[:50]))


def test_rows_of_fit_are_answered_out_of_bag_by_trees_grown_alike():
    X, Y = needles()
    forest = jb.JointForest(n_estimators=20).fit(X, Y)
    same = jb.JointForest(20, max_features=forest.n_tried_, n_cuts=forest.n_cuts_).fit(X, Y)
    post, expected = (one.oob_posterior(X, Y) for one in (forest, same))
    np.testing.assert_array_equal(post.log_prob(Y), expected.log_prob(Y))
