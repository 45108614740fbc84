"""The exponent is the best there is, out of fold; the rest is the posterior to that power."""

from __future__ import annotations

import numpy as np
import pytest
from dependent_rows import dependent_rows

import jointbayes as jb
from jointbayes.labels import learn_labels
from jointbayes.models.wrappers import calibrated
from jointbayes.models.wrappers.calibrated import MOST, Judged, best_power
from jointbayes.posterior import Independent, Listed
from jointbayes.seeds import generator_of

MODELS = [jb.CTBN(), jb.MultilabelNB(), jb.BinaryRelevance(), jb.LabelPowerset(), jb.MLkNN(k=5)]


def likelihood_out_of_fold(model, X, Y, powers, cv, weights):
    """The weighted log-likelihood of each power by its definition, model by model, row by row."""
    fold = generator_of(None).permutation(len(Y)) % cv
    total = np.zeros(len(powers))
    for f in range(cv):
        train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        post = model.fit(X[train], Y[train], weights[train]).posterior(X[test])
        possible = post.log_prob(Y[test]) > -np.inf
        for i, t in enumerate(powers):
            log_p = post.power(t).log_prob(Y[test])
            total[i] += (weights[test] * np.where(possible, log_p, 0.0)).sum()
    return total


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("weighted", [0, 1])
def test_no_power_of_a_fine_grid_is_better_out_of_fold(model, weighted):
    X, Y = dependent_rows(90, d=3, seed=1)
    weights = 1.0 + weighted * np.random.default_rng(2).integers(0, 3, 90)
    found = jb.Calibrated(model, cv=4).fit(X, Y, weights)
    powers = np.append(np.geomspace(0.01, 50, 120), found.power_)
    total = likelihood_out_of_fold(model, X, Y, powers, 4, weights)
    assert total[-1] >= total[:-1].max() - 1e-6 * abs(total[-1])


def test_the_posterior_is_that_of_all_rows_to_the_power():
    X, Y = dependent_rows(90)
    model = jb.Calibrated(jb.CTBN()).fit(X, Y)
    assert model.power_ != 1.0
    plain = jb.CTBN().fit(X, Y).posterior(X)
    post = model.posterior(X)
    np.testing.assert_allclose(post.log_prob(Y), plain.power(model.power_).log_prob(Y))
    assert (post.map() == plain.map()).all()


def test_a_model_that_is_too_sure_is_made_less_sure_and_better_on_other_rows():
    X, Y = dependent_rows(600)
    X = np.tile(X, 4)  # naive Bayes takes copies for witnesses
    plain = jb.MultilabelNB().fit(X[:300], Y[:300])
    model = jb.Calibrated(jb.MultilabelNB()).fit(X[:300], Y[:300])
    assert model.power_ < 1
    before, after = (m.posterior(X[300:]).log_prob(Y[300:]).mean() for m in (plain, model))
    assert after > before


def test_rows_without_any_probability_do_not_matter():
    post = jb.LabelPowerset().fit([[0.0]] * 4, [[0, 1], [1, 0]] * 2).posterior([[0.0]] * 3)
    codes = np.array([[0, 1], [1, 1], [1, 1]])
    assert best_power([Judged(post, codes)]) == best_power([Judged(post[:1], codes[:1])])
    assert best_power([Judged(post[1:], codes[1:])]) == 1.0


def test_an_exponent_is_bounded_where_the_model_is_always_right():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    Y = np.repeat([[0, 1], [1, 0]], 30, axis=0)
    assert 1 < jb.Calibrated(jb.MultilabelNB()).fit(X, Y).power_ <= MOST


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="n_samples=1"):
        jb.Calibrated().fit([[0.0]], [[0, 1]])


def test_what_is_wrong_by_a_hundred_million_nats_is_corrected_too():
    sure = Independent([np.array([[-1e8, 0.0]] * 4)], learn_labels([0, 1]))
    t = best_power([Judged(sure, np.array([[1], [1], [0], [1]]))])
    np.testing.assert_allclose(sure.power(t).marginals()[0], [[0.25, 0.75]] * 4, atol=1e-4)


@pytest.mark.parametrize(
    "model", [jb.NaiBX(), jb.ClassifierChain()], ids=lambda m: type(m).__name__
)
def test_vectors_are_listed_once_for_all_exponents(model, monkeypatch):
    X, Y = dependent_rows(60)
    weights = np.arange(1.0, 61.0)
    whole = Judged(model.fit(X, Y).posterior(X), Y, weights)
    monkeypatch.setattr(calibrated, "BLOCK_CELLS", 2000)
    parts = whole.listed()
    assert len(parts) > 1
    assert all(isinstance(part.posterior, Listed) for part in parts)
    for t in (0.01, 1.0, 3.0):
        listed = sum(part.log_likelihood(t) for part in parts)
        assert listed == pytest.approx(whole.log_likelihood(t), abs=1e-8)
    monkeypatch.setattr(calibrated, "HELD", 0)
    assert whole.listed() == [whole]
