"""Evaluation where some of the true labels are not known."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.validation.stratification import carried_items


def rows(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    Y = np.stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0], axis=1).astype(int)
    return X, Y, np.where(rng.random(Y.shape) < 0.3, np.nan, Y)


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


def test_a_label_may_be_known_on_no_row_of_a_fold():
    X, _, known = rows()
    known[4:, 1] = np.nan
    model = jb.BinaryRelevance(jb.models.BatchedLogistic(penalty=1.0), unknown="learn")
    assert jb.evaluate(model, X, known, cv=8)["hamming_accuracy"].mean > 0.85


def test_what_is_not_known_is_not_dealt_out():
    assert carried_items(np.array([[1, np.nan], [np.nan, 1]])).toarray().tolist() == [
        [1, 0],
        [0, 1],
    ]
    many = carried_items([["a", 1], [None, 2], ["b", None]]).toarray()
    assert many.tolist() == [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0]]
