"""Explanations of several labels add up to what the posterior says of each flip."""

from __future__ import annotations

from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

import jointbayes as jb
from jointbayes.errors import CostError, ParameterError
from jointbayes.estimator import flips
from jointbayes.learners.logistic.estimator import BatchedLogistic

LOGISTIC = (
    jb.BinaryRelevance,
    jb.CTBN,
    jb.ClassifierChain,
    jb.IBLR,
    jb.StackedRelevance,
)
ALONE = (jb.BinaryRelevance, jb.IBLR, jb.StackedRelevance)
NETWORKS = (jb.MultilabelNB, jb.MultilabelFAN, jb.NetworkEnsemble)


def make(kind, **more):
    """A model that learns fast: with a given penalty, where it has one."""
    return kind(BatchedLogistic(penalty=1.0), **more) if kind in LOGISTIC else kind(**more)


def mixed(seed, cards, n=60):
    """Numbers, some missing, and categories, and labels that depend on them and each other."""
    rng = np.random.default_rng(seed)
    size, hue = rng.normal(size=n), rng.choice(["red", "blue", "pink"], n)
    age = np.where(rng.random(n) < 0.2, np.nan, rng.normal(1e3, 50, n))
    X = pd.DataFrame({"size": size, "hue": hue, "age": age, "flat": 7.0})
    Y, said = np.zeros((n, len(cards)), dtype=int), size + (hue == "red")
    for j, card in enumerate(cards):
        noise = said + rng.normal(size=n) + (Y[:, j - 1] if j else 0)
        Y[:, j] = np.clip(np.floor(noise) % card, 0, card - 1)
        Y[:card, j] = np.arange(card)  # every value occurs
    return X, Y


def rows_of(X):
    """Some rows of training, and one with a category and a gap that were never there."""
    odd = pd.DataFrame({"size": [np.nan], "hue": ["grey"], "age": [3e4], "flat": [8.0]})
    return pd.concat([X[:8], odd], ignore_index=True)


def assert_adds_up(model, rows):
    """Hold an explanation to the posterior; return it with an axis of labels."""
    why, post = model.explain(rows), model.posterior(rows)
    np.testing.assert_array_equal(why.answer, model.predict(rows))
    answer, other = (np.reshape(y, (len(why), -1)) for y in (why.answer, why.runner_up))
    told = [np.reshape(part, answer.shape) for part in (why.base, why.remainder, why.log_odds)]
    total = told[0] + why.contributions.sum(axis=-1).reshape(answer.shape) + told[1]
    np.testing.assert_allclose(why.probability, np.exp(post.log_prob(why.answer)), rtol=1e-9)
    for i, classes in enumerate(post.space.classes):
        flipped = answer.copy()
        flipped[:, i] = other[:, i]
        odds = post.log_prob(answer) - post.log_prob(flipped)
        np.testing.assert_allclose(total[:, i], odds, atol=1e-9)
        np.testing.assert_allclose(told[2][:, i], odds, atol=1e-9)
        p = np.reshape(why.runner_up_probability, answer.shape)[:, i]
        np.testing.assert_allclose(p, np.exp(post.log_prob(flipped)), rtol=1e-9, atol=1e-300)
        for value in classes:  # no other value is likelier than the runner-up
            tried = answer.copy()
            tried[:, i] = value
            new = tried[:, i] != answer[:, i]
            assert (post.log_prob(tried) <= post.log_prob(flipped) + 1e-9)[new].all()
    return why


@pytest.mark.parametrize("kind", [*LOGISTIC, *NETWORKS])
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), cards=st.sampled_from([(2, 2, 2), (3, 2), (2, 4, 2)]))
def test_base_contributions_and_remainder_are_the_log_odds_of_each_flip(kind, seed, cards):
    X, Y = mixed(seed, cards)
    why = assert_adds_up(make(kind).fit(X, Y), rows_of(X))
    assert why.feature_names == tuple(X.columns)
    assert why.contributions.shape == (9, len(cards), 4)
    if kind not in NETWORKS:
        assert not why.contributions[:, :, 3].any()  # it was constant in training
    if kind in ALONE and max(cards) == 2:
        assert not why.remainder.any()


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from(["bayes", "logistic"]),
    features=st.sampled_from(["auto", "gaussian", "bernoulli"]),
)
def test_naibx_adds_up(seed, size, features):
    X, Y = mixed(seed, (2, 2, 2))
    assert_adds_up(jb.NaiBX(size=size, features=features).fit(X, Y), rows_of(X))


