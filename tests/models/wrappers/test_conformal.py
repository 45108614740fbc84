"""The promise of coverage, and the threshold against its definition."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from dependent_rows import dependent_rows
from hypothesis import given
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.models.wrappers.conformal import conformal_threshold


@pytest.mark.parametrize("model", [jb.CTBN(), jb.MultilabelNB(), jb.LabelPowerset()], ids=str)
@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_sets_cover_as_often_as_promised(model, alpha):
    """In the mean over splits: a single one may have bad luck."""
    covered = []
    for seed in range(30):
        X, Y = dependent_rows(360, d=3, seed=5)
        order = np.random.default_rng(seed).permutation(360)
        train, test = order[:160], order[160:]
        fitted = jb.Conformal(model, alpha, random_state=seed).fit(X[train], Y[train])
        covered.append(fitted.predict_sets(X[test]).covers(Y[test]).mean())
    noise = np.std(covered) / np.sqrt(len(covered))
    assert np.mean(covered) >= 1 - alpha - 2 * noise
    assert noise < 0.02


def slow_threshold(scores, percent):
    """The least score that has the promised share of all m + 1 at or below it."""
    m = len(scores)
    for tau in sorted(scores):
        if 100 * sum(s <= tau for s in scores) >= (m + 1) * (100 - percent):
            return tau
    return float("inf")


@given(
    st.lists(st.integers(0, 8).map(lambda s: s / 4), min_size=1, max_size=60),
    st.integers(1, 99),
)
def test_the_threshold_is_the_score_of_that_rank(scores, percent):
    found = conformal_threshold(np.sort(scores), percent / 100)
    assert found == slow_threshold(scores, percent)


def test_a_rank_is_not_rounded_up_by_binary_fractions():
    m, alpha = 99, 0.07
    assert ceil((m + 1) * (1 - alpha)) == 93
    for m in range(1, 300):
        for percent in range(1, 100):
            rank = -(-(m + 1) * (100 - percent) // 100)
            found = conformal_threshold(np.arange(1.0, m + 1), percent / 100)
            assert found == (rank if rank <= m else np.inf)


def test_rows_are_learned_from_or_calibrated_on():
    X, Y = dependent_rows(100)
    model = jb.Conformal(jb.MultilabelNB(), held_out=0.25, random_state=3).fit(X, Y)
    assert len(model.scores_) == 25
    order = np.random.default_rng(3).permutation(100)
    held, kept = np.sort(order[:25]), np.sort(order[25:])
    plain = jb.MultilabelNB().fit(X[kept], Y[kept]).posterior(X[held])
    np.testing.assert_allclose(model.scores_, np.sort(-plain.log_prob(Y[held])))
    post = model.posterior(X)
    np.testing.assert_array_equal(post.log_prob(Y), model.estimator_.posterior(X).log_prob(Y))


def test_calibrate_again_on_other_rows():
    X, Y = dependent_rows(200)
    model = jb.Conformal(jb.CTBN(), random_state=0).fit(X[:100], Y[:100])
    first = model.threshold_
    assert model.calibrate(X[100:], Y[100:]) is model
    scores = np.sort(-model.posterior(X[100:]).log_prob(Y[100:]))
    assert model.threshold_ == pytest.approx(scores[ceil(101 * 0.9) - 1])
    assert model.threshold_ != first
    with pytest.raises(DataError, match="calibrate: X has 3 rows and Y has 2"):
        model.calibrate(X[:3], Y[:2])


def test_alpha_can_be_set_anew():
    X, Y = dependent_rows(200)
    model = jb.Conformal(jb.CTBN(), random_state=0).fit(X, Y)
    sizes = [model.set_params(alpha=a).predict_sets(X).size().mean() for a in (0.05, 0.2, 0.5)]
    assert sizes == sorted(sizes, reverse=True)
    with pytest.raises(ParameterError, match="alpha=0"):
        model.set_params(alpha=0).predict_sets(X)


def test_too_few_rows_to_promise_anything_have_all_vectors():
    X, Y = dependent_rows(10)
    model = jb.Conformal(jb.CTBN(), alpha=0.1).fit(X, Y)
    assert model.threshold_ == np.inf
    sets = model.predict_sets(X)
    assert (sets.size() == 16).all()
    assert sets.covers(Y).all()
    assert len(sets.vectors(0)) == 16
    assert not sets.inner().any()
    assert sets.outer().all()


def test_a_value_that_was_not_there_is_outside():
    X, Y = dependent_rows(60)
    words = np.array(["a", "b", "c"])[Y[:, 0] + Y[:, 1]]
    model = jb.Conformal(jb.TAN(), alpha=0.2).fit(X, words)
    sets = model.predict_sets(X[:2])
    assert not sets.covers(["d", "d"]).any()
    model.calibrate(X, np.full(60, "d"))
    assert model.threshold_ == np.inf


def test_one_row_is_refused():
    with pytest.raises(DataError, match="n_samples=1"):
        jb.Conformal().fit([[0.0]], [[0, 1]])
