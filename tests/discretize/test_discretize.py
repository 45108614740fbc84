"""Cuts against their definitions: plain recursion, plain quantiles, and the laws of weights."""

from __future__ import annotations

import lzma
from itertools import pairwise
from math import inf, log2, nan

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from jointbayes import TAN, _kernels
from jointbayes._kernels import cuts as definition
from jointbayes._kernels import histograms
from jointbayes.datasets import load_dataset
from jointbayes.discretize import MDL, Median, Quantile, Width
from jointbayes.discretize.histogram import as_weights, cut_columns
from jointbayes.discretize.methods import midpoints
from jointbayes.table import Table

few = settings(max_examples=50, deadline=None)
ALL = [MDL(), Quantile(bins=3), Width(bins=3), Median()]


def entropy(labels):
    shares = [labels.count(c) / len(labels) for c in set(labels)]
    return -sum(p * log2(p) for p in shares)


def mdl_by_definition(rows):
    """Cut sorted (value, class) rows as Fayyad & Irani say, looking at every candidate."""
    rows = sorted(rows)
    values = sorted({x for x, _ in rows})
    n, labels = len(rows), [c for _, c in rows]
    best = None
    for low, high in pairwise(values):
        left = [c for x, c in rows if x <= low]
        right = [c for x, c in rows if x > low]
        inside = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or inside < best[0] - 1e-10:
            best = (inside, low, high, left, right)
    if best is None:
        return []
    inside, low, high, left, right = best
    k, k1, k2 = (len(set(part)) for part in (labels, left, right))
    ents = k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right)
    delta = log2(3**k - 2) - ents
    if not entropy(labels) - inside > (log2(n - 1) + delta) / n:
        return []
    return [
        *mdl_by_definition([row for row in rows if row[0] <= low]),
        low / 2 + high / 2,
        *mdl_by_definition([row for row in rows if row[0] > low]),
    ]


def mdl(x, y, weights=None):
    return MDL().fit(np.reshape(x, (-1, 1)), y, sample_weight=weights).cuts_[0]


@st.composite
def numbers_with_classes(draw, largest=40):
    """Small integers (ties), their thirds (no integers), or wide ones, with classes that follow."""
    n = draw(st.integers(2, largest))
    scale = draw(st.sampled_from([1.0, 1 / 3, 1e6]))
    x = np.array(draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))) * scale
    noise = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)))
    y = np.where(noise < 7, np.digitize(x, np.array([-2, 3]) * scale), noise % 3)
    return x, y


@few
@given(numbers_with_classes(), st.integers(1, 4))
def test_mdl_is_fayyad_and_irani_by_definition(data, times):
    x, y = np.tile(data[0], times), np.tile(data[1], times)
    assert mdl(x, y).tolist() == mdl_by_definition(list(zip(x.tolist(), y.tolist(), strict=True)))


@pytest.mark.parametrize("name", ["heart", "vowel"])
def test_mdl_of_files_is_the_definition_s(name, shared):
    data = load_dataset(shared / f"data/uci/{name}.arff.xz")
    y = np.asarray(data.Y)
    for column in [c for c in data.X.columns if not c.is_coded][:6]:
        x = column.values
        rows = [(v, c) for v, c in zip(x.tolist(), y.tolist(), strict=True) if not np.isnan(v)]
        assert mdl(x, y).tolist() == mdl_by_definition(rows)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_mdl_of_real_columns_is_the_definition_s(load):
    X, y = load(return_X_y=True)
    for cuts, x in zip(MDL().fit(X, y).cuts_, X.T, strict=True):
        assert cuts.tolist() == mdl_by_definition(list(zip(x.tolist(), y.tolist(), strict=True)))


def test_mdl_cuts_iris_where_everybody_finds_them():
    X, y = load_iris(return_X_y=True)
    assert [np.round(c, 2).tolist() for c in MDL().fit(X, y).cuts_] == [
        [5.55, 6.15],
        [2.95, 3.35],
        [2.45, 4.75],
        [0.8, 1.75],
    ]


