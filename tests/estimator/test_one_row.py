"""One row, or a few, answer as they do among many, and are refused for the same reasons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from jointbayes import (
    AKDB,
    ATAN,
    CTBN,
    LTAN,
    TAN,
    WATAN,
    BinaryRelevance,
    ClassifierCascade,
    ClassifierChain,
    LabelDriven,
    MLkNN,
    MultilabelNB,
    NaiBX,
    NaiveBayes,
    RAkEL,
)
from jointbayes.encoding.numbers import read_numbers
from jointbayes.table import Table
from jointbayes.table.frames import FEW_ROWS, _from_series

MANY = 2 * FEW_ROWS
NUMBERS = ("int8", "uint16", "int64", "float32", "float64")


def _rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(MANY, 5)), columns=list("abcde"))
    X["b"] = (X["a"] + rng.normal(size=MANY) > 0).astype(np.int64)
    X.loc[::7, "c"] = np.nan
    return X


def _labels(X: pd.DataFrame) -> np.ndarray:
    signal = X[["a", "d", "e"]].to_numpy() + np.random.default_rng(1).normal(size=(MANY, 3)) / 2
    return (signal > 0).astype(int)


ONE_CLASS = [TAN, NaiveBayes, ATAN, WATAN, AKDB, LTAN, LabelDriven]
KINDS = [
    *ONE_CLASS, CTBN, NaiBX, MultilabelNB, BinaryRelevance, ClassifierChain, MLkNN, RAkEL,
    ClassifierCascade,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given_as", ["array", "frame", "frame with a category", "text"])
def test_a_row_alone_answers_as_among_many(kind: type, given_as: str) -> None:
    X = _rows()
    Y = _labels(X)
    y = Y[:, 0] if kind in ONE_CLASS else Y
    if given_as == "frame with a category":
        X["b"] = pd.Categorical(np.where(X["b"] > 0, "high", "low"))
    if given_as == "text":
        X["b"] = np.where(X["b"] > 0, "high", "low")
    if kind in (CTBN, BinaryRelevance):
        X["c"] = X["c"].fillna(0.0)
    rows = X.to_numpy() if given_as == "array" else X
    model = kind().fit(rows, y)
    p, labels = model.predict_proba(rows), model.predict(rows)
    for i in (0, 7, MANY - 1):
        one = rows[i : i + 1] if given_as == "array" else rows.iloc[i : i + 1]
        np.testing.assert_allclose(model.predict_proba(one), p[i : i + 1], rtol=1e-9)
        assert (model.predict(one) == labels[i : i + 1]).all()


def test_a_few_rows_of_any_columns_are_read_as_each_column_is() -> None:
    days = pd.to_datetime(["2024-02-29", None, "1969-12-31"])
    frame = pd.DataFrame(
        {
            "number": np.array([1.5, np.nan, 3.0], dtype=np.float32),
            "large": np.array([2**62, 2, 3]),
            "word": pd.Series(["b", None, "a"], dtype="str"),
            "text": pd.Series(["b", pd.NA, "a"], dtype="string"),
            "thing": pd.Series(["b", None, 2], dtype=object),
            "kind": pd.Categorical(["low", None, "high"], categories=["low", "mid", "high"]),
            "rank": pd.Categorical([3, 1, 3]),
            "yes": [True, False, True],
            "maybe": pd.Series([True, None, False], dtype="boolean"),
            "count": pd.Series([1, None, 3], dtype="Int64"),
            "day": days,
            "zoned": days.tz_localize("Europe/Paris"),
            "age": days - days[2],
        }
    )
    for n in (1, 3):
        for j, column in enumerate(Table.of(frame[:n]).columns):
            alone = _from_series(frame.columns[j], frame[:n].iloc[:, j], pd)
            assert (column.name, column.kind) == (alone.name, alone.kind)
            assert column.declared == alone.declared, column.name
            np.testing.assert_array_equal(column.values, alone.values, column.name)
            known = [
                None if c.categories is None else c.categories.tolist() for c in (column, alone)
            ]
            assert known[0] == known[1], column.name


@given(st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=4), st.integers(1, FEW_ROWS))
@settings(max_examples=25, deadline=None)
def test_a_few_rows_of_a_frame_are_read_as_each_column_is(kinds: list[str], n: int) -> None:
    numbers = np.random.default_rng(n).integers(0, 100, size=(n, len(kinds)))
    frame = pd.DataFrame({j: numbers[:, j].astype(kind) for j, kind in enumerate(kinds)})
    for j, column in enumerate(Table.of(frame).columns):
        alone = _from_series(str(j), frame.iloc[:, j], pd)
        assert (column.name, column.kind, column.values.dtype) == (alone.name, alone.kind, float)
        np.testing.assert_array_equal(column.values, alone.values)


@pytest.mark.parametrize("n", [1, FEW_ROWS, FEW_ROWS + 1])
def test_numbers_of_a_few_rows_lie_as_those_of_many(n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 3))
    out = read_numbers(Table.of(X).columns)
    np.testing.assert_array_equal(out, X)
    assert out.flags.c_contiguous
    assert not np.shares_memory(out, X)


def test_one_row_of_other_columns_is_refused() -> None:
    X = _rows()
    named, plain = (TAN().fit(rows, _labels(X)[:, 0]) for rows in (X, X.to_numpy()))
    one = X.iloc[:1]
    for odd in (one[list("bacde")], one.rename(columns={"a": "z"}), one[list("abcd")]):
        with pytest.raises(ValueError, match="feature names"):
            named.predict(odd)
    with pytest.warns(UserWarning, match="valid feature names"):
        named.predict(one.to_numpy())
    with pytest.raises(ValueError, match="4 features"):
        plain.predict(one.to_numpy()[:, :4])
    with pytest.raises(ValueError, match="2D array"):
        plain.predict(one.to_numpy()[0])
    with pytest.raises(NotFittedError):
        TAN().predict(one)


def test_two_columns_of_one_name_are_refused_in_one_row() -> None:
    one = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="occurs 2 times"):
        Table.of(one)
