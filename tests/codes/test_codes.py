"""Codes and sparse codes: the same matrix, whichever way it is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.codes import STRETCH, Codes, SparseCodes, narrowest
from jointbayes.errors import DataError

few = settings(max_examples=40, deadline=None)


@st.composite
def matrices(draw):
    """A matrix and the same matrix kept sparse, with some defaults stored all the same."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(0, 12)), draw(st.integers(1, 5))
    x = rng.integers(0, 4, (n, p)).astype(draw(st.sampled_from(["u1", "u2", "u4"])))
    default = rng.integers(0, 4, p).astype(x.dtype)
    stored = (x != default) | (rng.random((n, p)) < 0.2)
    column, row = np.nonzero(stored.T)
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=0))]).astype(np.int64)
    return x, SparseCodes(x[row, column], row.astype(np.int32), indptr, default, x.shape)


@few
@given(matrices())
def test_sparse_codes_are_the_matrix_they_stand_for(pair):
    x, sparse = pair
    np.testing.assert_array_equal(sparse.dense(), x)
    assert sparse.dense().flags.f_contiguous
    for j in range(x.shape[1]):
        np.testing.assert_array_equal(sparse.column(j), x[:, j])


@few
@given(matrices(), st.data())
def test_rows_of_sparse_codes_are_rows_of_the_matrix(pair, data):
    x, sparse = pair
    rows = st.lists(st.integers(0, len(x) - 1), max_size=20) if len(x) else st.just([])
    index = np.array(data.draw(rows), dtype=np.int64)
    taken = sparse.take(index)
    np.testing.assert_array_equal(taken.dense(), x[index])
    for j in range(x.shape[1]):
        part = taken.rows[taken.indptr[j] : taken.indptr[j + 1]]
        assert (np.diff(part) > 0).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.uint16, np.bool_])
def test_codes_are_column_major_and_narrow_whatever_comes_in(order, dtype):
    rng = np.random.default_rng(0)
    x = np.array(rng.integers(0, 2, (STRETCH + 5, 9)), dtype=dtype, order=order)
    codes = Codes.of(x, (2,) * 9)
    assert codes.features.flags.f_contiguous
    assert codes.features.dtype == np.uint8
    np.testing.assert_array_equal(codes.features, x)


@pytest.mark.parametrize("card", [255, 256, 65_535, 65_536])
def test_the_type_has_room_for_not_observed(card):
    codes = Codes.of([[card]], feature_cards=(card,))
    assert codes.features.dtype == narrowest(card)
    assert codes.features[0, 0] == card


def test_variables_are_numbered_targets_first():
    codes = Codes.of([[5], [6]], targets=[[0, 1], [1, 0]])
    assert codes.cards == (2, 2, 7)
    assert [codes.column(v).tolist() for v in range(3)] == [[0, 1], [1, 0], [5, 6]]
    assert codes[np.array([True, False])].column(2).tolist() == [5]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_a_code_outside_its_range_is_named_with_its_place(dtype):
    x = np.zeros((STRETCH + 9, 2), dtype=dtype)
    x[STRETCH + 3, 1] = 4
    message = f"feature column 1 holds the code 4 in row {STRETCH + 3}; codes run from 0 to 3"
    with pytest.raises(DataError, match=message):
        Codes.of(x, (3, 3))
    with pytest.raises(DataError, match=r"target column 0 holds the code 2 in row 1; .* 0 to 1"):
        Codes.of([[0], [0]], (1,), targets=[0, 2], target_cards=(2,))


def test_what_is_no_table_of_codes_is_refused():
    with pytest.raises(DataError, match="holds the code -1 in row 1"):
        Codes.of([[0], [-1]], (2,))
    with pytest.raises(DataError, match="features have 2 rows and targets 3"):
        Codes.of([[0], [1]], targets=[0, 1, 1])
    with pytest.raises(DataError, match="1 feature columns came with 2 cards"):
        Codes.of([[0], [1]], (2, 2))
    with pytest.raises(DataError, match="whole numbers; got float64"):
        Codes.of([[0.5], [1.0]], (2,))
