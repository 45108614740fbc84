"""How sharp joints should be: the exponent of the evidence, against a fine grid and its promise."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.models.trust.sharpness import (
    EXPONENTS,
    Sharpness,
    hold_out,
    keep_answers,
    likeliest_sharpness,
)

MODELS = (jb.MultilabelNB, jb.MultilabelFAN, jb.NetworkEnsemble, jb.NaiBX)


def repeated(n=150, times=12, seed=0):
    """Rows whose three columns come twelve times each, and three labels that they tell, mostly."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, 3)) < [0.5, 0.4, 0.3]).astype(int)
    Y[:, 2] |= Y[:, 0] & (rng.random(n) < 0.7)
    x = Y ^ (rng.random((n, 3)) < 0.12)
    return np.repeat(x, times, axis=1).astype(float), Y


@pytest.mark.parametrize("kind", MODELS)
def test_joints_that_were_too_sure_may_be_betted_on(kind):
    (X, Y), (X_test, truth) = repeated(300), repeated(1500, seed=1)
    paper, fitted = (kind(sharpness=s).fit(X, Y) for s in ("paper", "cross_fitted"))
    relevance = jb.BinaryRelevance().fit(X, Y)
    sure, honest, plain = (
        -m.posterior(X_test).log_prob(truth).mean() for m in (paper, fitted, relevance)
    )
    assert sure > 1.5 * plain
    assert honest < 1.5 * plain
    post = fitted.posterior(X_test)
    assert (post.map() == truth).all(axis=1).mean() >= paper.score(X_test, truth) - 0.03
    total = sum(np.exp(post.log_prob(np.tile(v, (len(truth), 1)))) for v in np.ndindex(2, 2, 2))
    np.testing.assert_allclose(total, 1, atol=1e-9)


def test_the_exponent_of_a_network_leaves_what_is_known_of_labels_alone():
    X, Y = repeated()
    model = jb.MultilabelFAN(sharpness="cross_fitted").fit(X, Y)
    t = model.sharpness_
    assert 0.02 < t < 0.4
    paper = jb.MultilabelFAN().fit(X, Y)
    if model.average_rows_:
        paper.learned_ = paper.learned_.drawn_to_average(paper.knowledge_, 5.0, model.average_rows_)
    labels = jb.MultilabelFAN(max_parents=0).fit(X, Y)  # whose columns say nothing
    every = np.array(list(np.ndindex(2, 2, 2)))
    both = np.stack([paper.posterior(X[:4]).log_prob(np.tile(v, (4, 1))) for v in every], axis=1)
    prior = np.stack([labels.posterior(X[:4]).log_prob(np.tile(v, (4, 1))) for v in every], axis=1)
    p = np.exp(prior + t * (both - prior))
    p /= p.sum(axis=1, keepdims=True)
    got = [np.exp(model.posterior(X[:4]).log_prob(np.tile(v, (4, 1)))) for v in every]
    np.testing.assert_allclose(np.stack(got, axis=1), p, atol=1e-9)


@pytest.mark.parametrize("kind", MODELS)
def test_the_paper_is_the_default(kind):
    X, Y = repeated(60)
    one, other = kind().fit(X, Y), kind(sharpness="paper").fit(X, Y)
    np.testing.assert_array_equal(one.posterior(X).log_prob(Y), other.posterior(X).log_prob(Y))


@pytest.mark.parametrize("kind", MODELS)
def test_what_holds_rows_out_does_not_learn_in_parts(kind):
    X, Y = repeated(30)
    with pytest.raises(ParameterError, match="needs them all at once"):
        kind(sharpness="cross_fitted").partial_fit(X, Y)
    with pytest.raises(ParameterError, match="sharpness='blunt'"):
        kind(sharpness="blunt").fit(X, Y)


@pytest.mark.parametrize("kind", [jb.MultilabelFAN, jb.NaiBX])
def test_explanations_add_up_to_the_sharpened_answer(kind):
    X, Y = repeated(80)
    model = kind(sharpness="cross_fitted").fit(X, Y)
    why = model.explain(X[:6])
    told = why.base + why.contributions.sum(axis=2) + why.remainder
    np.testing.assert_allclose(told, why.log_odds, atol=1e-9)
    answer = np.asarray(why.answer)
    flipped = answer.copy()
    flipped[:, 0] = 1 - flipped[:, 0]
    post = model.posterior(X[:6])
    expected = post.log_prob(answer) - post.log_prob(flipped)
    np.testing.assert_allclose(why.log_odds[:, 0], expected, atol=1e-8)


