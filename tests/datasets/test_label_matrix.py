"""Labels of a data set keep their names as long as their columns are their own."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold, cross_val_predict, train_test_split
from sklearn.utils import _safe_indexing

import jointbayes as jb
from jointbayes.datasets.label_matrix import LabelMatrix

NAMES = ("wet", "cold", "dark")


@pytest.fixture
def labels():
    return LabelMatrix.of(np.arange(12).reshape(4, 3) % 2, NAMES)


@pytest.mark.parametrize(
    "rows",
    [slice(1, 3), [0, 2], np.array([3, 1]), np.array([True, False, True, True]), slice(None), ...],
)
def test_rows_keep_the_names(labels, rows):
    assert labels[rows].label_names == NAMES
    assert labels[rows, ...].label_names == NAMES if rows is not ... else True
    assert labels[rows, :].label_names == NAMES


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ([2, 0], ("dark", "wet")),
        (slice(1, None), ("cold", "dark")),
        (np.array([True, False, True]), ("wet", "dark")),
        (slice(None, None, -1), ("dark", "cold", "wet")),
    ],
)
def test_columns_keep_their_own_names(labels, columns, names):
    assert labels[:, columns].label_names == names
    np.testing.assert_array_equal(labels[:, columns], np.asarray(labels)[:, columns])


def test_what_is_not_a_row_or_column_has_no_names(labels):
    for other in (
        labels.T,
        labels[:, 0],
        labels[0],
        labels.reshape(3, 4),
        labels[:, None],
        labels[None],
    ):
        assert getattr(other, "label_names", ()) == ()
    with pytest.raises(IndexError):
        labels[:, 7]


def test_arithmetic_is_numpy_s(labels):
    plain = np.asarray(labels)
    for found in (
        labels + 1,
        labels == 1,
        labels.sum(axis=0),
        labels.mean(),
        np.maximum(labels, 1),
    ):
        assert type(found) is not LabelMatrix
    assert (labels + labels).tolist() == (plain + plain).tolist()
    own = labels.copy()
    own += 1
    assert own.tolist() == (plain + 1).tolist()
    assert type(np.asarray(labels)) is np.ndarray
    assert np.shares_memory(LabelMatrix.of(plain, NAMES), plain)


def test_copies_pickles_and_types(labels):
    for same in (pickle.loads(pickle.dumps(labels)), copy.copy(labels), copy.deepcopy(labels),
                 labels.copy(), labels.astype(float), labels.take([0, 1], axis=0)):  # fmt: skip
        assert same.label_names == NAMES
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(labels)), labels)


def test_scikit_learn_splits_them(labels):
    assert _safe_indexing(labels, [0, 1]).label_names == NAMES
    left, right = train_test_split(labels, random_state=0)
    assert left.label_names == right.label_names == NAMES
    for train, _ in KFold(2).split(labels):
        assert labels[train].label_names == NAMES


def test_one_label_has_the_name_of_a_series():
    y = LabelMatrix.of(["a", "b"], ("mood",))
    assert (y.name, y[1:].name, y[::-1].label_names) == ("mood", "mood", ("mood",))
    assert LabelMatrix.of([[1, 2]], ("a", "b")).name is None


@pytest.mark.parametrize("model", [jb.MultilabelFAN(), jb.CTBN(), jb.NaiBX(), jb.BinaryRelevance()])
def test_models_know_the_names_of_a_data_set(tmp_path, model):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    rows = [f"{x:.2f},{int(x > 0)},{int(x > 1)}" for x in rng.normal(size=60)]
    path.write_text("\n".join(["x,wet,cold", *rows]) + "\n")
    data = jb.load_dataset(path, ["wet", "cold"])
    fitted = model.fit(data.X, data.Y)
    assert tuple(fitted.label_names_) == ("wet", "cold")
    assert fitted.posterior(data.X[:2]).given({"cold": 1}).map().shape == (2, 2)
    answers = cross_val_predict(model, data.X, data.Y, cv=2)
    assert answers.shape == (60, 2)


def test_the_only_class_variable_has_its_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,mood\n1,x,good\n2,y,bad\n3,x,good\n4,y,bad\n")
    data = jb.load_dataset(path)
    assert jb.NaiveBayes().fit(data.X, data.Y).posterior(data.X).given({"mood": "bad"}) is not None


@pytest.mark.parametrize(
    ("Y", "names"),
    [
        (pd.Series(["a", "b"], name="mood"), ("mood",)),
        (pl.Series("mood", ["a", "b"]), ("mood",)),
        (pd.DataFrame({"u": [0, 1], "v": [1, 0]}), ("u", "v")),
        (pa.table({"u": [0, 1], "v": [1, 0]}), ("u", "v")),
        (pl.DataFrame({"u": [0, 1], "v": [1, 0]}).lazy(), ("u", "v")),
        (LabelMatrix.of([[0, 1], [1, 0]], ("u", "v")), ("u", "v")),
        (LabelMatrix.of(["a", "b"], ("mood",)), ("mood",)),
        (["a", "b"], ("class",)),
    ],
)
def test_names_that_labels_bring(Y, names):
    data = jb.Dataset.of([[1.0], [2.0]], Y)
    assert data.label_names == data.Y.label_names == names
    assert data.Y.tolist() in ([["a", "b"][k] for k in (0, 1)], [[0, 1], [1, 0]])


def test_a_data_set_shows_itself_shortly(tmp_path):
    data = jb.Dataset.of(np.zeros((500, 300)), np.zeros((500, 40), dtype=int), name="<b>wide")
    assert len(repr(data)) < 200
    html = data._repr_html_()
    assert len(html) < 3000
    assert "&lt;b&gt;wide" in html
    assert html.count("(label)") == 11
    assert "<th>… 329 more</th>" in html
    long = jb.Dataset.of(pd.DataFrame(np.zeros((2, 20))).add_prefix("a long name " * 5), [0, 1])
    html = long._repr_html_()
    assert (html.count("<th>"), html.count("a long name")) == (5, 3 * 2)
    assert "<th>… 17 more</th>" in html
    path = tmp_path / "s.svm"
    path.write_text("1 1:1 70:2\n0 2:1\n")
    assert "<td>1</td>" in jb.load_dataset(path)._repr_html_()
