"""`fit` says what is too good to be true, once and briefly, and nothing of data that are fine."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import jointbayes as jb
from jointbayes.errors import DataWarning

SEVERAL = [jb.MultilabelNB(), jb.CTBN(), jb.BinaryRelevance(), jb.NaiBX(), jb.MLkNN()]


def rows(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(["red", "blue"], n)})
    return X, pd.DataFrame(rng.integers(0, 2, (n, 2)), columns=["sun", "sea"])


def cautions(model, X, y):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", DataWarning)
        model.fit(X, y)
    return [str(w.message) for w in found if issubclass(w.category, DataWarning)]


@pytest.mark.parametrize("model", SEVERAL, ids=str)
def test_nothing_is_said_of_ordinary_rows(model):
    assert cautions(model, *rows()) == []


@pytest.mark.parametrize("model", [jb.NaiveBayes(), *SEVERAL], ids=str)
def test_an_identifier_is_named_once(model):
    X, Y = rows()
    ids = X.assign(plate=[f"B-XY {i}" for i in range(len(X))])
    (caution,) = cautions(model, ids, Y["sun"] if model.__class__ is jb.NaiveBayes else Y)
    assert "column 'plate' has another value on every row" in caution
    assert "colour" not in caution
    assert "size" not in caution


@pytest.mark.parametrize("model", SEVERAL, ids=str)
def test_a_label_among_the_columns_is_named(model):
    X, Y = rows()
    (caution,) = cautions(model, X.assign(sea=Y["sea"]), Y)
    assert "'sea' is a label and also a column of X" in caution


@pytest.mark.parametrize("model", [jb.TAN(), *SEVERAL], ids=str)
def test_labels_that_never_change_are_told(model):
    X, Y = rows()
    y = np.repeat(["only"], len(X)) if isinstance(model, jb.TAN) else np.zeros_like(Y)
    (caution,) = cautions(model, X, y)
    assert "nothing to learn" in caution


def test_declared_categories_are_no_identifiers():
    X, Y = rows()
    plates = pd.Categorical([f"B-XY {i}" for i in range(len(X))])
    assert cautions(jb.MultilabelNB(), X.assign(plate=plates), Y) == []


def test_a_label_that_is_a_number_is_told():
    X, _ = rows()
    (caution,) = cautions(jb.TAN(), X, np.arange(len(X)))
    assert "label 'class' has 60 values in 60 rows" in caution


@pytest.mark.parametrize("model", [jb.MLkNN(k=60), jb.IBLR(k=60)], ids=str)
def test_more_neighbours_than_rows_are_told(model):
    (caution,) = cautions(model, *rows())
    assert "k=60 neighbours are asked of 60 rows" in caution
