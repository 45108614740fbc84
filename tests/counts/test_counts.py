"""The laws of counting, against plain loops over rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.codes import Codes, SparseCodes, offsets
from jointbayes.counts import (
    Counts,
    count,
    count_pairs,
    count_singles,
    count_singles_by_target,
    families,
    pair_information,
)
from jointbayes.errors import CostError, DataError

few = settings(max_examples=30, deadline=None)


@st.composite
def coded(draw, targets=1):
    """Small tables of mixed arities in which some values were not observed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(0, 40))
    cards = tuple(rng.integers(1, draw(st.sampled_from([2, 4, 12])) + 1, 4).tolist())
    labels = (3,) * targets
    x = rng.integers(0, np.array(cards) + 1, (n, 4))
    return Codes.of(x, cards, rng.integers(0, 3, (n, targets)), labels)


def by_loops(codes, family, weights=None):
    table = np.zeros([codes.cards[v] for v in family])
    columns = [codes.column(v) for v in family]
    for r in range(len(codes)):
        cell = tuple(int(x[r]) for x in columns)
        if all(a < k for a, k in zip(cell, table.shape, strict=True)):
            table[cell] += 1 if weights is None else weights[r]
    return table


def sparsely(codes, seed=0):
    """The same codes with sparse features, whose defaults are values or not observed."""
    rng = np.random.default_rng(seed)
    x = codes.features
    default = rng.integers(0, np.array(codes.feature_cards) + 1).astype(x.dtype)
    stored = x != default
    column, row = np.nonzero(stored.T)
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=0))]).astype(np.int64)
    sparse = SparseCodes(x[row, column], row.astype(np.int32), indptr, default, x.shape)
    return replace(codes, features=sparse)


def tables(codes, weights=None, n_jobs=None):
    """Every kind of count of the same rows, as one list of arrays."""
    singles, pairs = count_singles(codes, weights, n_jobs), count_pairs(codes, weights, n_jobs)
    kept = count(codes, FAMILIES, weights, n_jobs)
    return [singles.n_c, singles.n_cx, pairs.n_c, pairs.n_cxx, *(kept[f] for f in FAMILIES)]


FAMILIES = [(), (0,), (0, 2), (3, 0, 1), (4, 3, 2)]


def same(left, right):
    for a, b in zip(left, right, strict=True):
        np.testing.assert_array_equal(a, b)


@few
@given(coded())
def test_counts_are_what_loops_over_rows_count(codes):
    weights = np.arange(len(codes)) % 3
    for w in (None, weights.astype(float)):
        counts = count(codes, FAMILIES, w)
        for family in FAMILIES:
            np.testing.assert_array_equal(counts[family], by_loops(codes, family, w))
        singles, pairs = count_singles(codes, w), count_pairs(codes, w)
        for i, j in product(range(4), repeat=2):
            np.testing.assert_array_equal(singles.block(i), by_loops(codes, (0, i + 1), w))
            if i != j:
                expected = by_loops(codes, (0, i + 1, j + 1), w)
                np.testing.assert_array_equal(pairs.block(i, j), expected)
        np.testing.assert_array_equal(pairs.singles.n_cx, singles.n_cx)


@few
@given(coded(), st.integers(0, 40), st.integers(0, 40))
def test_counts_of_pooled_rows_are_the_sum_however_they_are_split(codes, i, j):
    i, j = sorted((min(i, len(codes)), min(j, len(codes))))
    a, b, c = codes[:i], codes[i:j], codes[j:]
    for make in (count_singles, count_pairs):
        whole = make(codes)
        left, right = (make(a) + make(b)) + make(c), make(c) + (make(b) + make(a))
        for field in vars(whole):
            np.testing.assert_array_equal(getattr(left, field), getattr(whole, field))
            np.testing.assert_array_equal(getattr(right, field), getattr(whole, field))
    merged = count(a, FAMILIES) + count(b, FAMILIES) + count(c, FAMILIES)
    same([merged[f] for f in FAMILIES], [count(codes, FAMILIES)[f] for f in FAMILIES])


@few
@given(coded())
def test_no_rows_count_nothing(codes):
    zero = count_pairs(codes[:0])
    assert not zero.n_cxx.any()
    np.testing.assert_array_equal((count_pairs(codes) + zero).n_cxx, count_pairs(codes).n_cxx)


