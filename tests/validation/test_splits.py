"""Splits: laws of partitions, and evenness against the published algorithm row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from jointbayes.datasets import load_dataset
from jointbayes.errors import DataError, ParameterError
from jointbayes.validation import Folds, HoldOut, as_splitter, train_test_split
from jointbayes.validation.stratification import carried_items, deal, even_out, unevenness

few = settings(max_examples=50, deadline=None)
label_matrices = hnp.arrays(
    np.int8,
    st.tuples(st.integers(10, 40), st.integers(1, 6)),
    elements=st.integers(0, 1),
)
STRATIFY = ("iterative", "rarest", "none")


def published(Y, shares, rng):
    """Iterative stratification as printed (Sechidis et al. 2011), one row at a time."""
    n, n_labels = Y.shape
    room = [n * r for r in shares]
    desire = [[Y[:, label].sum() * r for label in range(n_labels)] for r in shares]
    part = np.full(n, -1)

    def give(i, bids):
        best = [j for j in range(len(shares)) if np.isclose(bids[j], max(bids))]
        roomiest = [j for j in best if np.isclose(room[j], max(room[b] for b in best))]
        j = part[i] = rng.choice(roomiest)
        room[j] -= 1
        for label in np.flatnonzero(Y[i]):
            desire[j][label] -= 1

    while (Y[part < 0]).any():
        left = Y[part < 0].sum(axis=0)
        label = rng.choice(np.flatnonzero(left == left[left > 0].min()))
        for i in rng.permutation(np.flatnonzero((part < 0) & (Y[:, label] == 1))):
            give(i, [d[label] for d in desire])
    for i in rng.permutation(np.flatnonzero(part < 0)):
        give(i, room)
    return part


def label_distribution(Y, part):
    """The paper's own measure of evenness: mean |S_jl/(S_j - S_jl) - D_l/(D - D_l)|."""
    Y = Y[:, (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < len(Y))]
    total = Y.sum(axis=0)
    apart = []
    for j in np.unique(part):
        inside = Y[part == j].sum(axis=0)
        apart.append(np.abs(inside / ((part == j).sum() - inside) - total / (len(Y) - total)))
    return np.mean(apart)


@pytest.fixture(scope="module")
def label_matrix(shared):
    return lambda name: load_dataset(shared / "data" / "multilabel" / f"{name}.arff.xz").Y


@pytest.mark.parametrize("name", ["flags", "emotions", "CAL500", "yeast"])
def test_label_proportions_are_no_worse_than_the_published_algorithms(name, label_matrix):
    Y = label_matrix(name)
    carried, shares = carried_items(Y), np.full(10, 0.1)
    ours, theirs = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        before = published(Y, shares, rng)
        after = even_out(carried, deal(carried, shares, rng), shares)
        ours.append(label_distribution(Y, after))
        theirs.append(label_distribution(Y, before))
        assert unevenness(carried, after, shares) <= unevenness(carried, before, shares)
    assert np.mean(ours) <= np.mean(theirs)


def test_dealing_by_items_draws_from_the_published_distribution():
    # Five rows, two labels: every outcome of the row-by-row algorithm, with its frequency.
    Y = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0]])
    shares, n = [0.6, 0.4], 1000
    rng = np.random.default_rng(0)
    carried = carried_items(Y)
    draws = [
        (tuple(published(Y, shares, rng)), tuple(deal(carried, shares, rng))) for _ in range(n)
    ]
    theirs, ours = ([pair[side] for pair in draws] for side in (0, 1))
    assert set(ours) == set(theirs)
    for outcome in set(theirs):
        p, q = theirs.count(outcome) / n, ours.count(outcome) / n
        assert abs(p - q) < 4.5 * np.sqrt((p + q) / n), outcome


def test_every_label_of_bibtex_keeps_its_share(label_matrix):
    Y = label_matrix("bibtex")
    assert Y.shape == (7395, 159)
    folds = list(Folds(10, random_state=0).split(None, Y))
    counts = np.array([Y[test].sum(axis=0) for _, test in folds])
    assert (counts > 0).all()
    assert np.abs(counts - Y.sum(axis=0) / 10).mean() < 0.5


@few
@given(label_matrices, st.integers(2, 5), st.integers(1, 2), st.sampled_from(STRATIFY))
def test_every_row_is_tested_once_in_each_repetition(Y, k, repeats, stratify):
    splitter = Folds(k, repeats, stratify, random_state=0)
    splits = list(splitter.split(np.zeros((len(Y), 1)), Y))
    assert len(splits) == splitter.get_n_splits() == k * repeats
    for train, test in splits:
        assert len(test) > 0
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(len(Y)))
    for r in range(repeats):
        tested = np.concatenate([test for _, test in splits[r * k : (r + 1) * k]])
        assert np.array_equal(np.sort(tested), np.arange(len(Y)))


@settings(max_examples=20, deadline=None)
@given(label_matrices, st.integers(2, 5), st.integers(0, 9))
def test_evening_out_moves_only_towards_evenness(Y, k, seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(k, 5.0))
    carried, part = carried_items(Y), rng.integers(0, k, len(Y))
    moved = even_out(carried, part, shares)
    assert unevenness(carried, moved, shares) <= unevenness(carried, part, shares) + 1e-9
    for i in range(len(Y)):  # a local optimum: no single move is better
        for j in range(k):
            other = moved.copy()
            other[i] = j
            gain = unevenness(carried, moved, shares) - unevenness(carried, other, shares)
            assert gain < 1e-6


