"""AsSaid gives back the probabilities whose log-odds it reads."""

from __future__ import annotations

import numpy as np
import pytest

from jointbayes.errors import DataError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import learn_labels
from jointbayes.models.layers.as_said import AsSaid
from jointbayes.models.layers.marginal_source import log_odds_table
from jointbayes.models.trust.inner_folds import learn_rows


def test_probabilities_come_back_whatever_values_labels_have():
    rng = np.random.default_rng(0)
    Y = np.stack([rng.integers(0, 2, 30), np.arange(30) % 3], axis=1)
    space = learn_labels(Y)
    proba = [rng.dirichlet(np.full(k, 5.0), 30) for k in space.cards]
    odds = log_odds_table(proba, space)
    model = learn_rows(AsSaid(), Labelled(odds, space.encode(Y), space))
    for found, told in zip(model.posterior(odds).marginals(), proba, strict=True):
        np.testing.assert_allclose(found, told, atol=1e-9)


def test_columns_that_are_not_those_of_the_labels_are_refused():
    with pytest.raises(DataError, match="log-odds of the labels"):
        AsSaid().fit([[0.0], [1.0]], [[1, 0], [0, 1]])
