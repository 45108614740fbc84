"""Label spaces: the user's values in and out, whatever holds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.labels import from_sets, learn_labels, to_sets
from jointbayes.table import Table

ONE = {
    "list": ["b", "a", "b"],
    "array": np.array(["b", "a", "b"]),
    "objects": np.array(["b", "a", "b"], dtype=object),
    "pandas": pd.Series(["b", "a", "b"]),
    "category": pd.Series(["b", "a", "b"], dtype="category"),
    "string": pd.Series(["b", "a", "b"], dtype="string"),
    "arrow": pd.Series(["b", "a", "b"], dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series(["b", "a", "b"]),
    "categorical": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
}


@pytest.mark.parametrize("name", ONE)
def test_one_class_variable_comes_in_many_forms(name):
    space = learn_labels(ONE[name])
    assert (space.names, space.single) == (("class",), True)
    assert space.classes[0].tolist() == ["a", "b"]
    codes = space.encode(ONE[name])
    assert codes.tolist() == [[1], [0], [1]]
    assert space.decode(codes).ravel().tolist() == ["b", "a", "b"]


TWO = {
    "pandas": pd.DataFrame({"hue": ["red", "blue"], "size": [1, 2]}),
    "polars": pl.DataFrame({"hue": ["red", "blue"], "size": [1, 2]}),
    "table": Table.of(pd.DataFrame({"hue": ["red", "blue"], "size": [1, 2]})),
    "arrow": pd.DataFrame({"hue": ["red", "blue"], "size": [1, 2]}).convert_dtypes(
        dtype_backend="pyarrow"
    ),
}


@pytest.mark.parametrize("name", TWO)
def test_frames_name_their_labels_and_keep_types_apart(name):
    space = learn_labels(TWO[name])
    assert (space.names, space.single) == (("hue", "size"), False)
    assert [c.tolist() for c in space.classes] == [["blue", "red"], [1, 2]]
    assert space.decode(space.encode(TWO[name])).tolist() == [["red", 1], ["blue", 2]]


def test_nested_lists_do_not_turn_numbers_into_text():
    space = learn_labels([[1, "x"], [2, "y"]])
    assert space.decode(space.encode([[2, "x"]])).tolist() == [[2, "x"]]


@pytest.mark.parametrize("flavour", [np.array, sp.csr_matrix, sp.coo_array, sp.csc_array])
def test_a_zero_one_matrix_has_both_classes_in_every_column(flavour):
    Y = flavour([[0, 0, 1], [0, 1, 1]])
    space = learn_labels(Y)
    assert space.binary
    assert [c.tolist() for c in space.classes] == [[0, 1]] * 3
    assert space.encode(Y).tolist() == [[0, 0, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("Y", "classes"),
    [
        ([["no", "no"], ["no", "yes"]], [["no", "yes"]] * 2),
        ([[2, 2], [2, 5]], [[2], [2, 5]]),
        ([[1, 1], [1, -1]], [[-1, 1]] * 2),
        ([["Ja", "JA"], ["Ja", "NEIN"]], [["Nein", "Ja"], ["NEIN", "JA"]]),
        ([["n"], ["o"]], [["n", "o"]]),
        ([[False, False], [False, False]], [[False, True]] * 2),
        ([[0.0, 0.0]], [[0, 1]] * 2),
        ([["a", "b"], ["a", "c"]], [["a"], ["b", "c"]]),
        (np.array([[0, "0"], [0, "1"]], dtype=object), [[0, 1], ["0", "1"]]),
    ],
)
def test_a_binary_label_has_both_its_values_and_others_what_they_hold(Y, classes):
    assert [c.tolist() for c in learn_labels(Y).classes] == classes


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.booleans(), st.integers(-3, 3), st.text(max_size=2)), min_size=1))
def test_decode_after_encode_is_the_identity(labels):
    y = np.empty(len(labels), dtype=object)
    y[:] = labels
    space = learn_labels(y)
    assert space.decode(space.encode(y)).ravel().tolist() == labels


def test_codes_are_by_value_not_by_type():
    space = learn_labels(np.array([0, 1, 2]))
    assert space.encode([2.0, True, 0]).ravel().tolist() == [2, 1, 0]


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA, pd.NaT, np.inf])
def test_missing_labels_are_named_with_their_row(hole):
    labels = np.array([1, hole, 2], dtype=object)
    if hole is np.inf:
        labels = labels.astype(float)
    with pytest.raises(ValueError, match=r"'class' is missing or infinite .* in row 1"):
        learn_labels(labels)
    if hole is not np.inf:
        with pytest.raises(ValueError, match=r"'b' is missing or infinite .* in row 1"):
            learn_labels(pd.DataFrame({"a": [1, 2, 3], "b": labels}))


@pytest.mark.parametrize(
    ("Y", "sentence"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "label name 'a' occurs 2 times"),
        (pl.DataFrame({"a": [1, None]}), "'a' is missing"),
        (np.array(["2020", "NaT"], dtype="M8[Y]"), "'class' is missing"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (5, "0 dimensions"),
        (np.zeros((2, 0)), "no columns"),
        (np.zeros((0, 2)), "'y0' has no rows"),
        ([], "'class' has no rows"),
        ([1j, 2], "Complex data not supported"),
    ],
)
def test_what_are_no_labels_is_refused_in_a_sentence(Y, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn_labels(Y)


@pytest.mark.parametrize(
    "sets",
    [
        [["a", "b"], ["a"], [], ["b"]],
        [{"a", "b"}, {"a"}, set(), {"b"}],
        pd.Series([["a", "b"], ["a", "c"], ["b", "c"], ["a", "b"]]),
        np.array([("a", "b"), ("a",), (), None], dtype=object),
    ],
)
@pytest.mark.parametrize("model", [jb.NaiveBayes(), jb.CTBN(), jb.NaiBX()])
def test_sets_of_labels_are_refused_with_what_makes_a_matrix_of_them(sets, model):
    with pytest.raises(ValueError, match=r"y holds a \w+ of labels in row 0, .*from_sets"):
        model.fit(np.zeros((4, 2)), sets)


def test_labels_of_three_dimensions_are_refused():
    with pytest.raises(ValueError, match="labels have 3 dimensions; give one or two"):
        jb.CTBN().fit(np.zeros((4, 2)), np.zeros((4, 2, 2), dtype=int))


def test_a_label_outside_the_classes_is_refused():
    space = learn_labels(["a", "b"], classes=["a", "b", "c"])
    assert space.cards == (3,)
    with pytest.raises(
        ValueError, match="'class' holds 'd', which is not one of its classes a, b, c"
    ):
        space.encode(["a", "d"])
    with pytest.raises(ValueError, match="2 columns; the model has 1"):
        space.encode([["a", "b"]])
    with pytest.raises(ValueError, match="classes has 1 entries; the labels have 2"):
        learn_labels([[0, 1]], classes=[[0, 1]])


def test_sets_and_matrices_are_two_ways_to_say_the_same():
    sets = [{"dog", "fox"}, set(), {"cat"}]
    Y, names = from_sets(sets)
    assert to_sets(Y, names) == sets
    assert to_sets(pd.DataFrame(Y, columns=list(names))) == sets
    wider, _ = from_sets(sets, names=["ant", "cat", "dog", "fox"])
    assert wider[:, 0].tolist() == [0, 0, 0]


def test_sets_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="row 1 carries 'eel'"):
        from_sets([["cat"], ["eel"]], names=["cat"])
    with pytest.raises(ValueError, match="2 names for 1 labels"):
        to_sets([[0], [1]], names=["a", "b"])
    with pytest.raises(ValueError, match="binary labels"):
        to_sets([[0, 3], [1, 2], [2, 1]])
