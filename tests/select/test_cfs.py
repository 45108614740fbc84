"""Correlation-based feature selection against its definition, written out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from jointbayes.codes import Codes
from jointbayes.discretize import MDL
from jointbayes.select import CFS
from jointbayes.select.cfs import add_locally_predictive, best_first, uncertainties


def uncertainty(a, b):
    h_a, h_b = mutual_info_score(a, a), mutual_info_score(b, b)
    return 2 * mutual_info_score(a, b) / (h_a + h_b) if h_a + h_b > 0 else 0.0


def merit(subset, with_class, among):
    k = len(subset)
    told = np.mean([with_class[i] for i in subset])
    shared = np.mean([among[i, j] for i, j in combinations(subset, 2)] or [0.0])
    return k * told / np.sqrt(k + k * (k - 1) * shared)


def obvious_search(with_class, among, stale):
    """Hall's search: five subsets wait, the best is expanded, five barren expansions end it."""
    waiting, seen, best, top, barren = [(0.0, ())], {()}, (), 0.0, 0
    while waiting and barren < stale:
        waiting.sort(key=lambda node: -node[0])
        _, members = waiting.pop(0)
        improved = False
        for i in set(range(len(with_class))) - set(members):
            child = tuple(sorted((*members, i)))
            if child in seen:
                continue
            seen.add(child)
            found = merit(child, with_class, among)
            waiting.append((found, child))
            if found > top + 1e-5:
                best, top, improved = child, found, True
        waiting = sorted(waiting, key=lambda node: -node[0])[:stale]
        barren = 0 if improved else barren + 1
    return best


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_the_search_finds_what_the_obvious_one_finds(seed, p, stale):
    rng = np.random.default_rng(seed)
    with_class = rng.random(p)
    half = np.triu(rng.random((p, p)), 1)
    among = half + half.T + np.eye(p)
    found = best_first(with_class, among, stale)
    assert found == obvious_search(with_class, among, stale)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_features_that_are_added_tell_more_of_the_class_than_any_before_tells_of_them(seed):
    rng = np.random.default_rng(seed)
    with_class = np.where(rng.random(8) < 0.2, 0.0, rng.random(8))
    half = np.triu(rng.random((8, 8)), 1)
    among = half + half.T + np.eye(8)
    subset = best_first(with_class, among)
    grown = list(subset)
    for i in sorted(range(8), key=lambda i: -with_class[i]):
        if i not in grown and with_class[i] > 0 and max(among[i, grown]) <= with_class[i]:
            grown.append(i)
    assert add_locally_predictive(subset, with_class, among) == tuple(sorted(grown))


def test_uncertainties_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, (60, 4)), rng.integers(0, 2, (60, 2))
    X[:, 3] = 1
    with_labels, among = uncertainties(Codes.of(X, targets=Y))
    for i in range(4):
        for j in range(2):
            assert with_labels[j, i] == pytest.approx(uncertainty(X[:, i], Y[:, j]))
        for j in set(range(3)) - {i}:
            assert among[i, j] == pytest.approx(uncertainty(X[:, i], X[:, j]))


@pytest.mark.parametrize("discretizer", ["mdl", "quantile", MDL()], ids=str)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_numbers_are_cut_by_each_label(discretizer, order):
    X = np.random.default_rng(0).random((400, 2))
    Y = (X > 0.5).astype(int)[:, order]
    assert CFS(discretizer=discretizer).fit(X, Y).subsets_ == tuple((j,) for j in order)


def test_the_union_over_labels_is_kept_and_locally_predictive_features_come_on_top():
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, (300, 2))
    noisy = [np.where(rng.random(300) < 0.15, 1 - Y[:, j], Y[:, j]) for j in (0, 0, 1)]
    X = np.column_stack([*noisy, rng.integers(0, 2, 300)])
    plain, local = (CFS(locally_predictive=local).fit(X, Y) for local in (False, True))
    assert plain.selected_.tolist() == sorted(set().union(*plain.subsets_)) == [0, 1, 2]
    assert all(
        set(few) <= set(many) for few, many in zip(plain.subsets_, local.subsets_, strict=True)
    )
    np.testing.assert_array_equal(plain.transform(X), X[:, plain.selected_])
