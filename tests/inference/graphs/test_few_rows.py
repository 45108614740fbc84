"""The tables of a few rows looked up at once against those of factor by factor."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import jointbayes as jb
from jointbayes.inference.graphs import few_rows
from jointbayes.models.networks import multidimensional


def data(cards=(2, 2, 2, 2), n=120):
    rng = np.random.default_rng(0)
    Y = rng.integers(0, cards, (n, len(cards)))
    X = np.hstack([Y, Y[:, :2] ^ Y[:, 1:3], rng.normal(size=(n, 3))])
    return X * (rng.random(X.shape) < 0.7), Y


@pytest.mark.parametrize("kind", [jb.MultilabelNB, jb.MultilabelFAN, jb.NetworkEnsemble])
@pytest.mark.parametrize("cards", [(2, 2, 2, 2), (2, 3, 2, 4)])
@pytest.mark.parametrize("to", [np.asarray, csr_array])
def test_tables_are_those_of_factor_by_factor(kind, cards, to, monkeypatch):
    X, Y = data(cards)
    model = kind().fit(to(X), Y)
    few = to(X[:3])
    ours = model._condition(model._known_columns(few))
    monkeypatch.setattr(multidimensional, "FEW", 0)
    theirs = model._condition(model._known_columns(few))
    assert few_rows.FEW >= 3
    for a, b in zip(ours.tables, theirs.tables, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    np.testing.assert_array_equal(ours.map(), theirs.map())


def test_a_model_without_features_below_its_classes():
    X, Y = np.zeros((20, 1)), np.random.default_rng(0).integers(0, 2, (20, 2))
    model = jb.MultilabelNB().fit(X, Y)
    assert model.predict(X[:1]).tolist() == model.predict(X)[:1].tolist()
