"""Weights of shape (n, d): how often each label of each row counts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.models import BatchedLogistic

QUICK = BatchedLogistic(penalty=1.0)
TAKE = [
    jb.BinaryRelevance(QUICK),
    jb.CTBN(QUICK),
    jb.ClassifierChain(QUICK),
    jb.MLkNN(k=3),
    jb.Calibrated(jb.BinaryRelevance(QUICK), cv=2),
    jb.Conformal(jb.CTBN(QUICK)),
    jb.Constrained(jb.ClassifierChain(QUICK)),
    jb.Thresholded(jb.BinaryRelevance(QUICK), cv=2),
]
REFUSE = [
    jb.MultilabelNB(),
    jb.MultilabelFAN(),
    jb.NetworkEnsemble(),
    jb.ChainEnsemble(QUICK, n_chains=2),
    jb.StackedRelevance(QUICK),
    jb.IBLR(QUICK),
    jb.NaiBX(),
    jb.ClassifierCascade(QUICK),
    jb.LabelPowerset(QUICK),
    jb.RAkEL(QUICK, k=2),
    jb.ILFCompo(jb.NaiveBayes()),
    jb.JointForest(n_estimators=5),
    jb.JointLayer(jb.MLkNN(), jb.CTBN(QUICK), cv=2),
    jb.Auto(cv=2, models=[jb.BinaryRelevance(QUICK), jb.MLkNN()]),
    jb.Calibrated(jb.LabelPowerset(QUICK), cv=2),
    BatchedLogistic(penalty=1.0),
]


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    first = X[:, 0] + rng.normal(0, 0.7, n) > 0
    Y = np.stack([first, first ^ (rng.random(n) < 0.2), X[:, 1] > 0.3], axis=1).astype(int)
    return X, Y, rng.integers(1, 4, (n, 3)).astype(float)


def marginals(model, X):
    return np.stack([p[:, 1] for p in model.posterior(X).marginals()], axis=1)


def fitted(model, *arguments, **weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(*arguments, **weights)


@pytest.mark.parametrize("model", [*TAKE, *REFUSE], ids=str)
def test_the_same_weight_for_all_labels_is_that_of_the_row(model):
    X, Y, w = rows()
    several = fitted(model, X, Y, sample_weight=np.repeat(w[:, :1], 3, axis=1))
    one = fitted(model, X, Y, sample_weight=w[:, 0])
    assert marginals(several, X).tolist() == marginals(one, X).tolist()


@pytest.mark.parametrize("model", [*TAKE[:5], jb.MultilabelNB(), jb.LabelPowerset(QUICK)], ids=str)
def test_a_label_of_weight_0_is_not_known(model):
    X, Y, _ = rows()
    hidden = np.random.default_rng(1).random(Y.shape) < 0.2
    hidden[3] = True  # a row that does not count at all
    kept = np.delete(np.arange(len(Y)), 3)
    weighted = fitted(model, X, Y, sample_weight=np.where(hidden, 0.0, 1.0))
    known = np.where(hidden, np.nan, Y)[kept]
    told = clone(model).set_params(unknown="learn")
    same = fitted(told, X[kept], known, sample_weight=np.ones(len(kept)))
    assert marginals(weighted, X).tolist() == marginals(same, X).tolist()


@pytest.mark.parametrize("model", TAKE, ids=str)
def test_a_label_may_count_more_than_another(model):
    X, Y, w = rows()
    plain, weighted = fitted(model, X, Y), fitted(model, X, Y, sample_weight=w)
    assert np.abs(marginals(weighted, X) - marginals(plain, X)).max() > 1e-3


@pytest.mark.parametrize("model", REFUSE, ids=str)
def test_who_takes_one_weight_a_row_says_who_takes_more(model):
    X, Y, w = rows()
    with pytest.raises(DataError, match=r"one weight for each row.*CTBN, ClassifierChain or MLkNN"):
        fitted(model, X, Y, sample_weight=w)


def test_relevance_is_that_of_each_label_by_itself():
    X, Y, w = rows()
    model = jb.BinaryRelevance(LogisticRegression()).fit(X, Y, sample_weight=w)
    for j in range(3):
        alone = LogisticRegression().fit(X, Y[:, j], sample_weight=w[:, j]).predict_proba(X)[:, 1]
        np.testing.assert_allclose(marginals(model, X)[:, j], alone, atol=1e-12)


def test_our_regressions_count_by_the_weights_of_each_label():
    """Where rows count alike on average, so that columns are scaled as without weights."""
    X, Y, w = rows()
    w[:, 2] = 6 - w[:, 0] - w[:, 1]
    kept = w[:, 2] > 0
    X, Y, w = X[kept], Y[kept], w[kept]
    ours = BatchedLogistic(penalty=1.0, tol=1e-10)
    model = jb.BinaryRelevance(ours).fit(X, Y, sample_weight=w)
    scaled = X / X.std(axis=0)
    for j in range(3):
        plain = LogisticRegression(tol=1e-10, max_iter=5000)
        alone = plain.fit(scaled, Y[:, j], sample_weight=w[:, j]).predict_proba(scaled)[:, 1]
        np.testing.assert_allclose(marginals(model, X)[:, j], alone, atol=1e-5)


def test_a_conditional_of_a_tree_counts_by_the_weights_of_its_label():
    X, Y, w = rows(150)
    model = jb.CTBN(LogisticRegression()).fit(X, Y, sample_weight=w)
    assert (model.parents_ >= 0).any()
    tables = model._condition(jb.Table.of(X)).log_p
    for child, parent in enumerate(model.parents_):
        for v in range(1 if parent < 0 else 2):
            some = np.arange(len(Y)) if parent < 0 else np.flatnonzero(Y[:, parent] == v)
            alone = LogisticRegression().fit(X[some], Y[some, child], w[some, child])
            np.testing.assert_allclose(tables[child][:, v], alone.predict_log_proba(X), atol=1e-12)


def test_a_step_of_a_chain_counts_by_the_weights_of_its_label():
    X, Y, w = rows()
    model = jb.ClassifierChain(LogisticRegression(), order=[2, 0, 1]).fit(X, Y, sample_weight=w)
    alone = LogisticRegression().fit(X, Y[:, 2], sample_weight=w[:, 2]).predict_proba(X)[:, 1]
    np.testing.assert_allclose(marginals(model, X)[:, 2], alone, atol=1e-12)
    both = np.column_stack([X, Y[:, 2]])
    second = LogisticRegression().fit(both, Y[:, 0], sample_weight=w[:, 0]).predict_proba(both)
    told = model.posterior(X)._given(np.column_stack([np.full((60, 2), -1), Y[:, 2]]))
    np.testing.assert_allclose(told._marginals()[0], second, atol=1e-9)


def test_a_chain_of_our_regressions_begins_as_relevance_does():
    X, Y, w = rows()
    ours = BatchedLogistic(penalty=1.0, tol=1e-10)
    chain = jb.ClassifierChain(ours, order=[2, 0, 1]).fit(X, Y, sample_weight=w)
    relevance = jb.BinaryRelevance(ours).fit(X, Y, sample_weight=w)
    ours, theirs = (marginals(model, X)[:, 2] for model in (chain, relevance))
    np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_neighbours_vote_by_the_weights_of_each_label():
    X, Y, w = rows()
    model = jb.MLkNN(k=3).fit(X, Y, sample_weight=w)
    for j in range(3):
        alone = jb.MLkNN(k=3).fit(X, Y, sample_weight=w[:, j])
        assert marginals(model, X)[:, j].tolist() == marginals(alone, X)[:, j].tolist()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.ones((60, 2)), r"has the shape \(60, 2\), and there are 60 rows of 3 labels"),
        (np.full((60, 3), -1.0), r"is -1.0 for label 0 of row 0"),
        (np.full((60, 3), np.nan), r"is nan for label 0 of row 0"),
        (np.zeros((60, 3)), r"is zero for every row"),
        (np.ones((60, 3)) * [1, 0, 1], r"label 'y1' is not known on any row"),
    ],
)
def test_weights_that_are_none_are_refused(weights, said):
    X, Y, _ = rows()
    with pytest.raises(DataError, match=said):
        jb.BinaryRelevance(QUICK).fit(X, Y, sample_weight=weights)


def test_batches_take_one_weight_a_row():
    X, Y, w = rows()
    with pytest.raises(DataError, match="a batch takes one weight for each row"):
        jb.MultilabelNB().partial_fit(X, Y, sample_weight=w)
