"""Risk control, against the definition and on real rows."""

from __future__ import annotations

from itertools import product

import joint_oracle as oracle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.models.wrappers.risk import entry_scores, entry_weights, risk_threshold


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    first = X[:, 0] + rng.normal(0, 1, n) > 0
    Y = np.stack([first, first ^ (rng.random(n) < 0.2), X[:, 1] + rng.normal(0, 1, n) > 0], axis=1)
    return X, Y.astype(int)


@given(st.integers(0, 2**16), st.floats(0.05, 0.9))
def test_the_threshold_is_the_least_that_the_theorem_allows(seed, alpha):
    rng = np.random.default_rng(seed)
    scores, weights = rng.integers(0, 6, (8, 3)).astype(float), np.full((8, 3), 1 / 3)
    found = risk_threshold(scores, weights, alpha)
    legal = [t for t in np.unique(scores) if ((scores > t) / 3).sum() + 1 <= alpha * 9 + 1e-9]
    assert found == (min(legal) if legal else np.inf)


def best_f1_loss(truth, inner, outer):
    """By definition: the least over all sets between inner and outer; 1 if there is none."""
    between = product(*([0, 1][low : high + 1] for low, high in zip(inner, outer, strict=True)))
    return min((oracle.f1_loss(tuple(truth), y) for y in between), default=1.0)


@given(st.integers(0, 2**16))
def test_the_loss_by_f1_is_that_of_the_best_between_inner_and_outer(seed):
    rng = np.random.default_rng(seed)
    codes, scores = rng.integers(0, 2, (6, 4)), rng.integers(0, 4, (6, 4)).astype(float)
    weights = entry_weights(codes, "f1", scores)
    for t in range(-1, 4):
        wrong = scores > t
        inner, outer = np.where(wrong, 1 - codes, 0), np.where(wrong, 1 - codes, 1)
        for row in range(6):
            slow = best_f1_loss(codes[row], inner[row], outer[row])
            assert np.isclose(weights[row, wrong[row]].sum(), slow, atol=1e-12)


@pytest.mark.parametrize("risk", ["hamming", "f1", "false_negatives"])
def test_the_expected_loss_is_at_most_alpha(risk):
    """Over forty calibrations the mean is below alpha, but for three standard errors."""
    alpha, losses = 0.1, []
    X, Y = rows(200)
    model = jb.Conformal(jb.CTBN(jb.models.BatchedLogistic(penalty=1.0)), alpha, risk=risk)
    model.fit(X, Y)
    for seed in range(1, 41):
        X, Y = rows(seed=seed)
        model.calibrate(X[:60], Y[:60])
        sets = model.predict_sets(X[60:])
        truth, inner, outer = Y[60:], sets.inner(), sets.outer()
        if risk == "hamming":
            losses.append(((truth < inner) | (truth > outer)).mean())
        elif risk == "f1":
            losses.append(
                np.mean([best_f1_loss(*row) for row in zip(truth, inner, outer, strict=True)])
            )
        else:
            missed = (truth > outer).sum(axis=1) / np.maximum(truth.sum(axis=1), 1)
            losses.append(missed.mean())
    error = np.std(losses) / np.sqrt(len(losses))
    assert np.mean(losses) <= alpha + 3 * error
    assert np.mean(losses) > alpha / 3  # and sets are not larger than they have to be


def test_a_label_is_possible_from_its_score_on():
    X, Y = rows()
    model = jb.CTBN(jb.models.BatchedLogistic(penalty=1.0)).fit(X, Y)
    post = model.posterior(X[:20])
    found = entry_scores(post, Y[:20])
    every = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    for i in range(20):
        scores = -post[[i] * 8].log_prob(every)
        for j in range(3):
            assert np.isclose(found[i, j], scores[every[:, j] == Y[i, j]].min(), atol=1e-9)


def test_what_is_promised_can_be_calibrated_again():
    X, Y = rows()
    model = jb.Conformal(risk="hamming").fit(X, Y)
    loose = model.threshold_
    assert model.set_params(alpha=0.01).threshold_ > loose
    model.set_params(risk="vector").calibrate(X[:50], Y[:50])
    assert not hasattr(model, "entry_scores_")


@pytest.mark.parametrize("risk", ["f1", "false_negatives"])
def test_it_is_saved(tmp_path, risk):
    X, Y = rows()
    model = jb.Conformal(risk=risk).fit(X, Y)
    jb.save(model, tmp_path / "m.model")
    assert jb.load(tmp_path / "m.model").threshold_ == model.threshold_


@pytest.mark.parametrize("risk", ["f1", "false_negatives"])
def test_values_that_are_not_relevant_or_not_have_no_false_negatives(risk):
    X, Y = rows()
    words = np.array(["red", "blue"], dtype=object)[Y]
    with pytest.raises(ValueError, match="risk='hamming'"):
        jb.Conformal(risk=risk).fit(X, words)
    assert np.isfinite(jb.Conformal(risk="hamming").fit(X, words).threshold_)


def test_coverage_against_alpha_is_that_of_the_sets_and_leaves_alpha_as_it_was():
    X, Y = rows()
    model = jb.Conformal(jb.CTBN(jb.models.BatchedLogistic(penalty=1.0)), alpha=0.2).fit(X, Y)
    found = model.coverage(X, Y, alphas=(0.1, 0.4))
    assert model.alpha == 0.2
    for alpha, share, size in found:
        sets = model.set_params(alpha=alpha).predict_sets(X)
        assert (share, size) == (sets.covers(Y).mean(), sets.size().mean())
    assert found[0][1] >= found[1][1]
    assert jb.plots.coverage_curves({"CTBN": found}).description.startswith("Coverage")
