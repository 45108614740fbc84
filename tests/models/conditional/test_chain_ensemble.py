"""Votes of chains from a threshold on that makes as many labels as the rows learned have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.tree import DecisionTreeClassifier

import jointbayes as jb
from jointbayes.models.conditional.chain_ensemble import matching_votes


@given(arrays(int, (5, 3), elements=st.integers(0, 4)), st.floats(0, 3))
def test_no_other_number_of_votes_comes_nearer(votes, wanted):
    found = matching_votes(votes, wanted)
    off = [abs((votes >= level).sum() / 5 - wanted) for level in range(1, 7)]
    assert off[found - 1] == min(off)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    Y = (X[:, :3] + rng.normal(size=(400, 3)) > 1.2).astype(int)  # rare, and hard to be sure of
    return X[:300], Y[:300], X[300:], Y[300:]


def test_as_many_labels_are_predicted_as_were_learned(rows):
    X, Y, new, _ = rows
    weak = DecisionTreeClassifier(max_depth=2, random_state=0)
    options = {"n_chains": 15, "share": 0.67, "random_state": 0}
    by_half = jb.ChainEnsemble(weak, voting="votes", **options).fit(X, Y)
    matched = jb.ChainEnsemble(weak, voting="matched", **options).fit(X, Y)
    assert matched.labels_ == pytest.approx(Y.sum(axis=1).mean())
    off = [abs(m.predict(new).sum(axis=1).mean() - matched.labels_) for m in (by_half, matched)]
    assert off[1] < off[0]


def test_class_variables_of_three_values_have_no_threshold(rows):
    X, Y, _, _ = rows
    Y = Y + (X[:, :3] > 2)
    with pytest.raises(jb.errors.DataError, match='take "votes"'):
        jb.ChainEnsemble(DecisionTreeClassifier(), n_chains=2, voting="matched").fit(X, Y)
