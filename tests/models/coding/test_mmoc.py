"""MMOC against its definition, and where it is not like the other models."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.models.coding.mmoc import decoding_matrix


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    first = X[:, 0] + 0.7 * rng.normal(size=120) > 0
    Y = np.stack([first, ~first, X[:, 1] + 0.5 * rng.normal(size=120) > 0.3], axis=1).astype(int)
    return X, Y


def decoded_by_definition(model, X):
    """(2), vector by vector, codeword by codeword."""
    alone = jb.BinaryRelevance(n_jobs=1).fit(*model.seen).posterior(X)
    V, _ = decoding_matrix(model.metric_, model.covariance_, "independent")
    predicted = model.ridge_.predict(model.design_.matrix(jb.Table.of(X)))
    variance = np.diag(V.T @ model.covariance_ @ V)
    answers = []
    for i in range(len(X)):

        def score(y, i=i):
            potential = (V.T @ y - V.T @ predicted[i]) ** 2 / (2 * variance)
            return alone[i : i + 1].log_prob([y])[0] - model.balance * potential.sum()

        answers.append(max(product((0, 1), repeat=3), key=lambda y: score(np.array(y))))
    return np.array(answers)


@pytest.mark.parametrize("balance", [0.0, 1.0, 5.0])
def test_it_answers_what_the_definition_says(rows, balance):
    X, Y = rows
    model = jb.MMOC(balance=balance, residuals="independent", empty="allow", n_jobs=1).fit(X, Y)
    model.seen = X, Y
    assert (model.predict(X[:25]) == decoded_by_definition(model, X[:25])).all()
    assert (model.gap(X) == 0).all()
    assert model.bound_ <= model.objective_ <= model.bound_ * 1.002


def test_codewords_are_roots_of_the_metric(rows):
    model = jb.MMOC(n_jobs=1).fit(*rows)
    np.testing.assert_allclose(model.codewords_ @ model.codewords_.T, model.metric_, atol=1e-9)


def test_labels_that_exclude_each_other_are_told_so_by_codewords(rows):
    X, Y = rows
    with_code, without = (jb.MMOC(balance=b, n_jobs=1).fit(X[:80], Y[:80]) for b in (1.0, 0.0))
    both = [(m.predict(X[80:])[:, :2].sum(axis=1) == 1).mean() for m in (with_code, without)]
    assert both[0] >= both[1]
    assert both[0] == 1


def test_correlated_residuals_of_a_full_code_leave_the_covariance_alone(rows):
    model = jb.MMOC(n_jobs=1).fit(*rows)
    S = np.diag([0.2, 0.1, 0.3]) + 0.05
    _, W = decoding_matrix(np.eye(3), S, "correlated")
    np.testing.assert_allclose(W, np.linalg.inv(S + 1e-6 * np.eye(3)), rtol=1e-9)
    assert model.set_params(residuals="independent").predict(rows[0]).shape == (120, 3)


@pytest.mark.parametrize("name", ["predict_proba", "posterior", "predict_from", "proba_from"])
def test_what_needs_probabilities_is_not_there(rows, name):
    model = jb.MMOC(n_jobs=1).fit(*rows)
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match="not probabilistic"):
        getattr(model, name)
    with pytest.raises(ParameterError, match="not a model with a posterior"):
        jb.posterior(model, rows[0])


def test_labels_of_many_values_and_one_class_variable(rows):
    X, Y = rows
    many = np.stack([np.array(["a", "b", "c"])[Y[:, 0] + Y[:, 2]], Y[:, 1].astype(str)], axis=1)
    model = jb.MMOC(n_jobs=1).fit(X, many)
    assert set(model.predict(X)[:, 0]) <= {"a", "b", "c"}
    assert model.score(X, many) > 0.4
    one = jb.MMOC(n_jobs=1).fit(X, many[:, 0])
    assert one.predict(X).shape == (120,)
    assert one.score(X, many[:, 0]) > 0.5


def test_empty_sets(rows):
    X, Y = rows
    Y = Y * (X[:, 2] > 0)[:, None]
    allow = jb.MMOC(empty="allow", n_jobs=1).fit(X, Y)
    assert (~allow.predict(X).any(axis=1)).any()
    assert allow.set_params(empty="forbid").predict(X).any(axis=1).all()


def test_sparse_rows_are_dense_ones(rows):
    X, Y = rows
    X = np.where(np.abs(X) > 1, X, 0.0)
    dense, thin = (jb.MMOC(n_jobs=1).fit(A, Y) for A in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(dense.metric_, thin.metric_, atol=1e-6)
    assert (dense.predict(X) == thin.predict(sparse.csr_array(X))).all()


def test_a_row_of_no_weight_is_not_there(rows):
    X, Y = rows
    weights = np.r_[np.ones(100), np.zeros(20)]
    one, other = jb.MMOC(n_jobs=1).fit(X, Y, weights), jb.MMOC(n_jobs=1).fit(X[:100], Y[:100])
    np.testing.assert_allclose(one.metric_, other.metric_, atol=1e-6)


def test_it_is_compared_with_others_by_its_labels(rows):
    X, Y = rows
    models = {"MMOC": jb.MMOC(n_jobs=1), "BR": jb.BinaryRelevance(n_jobs=1)}
    found = jb.compare(models, [(X, Y)], cv=2, metrics=["subset_accuracy", "f1_micro"])
    assert all(record["error"] is None for record in found.records)


def test_many_labels_are_searched(rows):
    X, Y = rows
    wide = np.repeat(Y, 6, axis=1) ^ (np.random.default_rng(1).random((120, 18)) < 0.1)
    model = jb.MMOC(n_jobs=1, tol=0.05).fit(X, wide)
    assert model.predict(X[:20]).shape == (20, 18)
    assert (model.gap(X[:20]) >= 0).all()


def test_labels_that_are_not_known_are_completed_if_it_is_told_so(rows):
    X, Y = rows
    known = np.where(np.random.default_rng(0).random(Y.shape) < 0.2, np.nan, Y)
    with pytest.raises(ValueError, match=r'unknown="learn"'):
        jb.MMOC(n_jobs=1).fit(X, known)
    model = jb.MMOC(n_jobs=1, unknown="learn")
    assert (model.fit(X, known).predict(X) == Y).mean() > 0.75
    same = clone(model).fit(X, Y), jb.MMOC(n_jobs=1).fit(X, Y)
    assert np.array_equal(same[0].metric_, same[1].metric_)
