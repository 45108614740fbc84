"""describe against its definitions, written plainly."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.report import as_json, as_text
from jointbayes.report.describing import page_of_summary
from jointbayes.table import Table


def dataset(Y):
    Y = np.asarray(Y)
    X = Table.of(np.arange(2.0 * len(Y)).reshape(-1, 2))
    d = 1 if Y.ndim == 1 else Y.shape[1]
    return jb.Dataset("made", X, Y, tuple(f"label {j}" for j in range(d)), X.names)


def information(pairs):
    """Mutual information in bits of a list of value pairs, by its definition."""
    n = len(pairs)
    joint, left, right = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return sum(
        k / n * math.log2(k * n / (left[a] * right[b])) for (a, b), k in sorted(joint.items())
    )


@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=30))
@example([[0, 0, 0, 0]] * 4 + [[0, 0, 0, 1]] + [[0, 1, 0, 0]] * 4 + [[0, 1, 0, 1]])  # rounding
@settings(max_examples=50, deadline=None)
def test_binary_labels(rows):
    summary = jb.describe(dataset(rows))
    assert summary.task == "multi-label"
    assert summary.cardinality == pytest.approx(sum(map(sum, rows)) / len(rows))
    assert summary.density == pytest.approx(summary.cardinality / 4)
    assert summary.label_sets == len(set(map(tuple, rows)))
    assert summary.rows_without_label == sum(not any(row) for row in rows)
    assert {c.label: c.rows for c in summary.counts} == {
        f"label {j}": sum(row[j] for row in rows) for j in range(4)
    }
    found = {(p.first, p.second): p for p in summary.pairs}
    for i, j in combinations(range(4), 2):
        pair = found[f"label {i}", f"label {j}"]
        pairs = [(row[i], row[j]) for row in rows]
        assert pair.bits == pytest.approx(information(pairs), abs=1e-9)
        both = pairs.count((1, 1)) * pairs.count((0, 0))
        either = pairs.count((0, 1)) * pairs.count((1, 0))
        assert pair.direction == ("together" if both >= either else "apart")
    assert [p.bits for p in summary.pairs] == sorted((p.bits for p in summary.pairs), reverse=True)


values = st.sampled_from(["a", "b", "c", None])


@given(st.lists(st.tuples(values, values, values), min_size=1, max_size=30))
@settings(max_examples=50, deadline=None)
def test_labels_of_many_values_and_missing_ones(rows):
    Y = np.empty((len(rows), 3), dtype=object)
    Y[:] = rows
    summary = jb.describe(dataset(Y))
    assert summary.task == "multi-dimensional"
    assert summary.missing_labels == sum(v is None for row in rows for v in row)
    assert summary.rows_with_missing_labels == sum(None in row for row in rows)
    assert list(summary.labels.values()) == [len({r[j] for r in rows} - {None}) for j in range(3)]
    assert {(c.label, c.value): c.rows for c in summary.counts} == {
        (f"label {j}", v): sum(row[j] == v for row in rows)
        for j in range(3)
        for v in {row[j] for row in rows} - {None}
    }
    for pair in summary.pairs:
        i, j = int(pair.first[-1]), int(pair.second[-1])
        known = [(row[i], row[j]) for row in rows if None not in (row[i], row[j])]
        assert pair.bits == pytest.approx(information(known) if known else 0, abs=1e-9)
    assert summary.cardinality is None


def test_words_for_yes_and_no_are_labels_and_other_words_are_values():
    yes_no = [["ja", "yes"], ["nein", "no"], ["nein", "yes"], ["nein", None]]
    summary = jb.describe(dataset(np.array(yes_no, dtype=object)))
    assert (summary.task, summary.cardinality) == ("multi-label", 3 / 4)
    assert [(c.value, c.rows) for c in summary.counts] == [("yes", 2), ("ja", 1)]
    other = [["paid", "churned"], ["open", "stayed"]]
    summary = jb.describe(dataset(np.array(other)))
    assert (summary.task, summary.cardinality) == ("multi-dimensional", None)


def test_one_class_variable():
    summary = jb.describe(dataset(["x", "y", "x"]))
    assert (summary.task, summary.labels) == ("multi-class", {"label 0": 2})
    assert [(c.value, c.rows) for c in summary.counts] == [("x", 2), ("y", 1)]
    assert summary.pairs == ()


NAMED = {"dry": [1, 0, 1, 0], "wet": [0, 1, 0, 1]}


@pytest.mark.parametrize("X", [[[1.0, 2.0]] * 4, sp.csr_array(np.eye(4)[:, :2])])
@pytest.mark.parametrize(
    ("Y", "names"),
    [
        (pd.DataFrame(NAMED), ("dry", "wet")),
        (pl.DataFrame(NAMED), ("dry", "wet")),
        (Table.of(pd.DataFrame(NAMED)), ("dry", "wet")),
        (list(zip(*NAMED.values(), strict=True)), ("y0", "y1")),
        (np.array(list(NAMED.values())).T, ("y0", "y1")),
        (sp.csr_matrix(list(NAMED.values())).T, ("y0", "y1")),
    ],
)
def test_a_table_and_its_labels_are_a_data_set(X, Y, names):
    data = jb.Dataset.of(X, Y, name="sky")
    assert data.feature_names == ("x0", "x1")
    assert data.label_names == names
    assert data.Y.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    summary = jb.describe(data)
    assert (summary.task, summary.name, summary.pairs[0].bits) == ("multi-label", "sky", 1.0)
    assert replace(jb.describe(X, Y), name="sky") == summary


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series])
@pytest.mark.parametrize("values", [["b", "a"], ["2", "1"], [2, 1]])
def test_one_class_variable_is_called_class_and_keeps_its_values(kind, values):
    data = jb.Dataset.of([[1.0], [2.0]], kind(values))
    assert (data.label_names, data.Y.tolist()) == (("class",), values)


@pytest.mark.parametrize("none", [None, pd.NA, np.nan])
def test_missing_labels_of_a_table_in_memory_are_counted(none):
    labels = pd.DataFrame({"a": pd.Series([1, none, 0], dtype="Int64"), "b": ["x", "y", None]})
    assert jb.describe(jb.Dataset.of([[1.0]] * 3, labels)).missing_labels == 2


def test_what_is_no_data_set_is_one_sentence():
    with pytest.raises(ValueError, match=r"the labels are missing: .* found a ndarray alone"):
        jb.describe(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="a Dataset brings its labels"):
        jb.describe(jb.Dataset.of([[1.0]], ["a"]), ["a"])
    with pytest.raises(ValueError, match="X has 2 rows and Y has 3"):
        jb.Dataset.of([[1.0], [2.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="labels have 3 dimensions"):
        jb.Dataset.of([[1.0], [2.0]], np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="not of equal length"):
        jb.Dataset.of([[1.0], [2.0]], [["a"], ["a", "b"]])


def test_too_many_values_are_not_compared_and_that_is_said():
    Y = np.stack([np.arange(5000), np.arange(5000)], axis=1)
    summary = jb.describe(dataset(Y))
    assert summary.pairs is None
    assert "not compared" in as_text(page_of_summary(summary))


@pytest.mark.parametrize("name", ["emotions", "iris", "slashdot", "thyroid-L7", "Corel5k"])
def test_the_page_fits_the_terminal_and_the_json_is_json(shared, name):
    summary = jb.describe(jb.load_dataset(name, data_dir=shared / "data"))
    page = as_text(page_of_summary(summary))
    assert max(map(len, page.splitlines())) <= 80
    assert f"{summary.rows:,}" in page
    read = json.loads(as_json(summary.as_dict()))
    assert read["rows"] == summary.rows
    assert [c["rows"] for c in read["counts"]] == [c.rows for c in summary.counts]
    assert len(read["pairs"]) == len(summary.pairs)


def test_emotions_reads_like_emotions(shared):
    page = as_text(
        page_of_summary(jb.describe(jb.load_dataset("emotions", data_dir=shared / "data")))
    )
    lines = [line.split() for line in page.splitlines()]
    assert ["rows", "593"] in lines
    assert ["relaxing-calm", "angry-aggresive", "0.274", "apart"] in lines
    assert ["label", "sets", "27", "distinct;", "0", "rows", "without", "a", "label"] in lines


def test_sparse_features_are_counted_without_being_made_dense(shared):
    summary = jb.describe(jb.load_dataset("slashdot", data_dir=shared / "data"))
    assert summary.features == {"numeric": 1079}
    assert summary.binary_features == 1079
    assert 0 < summary.nonzero < 0.01