@pytest.mark.parametrize("kind", [*LOGISTIC, *NETWORKS, jb.NaiBX])
@pytest.mark.parametrize("card", [2, 3])
def test_one_class_variable_in_one_column_leaves_no_remainder(kind, card):
    X, Y = mixed(1, (card,))
    why = assert_adds_up(make(kind).fit(X, Y[:, 0]), rows_of(X))
    assert why.base.shape == (9,)
    assert why.contributions.shape == (9, 4)
    np.testing.assert_array_equal(why.remainder, 0.0)


def test_only_labels_that_others_depend_on_have_a_remainder():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, (200, 1))
    Y = np.where(rng.random((200, 4)) < 0.85, first, 1 - first)
    X = rng.normal(size=(200, 2)) + first
    tree = make(jb.CTBN, random_state=0).fit(X, Y)
    inner = {parent for parent, _ in tree.edges_}
    assert inner
    for name, rest in zip(tree.label_names_, tree.explain(X).remainder.T, strict=True):
        assert rest.any() == (name in inner)
    chain = make(jb.ClassifierChain, order=[2, 0, 3, 1]).fit(X, Y)
    why = chain.explain(X)
    assert why.remainder.any(axis=0).tolist() == [True, False, True, True]
    assert why.others.any(axis=0).tolist() == [True, True, False, True]


def test_what_the_other_labels_say_is_a_part_of_base():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 200)
    Y = np.stack([first, np.where(rng.random(200) < 0.9, first, 1 - first)], axis=1)
    X = rng.normal(size=(200, 1)) + first[:, None]
    for kind in (jb.CTBN, jb.ClassifierChain, jb.MultilabelFAN):
        why = make(kind).fit(X, Y).explain(X)
        agree = (why.answer[:, 0] == why.answer[:, 1])[:, None]
        heard = why.others[:, 1:] if kind is jb.ClassifierChain else why.others
        heard = heard[:, heard.any(axis=0)]
        assert heard.size
        assert ((heard > 0) == agree).all()  # labels that go together speak for each other
    assert not make(jb.BinaryRelevance).fit(X, Y).explain(X).others.any()


def test_a_value_that_never_occurred_beside_a_parent_is_told_too():
    rng = np.random.default_rng(4)
    Y = np.stack([rng.integers(0, 3, 90), rng.integers(0, 3, 90)], axis=1)
    Y[Y[:, 0] == 0, 1] = 1  # only one value
    Y[(Y[:, 0] == 1) & (Y[:, 1] == 2), 1] = 0  # two of three
    X = rng.normal(size=(90, 2)) + Y
    tree = make(jb.CTBN).fit(X, Y)
    assert any(len(o.values) < o.card for o in tree.classifiers_.outcomes)
    assert_adds_up(tree, X)


@pytest.mark.parametrize("kind", [*LOGISTIC, jb.NaiBX])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_the_words_of_texts_have_their_length_shared_out(kind, layout):
    rng = np.random.default_rng(5)
    X = sparse.csr_array(rng.poisson(0.06, (80, 40)).astype(float))
    Y = np.stack([X[:, [0, 1, 2, 3]].sum(axis=1) > 0, X[:, [4, 5]].sum(axis=1) > 0], axis=1)
    rows = sparse.vstack([X[:8], sparse.csr_array((1, 40))]).tocsr()  # the last is empty
    if layout == "dense":
        X, rows = X.toarray(), rows.toarray()
    model = make(kind).fit(X, Y.astype(int))
    if kind in LOGISTIC:
        assert model.design_.direction is not None
    why = assert_adds_up(model, rows)
    assert why.feature_names[:2] == ("x0", "x1")
    assert why.values.shape == (9, 40)


def test_a_contribution_is_slope_times_distance_from_the_mean():
    X = np.array([[0.0, 5.0], [1.0, 5.5], [2.0, 3.0], [3.0, 1.0], [1.0, 2.0], [2.0, 4.0]] * 5)
    Y = np.stack([X[:, 0] > 1, X[:, 1] > 3], axis=1).astype(int)
    single = BatchedLogistic(penalty=1.0).fit(X, Y)
    why = jb.BinaryRelevance(BatchedLogistic(penalty=1.0)).fit(X, Y).explain(X)
    sign = np.where(why.answer == 1, 1, -1)[:, :, None]
    slow = sign * single.coef_ * (X - X.mean(axis=0))[:, None]
    np.testing.assert_allclose(why.contributions, slow, atol=1e-9)
    at_mean = single.intercept_ + single.coef_ @ X.mean(axis=0)
    np.testing.assert_allclose(why.base, sign[:, :, 0] * at_mean, atol=1e-9)