@few
@given(numbers_with_classes(), st.integers(0, 6))
def test_few_values_are_kept_and_more_are_cut_as_ever(data, keep):
    x, y = data
    values = np.unique(x)
    kept = MDL(keep=keep).fit(x[:, None], y)
    if len(values) > keep:
        assert kept.cuts_[0].tolist() == mdl(x, y).tolist()
    else:
        codes = kept.transform(values[:, None])[:, 0]
        assert codes.tolist() == list(range(len(values)))


def test_two_numbers_that_tell_only_together_are_not_lost():
    """The class is whether two columns agree, which neither tells by itself."""
    X = np.random.default_rng(0).integers(0, 2, (300, 2))
    y = X[:, 0] ^ X[:, 1]
    assert TAN().fit(X, y).score(X, y) < 0.6
    assert TAN(discretizer=MDL(keep=2)).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("keep", [-1, 2.0, "two"])
def test_keep_is_a_number_of_values(keep):
    with pytest.raises(ValueError, match=r"keep is .*; it has to be an integer of at least 0"):
        MDL(keep=keep).fit([[0.0], [1.0]], [0, 1])


def test_a_thousand_classes_do_not_overflow():
    x = np.repeat(np.arange(1000.0), 40)
    assert len(mdl(x, x.astype(int))) == 999


def test_symmetric_cuts_tie_and_the_lowest_wins():
    x = [0] * 30 + [1] * 30 + [2] * 30
    y = [0] * 30 + [1] * 30 + [0] * 30
    first = definition._best_cut(np.arange(3), np.array([0, 1, 0]), np.full(3, 30.0), 3, 2)
    assert first == 0
    assert mdl(x, y).tolist() == [0.5, 1.5]


def test_infinite_numbers_are_sorted_in():
    x = [-inf] * 20 + [1.0] * 20 + [inf] * 20
    y = [0] * 20 + [1] * 20 + [2] * 20
    fitted = MDL().fit(np.reshape(x, (-1, 1)), y)
    assert fitted.cuts_[0].tolist() == [-inf, 1.0]
    assert fitted.transform([[-inf], [0.0], [1.0], [2.0], [inf]]).ravel().tolist() == [
        0,
        1,
        1,
        2,
        2,
    ]


@few
@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_midpoint_separates_its_neighbours(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        (middle,) = midpoints(np.array([low]), np.array([high]))
        assert low <= middle < high
        assert middle not in (inf, nan)


def test_minus_zero_is_zero():
    x = np.array([-0.0, 0.0, 0.5] * 20)
    assert mdl(x, (x > 0).astype(int)).tolist() == [0.25]
    assert Quantile().fit(x[:, None]).cuts_[0].tolist() == [0.0]


@few
@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=60),
    st.sampled_from([2, 4, 8]),  # shares that doubles hold exactly, so numpy's answer is exact too
)
def test_quantile_cuts_are_inverted_cdf_quantiles(x, bins):
    cuts = Quantile(bins=bins).fit(np.reshape(x, (-1, 1))).cuts_[0].tolist()
    wanted = np.unique(np.quantile(x, np.arange(1, bins) / bins, method="inverted_cdf"))
    if len(set(x)) == 2:
        assert cuts == [min(x)]
    else:
        assert cuts == wanted[wanted < max(x)].tolist()


@few
@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(2, 9))
def test_no_quantile_bin_is_empty(x, bins):
    codes = Quantile(bins=bins).fit_transform(np.reshape(x, (-1, 1))).ravel()
    assert set(codes) == set(range(int(codes.max()) + 1))


def test_tenths_are_reached_exactly():
    x = np.arange(1.0, 101.0)[:, None]
    assert Quantile(bins=100).fit(x).cuts_[0].tolist() == x.ravel()[:-1].tolist()
    tenth = np.full(100, 0.1)
    assert Quantile(bins=10).fit(x, sample_weight=tenth).cuts_[0].tolist() == [*range(10, 100, 10)]


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9, 0.99])
def test_a_zero_one_column_keeps_two_values(share):
    x = (np.arange(100) < 100 * share).astype(float)[:, None]
    for method in (Quantile(), Median(), Width()):
        codes = method.fit_transform(x)
        assert len(np.unique(codes)) == 2
    assert Quantile().fit(x).cuts_[0].tolist() == [0.0]


