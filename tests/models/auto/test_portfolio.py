"""What is tried on what data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import learn_labels
from jointbayes.models.auto.portfolio import given_models, likely_models


def rows_of(Y, X=None, weights=None):
    X = np.arange(len(Y), dtype=float)[:, None] if X is None else X
    return Labelled(jb.Table.of(X), Y.reshape(len(Y), -1), learn_labels(Y), weights)


def kinds(rows, **options):
    return [type(candidate.model).__name__ for candidate in likely_models(rows, options)]


def test_labels_and_classes_have_portfolios_of_their_own():
    rng = np.random.default_rng(0)
    few, more, many = (rng.integers(0, 2, (40, d)) for d in (4, 30, 70))
    assert {"BinaryRelevance", "CTBN", "NaiBX", "MLkNN", "MultilabelFAN", "ClassifierChain"} <= set(
        kinds(rows_of(few))
    )
    assert {"CTBN", "ClassifierChain"} <= set(kinds(rows_of(more)))
    assert not {"CTBN", "MultilabelFAN", "ClassifierChain"} & set(kinds(rows_of(many)))
    one = kinds(rows_of(few[:, 0]))
    assert {"NaiveBayes", "TAN", "KDB", "AODE", "LTAN", "AKDB"} <= set(one)


def test_vectors_are_classes_where_their_scores_can_be_held(monkeypatch):
    rows = rows_of(np.eye(40, dtype=int))
    assert "LabelPowerset" in kinds(rows)
    monkeypatch.setattr("jointbayes.models.auto.portfolio.VECTOR_CELLS", 40 * 40 - 1)
    assert "LabelPowerset" not in kinds(rows)


def test_many_valued_labels_are_not_for_models_of_sets():
    Y = np.array([["a", "x"], ["b", "y"], ["c", "x"]] * 5)
    codes = np.array([[0, 0], [1, 1], [2, 0]] * 5)
    rows = Labelled(jb.Table.of(np.arange(15.0)[:, None]), codes, learn_labels(Y))
    assert "NaiBX" not in kinds(rows)


def test_cuts_are_a_choice_only_where_there_are_numbers():
    y = np.array([0, 1] * 5)
    names = [c.name for c in likely_models(rows_of(y), {})]
    nominal = rows_of(y, np.array([["a"], ["b"]] * 5))
    assert "KDB(discretizer='quantile', k=2)" in names
    assert all("quantile" not in c.name for c in likely_models(nominal, {}))


def test_options_reach_the_models_and_not_their_names():
    found = likely_models(rows_of(np.array([[0, 1], [1, 0]] * 5)), {"n_jobs": 1, "random_state": 7})
    assert {getattr(candidate.model, "n_jobs", 1) for candidate in found} == {1}
    assert all("n_jobs" not in candidate.name for candidate in found)
    (forest,) = [c.model for c in found if "Forest" in c.name]
    assert "1" in str(forest.get_params())
    (ctbn,) = [c.model for c in found if isinstance(c.model, jb.CTBN)]
    assert ctbn.random_state == 7


def test_models_that_call_vectors_impossible_are_backed():
    named = given_models(["CTBN", "LabelPowerset", "LTAN", jb.CTBN(jb.models.VotingForest())])
    assert [c.backing for c in named] == ["none", "independent", "independent", "independent"]


def test_a_model_without_a_posterior_is_refused():
    with pytest.raises(ParameterError, match="VotingForest has no posterior"):
        given_models(["VotingForest"])
    with pytest.raises(ParameterError, match="no model is called 'nonsense'"):
        given_models(["nonsense"])


def test_what_papers_are_too_sure_of_is_corrected():
    labels = np.random.default_rng(0).integers(0, 2, (40, 4))
    several = {c.name: c.model for c in likely_models(rows_of(labels), {})}
    assert several["NaiBX"].sharpness == several["MultilabelFAN"].sharpness == "cross_fitted"
    one = {c.name: c.model for c in likely_models(rows_of(labels[:, 0]), {})}
    assert one["LTAN"].rest == "keep"


def test_kernels_are_for_what_can_be_held():
    y = np.array([[0, 1], [1, 0]] * 20)
    words = np.eye(20)[np.arange(40) // 2]
    each = {
        "numbers": np.arange(40.0)[:, None],
        "categories": np.array([["a"], ["b"]] * 20),
        "texts": sparse.csr_matrix(words),
        "sparse numbers": sparse.csr_matrix(1 + words),
    }
    tried = {
        name: [c.name for c in likely_models(Labelled(as_rows(X), y, learn_labels(y)), {})]
        for name, X in each.items()
    }
    kernel = "LabelPowerset(estimator=KernelClassifier())"
    assert [kernel in names for names in tried.values()] == [True, True, False, False]
    many = rows_of(np.array([[0, 1], [1, 0]] * 9000))
    assert kernel not in [c.name for c in likely_models(many, {})]


def as_rows(X):
    return X if sparse.issparse(X) else jb.Table.of(X)


def test_words_tell_naibx_of_many_labels():
    Y = np.tile(np.eye(20, dtype=int), (2, 1))
    words = sparse.csr_matrix(np.eye(20)[np.arange(40) // 2])
    of_texts = [c.name for c in likely_models(Labelled(words, Y, learn_labels(Y)), {})]
    assert "NaiBX" in of_texts
    assert "NaiBX" not in kinds(rows_of(Y))