def test_naibx_tells_how_much_more_common_a_value_is_with_the_label():
    X = pd.DataFrame({"word": [1, 1, 0, 0, 0, 1], "other": [0, 1, 0, 1, 1, 1]})
    Y = np.array([[1, 1], [1, 0], [0, 1], [0, 1], [1, 0], [1, 1]])
    model = jb.NaiBX(size="logistic", loss="subset").fit(X, Y)
    why = model.explain(X)
    p = (np.array([3, 2]) + 1) / (np.array([4, 4]) + 2)  # of word, with each label
    overall = (3 + 1) / (6 + 2)
    for row in range(6):
        word = X.word[row]
        for i in range(2):
            ratio = log(p[i] / overall) if word else log((1 - p[i]) / (1 - overall))
            sign = 1 if why.answer[row, i] == 1 else -1
            assert why.contributions[row, i, 0] == pytest.approx(sign * ratio)


def test_a_size_never_seen_makes_a_flip_impossible():
    X, _ = mixed(0, (2,), n=30)
    Y = np.tile([[1, 0], [0, 1]], (15, 1))
    why = jb.NaiBX().fit(X, Y).explain(X)
    assert np.isposinf(why.log_odds).all()
    assert np.isposinf(why.remainder).all()
    assert np.isfinite(why.base).all()
    assert np.isfinite(why.contributions).all()
    assert not why.runner_up_probability.any()


def test_the_rows_own_values_and_the_marginals_are_told():
    X, Y = mixed(2, (2, 2))
    labels = pd.DataFrame(Y, columns=["sad", "calm"])
    model = make(jb.CTBN).fit(X, labels)
    why = model.explain(X[:5])
    assert why.label_names == ("sad", "calm")
    assert why.values[0].tolist()[:2] == X.iloc[0].tolist()[:2]
    relevant = model.predict_proba(X[:5])
    np.testing.assert_allclose(why.marginal, np.where(why.answer == 1, relevant, 1 - relevant))
    assert repr(why) == "Explanation of CTBN: 5 rows, 2 labels, 4 features"


def test_importance_is_the_mean_size_of_contributions():
    X, Y = mixed(2, (2, 2))
    labels = pd.DataFrame(Y, columns=["sad", "calm"])
    why = make(jb.CTBN).fit(X, labels).explain(X)
    size = np.abs(why.contributions)
    np.testing.assert_allclose(why.importance(), size.mean(axis=(0, 1)))
    np.testing.assert_allclose(why.importance("calm"), size[:, 1].mean(axis=0))
    with pytest.raises(ParameterError, match=r"'glad'.*choose from sad, calm"):
        why.importance("glad")
    one = jb.NaiveBayes().fit(X, labels["sad"]).explain(X)
    np.testing.assert_allclose(one.importance("sad"), np.abs(one.contributions).mean(axis=0))


@pytest.mark.parametrize("kind", LOGISTIC)
def test_a_foreign_estimator_is_refused_with_a_sentence(kind):
    X, Y = mixed(0, (2, 2))
    model = kind(GaussianNB()).fit(X, Y)
    with pytest.raises(ParameterError, match=f"{kind.__name__}: explain .* BatchedLogistic"):
        model.explain(X)


@pytest.mark.parametrize("kind", [*LOGISTIC, *NETWORKS, jb.NaiBX])
def test_a_model_that_was_not_fitted_explains_nothing(kind):
    with pytest.raises(NotFittedError):
        kind().explain([[0.0]])


def test_more_rows_than_can_be_held_are_refused(monkeypatch):
    X, Y = mixed(0, (2, 2))
    model = make(jb.BinaryRelevance).fit(X, Y)
    monkeypatch.setattr(flips, "MOST_CELLS", 80)
    assert len(model.explain(X[:10])) == 10
    with pytest.raises(CostError, match="give at most 10 rows at a time"):
        model.explain(X[:11])
