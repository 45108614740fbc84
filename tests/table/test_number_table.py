"""A table of numbers that makes its columns late is the table that makes them at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.models import TAN, BinaryRelevance
from jointbayes.table import Table, frames
from jointbayes.table.column import as_objects
from jointbayes.table.frames import FEW_ROWS
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
        pd.DataFrame({0: [1.0]}),
        pd.DataFrame({"a": [1.0] * (FEW_ROWS + 1), "b": ["x"] * (FEW_ROWS + 1)}),
    ],
)
def test_what_has_no_numbers_to_take_at_once_is_read_as_ever(X):
    assert type(table_to_ask(X)) is Table


def of_many_kinds(rng, n):
    """Return every kind of column that frames have, some rows missing."""
    gap, days = rng.random(n) < 0.3, pd.to_datetime(rng.integers(0, 10**6, n), unit="h")
    word = pd.Series(np.array(["red", "blue", "été"])[rng.integers(0, 3, n)])
    many = [f"v{k}" for k in range(3 * FEW_ROWS)]
    return {
        "double": rng.normal(size=n),
        "single": rng.normal(size=n).astype("f4"),
        "whole": rng.integers(-(2**62), 2**62, n),
        "small": rng.integers(0, 255, n).astype("u1"),
        "word": word,
        "gaps": word.mask(gap),
        "thing": word.astype(object).mask(gap, None),
        "mixed": as_objects([[1, "a", None, 2.5, True][k] for k in rng.integers(0, 5, n)]),
        "text": word.mask(gap).astype("string"),
        "few": pd.Categorical(word.mask(gap), categories=["red", "grey", "blue", "été"]),
        "many": pd.Categorical(np.where(gap, None, rng.choice(many, n)), categories=many),
        "ranks": pd.Categorical(rng.integers(0, 200, n), categories=range(200), ordered=True),
        "bool": gap,
        "maybe": pd.array(np.where(gap, None, rng.random(n) < 0.5), dtype="boolean"),
        "count": pd.array(np.where(gap, None, rng.integers(0, 9, n)), dtype="Int64"),
        "day": pd.Series(days).mask(gap),
        "zoned": pd.Series(days).mask(gap).dt.tz_localize("UTC").dt.tz_convert("Europe/Paris"),
        "age": pd.Series(days - days[0]).mask(gap),
    }  # fmt: skip


@given(st.integers(0, 10**6), st.integers(1, FEW_ROWS))
@settings(max_examples=40, deadline=None)
def test_frames_of_many_kinds_are_read_as_column_by_column(seed, n):
    rng = np.random.default_rng(seed)
    every = of_many_kinds(rng, n + 1)
    names = rng.permutation(list(every)).tolist()[: rng.integers(1, len(every) + 1)]
    frame = pd.DataFrame({name: every[name] for name in names})[1:]
    frame = frame[rng.permutation(names).tolist()]  # whose arrays stand in another order
    late, table = table_to_ask(frame), Table.of(frame)
    assert isinstance(late, NumberTable)
    for one, other in ((late, table), (late[::2], table[::2])):
        assert (one.names, one.shape) == (other.names, other.shape)
        for j, (mine, theirs) in enumerate(zip(one.columns, other.columns, strict=True)):
            assert (mine.name, mine.kind, mine.is_coded) == (
                theirs.name,
                theirs.kind,
                theirs.is_coded,
            )
            np.testing.assert_array_equal(mine.decoded(), theirs.decoded(), mine.name)
            assert one.at(j).values is mine.values or j not in late.others


def test_numbers_are_taken_by_position():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [0.5, 1.5], "d": [3, 4]})
    table = table_to_ask(frame)
    assert table.numbers_at((0, 2, 3)).tolist() == [[1, 0.5, 3], [2, 1.5, 4]]
    assert table.numbers_at((3, 0)).tolist() == [[3, 1], [4, 2]]
    assert table.numbers_at((0, 1)) is None
    assert Table.of(frame).numbers_at((0, 2)) is None


def test_a_release_of_pandas_that_hides_its_arrays_is_read_all_the_same(monkeypatch):
    frame = pd.DataFrame(of_many_kinds(np.random.default_rng(0), 5))
    shown = table_to_ask(frame)
    arrays = frames._held_arrays
    monkeypatch.setattr(frames, "_held_arrays", lambda frame: arrays(Hidden(frame)))
    hidden = table_to_ask(frame)
    for mine, theirs in zip(shown.columns, hidden.columns, strict=True):
        np.testing.assert_array_equal(mine.decoded(), theirs.decoded(), mine.name)


class Hidden:
    """A frame that shows nothing but what is public."""

    def __init__(self, frame):
        self.iloc, self.shape = frame.iloc, frame.shape


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