@few
@given(coded(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(codes, random):
    order = np.array(random.sample(range(len(codes)), len(codes)), dtype=np.int64)
    same(tables(codes), tables(codes[order]))
    same(tables(sparsely(codes)), tables(sparsely(codes)[order]))


@few
@given(coded(), st.permutations(range(4)))
def test_counts_move_with_their_columns(codes, order):
    moved = replace(
        codes,
        features=np.asfortranarray(codes.features[:, order]),
        feature_cards=tuple(codes.feature_cards[i] for i in order),
    )
    start = offsets(codes.feature_cards)
    values = np.concatenate([np.arange(start[i], start[i + 1]) for i in order]).astype(int)
    whole = count_pairs(codes)
    np.testing.assert_array_equal(count_pairs(moved).n_cxx, whole.n_cxx[:, values][:, :, values])
    shared = pair_information(codes)[np.ix_(order, order)]
    np.testing.assert_allclose(pair_information(moved), shared, rtol=0, atol=1e-12)


@few
@given(coded(), st.integers(0, 2**32 - 1))
def test_counts_move_with_their_categories(codes, seed):
    rng = np.random.default_rng(seed)
    renamed = np.asfortranarray(codes.features.copy())
    values = []
    for i, (k, at) in enumerate(
        zip(codes.feature_cards, offsets(codes.feature_cards), strict=False)
    ):
        name = rng.permutation(k)
        values.append(at + np.argsort(name))
        renamed[:, i] = np.append(name, k)[codes.features[:, i]]
    order = np.concatenate(values)
    other = count_pairs(replace(codes, features=renamed)).n_cxx
    np.testing.assert_array_equal(other, count_pairs(codes).n_cxx[:, order][:, :, order])


@few
@given(coded(), st.data())
def test_weights_are_repetitions(codes, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(codes), max_size=len(codes)))
    repeated = np.repeat(np.arange(len(codes)), np.array(times, dtype=int))
    weights = np.array(times, dtype=float)
    for kind in (codes, sparsely(codes)):
        same(tables(kind, weights), tables(kind[repeated]))
        np.testing.assert_allclose(
            pair_information(kind, weights), pair_information(kind[repeated]), atol=1e-12
        )


@few
@given(coded(), st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_sparse_or_dense_and_any_number_of_threads_count_the_same(codes, seed, n_jobs):
    same(tables(codes, n_jobs=n_jobs), tables(sparsely(codes, seed), n_jobs=1))
    fractions = np.random.default_rng(seed).random(len(codes))
    for a, b in zip(
        tables(codes, fractions, 1), tables(sparsely(codes, seed), fractions, n_jobs), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
        assert (b >= 0).all()


@few
@given(coded(targets=3))
def test_several_targets_are_counted_one_by_one(codes):
    for kind in (codes, sparsely(codes)):
        found = count_singles_by_target(kind)
        for j, counts in enumerate(found):
            alone = replace(kind, targets=codes.targets[:, j : j + 1], target_cards=(3,))
            same([counts.n_c, counts.n_cx], [count_singles(alone).n_c, count_singles(alone).n_cx])


@few
@given(coded())
def test_information_is_the_sum_over_cells(codes):
    found = pair_information(codes)
    for i, j in product(range(4), repeat=2):
        n = by_loops(codes, (0, i + 1, j + 1))
        total = n.sum()
        expected = sum(
            n[c, a, b]
            / total
            * np.log2(n[c, a, b] * n[c].sum() / (n[c, a].sum() * n[c, :, b].sum()))
            for c, a, b in product(*map(range, n.shape))
            if n[c, a, b] and i != j
        )
        assert found[i, j] == pytest.approx(expected, abs=1e-12)


def test_text_sized_sparse_data_are_counted_without_making_them_dense():
    rng = np.random.default_rng(0)
    n, p, q = 6_000, 47_236, 3
    words = rng.integers(0, n, (p, 10), dtype=np.int32)
    words.sort(axis=1)
    rows = [np.unique(w) for w in words]
    indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    one = np.ones(indptr[-1], dtype=np.uint8)
    sparse = SparseCodes(one, np.concatenate(rows), indptr, np.zeros(p, np.uint8), (n, p))
    targets = np.asfortranarray(rng.integers(0, 2, (n, q)).astype(np.uint8))
    codes = Codes(sparse, (2,) * p, targets, (2,) * q)
    for j, counts in enumerate(count_singles_by_target(codes)):
        word = int(rng.integers(p))
        expected = np.bincount(targets[rows[word], j], minlength=2)
        np.testing.assert_array_equal(counts.block(word)[:, 1], expected)
        np.testing.assert_array_equal(counts.block(word).sum(axis=1), counts.n_c)


def test_sparse_columns_are_made_dense_in_batches(monkeypatch):
    rng = np.random.default_rng(0)
    codes = sparsely(Codes.of(rng.integers(0, 4, (30, 6)), (3,) * 6, rng.integers(0, 2, 30)))
    wanted = [(i, j) for i in range(7) for j in range(7)]
    whole = count(codes, wanted)
    monkeypatch.setattr(families, "BATCH_BYTES", 90)  # three columns
    parts = count(codes, wanted)
    same([whole[f] for f in wanted], [parts[f] for f in wanted])


def test_tables_beyond_the_budget_are_refused_before_they_are_made():
    codes = Codes.of(np.zeros((2, 3), int), (70_000, 60_000, 2), targets=[0, 1])
    with pytest.raises(CostError, match=r"largest of the variables \(1, 2, 0\).*64,088 MiB.*70000"):
        count(codes, [(0, 1), (1, 2, 0)])
    with pytest.raises(
        CostError, match=r"pairs of 130002 values in 2 classes.*\[70000, 60000, 2\]"
    ):
        count_pairs(codes)
    with pytest.raises(CostError, match="3 features need"):
        pair_information(codes, max_bytes=8)
    with pytest.raises(CostError, match="130002 values by 2 labels"):
        count_singles_by_target(codes, max_bytes=1024)


def test_what_cannot_be_counted_is_named():
    codes = Codes.of([[0], [1]], targets=[[0, 1], [1, 1]])
    with pytest.raises(DataError, match="one class variable; got 2"):
        count_pairs(codes)
    with pytest.raises(DataError, match=r"family \(0, 7\) names a variable outside 0 … 2"):
        count(codes, [(0, 7)])
    with pytest.raises(DataError, match=r"2 rows need one weight each; got the shape \(3,\)"):
        count(codes, [(0,)], weights=np.ones(3))
    with pytest.raises(DataError, match=r"different families: only one side has \[\(1,\)\]"):
        count(codes, [(0,), (1,)]) + count(codes, [(0,)])
    with pytest.raises(DataError, match=r"features with \(2,\) and \(3,\) values"):
        _ = count_singles(Codes.of([[1]], targets=[0])) + count_singles(
            Codes.of([[2]], targets=[0])
        )


def test_counts_are_kept_by_family():
    counts = Counts({(0,): np.ones(2)})
    assert counts[(0,)].sum() == 2
