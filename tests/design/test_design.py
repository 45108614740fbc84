"""What a given classifier sees of a table."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from jointbayes.design.design import learn_design
from jointbayes.design.label_columns import beside, label_columns
from jointbayes.errors import DataError
from jointbayes.table import Column, Table


def by_definition(fitted, rows):
    """Numbers, then flags of missing, then indicators of values, cell by cell."""
    out = []
    for row in range(len(rows)):
        numbers, flags, values = [], [], []
        for known, column in zip(fitted.columns, rows.columns, strict=True):
            cell, seen = column.decoded()[row], known.decoded().tolist()
            if known.kind == "numeric":
                finite = [x for x in seen if not np.isnan(x)]
                mean = sum(finite) / len(finite) if finite else 0.0
                numbers.append(mean if np.isnan(cell) else cell)
                flags += [float(np.isnan(cell))] * (len(finite) < len(seen))
            else:
                values += [float(cell == v) for v in sorted({v for v in seen if v is not None})]
                values += [float(cell is None)] * (None in seen)
        out.append(numbers + flags + values)
    return out


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_matrix_is_its_definition(seed):
    rng = np.random.default_rng(seed)

    def table(n, values):
        numbers = rng.integers(-3, 4, n).astype(float)
        numbers[rng.random(n) < 0.3] = np.nan
        words = rng.choice(np.array([*values, None], dtype=object), n)
        return Table(
            (
                Column.of("a", numbers),
                Column.of("b", words),
                Column.of("c", rng.normal(size=n)),
                Column.of("d", rng.choice(np.array(values, dtype=object), n)),
            )
        )

    fitted, rows = table(5, ["x", "y"]), table(6, ["w", "x", "y"])
    design = learn_design(fitted)
    for part in (fitted, rows):
        np.testing.assert_allclose(design.matrix(part), by_definition(fitted, part), atol=1e-12)
    assert len(design.columns) == design.matrix(rows).shape[1]


@given(st.integers(0, 2**32 - 1), st.sampled_from(["from_dtype", [1], [0, 2]]))
@settings(max_examples=40, deadline=None)
def test_sparse_and_dense_are_the_same_matrix(seed, nominal):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 3, (7, 4)) * (rng.random((7, 4)) < 0.5) * 1.0
    X[rng.random(X.shape) < 0.1] = np.nan
    dense, thin = (learn_design(form, nominal) for form in (Table.of(X), sparse.csr_array(X)))
    assert dense.columns == thin.columns
    found = thin.matrix(sparse.csr_array(X))
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), dense.matrix(Table.of(X)), atol=1e-12)


def test_the_caller_s_sparse_matrix_is_left_alone():
    X = sparse.csr_array(np.array([[1.0, np.nan], [0.0, 2.0]]))
    before = X.data.copy()
    learn_design(X).matrix(X)
    np.testing.assert_array_equal(X.data, before)


def test_a_column_without_any_number_is_zero_and_flagged():
    design = learn_design(Table.of(np.array([[np.nan, 1.0], [np.nan, 2.0]])))
    assert design.columns == ("x0", "x1", "x0 missing")
    assert design.matrix(Table.of([[5.0, 3.0]])).tolist() == [[5.0, 3.0, 0.0]]


@pytest.mark.parametrize("X", [[[1.0], [np.inf]], sparse.csr_array([[1.0], [-np.inf]])])
def test_infinity_is_refused_by_column_and_row(X):
    X = X if sparse.issparse(X) else Table.of(X)
    with pytest.raises(DataError, match=r"'x0' contains infinity.*row 1"):
        learn_design(X)


def test_text_where_numbers_were_is_refused_by_name():
    design = learn_design(Table.of([[1.0], [2.0]]))
    with pytest.raises(DataError, match="'x0' held numbers in fit and now holds 'a' in row 0"):
        design.matrix(Table.of([["a"]]))
    with pytest.raises(DataError, match="X has 2 features"):
        design.matrix(Table.of([[1.0, 2.0]]))


def test_the_mean_of_the_largest_numbers_does_not_overflow():
    design = learn_design(Table.of([[1.5e308], [1.5e308], [np.nan]]))
    np.testing.assert_allclose(design.means, [1.5e308])


def test_labels_stand_beside_dense_and_sparse_alike():
    labels = label_columns(np.array([[0, 2], [1, 1]]), (2, 3))
    X = np.array([[1.0, 0.0], [0.0, 3.0]])
    together = beside(sparse.csr_array(X), labels)
    assert sparse.issparse(together)
    np.testing.assert_array_equal(together.toarray(), beside(X, labels))
    np.testing.assert_array_equal(beside(X, labels)[:, 2:], [[0, 0, 0, 1], [1, 0, 1, 0]])


def test_bool_is_one_column_of_zero_and_one_however_it_comes():
    """A bag of words of bool has as many columns and entries as one of numbers, not all cells."""
    X = np.random.default_rng(0).random((30, 4)) < 0.2
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2", "x3"])
    expected = X.astype(float)
    for made in (Table.of(X), Table.of(frame), Table.of(frame.astype("boolean"))):
        np.testing.assert_array_equal(learn_design(made).matrix(made), expected)
    thin = sparse.csr_array(X)
    found = learn_design(thin).matrix(thin)
    assert found.nnz == thin.nnz
    np.testing.assert_array_equal(found.toarray(), expected)


def test_bool_that_is_missing_is_its_share_with_a_flag():
    table = Table((Column.of("x", np.array([True, None, False, True], dtype=object)),))
    found = learn_design(table).matrix(table)
    np.testing.assert_allclose(found, [[1, 0], [2 / 3, 1], [0, 0], [1, 0]])


def test_values_never_seen_are_no_fault_where_bool_or_nothing_was_seen():
    """Text in a column of bool is missing; where all was missing, it is not the missing value."""
    table = Table((Column.of("x", [True, False]), Column.of("y", np.array([None, None]))))
    rows = Table((Column.of("x", np.array([True, "?"], object)), Column.of("y", ["a", "b"])))
    for known in (table, table[[0, 1, 0, 1]]):
        np.testing.assert_allclose(learn_design(known).matrix(rows), [[1, 0], [0.5, 0]])
    thin = sparse.csr_array(np.array([[True], [False]]))
    np.testing.assert_allclose(learn_design(thin).matrix(rows.select(["x"])), [[1], [0.5]])


SCRIPT = """
import resource
import subprocess
import sys

import numpy as np
import pandas as pd
import jointbayes as jb

X = pd.DataFrame({"id": [f"v{i}" for i in range(30_000)], "x": np.arange(30_000.0)})
Y = np.random.default_rng(0).integers(0, 2, (30_000, 2))
resource.setrlimit(resource.RLIMIT_AS, (5 << 30, 5 << 30))
for kind in (jb.BinaryRelevance, jb.MLkNN):
    try:
        kind().fit(X, Y)
    except ValueError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited otherwise there")
def test_what_memory_cannot_hold_is_refused_with_the_number():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert len(said) == 2
    for line in said:
        assert "6.7 GiB as 30,000 × 30,001 numbers" in line
        assert "column 'id' alone has 30,000 values" in line
