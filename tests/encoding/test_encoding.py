"""Encoders: the same data gives the same codes, however it is held; what is odd is defined."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler

from jointbayes.codes import Codes, SparseCodes
from jointbayes.discretize import MDL, Median, Quantile, Width
from jointbayes.encoding import Variable, learn_encoder
from jointbayes.table import Table

NaN = float("nan")
few = settings(max_examples=40, deadline=None)


def learn(X, target=None, discretizer="median", **options):
    return learn_encoder(X, target, discretizer=discretizer, **options)


def codes(encoder, X):
    return encoder.encode(X if hasattr(X, "toarray") else Table.of(X)).T.tolist()


def frame(*cells, dtype=None):
    return pd.DataFrame({"a": pd.Series(list(cells), dtype=dtype)})


# Nominal columns ---------------------------------------------------------------------------------


def test_a_category_dtype_brings_all_its_categories_and_other_columns_what_was_seen():
    declared = pd.CategoricalDtype(["low", "mid", "high"])
    assert learn(frame("low", "high", dtype=declared)).cards == (3,)
    assert learn(frame("low", "high")).cards == (2,)
    assert learn(Table.of(frame("low", "mid", "high"))[:2]).cards == (2,)


def test_categories_are_matched_by_value_in_any_order_or_number():
    encoder = learn(frame("a", "b", "c", dtype=pd.CategoricalDtype(["c", "b", "a"])))
    expected = [[2, 1, 0]]
    for dtype in (
        pd.CategoricalDtype(["c", "b", "a"]),
        pd.CategoricalDtype(["a", "b", "c"]),
        pd.CategoricalDtype(["z", "b", "a", "c"]),
        object,
        "string",
    ):
        assert codes(encoder, frame("a", "b", "c", dtype=dtype)) == expected
    assert codes(encoder, pl.DataFrame({"a": ["a", "b", "c"]})) == expected
    assert codes(encoder, frame("b", dtype="category")) == [[1]]


def test_one_is_true_by_value_and_its_text_is_unseen():
    encoder = learn(np.array([[0], [1]], dtype=object))
    assert codes(encoder, np.array([[True], [1.0], ["1"], [0]], dtype=object)) == [[1, 1, 2, 0]]
    assert codes(encoder, np.array([[True], [False]])) == [[1, 0]]
    assert codes(encoder, np.array([[1.0], [0.0], [0.5]])) == [[1, 0, 2]]
    boolean = learn(np.array([[True], [False]]))
    assert codes(boolean, np.array([[1], [0], [7]])) == [[1, 0, 2]]


def test_an_unseen_category_is_not_observed():
    encoder = learn(frame("a", None, "b"))
    assert encoder.cards == (3,)  # a, b, missing
    assert codes(encoder, frame("a", "z", None)) == [[0, 3, 2]]
    assert [encoder.variables[0].label(k) for k in range(4)] == [
        "a",
        "b",
        "missing",
        "not observed",
    ]


@pytest.mark.parametrize("n", [255, 256, 257, 65_536, 65_537])
def test_many_categories_have_wide_enough_codes(n):
    cells = pd.DataFrame({"a": pd.Categorical.from_codes(np.arange(n), np.arange(n))})
    encoder = learn(cells)
    coded = encoder.encode(Table.of(cells))
    assert coded.dtype == np.min_scalar_type(n)  # one code more: not observed
    assert (coded[:, 0] == np.arange(n)).all()
    turned = cells["a"].cat.reorder_categories(range(n - 1, -1, -1)).to_frame()
    assert (encoder.encode(Table.of(turned)) == coded).all()
    assert codes(encoder, frame(n - 1, n)) == [[n - 1, n]]


@pytest.mark.parametrize("n", [126, 127, 128, 129, 255, 256])
def test_missing_is_found_at_the_edge_of_every_code_type(n):
    cells = [*range(n), None]
    table = frame(*cells, dtype=pd.CategoricalDtype(range(n)))
    assert codes(learn(table), table) == [[*range(n), n]]
    shuffled = frame(*cells, dtype=pd.CategoricalDtype(range(n - 1, -1, -1)))
    assert codes(learn(table), shuffled) == [[*range(n), n]]


def test_object_columns_may_mix_text_and_numbers():
    encoder = learn(np.array([["a"], [2], ["2"], [1.5]], dtype=object))
    assert [encoder.variables[0].label(k) for k in range(4)] == ["1.5", "2", "2", "a"]
    assert codes(encoder, np.array([["2"], [2.0], ["a"]], dtype=object)) == [[2, 1, 3]]


# Missing values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("hole", [None, NaN, pd.NA, pd.NaT])
def test_missing_is_a_value_if_it_occurs_in_fit(hole):
    encoder = learn(frame("a", hole, "b", dtype=object))
    assert codes(encoder, frame("a", hole, "b", dtype=object)) == [[0, 2, 1]]
    assert encoder.cards == (3,)


def test_missing_that_was_not_there_in_fit_is_not_observed():
    assert codes(learn(frame("a", "b")), frame("a", None)) == [[0, 2]]
    assert codes(learn([[1.0], [2.0]]), [[1.0], [NaN]]) == [[0, 2]]


def test_missing_ignored_is_not_observed():
    text, number = frame("a", None, "b"), [[1.0], [NaN], [2.0]]
    for table in (text, number):
        encoder = learn(table, missing="ignore")
        assert encoder.cards == (2,)
        assert codes(encoder, table) == [[0, 2, 1]]
    sparse = sp.csr_array(np.array(number))
    assert learn(sparse, missing="ignore").encode(sparse).dense().T.tolist() == [[0, 2, 1]]


@pytest.mark.parametrize(
    "table",
    [
        frame(None, None),
        frame(None, None, dtype=float),
        frame(None, None, dtype=pd.CategoricalDtype(["a", "b"])),
        frame(None, None, dtype="datetime64[ns]"),
        pl.DataFrame({"a": [None, None]}),
    ],
    ids=["object", "float", "category", "date", "null"],
)
def test_a_column_all_missing_is_one_constant_value(table):
    encoder = learn(table)
    assert encoder.cards == (1,)
    assert codes(encoder, table) == [[0, 0]]
    ignored = learn(table, missing="ignore")
    assert ignored.cards == (1,)
    assert codes(ignored, table) == [[1, 1]]


def test_what_appears_where_all_was_missing_is_not_observed():
    assert codes(learn(frame(None, None)), frame("a", None)) == [[1, 0]]
    assert codes(learn([[NaN], [NaN]]), [[5.0], [NaN]]) == [[1, 0]]


def test_a_column_all_missing_at_predict_may_come_as_any_type():
    numbers, text = learn([[1.0], [2.0]]), learn(frame("a", "b"))
    for nothing in (frame(None, None), frame(NaN, NaN), pl.DataFrame({"a": [None, None]})):
        assert codes(numbers, nothing) == [[2, 2]]
        assert codes(text, nothing) == [[2, 2]]


# Numeric columns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method"),
    [("mdl", MDL()), ("quantile", Quantile()), ("width", Width()), ("median", Median())],
)
def test_names_and_transformers_cut_alike(name, method):
    X, y = load_iris(return_X_y=True)
    wanted = method.fit_transform(X, y)
    for discretizer in (name, type(method)(), method):
        encoder = learn_encoder(Table.of(X), y, discretizer=discretizer)
        assert (encoder.encode(X) == wanted).all()
        assert encoder.cards == tuple(len(c) + 1 for c in method.cuts_)


def test_codes_are_narrow_and_column_major():
    X, y = load_iris(return_X_y=True)
    coded = learn_encoder(X, y).encode(X)
    assert coded.dtype == np.uint8
    assert coded.flags.f_contiguous


def test_constant_columns_have_one_value():
    encoder = learn([[3.0], [3.0]])
    assert encoder.cards == (1,)
    assert codes(encoder, [[3.0], [99.0], [-np.inf]]) == [[0, 0, 0]]
    assert encoder.variables[0].label(0) == "any"


def test_infinities_and_minus_zero_have_their_place():
    encoder = learn([[-np.inf], [-0.0], [0.0], [np.inf]])
    assert codes(encoder, [[-np.inf], [0.0], [-0.0], [5.0], [np.inf]]) == [[0, 0, 0, 1, 1]]
    nominal = learn([[-0.0], [1.0]], categorical_features=[0])
    assert codes(nominal, [[0.0], [-0.0], [1]]) == [[0, 0, 1]]


def test_dates_are_cut_like_numbers_and_shown_as_dates():
    days = frame(*pd.date_range("2020-01-01", periods=4))
    encoder = learn(days)
    assert codes(encoder, days) == [[0, 0, 1, 1]]
    assert encoder.variables[0].label(0) == "≤ 2020-01-02"
    assert codes(encoder, pl.DataFrame({"a": [dt.date(1999, 1, 1), None]})) == [[0, 2]]


def test_float32_and_integers_are_the_same_numbers():
    X = np.arange(20).reshape(10, 2)
    wanted = codes(learn(X), X)
    for dtype in (np.float32, np.int8, np.uint64, np.float64):
        assert codes(learn(X.astype(dtype)), X.astype(dtype)) == wanted
    assert codes(learn(X.tolist()), X.tolist()) == wanted
    assert codes(learn(X), np.asfortranarray(X)) == wanted


# Which columns are nominal -----------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [[1], ["x1"], [False, True], np.array([1]), ("x1",)])
def test_nominal_columns_are_named_by_mask_position_or_name(chosen):
    X = [[1.0, 7], [2.0, 9], [3.0, 8], [4.0, NaN]]
    encoder = learn(X, categorical_features=chosen)
    assert [v.kind for v in encoder.variables] == ["numeric", "nominal"]
    assert codes(encoder, X) == [[0, 0, 1, 1], [0, 2, 1, 3]]
    assert encoder.variables[1].label(1) == "8"


def test_numbers_held_as_objects_are_numbers_where_other_columns_are_named():
    X = np.array([[1, "a"], [2, "b"], [3, "a"]], dtype=object)
    encoder = learn(X, categorical_features=["x1"])
    assert [v.kind for v in encoder.variables] == ["numeric", "nominal"]
    assert codes(encoder, X) == [[0, 0, 1], [0, 1, 0]]
    assert [v.kind for v in learn(X).variables] == ["nominal", "nominal"]
    assert learn(X, categorical_features=None).variables[1].kind == "nominal"


@pytest.mark.parametrize("wrong", ["x0", [2], [-1], ["z"], [True], [True, False, True], [0.5]])
def test_columns_that_are_not_there_are_refused(wrong):
    with pytest.raises(ValueError, match="categorical_features"):
        learn([[1.0, 2.0], [3.0, 4.0]], categorical_features=wrong)


# Kinds that change, parameters that are wrong ----------------------------------------------------


@pytest.mark.parametrize(
    ("fitted", "given_", "sentence"),
    [
        (frame(1.0, 2.0), frame("x", "y"), "'a' held numbers in fit and now holds 'x' in row 0"),
        (frame(1.0, 2.0), frame("1.0", "2.0"), "'a' held numbers in fit and now holds '1.0'"),
        (
            frame("x", "y"),
            frame(NaN, 2.0),
            "'a' held categories such as 'x' in fit .* 2.0 in row 1",
        ),
        (
            frame(1.0, 2.0),
            frame(*pd.date_range("2020", periods=2)),
            "held numbers .* a date in row 0",
        ),
        (frame(*pd.date_range("2020", periods=2)), frame(1.0, 2.0), "held dates .* 1.0 in row 0"),
    ],
)
def test_a_column_that_changed_its_kind_is_named(fitted, given_, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn(fitted).encode(Table.of(given_))


def test_another_number_of_columns_is_refused():
    with pytest.raises(ValueError, match="X has 2 features, but 1 were there in fit"):
        learn([[1.0], [2.0]]).encode(np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"discretizer": "mld"}, "discretizer is 'mld'; it has to be one of 'mdl', 'quantile'"),
        ({"discretizer": MDL}, "it has to be one of"),
        ({"discretizer": None}, "it has to be one of"),
        ({"discretizer": "mdl"}, "no single class variable"),
        ({"missing": "drop"}, "missing is 'drop'; it has to be 'value' or 'ignore'"),
        ({"sample_weight": [1]}, "expected \\(2,\\)"),
        ({"target": [0]}, "one class for each row"),
        ({"target": [0, 3], "n_classes": 3}, "codes 0 to 3, not 0 to 2"),
        ({"target": [0, -1]}, "codes -1 to 0"),
        ({"discretizer": Median().fit([[1, 2, 3]])}, "fitted on 3 columns; X has 2 numeric"),
    ],
)
def test_wrong_parameters_are_refused_in_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn([[1.0, 2.0], [3.0, 4.0]], **options)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (sp.csr_array((0, 3)), "0 sample"),
        (sp.csr_array((3, 0)), "0 feature"),
        (sp.csr_array([[1j]]), "Complex data not supported"),
        pytest.param(
            sp.coo_array(np.ones(3)),
            "Reshape your data",
            marks=pytest.mark.skipif(sp.coo_array(np.ones(3)).ndim > 1, reason="needs scipy 1.13"),
        ),
        ([1.0], "Reshape your data"),
    ],
)
def test_what_is_no_table_is_refused(X, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn(X)


# Sparse matrices ---------------------------------------------------------------------------------

CELLS = st.sampled_from([0.0, 0.0, 0.0, -0.0, 1.0, 2.0, -1.5, NaN, np.inf])


@few
@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=2, max_size=12),
    st.sampled_from(["mdl", "quantile", "width", "median"]),
    st.sampled_from(["from_dtype", [1]]),
    st.sampled_from(["value", "ignore"]),
)
def test_sparse_and_dense_give_the_same_codes(rows, discretizer, nominal, missing):
    X, y = np.array(rows), np.arange(len(rows)) % 2
    options = {"discretizer": discretizer, "categorical_features": nominal, "missing": missing}
    dense = learn_encoder(X, y, **options)
    stored = sp.csc_array(  # every cell, explicit zeros too
        (X.T.ravel(), np.tile(np.arange(len(X)), 3), np.arange(4) * len(X)), shape=X.shape
    )
    for S in (sp.csr_matrix(X), sp.coo_array(X), sp.dok_array(X), sp.bsr_array(X), stored):
        encoder = learn_encoder(S, y, **options)
        assert encoder.cards == dense.cards
        found = encoder.encode(S)
        assert isinstance(found, SparseCodes)
        assert found.dense().tolist() == dense.encode(X).tolist()
        assert (found.codes != np.repeat(found.default, np.diff(found.indptr))).all()
        assert encoder.encode(X).tolist() == dense.encode(S).dense().tolist()


def test_a_matrix_that_stores_nothing_is_all_zeros():
    S = sp.csr_array((3, 2))
    for chosen in ("from_dtype", [0, 1]):
        encoder = learn(S, categorical_features=chosen)
        assert encoder.cards == (1, 1)
        assert encoder.encode(S).dense().tolist() == [[0, 0]] * 3


def test_sparse_bool_is_nominal_as_dense_bool_is():
    X = np.array([[True, False], [True, True], [True, False]])
    dense, sparse = learn_encoder(X, [0, 1, 0]), learn_encoder(sp.csr_array(X), [0, 1, 0])
    assert sparse.cards == dense.cards == (1, 2)
    assert (sparse.encode(sp.csc_matrix(X)).dense() == dense.encode(X)).all()


def test_sparse_codes_are_kept_in_the_order_of_rows_and_the_caller_s_matrix_is_left_alone():
    S = sp.csc_array(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3]), shape=(4, 1))  # unsorted, one repeated
    before = S.indices.copy(), S.data.copy()
    found = learn(S, discretizer="median").encode(S)
    assert found.rows.tolist() == [0, 2]
    assert found.dense().ravel().tolist() == [1, 0, 1, 0]
    assert (S.indices == before[0]).all()
    assert (S.data == before[1]).all()


# Weights, rows, decoding -------------------------------------------------------------------------


@few
@given(st.integers(0, 10_000))
def test_weights_repeat_rows_and_weight_zero_leaves_out(seed):
    rng = np.random.default_rng(seed)
    n = 12
    table = Table.of(
        pd.DataFrame(
            {
                "text": rng.choice(["a", "b", "c", None], n),
                "number": np.where(rng.random(n) < 0.2, NaN, rng.integers(0, 5, n)),
                "wide": rng.random(n),
            }
        )
    )
    y, weights = rng.integers(0, 2, n), rng.integers(0, 3, n)
    weights[0] = 1
    again = np.repeat(np.arange(n), weights)
    for discretizer in ("mdl", "quantile"):
        options = {"discretizer": discretizer, "n_classes": 2}
        weighted = learn_encoder(table, y, sample_weight=weights, **options)
        repeated = learn_encoder(table[again], y[again], **options)
        assert weighted.cards == repeated.cards
        assert (weighted.encode(table) == repeated.encode(table)).all()


def test_the_order_of_rows_does_not_matter():
    X, y = load_iris(return_X_y=True)
    table = Table.of(pd.DataFrame(X).assign(kind=np.array(["u", "v", "w"])[y]))
    order = np.random.default_rng(0).permutation(len(y))
    one, other = learn_encoder(table, y), learn_encoder(table[order], y[order])
    assert (one.encode(table) == other.encode(table)).all()


@few
@given(st.lists(st.sampled_from(["a", "b", 1, 2.5, True, None, "z"]), min_size=1, max_size=9))
def test_decoding_gives_the_values_back(cells):
    table = Table.of(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))
    encoder = learn(table)
    coded = encoder.encode(table)
    decoded = encoder.decode(coded)
    assert decoded.column("a").decoded().tolist() == cells
    assert (encoder.encode(decoded) == coded).all()


def test_decoding_numbers_names_the_interval_they_are_in():
    X, y = load_iris(return_X_y=True)
    encoder = learn_encoder(Table.of(X), y)
    assert encoder.decode(encoder.encode(X)).column("x3").decoded()[[0, 60, 140]].tolist() == [
        "≤ 0.8",
        "(0.8, 1.75]",
        "> 1.75",
    ]
    S = sp.csr_array([[0.0], [3.0]])
    encoder = learn(S)
    assert encoder.decode(encoder.encode(S)).column("x0").decoded().tolist() == ["≤ 0", "> 0"]


def test_codes_come_out_ready_to_be_counted():
    X = Table.of([["red", 1.0], ["blue", 2.0], ["red", NaN]])
    encoder = learn(X)
    ready = Codes.of(encoder.encode(X), encoder.cards, targets=[0, 1, 1])
    assert ready.cards == (2, 2, 3)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    X, y = load_iris(return_X_y=True)
    wanted = learn_encoder(X, y).encode(X)
    monkeypatch.setenv("JOINTBAYES_NUM_THREADS", threads)
    assert (learn_encoder(X, y).encode(X) == wanted).all()


def test_labels_of_a_variable_are_short():
    assert Variable("v", "nominal", categories=np.array([0.1 + 0.2])).label(0) == "0.3"


# Other people's transformers ---------------------------------------------------------------------


def kbins(encode="ordinal"):
    return KBinsDiscretizer(n_bins=3, encode=encode, strategy="uniform")


def test_any_transformer_from_numbers_to_codes_will_do():
    X, _ = load_iris(return_X_y=True)
    wanted = kbins().fit_transform(X)
    for transformer in (kbins(), kbins().fit(X)):
        encoder = learn(X, discretizer=transformer)
        assert encoder.cards == (3, 3, 3, 3)
        assert (encoder.encode(X) == wanted).all()
        assert (encoder.encode(sp.csr_array(X)) == wanted).all()


def test_another_transformer_never_sees_text_or_missing_numbers():
    table = pd.DataFrame({"t": ["a", "b", "a", "b"], "x": [1.0, NaN, 5.0, 9.0], "y": [NaN] * 4})
    encoder = learn(table, discretizer=kbins())
    assert encoder.cards == (2, 4, 1)
    assert codes(encoder, table) == [[0, 1, 0, 1], [0, 3, 1, 2], [0, 0, 0, 0]]


def test_another_transformer_gets_numbers_held_as_objects_and_no_text():
    encoder = learn([[1.0], [5.0], [9.0]], discretizer=kbins())
    assert codes(encoder, np.array([[9], [1.0], [None]], dtype=object)) == [[2, 0, 3]]
    with pytest.raises(ValueError, match="'x0' held numbers in fit and now holds 'a' in row 0"):
        encoder.encode([["a"]])


def test_a_transformer_fitted_on_a_frame_gets_one():
    table = pd.DataFrame({"x": [1.0, 5.0, 9.0], "t": ["a", "b", "a"]})
    encoder = learn(table, discretizer=kbins().fit(table[["x"]]))
    assert codes(encoder, table) == [[0, 1, 2], [0, 1, 0]]


def test_transformers_that_do_not_fit_are_refused():
    X = [[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]]
    with pytest.raises(ValueError, match=r"gave 3 columns for 1; .*encode='ordinal'"):
        learn(X, discretizer=kbins("onehot"))
    with pytest.raises(ValueError, match="fitted on 1 columns; X has 2 numeric ones"):
        learn(X, discretizer=kbins().fit([[1.0], [2.0], [3.0]]))
    with pytest.raises(ValueError, match="OneHotEncoder takes no sample_weight"):
        learn(X, discretizer=OneHotEncoder(), sample_weight=[1, 1, 2])
    assert learn(X, discretizer=StandardScaler(), sample_weight=[1, 1, 2]).cards == (3, 3)
