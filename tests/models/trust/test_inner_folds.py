"""Inner folds: every row is held out once, and labels are spread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import learn_labels
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows, with_others


@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 5))
def test_every_row_is_in_one_fold_and_label_vectors_are_spread(n, n_folds, seed):
    codes = np.random.default_rng(seed).integers(0, 2, (n, 2))
    folds = deal_folds(codes, n_folds, seed)
    assert len(folds) == min(n, n_folds)
    assert sorted(np.concatenate(folds).tolist()) == list(range(n))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for vector in np.unique(codes, axis=0):
        shares = [(codes[fold] == vector).all(axis=1).sum() for fold in folds]
        assert max(shares) - min(shares) <= 1


def test_folds_depend_on_the_seed_alone():
    codes = np.random.default_rng(0).integers(0, 2, (30, 3))
    one, same, other = (deal_folds(codes, 3, seed) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(one, same, strict=True))
    assert any(a.tolist() != b.tolist() for a, b in zip(one, other, strict=True))


def labelled():
    Y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 3)
    X = jb.Table.of(np.arange(12.0)[:, None])
    return Labelled(X, Y, learn_labels(Y), np.arange(1.0, 13.0))


def test_every_row_is_in_one_fold_and_among_the_others_of_the_rest():
    folds = deal_folds(np.zeros((7, 1), dtype=np.intp), 3, seed=0)
    for fold, others in with_others(folds):
        assert sorted([*fold, *others]) == list(range(7))
        assert others.tolist() == sorted(others)


def test_some_rows_keep_their_weights_and_all_values():
    rows = labelled()
    part = rows.take(np.array([1, 4]))
    assert part.weights.tolist() == [2.0, 5.0]
    assert part.codes.tolist() == [[1, 0], [0, 1]]
    assert part.space is rows.space


def test_a_wrong_parameter_is_refused_by_name():
    with pytest.raises(ParameterError, match="MLkNN: k=0"):
        learn_rows(jb.MLkNN(k=0), labelled())
