"""Labels of which some entries are not known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from jointbayes.labels import learn_labels
from jointbayes.labels.known import KnownLabels, known_labels

WAYS = {
    "nan": np.array([[0.0, 1.0], [np.nan, 1.0], [1.0, np.nan]]),
    "lists": [[0, 1], [None, 1], [1, None]],
    "pandas": pd.DataFrame({"a": [0, None, 1], "b": [1, 1, None]}),
    "nullable": pd.DataFrame({"a": [0, None, 1], "b": [1, 1, None]}, dtype="Int64"),
    "polars": pl.DataFrame({"a": [0, None, 1], "b": [1, 1, None]}),
    "masked": np.ma.masked_array([[0, 1], [0, 1], [1, 0]], [[0, 0], [1, 0], [0, 1]]),
}


@pytest.mark.parametrize("Y", WAYS.values(), ids=WAYS)
def test_every_way_to_say_that_a_label_is_not_known(Y):
    some = known_labels(Y)
    assert some.known.tolist() == [[True, True], [False, True], [True, False]]
    space = learn_labels(some)
    assert space.binary
    assert [classes.tolist() for classes in space.classes] == [[0, 1]] * 2
    assert np.where(some.known, space.encode(some), -1).tolist() == [[0, 1], [-1, 1], [1, -1]]


def test_what_a_column_is_is_told_by_what_is_known():
    space = learn_labels(
        known_labels([["no", "red", True], ["Yes", None, None], [None, "blue", None]])
    )
    assert space.binary_labels == (True, False, True)
    assert [c.tolist() for c in space.classes] == [["no", "Yes"], ["blue", "red"], [False, True]]


def test_names_stay():
    assert learn_labels(known_labels(WAYS["pandas"])).names == ("a", "b")
    assert learn_labels(known_labels(pd.Series([0, None, 1], name="mood"))).names == ("mood",)


@pytest.mark.parametrize("Y", [np.array([[0, 1]]), [["a"]], np.array([0.0, 1.0])])
def test_what_is_known_is_left_as_it_is(Y):
    assert known_labels(Y) is Y


def test_rows_that_are_taken_tell_by_themselves():
    some = known_labels(np.array([[5.0, 1], [np.nan, 0], [7, 1]]))
    part = some[np.array([1, 2])]
    assert isinstance(part, KnownLabels)
    assert learn_labels(part).classes[0].tolist() == [7]


def test_a_label_that_is_never_known_is_refused():
    with pytest.raises(ValueError, match="label 'b' is not known on any row; leave it out"):
        known_labels(pd.DataFrame({"a": [0, 1], "b": [None, None]}))