@few
@given(label_matrices, st.integers(2, 5))
def test_unevenness_is_the_chi_square_of_labels_and_sizes_by_parts(Y, k):
    part = np.random.default_rng(0).integers(0, k, len(Y))

    def chi_square(column):
        desired = column.sum() / k
        return sum((column[part == j].sum() - desired) ** 2 for j in range(k)) / desired

    occurring = Y[:, Y.any(axis=0)].T
    expected = max(len(occurring), 1) ** 0.5 * chi_square(np.ones(len(Y)))
    expected += sum(chi_square(column) for column in occurring)
    assert unevenness(carried_items(Y), part, np.full(k, 1 / k)) == pytest.approx(expected)


@few
@given(st.integers(10, 60), st.integers(2, 10))
def test_plain_folds_differ_by_one_row_at_most(n, k):
    sizes = [len(test) for _, test in Folds(k, stratify="none").split(np.zeros(n))]
    assert max(sizes) - min(sizes) <= 1


@few
@given(label_matrices, st.integers(2, 5))
def test_the_rarest_label_is_spread_evenly(Y, k):
    total = Y.sum(axis=0)
    if not total.any():
        return
    rarest = int(np.where(total > 0, total, len(Y) + 1).argmin())
    splits = list(Folds(k, stratify="rarest", random_state=0).split(None, Y))
    for counts in (
        [Y[test, rarest].sum() for _, test in splits],
        [len(test) for _, test in splits],
    ):
        assert max(counts) - min(counts) <= 1


def test_values_of_many_valued_targets_are_spread_too():
    rng = np.random.default_rng(0)
    Y = np.column_stack(
        [rng.choice(list("abc"), 300, p=[0.1, 0.3, 0.6]), rng.choice(list("xy"), 300)]
    )
    for _, test in Folds(5, random_state=0).split(None, Y):
        for column in Y.T:
            for value in np.unique(column):
                share = (column == value).sum() / 5
                assert abs((column[test] == value).sum() - share) < 1.5
    y = Y[:, 0]
    for _, test in Folds(5, random_state=0).split(None, y):
        assert abs((y[test] == "a").sum() - (y == "a").sum() / 5) < 1


@pytest.mark.parametrize("share", [0.34, 0.1])
def test_a_hold_out_has_its_share_of_rows_and_labels(label_matrix, share):
    Y = label_matrix("emotions")
    splits = list(HoldOut(share, n_repeats=3, random_state=0).split(None, Y))
    assert len({tuple(test) for _, test in splits}) == 3
    for train, test in splits:
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(len(Y)))
        assert abs(len(test) - share * len(Y)) < 3
        assert (np.abs(Y[test].sum(axis=0) - share * Y.sum(axis=0)) < 2).all()


def test_a_seed_fixes_the_splits_in_any_container():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    Y = (rng.random((50, 3)) < 0.3).astype(int)
    names = ["a", "b", "c"]
    expected = [test.tolist() for _, test in Folds(3, random_state=7).split(None, Y)]
    containers = [
        Y.tolist(),
        Y.astype(bool),
        np.where(Y, "yes", "no"),
        sparse.csr_array(Y),
        sparse.coo_matrix(Y),
        pandas.DataFrame(Y, columns=names),
        polars.DataFrame(Y, schema=names),
    ]
    for container in containers:
        found = [test.tolist() for _, test in Folds(3, random_state=7).split(None, container)]
        assert found == expected
    other = [test.tolist() for _, test in Folds(3, random_state=8).split(None, Y)]
    assert other != expected
    for X in (*containers, rng.random((50, 2))):
        parts = train_test_split(X, Y, test_size=0.3, random_state=0)
        assert [np.shape(p)[0] for p in parts] == [35, 15, 35, 15]
        assert type(parts[0]) is type(X) or sparse.issparse(X)


def test_scikit_learn_takes_them_as_cv():
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    Y = (X > 0.7).astype(int)
    tree = DecisionTreeClassifier(random_state=0)
    assert len(cross_val_score(tree, X, Y, cv=as_splitter("5x2", random_state=0))) == 10
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=Folds(3, random_state=0)).fit(X, Y)
    assert search.n_splits_ == 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Folds(1).split(None, [0, 1]), ParameterError, "n_splits .* found 1"),
        (lambda: Folds(2, 0).split(None, [0, 1]), ParameterError, "n_repeats .* found 0"),
        (lambda: Folds(2, stratify="all").split(None, [0, 1]), ParameterError, "'all'"),
        (lambda: Folds(3).split(None, [0, 1]), DataError, "2 rows .* 3 parts"),
        (lambda: Folds(2).split([[1], [2]]), DataError, "pass y"),
        (lambda: Folds(2).split([[1]], [0, 1]), DataError, "X has 1 rows and the labels 2"),
        (lambda: Folds(2).split(None, [0.5, np.nan]), DataError, "row 1"),
        (lambda: HoldOut(1.0).split(None, [0, 1]), ParameterError, "found 1.0"),
        (lambda: HoldOut(0.01).split(None, [0, 1]), DataError, "part empty"),
        (lambda: HoldOut(0.5, n_repeats=0.5).split(None, [0, 1]), ParameterError, "found 0.5"),
        (lambda: as_splitter("ten"), ParameterError, "'ten'"),
    ],
)
def test_refusals_name_what_was_found(call, error, words):
    with pytest.raises(error, match=words):
        list(call())
