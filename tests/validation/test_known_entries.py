"""Metrics where some of the true labels are not known."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.labels import learn_labels
from jointbayes.metrics import METRICS
from jointbayes.validation.known_entries import is_by_entry, measure_known
from jointbayes.validation.stratification import carried_items


def rows(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    Y = np.stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0], axis=1).astype(int)
    return X, Y, np.where(rng.random(Y.shape) < 0.3, np.nan, Y)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_of_known_labels_is_what_it_was(name):
    X, Y, _ = rows()
    model = jb.BinaryRelevance(jb.models.BatchedLogistic(penalty=1.0)).fit(X, Y)
    post = model.posterior(X)
    answer = {"labels": post.map(), "marginals": post.marginals(), "posterior": post}
    needed = answer[METRICS[name].needs]
    plain = METRICS[name](Y, needed, classes=list(model.space_.classes))
    assert measure_known(name, Y, needed, model.space_) == plain


def test_hamming_is_the_mean_over_known_entries():
    _, Y, known = rows()
    answer = np.random.default_rng(1).integers(0, 2, Y.shape)
    told = ~np.isnan(known)
    found = measure_known("hamming_loss", known, answer, learn_labels(Y))
    assert np.isclose(found, (answer != Y)[told].mean())


def test_log_loss_is_the_mean_over_known_entries():
    _, Y, known = rows()
    p = np.random.default_rng(1).uniform(0.1, 0.9, Y.shape)
    told = ~np.isnan(known)
    each = -np.log(np.where(Y == 1, p, 1 - p))
    marginals = [np.stack([1 - q, q], axis=1) for q in p.T]
    found = measure_known("log_loss", known, marginals, learn_labels(Y))
    assert np.isclose(found, each[told].mean())


@pytest.mark.parametrize("name", ["subset_accuracy", "f1", "jaccard", "f1_micro"])
def test_what_looks_at_whole_rows_is_that_of_rows_that_tell_all(name):
    _, Y, known = rows()
    answer = np.random.default_rng(1).integers(0, 2, Y.shape)
    whole = ~np.isnan(known).any(axis=1)
    found = measure_known(name, known, answer, learn_labels(Y))
    assert not is_by_entry(name)
    assert found == METRICS[name](Y[whole], answer[whole], classes=[[0, 1], [0, 1]])


def test_without_a_row_that_tells_all_there_is_nothing_to_say_of_whole_rows():
    known = np.array([[0, np.nan], [np.nan, 1]])
    assert np.isnan(
        measure_known("f1", known, np.ones((2, 2), int), learn_labels([[0, 0], [1, 1]]))
    )


def test_evaluate_measures_what_is_known():
    X, _, known = rows()
    model = jb.BinaryRelevance(jb.models.BatchedLogistic(penalty=1.0), unknown="learn")
    scores = jb.evaluate(model, X, known, cv=4)
    assert scores["hamming_accuracy"].mean > 0.85
    assert scores["subset_accuracy"].mean > 0.7
    assert 0 < scores.look.test_rows < len(X)
    with pytest.raises(ValueError, match=r'unknown="learn"'):
        jb.evaluate(jb.BinaryRelevance(), X, known, cv=2)


def test_evaluate_asks_for_no_whole_rows_where_there_are_none():
    X, Y, _ = rows()
    known = Y.astype(float)
    known[::2, 0], known[1::2, 1] = np.nan, np.nan
    model = jb.BinaryRelevance(jb.models.BatchedLogistic(penalty=1.0), unknown="learn")
    scores = jb.evaluate(model, X, known, cv=2)
    assert set(scores) == {"hamming_accuracy", "f1_macro", "log_loss"}
    assert scores.look is None


def test_what_is_not_known_is_not_dealt_out():
    assert carried_items(np.array([[1, np.nan], [np.nan, 1]])).toarray().tolist() == [
        [1, 0],
        [0, 1],
    ]
    many = carried_items([["a", 1], [None, 2], ["b", None]]).toarray()
    assert many.tolist() == [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0]]