def test_width_cuts_are_equally_far_apart_and_never_overflow():
    assert Width(bins=4).fit([[0.0], [8.0]]).cuts_[0].tolist() == [2.0, 4.0, 6.0]
    wide = Width(bins=4).fit([[-1.7e308], [1.7e308]]).cuts_[0]
    assert np.isfinite(wide).all()
    np.testing.assert_allclose(np.diff(wide), 0.85e308)
    assert Width(bins=2).fit([[-inf], [0.0], [4.0], [inf]]).cuts_[0].tolist() == [2.0]
    assert Width(bins=2).fit([[-inf], [1.0], [inf]]).cuts_[0].tolist() == [-inf, 1.0]


@pytest.mark.parametrize("method", ALL, ids=lambda m: type(m).__name__)
@few
@given(data=numbers_with_classes(), seed=st.integers(0, 99))
def test_weights_repeat_rows_and_order_does_not_matter(method, data, seed):
    x, y = data
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, len(x))
    weights[0] = 1
    again, order = np.repeat(np.arange(len(x)), weights), rng.permutation(len(x))
    whole = method.fit(x[again, None], y[again]).cuts_[0].tolist()
    mixed = method.fit(x[order, None], y[order], sample_weight=weights[order]).cuts_[0].tolist()
    assert mixed == whole


@pytest.mark.parametrize("method", ALL, ids=lambda m: type(m).__name__)
@few
@given(data=numbers_with_classes(), holes=st.integers(0, 9), seed=st.integers(0, 99))
def test_sparse_columns_are_cut_as_dense_ones(method, data, holes, seed):
    x, y = data
    rng = np.random.default_rng(seed)
    X = np.column_stack([x, np.where(rng.random(len(x)) < holes / 10, 0, x)])
    X[rng.random(X.shape) < 0.1] = nan
    weights = rng.integers(0, 3, len(x)) / 3
    weights[0] = 1
    dense = method.fit(X, y, sample_weight=weights).cuts_
    for flavour in (sp.csr_matrix, sp.coo_array, sp.csc_array, sp.lil_matrix):
        thin = method.fit(flavour(X), y, sample_weight=weights).cuts_
        assert [c.tolist() for c in thin] == [c.tolist() for c in dense]
    stored = sp.csc_array((X.T.ravel(), np.tile(np.arange(len(x)), 2), [0, len(x), 2 * len(x)]))
    assert [c.tolist() for c in method.fit(stored, y, sample_weight=weights).cuts_] == [
        c.tolist() for c in dense
    ]


@few
@given(numbers_with_classes())
def test_codes_do_not_change_when_numbers_are_stretched(data):
    x, y = data
    stretched = np.sinh(x / 1e6) * 1e3 if abs(x).max() > 1e3 else np.sinh(x)
    for method in (MDL(), Quantile(), Median()):
        before = method.fit_transform(x[:, None], y)
        assert (method.fit_transform(stretched[:, None], y) == before).all()


def test_missing_numbers_are_left_out_and_stay_missing():
    x, y = np.arange(20.0), np.repeat([0, 1], 10)
    holey = np.append(x, [nan] * 5)[:, None]
    for method in ALL:
        cuts = method.fit(x[:, None], y).cuts_[0]
        assert method.fit(holey, np.append(y, [0] * 5)).cuts_[0].tolist() == cuts.tolist()
        assert np.isnan(method.transform(holey)[-5:]).all()
        assert method.fit(np.full((4, 1), nan), [0, 1, 0, 1]).cuts_[0].tolist() == []


