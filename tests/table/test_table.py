"""Tables from every holder of tables: the same columns, the same names, or a sentence."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.table import Column, Table

NaN = float("nan")
DAY = 86_400.0
arrow = pd.ArrowDtype


def column(frame, name="a"):
    return Table.of(frame).column(name)


def values(column):
    """The cells as plain values, None for missing."""
    return [None if pd.isna(cell) else cell for cell in column.decoded().tolist()]


NUMERIC = {
    "int8": pd.Series([1, 2], dtype="int8"),
    "uint64": pd.Series([1, 2], dtype="uint64"),
    "float32": pd.Series([1, 2], dtype="float32"),
    "Int64": pd.Series([1, 2], dtype="Int64"),
    "Float64": pd.Series([1, 2], dtype="Float64"),
    "arrow int": pd.Series([1, 2], dtype=arrow(pa.int16())),
    "arrow decimal": pd.Series([Decimal(1), Decimal(2)], dtype=arrow(pa.decimal128(9, 2))),
    "sparse": pd.Series(pd.arrays.SparseArray([1, 2])),
    "timedelta": pd.to_timedelta(pd.Series([1, 2]), unit="s"),
    "polars int": pl.Series([1, 2], dtype=pl.Int16),
    "polars int128": pl.Series([1, 2], dtype=getattr(pl, "Int128", pl.Int64)),
    "polars decimal": pl.Series([Decimal(1), Decimal(2)]),
    "polars duration": pl.Series([dt.timedelta(seconds=1), dt.timedelta(seconds=2)]),
    "polars time": pl.Series([dt.time(second=1), dt.time(second=2)]),
    "array": np.array([1, 2], dtype=np.int64),
    "longdouble": np.array([1, 2], dtype=np.longdouble),
    "float16": np.array([1, 2], dtype=np.float16),
}

NOMINAL = {
    "str": pd.Series(["x", "y"]),
    "object": pd.Series(["x", "y"], dtype=object),
    "string": pd.Series(["x", "y"], dtype="string"),
    "arrow string": pd.Series(["x", "y"], dtype=arrow(pa.string())),
    "arrow dictionary": pd.Series(["x", "y"], dtype=arrow(pa.dictionary(pa.int8(), pa.string()))),
    "category": pd.Series(["x", "y"], dtype="category"),
    "polars string": pl.Series(["x", "y"]),
    "polars categorical": pl.Series(["x", "y"], dtype=pl.Categorical),
    "polars enum": pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"])),
    "array": np.array(["x", "y"]),
    "object array": np.array(["x", "y"], dtype=object),
}

DATES = {
    "datetime": pd.Series(pd.to_datetime(["1970-01-01", "1970-01-02"])),
    "datetime in a zone": pd.Series(pd.to_datetime(["1970-01-01", "1970-01-02"], utc=True)),
    "period": pd.Series(pd.period_range("1970-01-01", periods=2, freq="D")),
    "date objects": pd.Series([dt.date(1970, 1, 1), dt.date(1970, 1, 2)], dtype=object),
    "arrow date": pd.Series([dt.date(1970, 1, 1), dt.date(1970, 1, 2)], dtype=arrow(pa.date32())),
    "arrow timestamp": pd.Series(
        [dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 2)], dtype=arrow(pa.timestamp("ns", "UTC"))
    ),
    "polars date": pl.Series([dt.date(1970, 1, 1), dt.date(1970, 1, 2)]),
    "polars datetime": pl.Series([dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 2)]),
    "array": np.array(["1970-01-01", "1970-01-02"], dtype="M8[D]"),
}


def framed(cells):
    if isinstance(cells, pl.Series):
        return pl.DataFrame({"a": cells}), pl.DataFrame({"a": pl.concat([cells, cells.clear(1)])})
    series = cells if isinstance(cells, pd.Series) else pd.Series(cells)
    frame = pd.DataFrame({"a": series})
    return frame, frame.reindex([0, 1, 2])


@pytest.mark.parametrize("name", NUMERIC)
def test_numbers_of_every_type_are_numeric(name):
    whole, _ = framed(NUMERIC[name])
    assert column(whole).kind == "numeric"
    assert column(whole).values.dtype == np.float64
    assert values(column(whole)) == [1.0, 2.0]


@pytest.mark.parametrize("name", NOMINAL)
def test_text_of_every_type_is_nominal(name):
    whole, _ = framed(NOMINAL[name])
    assert column(whole).kind == "nominal"
    assert values(column(whole)) == ["x", "y"]
    assert column(whole).categories.tolist() == ["x", "y"]


@pytest.mark.parametrize("name", DATES)
def test_dates_of_every_type_are_seconds(name):
    whole, _ = framed(DATES[name])
    assert column(whole).kind == "date"
    assert values(column(whole)) == [0.0, DAY]


@pytest.mark.parametrize(
    "cells",
    [*NUMERIC.values(), *NOMINAL.values(), *DATES.values()],
    ids=[*NUMERIC, *NOMINAL, *DATES],
)
def test_a_missing_cell_is_missing_in_every_type(cells):
    whole, holey = framed(cells)
    before, after = column(whole), column(holey)
    assert after.kind == before.kind
    assert after.missing.tolist() == [False, False, True]
    assert values(after) == [*values(before), None]


@pytest.mark.parametrize("cells", [[True, False], pd.array([True, False], "boolean")])
def test_bool_is_nominal(cells):
    found = column(pd.DataFrame({"a": cells}))
    assert (found.kind, found.categories.tolist()) == ("nominal", [False, True])
    assert found.values.tolist() == [1, 0]
    assert column(pl.DataFrame({"a": list(cells)})).values.tolist() == [1, 0]
    assert Table.of(np.array([[True], [True]])).columns[0].categories.tolist() == [True]


def test_declared_categories_all_count_in_their_order():
    cells = pd.Categorical(["b", None, "a"], categories=["c", "b", "a"])
    found = column(pd.DataFrame({"a": cells}))
    assert found.declared
    assert found.categories.tolist() == ["c", "b", "a"]
    assert found.values.tolist() == [1, -1, 2]
    enum = pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"]))
    again = column(pl.DataFrame({"a": enum}))
    assert again.declared
    assert again.values.tolist() == [1, -1, 2]


def test_one_is_true_and_one_point_zero_but_not_its_text():
    cells = np.array([1, 1.0, True, np.int8(1), "1", None, NaN, pd.NA, pd.NaT], dtype=object)
    found = Table.of(cells[:, None]).columns[0]
    assert found.categories.tolist() == [1, "1"]
    assert found.values.tolist() == [0, 0, 0, 0, 1, -1, -1, -1, -1]


def test_categories_stand_in_one_order_whatever_the_rows():
    cells = np.array(["b", 2, (1, 2), (0, 5), "a", b"z", 10, 2.5, dt.timedelta(1)], dtype=object)
    expected = Column.of("x", cells).categories.tolist()
    assert expected[:5] == [2, 2.5, 10, "a", "b"]
    assert Column.of("x", cells[::-1]).categories.tolist() == expected


@pytest.mark.parametrize("n", [257, 65_537])
def test_many_categories_keep_their_codes(n):
    cells = [f"v{k:06}" for k in range(n)]
    found = Column.of("x", cells)
    assert found.values.tolist() == list(range(n))
    assert found[n - 1 :].decoded().tolist() == cells[-1:]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.lists(
            st.one_of(
                st.none(), st.booleans(), st.integers(-9, 9), st.floats(), st.text(max_size=2)
            ),
            min_size=2,
            max_size=2,
        ),
        min_size=1,
        max_size=9,
    )
)
def test_nested_lists_are_the_object_array_and_decode_to_themselves(rows):
    objects = np.empty((len(rows), 2), dtype=object)
    for i, row in enumerate(rows):
        objects[i] = row
    table = Table.of(rows)
    for j, found in enumerate(table.columns):
        expected = [None if pd.isna(v) else v for v in objects[:, j]]
        assert values(found) == expected
    assert all(c.is_coded for c in Table.of(objects).columns)


def test_masked_cells_are_missing():
    numbers = np.ma.masked_equal(np.array([[1, 2], [3, 4]]), 2)
    assert values(Table.of(numbers).column("x1")) == [None, 4.0]
    text = np.ma.array([["a"], ["b"]], mask=[[True], [False]])
    assert values(Table.of(text).column("x0")) == [None, "b"]


def test_large_integers_and_infinities_are_numbers():
    X = np.array([[2**63, 2**64 - 1]], dtype=np.uint64)
    assert [c.values[0] for c in Table.of(X).columns] == [2.0**63, 2.0**64]
    assert values(Table.of([[np.inf], [-np.inf]]).columns[0]) == [np.inf, -np.inf]


def test_a_lazy_frame_and_a_table_are_tables_too():
    table = Table.of(pl.DataFrame({"a": [1]}).lazy())
    assert table.names == ("a",)
    assert Table.of(table) is table


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ([1, 2], r"Reshape your data either using array.reshape\(-1, 1\)"),
        (pd.Series([1, 2]), "Expected 2D array, got 1D array"),
        (["rain and wind", "sun"], r"texts.*CountVectorizer.*Reshape"),
        (5, "got scalar array"),
        (None, "got scalar array"),
        (np.zeros((0, 3)), r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required."),
        (np.zeros((2, 2, 2)), "dim 3"),
        (np.zeros((2, 2)) * 1j, "Complex data not supported"),
        (pd.DataFrame({"z": [1j]}), "column 'z' is complex"),
        ([[1], [1, 2]], "not of equal length"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "column name 'a' occurs 2 times"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "column name '1' occurs 2 times"),
        (pl.DataFrame({"a": [[1, 2]]}), r"column 'a' is a List\(Int64\)"),
        (pl.DataFrame({"a": [{"b": 1}]}), "column 'a' is a Struct"),
        (sp.csr_array([[1.0]]), "sparse matrix"),
        ({"a": [1, 2]}, r"dict of columns.*pandas.DataFrame\(X\)"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(X, sentence):
    with pytest.raises(ValueError, match=sentence):
        Table.of(X)


def test_a_cell_that_is_no_value_is_a_type_error_naming_row_and_column():
    with pytest.raises(TypeError, match=r"column 'x1' holds a dict in row 1.*string or a number"):
        Table.of(np.array([[1, 2], [3, {"a": 1}]], dtype=object))


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="'b' has 1 rows and 'a' 2"):
        Table((Column.of("a", [1, 2]), Column.of("b", [1])))


def test_rows_are_taken_as_from_an_array():
    X = np.arange(12).reshape(6, 2)
    table = Table.of(X)
    for rows in (
        slice(1, 4),
        [4, 0, 0],
        np.array([True, False] * 3),
        [-1],
        np.array([], dtype=int),
    ):
        taken = X[rows]
        assert np.column_stack([c.values for c in table[rows].columns]).tolist() == taken.tolist()
    assert table[-1].shape == table[[-1]].shape == (1, 2)
    assert table[[]].shape == (0, 2)
    first, _ = train_test_split(table, random_state=0)
    assert first.shape == (4, 2)


def test_columns_are_selected_and_dropped_by_name():
    table = Table.of(pd.DataFrame({"a": [1], "b": [2], "c": [3]}))
    assert table.select(["c", "a"]).names == ("c", "a")
    assert table.drop(["b"]).names == ("a", "c")
    with pytest.raises(ValueError, match="no column 'd'; the columns are a, b, c"):
        table.drop(["d"])


@pytest.fixture
def mixed():
    frame = {
        "number": [1.5, None, np.inf],
        "text": ["x", None, "y"],
        "declared": pd.Categorical(["u", None, "v"], categories=["w", "v", "u"]),
        "date": pd.to_datetime(["1970-01-02", None, "2020-02-29"]),
        "mixed": pd.Series([1, "1", 2.5], dtype=object),
        "bool": pd.array([True, None, False], "boolean"),
    }
    return Table.of(pd.DataFrame(frame))


def test_a_table_survives_pandas(mixed):
    again = Table.of(mixed.to_pandas())
    assert again.names == mixed.names
    for before, after in zip(mixed.columns, again.columns, strict=True):
        assert (after.kind, after.declared) == (before.kind, before.declared)
        assert values(after) == values(before)


def test_a_table_survives_polars_but_for_mixed_types(mixed):
    again = Table.of(mixed.to_polars())
    for before, after in zip(mixed.columns, again.columns, strict=True):
        assert (after.kind, after.declared) == (before.kind, before.declared)
        wanted = ["1", "1", "2.5"] if before.name == "mixed" else values(before)
        assert values(after) == wanted


def test_a_table_survives_an_array(mixed):
    again = Table.of(np.asarray(mixed))
    assert [values(c) for c in again.columns] == [values(c) for c in mixed.columns]


def test_other_estimators_take_a_table_as_an_array():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    table, y = Table.of(rows), rows[:, 0] > 0
    found = LogisticRegression().fit(table, y).predict_proba(table)
    np.testing.assert_array_equal(found, LogisticRegression().fit(rows, y).predict_proba(rows))
    assert np.asarray(table, dtype=np.float32).dtype == np.float32


@pytest.mark.skipif(np.__version__ < "2", reason="copy=False is a wish to numpy 1")
def test_a_table_is_no_array_that_could_be_had_without_a_copy():
    with pytest.raises(ValueError, match="copied"):
        np.array(Table.of([[1.0]]), copy=False)


def test_a_table_can_be_pickled(mixed):
    again = pickle.loads(pickle.dumps(mixed))
    assert [values(c) for c in again.columns] == [values(c) for c in mixed.columns]


MIXED = pd.DataFrame(
    {"wind": [3.0, None, 5.0], "sky": ["red", "blue", "red"], "wet": [True, False, True]}
)


def same_columns(left, right):
    assert left.names == right.names
    for a, b in zip(left.columns, right.columns, strict=True):
        assert (a.kind, a.decoded().tolist()) == (b.kind, b.decoded().tolist()) or np.array_equal(
            a.values, b.values, equal_nan=True
        )


@pytest.mark.parametrize(
    "as_given",
    [
        pa.Table.from_pandas,
        pa.RecordBatch.from_pandas,
        lambda frame: pl.from_pandas(frame).lazy(),
        lambda frame: frame.to_dict("records"),
        lambda frame: tuple(frame.to_dict("records")),
        lambda frame: frame.astype({"sky": "U4"}).to_records(
            index=False, column_dtypes={"sky": "U4"}
        ),
    ],
    ids=["arrow table", "arrow batch", "lazy frame", "dicts", "tuple of dicts", "structured array"],
)
def test_tables_that_bring_their_names(as_given):
    X = as_given(MIXED)
    same_columns(Table.of(X), Table.of(MIXED))
    model = jb.NaiveBayes().fit(X, ["a", "b", "a"])
    want = jb.NaiveBayes().fit(MIXED, ["a", "b", "a"])
    assert model.feature_names_in_.tolist() == ["wind", "sky", "wet"]
    np.testing.assert_array_equal(model.predict_proba(X), want.predict_proba(MIXED))
    np.testing.assert_array_equal(model.predict_proba(Table.of(MIXED)), want.predict_proba(MIXED))


def test_arrow_columns_of_every_kind():
    when = [dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC), None]
    table = Table.of(pa.table({
        "when": pa.array(when), "day": pa.array([dt.date(1970, 1, 2), None]),
        "time": pa.array([dt.time(0, 1), None]), "long": pa.array([dt.timedelta(minutes=2), None]),
        "price": pa.array([Decimal("1.25"), None]), "nothing": pa.nulls(2),
        "kind": pa.array(["b", None]).dictionary_encode(),
        "text": pa.array(["b", None], "large_string"),
        "holes": pa.DictionaryArray.from_arrays([1, 0], pa.array([None, "x"])),
    }))  # fmt: skip
    kinds = {column.name: column.kind for column in table.columns}
    assert [name for name, kind in kinds.items() if kind == "date"] == ["when", "day"]
    assert [name for name, kind in kinds.items() if kind == "nominal"] == ["kind", "text", "holes"]
    first = {column.name: column.decoded()[0] for column in table.columns}
    assert (first["day"], first["time"], first["long"], first["price"]) == (86400, 60, 120, 1.25)
    assert all(column.missing[1] for column in table.columns)
    assert table.column("holes").decoded().tolist() == ["x", None]
    with pytest.raises(DataError, match="column 'l' is a list"):
        Table.of(pa.table({"l": [[1], [2]]}))


def test_records_of_uneven_keys_and_structured_arrays_of_more_dimensions():
    table = Table.of([{"a": 1}, {"b": "x", "a": None}, {"a": True}])
    assert table.column("b").decoded().tolist() == [None, "x", None]
    assert table.column("a").kind == "nominal"
    with pytest.raises(DataError, match="structured array of 2 dimensions"):
        Table.of(np.zeros((2, 2), dtype=[("a", float)]))


@pytest.mark.parametrize("X", [np.arange(100_000), pd.Series(["a text"] * 10_000), 5])
def test_what_is_not_a_table_is_not_dumped(X):
    with pytest.raises(DataError, match="Reshape your data") as caught:
        jb.NaiveBayes().fit(X, [0])
    assert len(str(caught.value)) < 300


def test_a_table_shows_itself_shortly():
    wide = Table.of(np.zeros((10_000, 500)))
    assert repr(wide) == (
        "Table(10,000 rows, 500 columns: x0, x1, x2, x3, x4, x5, x6, x7, … (500 in all))"
    )
    assert len(wide._repr_html_()) < 3000
    odd = Table.of(pd.DataFrame({"<b>\x1b[31m": ["<script>", None]}))
    html = odd._repr_html_()
    assert "<script>" not in html
    assert "\x1b" not in html + repr(odd)
    days = Table.of(pd.DataFrame({"day": pd.to_datetime(["2020-01-31", None])}))
    assert "<td>2020-01-31</td>" in days._repr_html_()
    assert repr(wide.column("x0")) == "Column('x0', numeric, 10,000 rows)"
