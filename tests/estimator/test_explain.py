"""Explanations add up to the answer they explain."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from jointbayes import NaiveBayes
from one_class import every_model, mixed


@every_model
@pytest.mark.parametrize("missing", ["value", "ignore"])
def test_base_contributions_and_remainder_are_the_log_odds(model, missing):
    X, y = mixed()
    model = clone(model).set_params(missing=missing).fit(X, y)
    why = model.explain(X)
    p = np.sort(model.predict_proba(X), axis=1)
    np.testing.assert_array_equal(why.answer, model.predict(X))
    np.testing.assert_allclose(why.log_odds, np.log(p[:, -1] / p[:, -2]), atol=1e-9)
    total = why.base + why.contributions.sum(axis=1) + why.remainder
    np.testing.assert_allclose(total, why.log_odds, atol=1e-9)
    assert why.feature_names == tuple(X.columns)
    assert why.contributions.shape == X.shape


@every_model
def test_a_single_network_leaves_no_remainder_and_an_average_names_its_members(model):
    X, y = mixed()
    why = clone(model).fit(X, y).explain(X[:20])
    if why.additive:
        assert not why.remainder.any()
        return
    assert np.abs(why.remainder).max() > 0
    assert [m.name for m in why.members][:2] in (
        ["parent size", "parent weight"],
        ["root size", "root weight"],
    )
    for member in why.members:
        assert member.additive
        np.testing.assert_allclose(member.base + member.contributions.sum(axis=1), member.log_odds)


def test_a_contribution_is_the_ratio_of_two_entries_of_a_table():
    X = [["a"], ["a"], ["a"], ["b"]]
    why = NaiveBayes().fit(X, [0, 0, 0, 1]).explain([["a"]])
    assert (why.answer[0], why.runner_up[0]) == (0, 1)
    np.testing.assert_allclose(why.base, np.log(3.5 / 1.5))
    np.testing.assert_allclose(why.contributions, [[np.log((3.5 / 4) / (0.5 / 2))]])


def test_with_one_label_there_is_nothing_to_weigh():
    why = NaiveBayes().fit([["a"], ["b"]], ["x", "x"]).explain([["a"]])
    assert why.answer.tolist() == why.runner_up.tolist() == ["x"]
    assert not why.log_odds.any()
    assert not why.contributions.any()
