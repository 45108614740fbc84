"""Metrics of labels of which some are not known, against their definition over known entries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import jointbayes as jb
from jointbayes.metrics import METRICS
from jointbayes.validation.known_entries import is_by_entry


def rows(n=80, seed=0, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    Y = (X @ rng.normal(size=(2, d)) + rng.normal(size=(n, d)) > 0).astype(int)
    return X, Y, np.where(rng.random(Y.shape) < 0.3, np.nan, Y)


def answers(X, Y):
    model = jb.BinaryRelevance(jb.models.BatchedLogistic(penalty=1.0)).fit(X, Y)
    post = model.posterior(X)
    return {"labels": post.map(), "marginals": post.marginals(), "posterior": post}


def test_hamming_is_the_mean_over_known_entries_with_the_weights_of_their_rows():
    _, Y, known = rows()
    rng = np.random.default_rng(1)
    answer, weight = rng.integers(0, 2, Y.shape), rng.integers(0, 3, len(Y))
    told = ~np.isnan(known)
    assert np.isclose(jb.metrics.hamming_loss(known, answer), (answer != Y)[told].mean())
    expected = np.average(answer != Y, weights=told * weight[:, None])
    assert np.isclose(jb.metrics.hamming_loss(known, answer, sample_weight=weight), expected)


def test_log_loss_is_the_mean_over_known_entries():
    _, Y, known = rows()
    p = np.random.default_rng(1).uniform(0.1, 0.9, Y.shape)
    told, each = ~np.isnan(known), -np.log(np.where(Y == 1, p, 1 - p))
    marginals = [np.stack([1 - q, q], axis=1) for q in p.T]
    for proba in (p, marginals):
        assert np.isclose(jb.metrics.log_loss(known, proba), each[told].mean())


def test_a_macro_average_looks_at_each_label_where_it_is_known():
    _, Y, known = rows(d=3)
    answer, told = np.random.default_rng(1).integers(0, 2, Y.shape), ~np.isnan(known)
    each = [
        jb.metrics.f1(Y[told[:, j]][:, [j]], answer[told[:, j]][:, [j]], average="macro")
        for j in range(3)
    ]
    assert np.isclose(jb.metrics.f1(known, answer, average="macro"), np.mean(each))


@pytest.mark.parametrize("name", [name for name in METRICS if not is_by_entry(name)])
def test_what_looks_at_whole_rows_is_that_of_rows_that_tell_all(name):
    X, Y, known = rows()
    answer, whole = answers(X, Y)[METRICS[name].needs], ~np.isnan(known).any(axis=1)
    kept = [p[whole] for p in answer] if isinstance(answer, list) else answer[whole]
    assert METRICS[name](known, answer) == METRICS[name](Y[whole], kept)


@pytest.mark.parametrize("name", METRICS)
def test_whole_rows_are_needed_by_metrics_that_are_not_by_entry(name):
    X, Y, _ = rows()
    known = Y.astype(float)
    known[::2, 0], known[1::2, 1] = np.nan, np.nan
    found = METRICS[name](known, answers(X, Y)[METRICS[name].needs])
    assert np.isnan(found) != is_by_entry(name)


def test_a_label_that_no_row_knows_is_left_out():
    known = [[0, None], [1, None]]
    assert jb.metrics.hamming_loss(known, np.array([[0, 1], [0, 1]])) == 0.5
    assert np.isnan(jb.metrics.subset_accuracy(known, np.array([[0, 1], [0, 1]])))


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_matrix, pd.DataFrame, lambda Y: Y.tolist()]
)
def test_answers_come_in_any_form(form):
    _, Y, known = rows()
    answer = np.random.default_rng(1).integers(0, 2, Y.shape)
    for metric in (jb.metrics.hamming_loss, jb.metrics.f1):
        assert metric(known, form(answer)) == metric(known, answer)


def test_values_of_any_kind_may_not_be_known():
    Y = pd.DataFrame({"sky": ["red", None, "blue"], "size": [1, 2, 7]})
    answer = pd.DataFrame({"sky": ["red", "blue", "red"], "size": [1, 1, 7]})
    assert jb.metrics.hamming_loss(Y, answer) == pytest.approx(2 / 5)
    assert jb.metrics.subset_accuracy(Y, answer) == 0.5


def test_one_class_variable_is_known_or_refused():
    with pytest.raises(ValueError, match="missing"):
        jb.metrics.zero_one_loss(["a", None], ["a", "b"])


def test_score_is_of_rows_that_know_all_labels():
    X, _, known = rows()
    model = jb.BinaryRelevance(unknown="learn").fit(X, known)
    whole = ~np.isnan(known).any(axis=1)
    assert model.score(X, known) == model.score(X[whole], known[whole])
    with pytest.raises(ValueError, match="no row of y knows all labels"):
        model.score(X[~whole], np.where(whole[:, None], 0, known)[~whole])
    with pytest.raises(ValueError, match=r'unknown="learn"'):
        jb.BinaryRelevance().fit(X[whole], known[whole]).score(X, known)
