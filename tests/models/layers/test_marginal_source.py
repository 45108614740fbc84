"""Answers of `predict_proba` in all shapes, and their log-odds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import learn_labels
from jointbayes.models.layers.marginal_source import (
    CERTAIN,
    learn_source,
    log_odds_table,
    value_probabilities,
)


def data(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X @ rng.normal(size=(3, 3)) + rng.normal(size=(n, 3)) > 0).astype(int)


def rows_of(X, Y, weights=None):
    return Labelled(jb.Table.of(X), Y.reshape(len(Y), -1), learn_labels(Y), weights)


SOURCES = [
    RandomForestClassifier(5, random_state=0),
    OneVsRestClassifier(LogisticRegression()),
    MultiOutputClassifier(LogisticRegression()),
    MLPClassifier((4,), max_iter=20, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", SOURCES, ids=lambda e: type(e).__name__)
def test_every_shape_is_one_array_of_values_for_each_label(estimator):
    X, Y = data()
    found = learn_source(estimator, rows_of(X, Y), "from_dtype").probabilities(jb.Table.of(X))
    answer = estimator.fit(X, Y).predict_proba(X)
    relevant = [p[:, 1] for p in answer] if isinstance(answer, list) else list(answer.T)
    assert len(found) == 3
    for p, expected in zip(found, relevant, strict=True):
        np.testing.assert_array_equal(p[:, 1], expected)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)


def test_one_class_variable_of_three_values():
    X, Y = data()
    y = Y.sum(axis=1)
    rows = rows_of(X, y)
    forest = RandomForestClassifier(5, random_state=0)
    (found,) = learn_source(forest, rows, "from_dtype").probabilities(rows.X)
    np.testing.assert_array_equal(found, forest.fit(X, y).predict_proba(X))


def test_a_value_that_no_row_had_has_probability_0():
    X, Y = data()
    rows = rows_of(X, Y)
    one = Y[:, 1] == 1
    part = Labelled(rows.X[one], Y[one], rows.space)
    forest = RandomForestClassifier(5, random_state=0)
    found = learn_source(forest, part, "from_dtype").probabilities(rows.X)
    assert found[1].tolist() == [[0.0, 1.0]] * len(X)


def test_a_pipeline_reads_a_frame_by_its_names():
    X, Y = data()
    X = pd.DataFrame(X, columns=["wind", "rain", "sun"])
    rows = rows_of(X, Y)
    pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0))
    source = learn_source(pipeline, rows, "from_dtype")
    assert source.estimator.feature_names_in_.tolist() == ["wind", "rain", "sun"]
    expected = pipeline.fit(X, Y).predict_proba(X)
    for p, q in zip(source.probabilities(rows.X), expected, strict=True):
        np.testing.assert_allclose(p, q)


def test_weights_reach_the_classifier_or_are_refused():
    X, Y = data()
    weights = np.arange(1.0, len(X) + 1)
    forest = RandomForestClassifier(5, random_state=0)
    found = learn_source(forest, rows_of(X, Y, weights), "from_dtype").probabilities(jb.Table.of(X))
    expected = forest.fit(X, Y, weights).predict_proba(X)
    np.testing.assert_array_equal(found[0], expected[0])
    with pytest.raises(ParameterError, match="takes no sample_weight"):
        learn_source(
            OneVsRestClassifier(LogisticRegression()), rows_of(X, Y, weights), "from_dtype"
        )


def test_log_odds_are_those_of_probabilities_that_are_not_certain():
    space = learn_labels(np.array([["a", 0], ["b", 1], ["c", 0]], dtype=object))
    p = [np.array([[0.2, 0.3, 0.5]]), np.array([[0.0, 1.0]])]
    table = log_odds_table(p, space)
    assert table.names == ("y0=a", "y0=b", "y0=c", "y1")
    expected = [np.log(0.25), np.log(3 / 7), 0.0, np.log((1 - CERTAIN) / CERTAIN)]
    np.testing.assert_allclose(np.asarray(table)[0], expected, atol=1e-12)


@pytest.mark.parametrize(
    "answer, classes",
    [
        (np.ones((2, 3)), None),
        ([np.ones((2, 2))], None),
        (np.full((2, 2), np.nan), None),
        ([np.ones((2, 1)), np.ones((2, 2))], None),
    ],
)
def test_an_answer_of_another_shape_is_refused(answer, classes):
    with pytest.raises(DataError, match="predict_proba gave"):
        value_probabilities(answer, classes, (2, 2))
