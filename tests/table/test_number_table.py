"""A table of numbers that makes its columns late is the table that makes them at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.models import TAN, BinaryRelevance
from jointbayes.table import Table
from jointbayes.table.number_table import NumberTable, table_to_ask


def same(late, table):
    assert late.shape == table.shape
    assert len(late) == len(table)
    assert late.names == table.names
    assert repr(late) == repr(table)
    for one, other in zip(late.columns, table.columns, strict=True):
        assert (one.name, one.kind) == (other.name, other.kind)
        np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(late.given.read(), table.given.read())


@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.sampled_from(["f8", "f4", "i8", "u1"]),
    st.sampled_from(["array", "frame", "columns of an array"]),
)
@settings(max_examples=40, deadline=None)
def test_it_is_the_same_table(n, p, dtype, kind):
    numbers = np.random.default_rng(n * p).integers(0, 9, (n, p)).astype(dtype)
    X = np.asfortranarray(numbers) if kind == "columns of an array" else numbers
    X = pd.DataFrame(X, columns=[f"c{j}" for j in range(p)]) if kind == "frame" else X
    late, table = table_to_ask(X), Table.of(X)
    assert isinstance(late, NumberTable)
    same(late, table)
    for index in (slice(1, None), np.arange(n)[::-1], np.arange(n) % 2 == 0, [0], []):
        same(late[index], table[index])
    same(late[[0], :], table[[0], :])


@pytest.mark.parametrize(
    "X",
    [
        np.array([["a", 1]], dtype=object),
        np.array([[True]]),
        [[1.0, 2.0]],
        pd.DataFrame({"a": [1.0], "b": ["x"]}),
        pd.DataFrame({"a": [1.0], "b": [True]}),
        pd.DataFrame({"a": pd.Categorical([1])}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({0: [1.0]}),
    ],
)
def test_what_is_not_plain_numbers_is_read_as_ever(X):
    assert type(table_to_ask(X)) is Table


def test_what_the_user_gave_cannot_be_written_to():
    X = np.ones((2, 2))
    with pytest.raises(ValueError, match="read-only"):
        table_to_ask(X).numbers[0, 0] = 2.0
    X[0, 0] = 2.0


def test_rows_that_are_missing_or_infinite_are_told_from_others():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.integers(0, 2, (40, 2))
    model = BinaryRelevance().fit(X, Y)
    gap, broken = X[:2].copy(), X[:2].copy()
    gap[1, 2], broken[1, 2] = np.nan, np.inf
    filled = np.where(np.isnan(gap), X[:, 2].mean(), gap)
    np.testing.assert_allclose(model.predict_proba(gap), model.predict_proba(filled), atol=1e-12)
    with pytest.raises(ValueError, match="infinity"):
        model.predict(broken)


def test_frames_are_held_to_their_names():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    model = TAN().fit(frame, rng.integers(0, 2, 40))
    np.testing.assert_array_equal(model.predict(frame[:1]), model.predict(frame)[:1])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a"]])