def test_one_row_is_as_sharp_as_in_the_paper():
    model = jb.MultilabelNB(sharpness="cross_fitted").fit([[0.0]], [[0, 1]])
    assert model.sharpness_ == 1.0


def rarely_told(seed):
    """Rows whose four columns come twelve times each, and four labels that few rows have."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((300, 4)) < 0.3).astype(int)
    return np.repeat(Y ^ (rng.random(Y.shape) < 0.2), 12, axis=1).astype(float), Y


def held_of(model, X, Y, weights=None):
    return hold_out(model, Labelled(jb.Table.of(X), Y, model.fit(X, Y).space_, weights), Y)


def judged(held, sharpness):
    """Log-loss, and what the answers lose, by a list of all vectors."""
    total, lost, weights = 0.0, [], []
    for fold in held:
        post = fold.model._sharpened(sharpness).posterior(fold.X)
        every = np.array(list(np.ndindex(*post.space.cards)))
        tiles = [np.tile(v, (len(post), 1)) for v in every]
        p = np.exp(np.stack([post.log_prob(tile) for tile in tiles], axis=1))
        true = (every[None] == fold.codes[:, None]).all(axis=2)
        total -= fold.weights @ np.log(p[true])
        marginals = p @ every > 0.5
        wrong = (every[p.argmax(axis=1)] != fold.codes).any(axis=1)
        lost.append(np.stack([wrong, (marginals != fold.codes).sum(axis=1)], axis=1))
        weights.append(fold.weights)
    return total, np.concatenate(lost), np.concatenate(weights)


@pytest.mark.parametrize(("seed", "raised"), [(0, True), (1, False), (2, False)])
@pytest.mark.parametrize("weighted", [False, True])
def test_features_are_believed_until_answers_are_as_good_as_the_papers(seed, raised, weighted):
    X, Y = rarely_told(seed)
    weights = np.random.default_rng(seed).integers(1, 3, len(Y)).astype(float) if weighted else None
    held = held_of(jb.MultilabelNB(empty="allow"), X, Y, weights)
    likeliest = likeliest_sharpness(held)
    kept = keep_answers(held, likeliest)
    (least, _, w), (_, papers, _) = judged(held, likeliest), judged(held, Sharpness())
    for t in EXPONENTS[EXPONENTS.index(likeliest.exponent) :]:
        total, lost, _ = judged(held, Sharpness(t, likeliest.average_rows))
        assert total <= 1.2 * least
        mean = np.average(lost - papers, axis=0, weights=w)
        spread = np.average((lost - papers - mean) ** 2, axis=0, weights=w)
        error = np.sqrt(spread / w.sum())
        if (mean <= error).all():
            break
    assert kept == Sharpness(t, likeliest.average_rows)
    if not weighted:
        assert (kept.exponent > likeliest.exponent) == raised


def test_the_likeliest_stays_where_better_answers_would_cost_too_much(monkeypatch):
    X, Y = rarely_told(0)
    held = held_of(jb.MultilabelNB(empty="allow"), X, Y)
    likeliest = likeliest_sharpness(held)
    assert keep_answers(held, likeliest) != likeliest
    monkeypatch.setattr("jointbayes.models.trust.sharpness.GIVEN_UP", 1.0)
    assert keep_answers(held, likeliest) == likeliest


def test_what_the_paper_says_stays():
    X, Y = rarely_told(0)
    assert keep_answers(held_of(jb.MultilabelNB(), X, Y), Sharpness()) == Sharpness()


def test_answers_that_are_all_worse_by_as_much_are_worse(monkeypatch):
    """Without a spread there is no standard error to hide in."""
    X, Y = rarely_told(0)
    held = held_of(jb.MultilabelNB(), X, Y)
    likeliest = likeliest_sharpness(held)
    lost = {True: np.zeros(2), False: np.ones(2)}
    monkeypatch.setattr(
        "jointbayes.models.trust.sharpness.HeldFold.answers_lost",
        lambda fold, s: np.tile(
            lost[s == Sharpness() or s.exponent > likeliest.exponent], (len(fold.codes), 1)
        ),
    )
    assert keep_answers(held, likeliest).exponent > likeliest.exponent
