"""The law of jb.scale: the model of parts is the model of all rows at once."""

from __future__ import annotations

import pandas as pd
import pytest
from rows_in_parts import assert_same_model, frame, part_for, split, target_of
from sklearn.base import clone

import jointbayes as jb

MODELS = {
    "NaiveBayes": jb.NaiveBayes(),
    "TAN": jb.TAN(),
    "KDB": jb.KDB(k=1),
    "KDB of 2": jb.KDB(k=2),
    "AODE": jb.AODE(),
    "ATAN": jb.ATAN(),
    "WATAN": jb.WATAN(),
    "LKDB": jb.LKDB(),
    "AKDB": jb.AKDB(),
    "ChowLiuMultinet": jb.ChowLiuMultinet(),
    "LTAN": jb.LTAN(),
    "LabelDriven": jb.LabelDriven(jb.KDB(k=1), delta=0.2),
    "MultilabelNB": jb.MultilabelNB(),
    "MultilabelFAN": jb.MultilabelFAN(),
    "NetworkEnsemble": jb.NetworkEnsemble(),
    "NaiBX": jb.NaiBX(),
    "NaiBX of one class": jb.NaiBX(features="auto"),
    "quantile": jb.TAN(discretizer="quantile"),
    "width": jb.NaiveBayes(discretizer=jb.discretize.Width(bins=5)),
    "median, ignored": jb.NaiveBayes(discretizer="median", missing="ignore"),
    "named": jb.TAN(categorical_features=["size"]),
    "positions": jb.NaiBX(categorical_features=[1]),
}
WHOLE = frame(300)


def parts_of(whole: pd.DataFrame, rows: int) -> list[pd.DataFrame]:
    return [whole.iloc[i : i + rows] for i in range(0, len(whole), rows)]


@pytest.mark.parametrize("rows", [90, 299])
@pytest.mark.parametrize("name", MODELS)
def test_parts_give_the_model_of_all_rows(name, rows):
    model = MODELS[name]
    X, y = split(WHOLE, model)
    target = target_of(model)
    if name == "NaiBX of one class":
        X, y, target = WHOLE.drop(columns=["kind"]), WHOLE["kind"], "kind"
        parts = parts_of(WHOLE, rows)
    else:
        parts = parts_of(part_for(WHOLE, model), rows)
    expected = clone(model).fit(X, y)
    found = jb.scale.fit(clone(model), parts, target)
    assert found.pooled_ == {}
    assert_same_model(found, expected, X)


@pytest.mark.parametrize("name", ["TAN", "MultilabelNB", "NaiBX"])
def test_more_rows_may_follow_by_partial_fit(name):
    model = MODELS[name]
    X, y = split(WHOLE, model)
    part = part_for(WHOLE, model)
    found = jb.scale.fit(clone(model), [part[:100], part[100:200]], target_of(model))
    expected = clone(model).fit(X[:200], y[:200])
    for one in (found, expected):
        one.partial_fit(X[200:], y[200:])
    assert_same_model(found, expected, X)


@pytest.mark.parametrize("name", ["TAN", "KDB of 2", "MultilabelNB", "NaiBX"])
def test_a_part_may_lack_classes(name):
    model = MODELS[name]
    order = WHOLE.sort_values(["kind", "wet", "cold"], ascending=False, kind="stable")
    X, y = split(order, model)
    parts = parts_of(part_for(order, model), 40)
    target = [target_of(model)] if isinstance(target_of(model), str) else target_of(model)
    assert any(part[label].nunique() == 1 for part in parts for label in target)
    found = jb.scale.fit(clone(model), parts, target_of(model))
    assert_same_model(found, clone(model).fit(X, y), X)


def test_what_was_known_before_is_forgotten_and_parameters_stay():
    generalist = jb.KDB(k=1)
    model = jb.LabelDriven(generalist, delta=0.2).fit([["a"], ["b"]], [0, 1])
    model.remembered_ = "from another life"
    jb.scale.fit(model, [part_for(WHOLE, model)], "kind")
    assert not hasattr(model, "remembered_")
    assert model.estimator is generalist
