"""Naive Bayes and NaiBX read rows once where that tells all, and the model is the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rows_in_parts import LABELS, assert_same_model, frame, part_for, split, target_of
from sklearn.base import clone

import jointbayes as jb

WHOLE = frame()


def fit_and_count(model, parts, target, **options):
    """Return the fitted model, and how often its rows were read."""
    passes = []

    def rows():
        passes.append(1)
        return iter(parts)

    return jb.scale.fit(model, rows, target, **options), len(passes)


def in_parts(whole: pd.DataFrame, rows: int) -> list[pd.DataFrame]:
    return [whole.iloc[i : i + rows] for i in range(0, len(whole), rows)]


@pytest.mark.parametrize("rows", [60, 220])
@pytest.mark.parametrize(
    "model",
    [
        jb.NaiveBayes(),
        jb.NaiveBayes(missing="ignore", categorical_features=["size"]),
        jb.NaiBX(),
        jb.NaiBX(categorical_features=["size"]),
    ],
    ids=str,
)
def test_rows_are_read_once(model, rows):
    X, y = split(WHOLE, model)
    parts = in_parts(part_for(WHOLE, model), rows)
    found, passes = fit_and_count(clone(model), parts, target_of(model))
    assert passes == 1
    assert_same_model(found, clone(model).fit(X, y), X)


def test_classes_of_naibx_may_come_late():
    order = WHOLE.sort_values("kind", ascending=False, kind="stable")
    found, passes = fit_and_count(jb.NaiBX(), in_parts(order, 90), "kind")
    assert passes == 1
    X = order.drop(columns="kind")
    assert_same_model(found, jb.NaiBX().fit(X, order["kind"]), X)


def test_pooled_numbers_are_read_again():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=5000), "y": rng.integers(0, 2, 5000)})
    with pytest.warns(UserWarning, match="neighbours were pooled"):
        found, passes = fit_and_count(jb.NaiveBayes(), [rows], "y", max_cells=4096)
    assert passes == 2
    assert list(found.pooled_) == ["x"]


def test_a_column_that_turns_out_to_be_text_is_read_again():
    rows = pd.DataFrame({"x": [0, 1, 0, 1, 1, "x", "y", 0], "a": [0, 1] * 4, "b": [1, 0, 0, 1] * 2})
    rows["x"] = rows["x"].astype(object)
    found, passes = fit_and_count(jb.NaiBX(), [rows[:4], rows[4:]], ["a", "b"])
    assert passes == 2
    assert_same_model(found, jb.NaiBX().fit(rows[["x"]], rows[["a", "b"]]), rows[["x"]])


@pytest.mark.parametrize("turned", [False, True])
def test_counts_of_words_are_found_in_all_rows(turned):
    """The first 1024 rows say nothing: here they are full and the others empty, or the reverse."""
    rng = np.random.default_rng(0)
    words = np.vstack([rng.poisson(2, (1100, 60)), rng.poisson(0.02, (9000, 60))])
    words = words[::-1] if turned else words
    rows = pd.DataFrame(words, columns=[f"w{j}" for j in range(60)])
    Y = pd.DataFrame({"a": words[:, 0] > 0, "b": words[:, 1] > 0}).astype(int)
    found, _ = fit_and_count(jb.NaiBX(), in_parts(rows.join(Y), 3000), ["a", "b"])
    expected = jb.NaiBX().fit(rows, Y)
    assert set(expected.learned_.columns.kinds) == {"multinomial"}
    assert found.learned_.columns.kinds == expected.learned_.columns.kinds
    np.testing.assert_allclose(
        found.predict_proba(rows[:50]), expected.predict_proba(rows[:50]), atol=1e-12
    )


@pytest.mark.parametrize("sort", [LABELS, ["wind"]])
def test_many_rows_are_counted_column_by_column(sort):
    whole = pd.concat([frame(3000, seed) for seed in range(3)], ignore_index=True)
    whole = whole.sort_values(sort, kind="stable")
    found, passes = fit_and_count(jb.NaiBX(), in_parts(whole.drop(columns="kind"), 4500), LABELS)
    assert passes == 1
    X, Y = split(whole, jb.NaiBX())
    assert_same_model(found, jb.NaiBX().fit(X, Y), X[:200])
