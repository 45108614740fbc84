"""Kinds of columns: Poisson counts and categorical values, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naibx_oracle import PlainNaiBX
from scipy import sparse, stats
from sklearn.naive_bayes import CategoricalNB

from jointbayes import NaiBX, load, save
from jointbayes.errors import DataError

SEEDS = st.integers(0, 2**32 - 1)
KINDS = ["poisson", "categorical", "gaussian", "categorical", "poisson"]


def mixed_rows(seed, n=30, q=3, missing=0.1):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, q)) < 0.5).astype(int)
    counts = rng.poisson(0.5 + 2 * Y[:, :2])
    values = (rng.integers(0, 3, (n, 2)) + Y[:, 1:]) % 4
    X = np.column_stack(
        [counts[:, 0], values[:, 0], rng.normal(Y[:, 0]), values[:, 1], counts[:, 1]]
    )
    X = X.astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    X[0] = [1.0, 0.0, 0.5, 0.0, 1.0]  # no column without a value
    return X, Y


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.sampled_from([0.0, 0.2]))
def test_the_posterior_is_that_of_the_definition(seed, missing):
    X, Y = mixed_rows(seed, missing=missing)
    model, oracle = NaiBX(features=KINDS).fit(X, Y), PlainNaiBX(3, KINDS)
    for x, y in zip(X.tolist(), Y, strict=True):
        oracle.add_example(x, np.flatnonzero(y).tolist())
    for row, x in enumerate(X[:3].tolist()):
        joint = oracle.joint(x)
        sets = np.array([[int(j in labels) for j in range(3)] for labels in joint])
        found = model.posterior(X[[row] * len(sets)]).log_prob(sets)
        np.testing.assert_allclose(np.exp(found), list(joint.values()), atol=1e-10)


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(4, 29))
def test_batches_and_merged_models_give_the_same_model(seed, cut):
    X, Y = mixed_rows(seed, missing=0.0)
    X[:4, [1, 3]] = X[-4:, [1, 3]] = np.arange(4)[:, None]  # both parts have every value
    whole = NaiBX(features=KINDS).fit(X, Y).posterior(X).marginals()
    parts = NaiBX(features=KINDS).partial_fit(X[:cut], Y[:cut]).partial_fit(X[cut:], Y[cut:])
    np.testing.assert_allclose(parts.posterior(X).marginals(), whole, atol=1e-9)
    one, two = (
        NaiBX(features=KINDS).fit(X[part], Y[part]) for part in np.split(np.arange(30), [15])
    )
    np.testing.assert_allclose(one.merge(two).posterior(X).marginals(), whole, atol=1e-9)


def test_one_class_of_categorical_columns_is_naive_bayes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = (rng.integers(0, 4, (200, 3)) + (y[:, None] == 1)) % 4
    ours = NaiBX(features="categorical", smoothing=1.0).fit(X, y).predict_proba(X)
    theirs = CategoricalNB(alpha=1.0).fit(X, y)
    theirs.class_log_prior_ = np.log((np.bincount(y) + 1) / (len(y) + 3))
    np.testing.assert_allclose(ours, theirs.predict_proba(X), atol=1e-10)
    apart = NaiBX(categorical_features=[0, 1, 2]).fit(X, y)
    assert np.abs(apart.predict_proba(X) - ours).max() > 0.01


def test_poisson_columns_have_the_rates_of_their_counts():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = rng.poisson(np.where(y[:, None] == 1, [3.0, 1.0], [1.0, 1.0]))
    found = NaiBX(features="poisson").fit(X, y).predict_proba(X)
    log_p = np.log(np.bincount(y) + 1.0)[None] + np.stack(
        [
            stats.poisson.logpmf(X, (X[y == c].sum(axis=0) + 1) / ((y == c).sum() + 1)).sum(axis=1)
            for c in (0, 1)
        ],
        axis=1,
    )
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    np.testing.assert_allclose(found, p / p.sum(axis=1, keepdims=True), atol=1e-10)
    thin = NaiBX(features="poisson").fit(sparse.csr_array(X.astype(float)), y)
    np.testing.assert_allclose(
        thin.predict_proba(sparse.csr_array(X.astype(float))), found, atol=1e-10
    )


def test_two_values_are_one_indicator_whatever_they_are_called():
    rng = np.random.default_rng(2)
    X, Y = rng.integers(0, 2, (40, 2)), rng.integers(0, 2, (40, 3))
    one = NaiBX(features="categorical").fit(X, Y).posterior(X)
    other = NaiBX(features="bernoulli").fit(X, Y).posterior(X)
    np.testing.assert_allclose(one.marginals(), other.marginals(), atol=1e-12)


def test_they_are_kept_in_files_and_explained(tmp_path):
    X, Y = mixed_rows(3, missing=0.0)
    model = NaiBX(features=KINDS).fit(X, Y)
    save(model, tmp_path / "model.jb")
    again = load(tmp_path / "model.jb")
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-12)
    said = model.explain(X[:4])
    assert np.isfinite(said.contributions).all()
    assert (np.abs(said.contributions) > 0).any(axis=(0, 1)).all()  # of every column


def test_numbers_below_zero_are_refused_by_name():
    with pytest.raises(DataError, match="column 'x1' holds -1 in row 1: a poisson column"):
        NaiBX(features="poisson").fit([[0.0, 1.0], [2.0, -1.0]], [[0, 1], [1, 0]])