@few
@given(numbers_with_classes(largest=700), st.booleans(), st.integers(0, 99))
def test_compiled_histograms_and_cuts_are_the_definition_s(data, weighted, seed):
    x, y = data
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(len(x)) < 0.1, nan, x + (seed % 2) * rng.random(len(x)).round(2))
    weights = rng.integers(0, 3, len(x)) / 7 if weighted else None
    y = y.astype(np.uint32)
    rows = np.sort(rng.permutation(2 * len(x))[: len(x)]).astype(np.int32)
    tall = np.zeros(2 * len(x), np.uint32)
    tall[rows] = y
    tall_weights = None if weights is None else rng.integers(0, 3, 2 * len(x)) / 7
    for where, target, w in ((None, y, weights), (rows, tall, tall_weights)):
        totals = np.bincount(target, w, minlength=4).astype(float)
        sizes = np.bincount(target if w is None else target[w > 0], minlength=4).astype(np.int64)
        arguments = (x, where, target, w, totals, sizes)
        fast, plain = _kernels.histogram(*arguments), histograms.histogram(*arguments)
        for ours, theirs in zip(fast, plain, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
        cuts = _kernels.mdl_cuts(*fast[1:], 4).tolist()
        assert cuts == definition.mdl_cuts(*plain[1:], 4).tolist()


@pytest.mark.parametrize("outlier", [1e300, -inf, 2.0])
def test_numbers_that_differ_in_their_last_bits_are_sorted_too(outlier):
    rng = np.random.default_rng(0)
    x = np.append(1 + rng.integers(0, 300, 2000) * 2.0**-52, [outlier, 1 - 2.0**-53])
    y = rng.integers(0, 3, len(x)).astype(np.uint32)
    sizes = np.bincount(y).astype(np.int64)
    arguments = (x, None, y, None, sizes.astype(float), sizes)
    for ours, theirs in zip(
        _kernels.histogram(*arguments), histograms.histogram(*arguments), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@few
@given(
    st.lists(st.floats(), max_size=20),
    st.lists(st.floats(allow_nan=False), max_size=90, unique=True),
    st.sampled_from([np.uint8, np.uint16, np.uint32]),
)
def test_compiled_codes_are_the_definition_s(x, cuts, dtype):
    numbers, edges = np.array([*x, *cuts]), np.sort(np.array(cuts, dtype=float))
    fast, plain = np.empty((2, len(numbers)), dtype=dtype)
    _kernels.digitize(numbers, edges, 200, fast)
    definition.digitize(numbers, edges, 200, plain)
    assert fast.tolist() == plain.tolist()


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    monkeypatch.setenv("JOINTBAYES_NUM_THREADS", threads)
    found = cut_columns(lambda h: h.values, [np.array([float(j)]) for j in range(7)], None, 1, None)
    assert [v.tolist() for v in found] == [[float(j)] for j in range(7)]


def test_covtype_is_cut_as_the_definition_says(shared):
    with lzma.open(shared / "data/uci/covtype.csv.xz", "rt") as file:
        rows = [next(file) for _ in range(20_001)][1:]
    table = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    X, y = np.asfortranarray(table[:, :10]), table[:, -1]
    target = np.unique(y, return_inverse=True)[1].astype(np.uint32)
    for cuts, x in zip(MDL().fit(X, y).cuts_, X.T, strict=True):
        totals = np.bincount(target).astype(float)
        plain = histograms.histogram(x, None, target, None, totals, totals.astype(np.int64))
        at = definition.mdl_cuts(*plain[1:], len(totals))
        assert cuts.tolist() == midpoints(plain[0][at], plain[0][at + 1]).tolist()


@pytest.mark.parametrize("bins", [1, 0, -3, 2.5, nan, "4", None])
@pytest.mark.parametrize("method", [Quantile, Width])
def test_bins_outside_their_range_are_refused(method, bins):
    with pytest.raises(ValueError, match=r"bins is .* at least 2"):
        method(bins=bins).fit([[1.0], [2.0], [3.0]])


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 1], "expected \\(3,\\)"),
        ([1, -1, 1], "is -1.0 in row 1"),
        ([1, nan, 1], "is nan in row 1"),
        ([1, inf, 1], "is inf in row 1"),
        ([0, 0, 0], "zero in every row"),
    ],
)
def test_bad_weights_are_named(weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_weights(weights, 3)


def test_a_table_of_numbers_is_cut_and_text_is_refused():
    assert Median().fit(Table.of([[1.0], [2.0], [3.0]])).cuts_[0].tolist() == [2.0]
    with pytest.raises(ValueError, match="column 'x0' is nominal"):
        Median().fit(Table.of([["a"], ["b"]]))
