"""ILF-Compo: what it is at both ends, what it wraps, and that its posterior is the product."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC

from jointbayes.errors import ParameterError
from jointbayes.labels import learn_labels
from jointbayes.learners.wrapped import EstimatorLearner
from jointbayes.models.conditional.classifier_chain import ClassifierChain
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.one_class.naive_bayes import NaiveBayes
from jointbayes.models.powersets.ilf_compo import ILFCompo
from jointbayes.models.powersets.powerset import learn_powerset
from jointbayes.synthetic import TOY_FACTORS, duplicate, toy_problem

BERNOULLI = BernoulliNB()


def one_hot(X):
    return np.eye(16)[X[:, 0]]


@pytest.fixture(scope="module")
def apart():
    X, Y = toy_problem(1, 1500, rng=0)
    return one_hot(X), Y


def test_labels_that_are_apart_make_it_binary_relevance(apart):
    X, Y = apart
    model = ILFCompo(BERNOULLI, random_state=0).fit(X, Y)
    assert model.factors_ == TOY_FACTORS[1]
    alone = [BERNOULLI.fit(X, y).predict_proba(X)[:, 1] for y in Y.T]
    np.testing.assert_allclose(model.predict_proba(X), np.stack(alone, axis=1), atol=1e-12)


def test_labels_that_hang_together_make_it_the_powerset():
    X, Y = toy_problem(5, 5000, rng=0)
    X = one_hot(X)
    model = ILFCompo(BERNOULLI, random_state=0).fit(X, Y)
    assert model.factors_ == TOY_FACTORS[5]
    sets, which = np.unique(Y, axis=0, return_inverse=True)
    powerset = BERNOULLI.fit(X, which.ravel())
    np.testing.assert_array_equal(model.predict(X[:50]), sets[powerset.predict(X[:50])])
    best = powerset.predict_log_proba(X[:50]).max(axis=1)
    np.testing.assert_allclose(model.posterior(X[:50]).top_k(1)[1][:, 0], best, atol=1e-9)


def test_in_between_the_posterior_is_the_product_of_its_factors():
    X, Y = toy_problem(3, 4000, rng=0)
    X = one_hot(X)
    model = ILFCompo(BERNOULLI, random_state=0).fit(X, Y)
    assert model.factors_ == TOY_FACTORS[3]
    rows, labels = X[:20], Y[:20]
    total = 0
    for factor in model.factors_:
        part = Y[:, list(factor)]
        which = np.unique(part, axis=0, return_inverse=True)[1]
        log_p = BERNOULLI.fit(X, which.ravel()).predict_log_proba(rows)
        total = total + log_p[np.arange(20), which.ravel()[:20]]
    np.testing.assert_allclose(model.posterior(rows).log_prob(labels), total, atol=1e-9)


def test_it_wraps_models_of_several_class_variables():
    X, Y = toy_problem(3, 4000, rng=0)
    words = pd.DataFrame({"colour": X[:, 0].astype(str)}, dtype="category")
    model = ILFCompo(MultilabelNB(), random_state=0).fit(words, Y)
    assert model.factors_ == TOY_FACTORS[3]
    whole = model.posterior(words[:5])
    first = MultilabelNB().fit(words, Y[:, :3]).posterior(words[:5])
    for ours, theirs in zip(whole.marginals(), first.marginals(), strict=False):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert ILFCompo(NaiveBayes(), random_state=0).fit(words, Y).score(words, Y) > 0


def test_as_many_label_sets_as_rows_are_no_cause_for_alarm():
    bits = (np.arange(32)[:, None] >> np.arange(5)) & 1
    X = np.arange(32.0)[:, None]
    forest = RandomForestClassifier(10, random_state=0)
    learner = EstimatorLearner(forest)
    sets = learn_powerset(learner, learner.view(X), bits, (2,) * bits.shape[1])
    assert len(sets.vectors) == 32
    assert sets.posterior(X, learn_labels(bits)).map().shape == (32, 5)


def test_large_factors_are_chained():
    X, Y = toy_problem(5, 3000, rng=0)
    X = one_hot(X)
    model = ILFCompo(BERNOULLI, max_labels=4, random_state=0).fit(X, Y)
    (chain,) = model.members_
    assert isinstance(chain, ClassifierChain)
    alone = ClassifierChain(BERNOULLI, inference="greedy").fit(X, Y)
    np.testing.assert_array_equal(model.predict(X[:20]), alone.predict(X[:20]))
    whole = ILFCompo(BERNOULLI, max_labels=4, large="powerset", random_state=0).fit(X, Y)
    assert not isinstance(whole.members_[0], ClassifierChain)


def test_boundaries_are_all_a_factor_s_model_sees():
    X, Y = toy_problem(3, 3000, rng=0)
    X, Y = duplicate(X.astype(str).astype(object), Y, rng=0)
    model = ILFCompo(BERNOULLI, features="boundary", random_state=0).fit(X, Y)
    assert model.factors_ == ((0, 1, 2), (3, 4), (5, 6, 7), (8, 9))
    assert model.factor_features_ == ((0,), (0,), (1,), (1,))
    changed = X[:5].copy()
    changed[:, 1] = X[5:10, 1]
    before, after = (model.posterior(rows).marginals()[:5] for rows in (X[:5], changed))
    np.testing.assert_array_equal(before, after)


def test_labels_without_features_have_their_frequencies():
    Y = np.random.default_rng(0).integers(0, 2, (200, 2))
    model = ILFCompo(BERNOULLI, features="boundary", random_state=0).fit(np.zeros((200, 1)), Y)
    assert model.factor_features_ == ((), ())
    np.testing.assert_allclose(model.predict_proba([[0.0]])[0], (Y.sum(axis=0) + 0.5) / 201)


def test_constant_labels_get_their_smoothed_frequency(apart):
    X, Y = apart
    Y = np.column_stack([Y[:, :2], np.zeros(len(Y), dtype=int)])
    for estimator in (BERNOULLI, MultilabelNB()):
        p = ILFCompo(estimator, random_state=0).fit(X[:, :4], Y).predict_proba(X[:3, :4])
        np.testing.assert_allclose(p[:, 2], 0.5 / (len(Y) + 1))


def test_the_same_data_in_any_form_give_the_same_answer(apart):
    X, Y = apart
    model = ILFCompo(BERNOULLI, random_state=0)
    expected = model.fit(X, Y).predict_proba(X[:10])
    for form in (csr_array, pd.DataFrame, np.ndarray.tolist):
        found = clone(model).fit(form(X), Y).predict_proba(form(X[:10]))
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_one_label_and_bad_parameters(apart):
    X, Y = apart
    model = ILFCompo(random_state=0).fit(X[:200], np.where(Y[:200, 0], "yes", "no"))
    assert set(model.predict(X[:9])) <= {"yes", "no"}
    assert model.predict_proba(X[:9]).shape == (9, 2)
    with pytest.raises(ParameterError, match="features='some'"):
        ILFCompo(features="some").fit(X, Y)
    with pytest.raises(ParameterError, match="no predict_proba"):
        ILFCompo(LinearSVC()).fit(X, Y)
    with pytest.raises(ParameterError, match="alpha=2"):
        ILFCompo(alpha=2).fit(X, Y)
