"""What holds for every classifier with one class variable, whatever it learns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from jointbayes import AODE, ATAN, KDB, TAN, ChowLiuMultinet, NaiveBayes
from jointbayes.table import Table
from one_class import every_model, mixed


@every_model
@pytest.mark.parametrize("missing", ["value", "ignore"])
@pytest.mark.parametrize("small_pairs", [0, 1 << 20], ids=["rows", "pairs"])
def test_any_split_into_batches_gives_the_same_model(model, missing, small_pairs, monkeypatch):
    monkeypatch.setattr("jointbayes.models.one_class.knowledge.SMALL_PAIR_BYTES", small_pairs)
    X, y = mixed()
    model = clone(model).set_params(missing=missing)
    first = clone(model).fit(X, y)
    parts = clone(model).partial_fit(X, y, classes=["no", "perhaps", "yes"])
    parts.partial_fit(X[:1], y[:1]).partial_fit(X[1:100], y[1:100]).partial_fit(X[100:], y[100:])
    twice = clone(model).fit(X, y).partial_fit(X, y)
    np.testing.assert_allclose(parts.predict_proba(X), twice.predict_proba(X), atol=1e-12)
    assert parts.edges_ == twice.edges_
    assert not np.allclose(parts.predict_proba(X), first.predict_proba(X))


@every_model
def test_a_weight_of_two_is_the_row_twice_and_of_zero_the_row_left_out(model):
    X, y = mixed()
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    a = clone(model).fit(X, y, sample_weight=weights)
    b = clone(model).fit(X.iloc[repeated], y[repeated])
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-12)


@every_model
def test_rows_categories_and_labels_may_be_permuted(model):
    X, y = mixed()
    expected = clone(model).fit(X, y).predict_proba(X)
    order = np.random.default_rng(2).permutation(len(y))
    renamed = X.replace({"colour": {"red": "z", "blue": "a"}})
    shuffled = clone(model).fit(renamed.iloc[order], y[order])
    np.testing.assert_allclose(shuffled.predict_proba(renamed), expected, atol=1e-12)
    swapped = np.select([y == "no", y == "yes"], ["c", "a"], "b")
    turned = clone(model).fit(X, swapped).predict_proba(X)
    np.testing.assert_allclose(turned[:, ::-1], expected, atol=1e-12)


@every_model
def test_every_kind_of_table_gives_the_same_answer(model):
    X, y = mixed()
    expected = clone(model).fit(X, y).predict_proba(X)
    for other in (pl.from_pandas(X), Table.of(X)):
        np.testing.assert_array_equal(clone(model).fit(other, y).predict_proba(other), expected)
    array = X[["size", "weight"]].to_numpy()
    expected_of_array = clone(model).fit(array, y).predict_proba(array)
    got = clone(model).fit(array.tolist(), y).predict_proba(array.tolist())
    np.testing.assert_array_equal(got, expected_of_array)
    as_category = X.astype({"colour": "category"})
    fewer = as_category.assign(colour=pd.Categorical(X["colour"], ["red", "blue", "green", "pink"]))
    fitted = clone(model).fit(as_category, y)
    np.testing.assert_array_equal(fitted.predict_proba(fewer), expected)


@every_model
def test_sparse_and_dense_columns_give_the_same_answer(model):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 200)
    X = (rng.random((200, 8)) < 0.15 + 0.2 * (y[:, None] == np.arange(8) % 3)).astype(float)
    expected = clone(model).fit(X, y).predict_proba(X)
    got = clone(model).fit(csr_array(X), y).predict_proba(csr_array(X))
    np.testing.assert_array_equal(got, expected)


@every_model
def test_the_posterior_is_a_distribution_and_predict_its_mode(model):
    X, y = mixed()
    model = clone(model).fit(X, y)
    posterior, p = model.posterior(X), model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(posterior.map()[:, 0], model.predict(X))
    np.testing.assert_allclose(posterior.log_prob(model.predict(X)), np.log(p.max(axis=1)))
    assert model.score(X, y) == np.mean(model.predict(X) == y) > 0.6


@every_model
def test_an_unseen_category_is_a_missing_one_and_says_nothing(model):
    X, y = mixed()
    model = clone(model).set_params(missing="ignore").fit(X, y)
    unseen, gone = X.assign(colour="mauve"), X.assign(colour=None)
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(gone))
    nothing = pd.DataFrame({name: [None] for name in X.columns})
    prior = (np.unique(y, return_counts=True)[1] + 1 / 3) / (len(y) + 1)
    np.testing.assert_allclose(model.predict_proba(nothing)[0], prior, atol=1e-12)


@pytest.mark.parametrize("missing", ["value", "ignore"])
def test_kdb_without_parents_is_naive_bayes(missing):
    X, y = mixed()
    kdb, nb = (m.set_params(missing=missing).fit(X, y) for m in (KDB(0), NaiveBayes()))
    np.testing.assert_array_equal(kdb.predict_proba(X), nb.predict_proba(X))
    assert kdb.edges_ == nb.edges_


def test_edges_carry_the_names_of_the_columns():
    X, y = mixed()
    assert NaiveBayes().fit(X, y).edges_ == [("class", name) for name in X.columns]
    edges = TAN().fit(X, y).edges_
    assert len(edges) == len(set(edges)) == 7
    assert sum(parent == "class" for parent, _ in edges) == 4
    assert len(AODE().fit(X, y).edges_) == 16
    assert {("x0", "x1"), ("x1", "x0")} <= set(ATAN().fit(X.to_numpy(), y).edges_)
    assert list(TAN().fit(Table.of(X), y).feature_names_in_) == list(X.columns)


@pytest.mark.parametrize("learn", [TAN(), ChowLiuMultinet(), ATAN()], ids=repr)
@pytest.mark.parametrize(
    ("limit", "kept"), [("MAX_PAIR_BYTES", "Rows"), ("SMALL_PAIR_BYTES", "WideRows")]
)
def test_models_learned_from_rows_are_those_learned_from_pairs(learn, limit, kept, monkeypatch):
    X, y = mixed()
    expected = clone(learn).fit(X, y)
    monkeypatch.setattr(f"jointbayes.models.one_class.knowledge.{limit}", 0)
    got = clone(learn).fit(X, y)
    assert type(got.knowledge_).__name__ == kept
    assert got.edges_ == expected.edges_
    np.testing.assert_allclose(got.predict_proba(X), expected.predict_proba(X), atol=1e-12)


def test_tan_finds_the_tree_that_made_the_data():
    rng = np.random.default_rng(4)
    n, parents = 4000, [None, 0, 0, 2, 3]
    y = rng.integers(0, 2, n)
    x = np.empty((n, 5), dtype=int)
    for i, parent in enumerate(parents):
        source = rng.integers(0, 3, n) if parent is None else x[:, parent]
        x[:, i] = np.where(rng.random(n) < 0.6, source, rng.integers(0, 3, n) | y)
    model = TAN(categorical_features=range(5)).fit(x, y)
    assert [edge for edge in model.edges_ if edge[0] != "class"] == [
        (f"x{parent}", f"x{i}") for i, parent in enumerate(parents) if parent is not None
    ]
