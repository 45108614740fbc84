"""Markov boundaries and label factors: known truths, the paper's examples, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

import jointbayes as jb
from jointbayes import _kernels
from jointbayes.codes import Codes, SparseCodes
from jointbayes.counts import count
from jointbayes.errors import DataError, ParameterError
from jointbayes.graph import Dag
from jointbayes.independence import (
    Boundary,
    LabelFactors,
    Procedure,
    g2_test,
    iamb,
    label_factors,
    permutation_test,
)
from jointbayes.independence.boundary import find_boundary, joint_boundary
from jointbayes.independence.factors import factor_boundaries, find_label_factors
from jointbayes.independence.reading import read_codes
from jointbayes.select import MarkovBoundary
from jointbayes.synthetic import (
    TOY_FACTORS,
    duplicate,
    random_dag,
    random_network,
    sample_network,
    toy_dag,
    toy_problem,
)


def flip(column, share, rng):
    return column ^ (rng.random(len(column)) < share)


def network_rows(n=4000, seed=0):
    """Rows of x0 → y → x2 ← x1, x0 → x3, and noise x4: the boundary of y is x0, x1, x2."""
    rng = np.random.default_rng(seed)
    x0, x1, x4 = rng.integers(0, 2, (3, n))
    y = flip(x0, 0.2, rng)
    x2 = flip(y | x1, 0.1, rng)
    return np.stack([x0, x1, x2, flip(x0, 0.1, rng), x4], axis=1), y


def test_iamb_finds_parents_children_and_spouses():
    X, y = network_rows()
    for seed in range(3):
        assert iamb(X, y, random_state=seed) == (0, 1, 2)
    assert iamb(X, y, n_permutations=None) == (0, 1, 2)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_shrinking_in_between_ends_at_a_boundary_too(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (300, 6))
    X[:, 3] = flip(X[:, 0], 0.2, rng)
    y = flip(X[:, 0] & X[:, 1] | X[:, 2], 0.1, rng)
    codes, how = Codes.of(X, targets=y), Procedure(alpha=0.01, method="g2", search="inter_iamb")
    found = find_boundary(codes, 0, how)
    outside = [j for j in range(6) if j not in found.features]
    last = {r.phase: r for r in found.rounds if r.phase == "grow" or r.choice is None}
    if last["grow"].choice is None:  # and nothing is added that was dropped before
        assert last["grow"].given == found.features
        assert last["grow"].candidates.tolist() == outside
    for j in found.features:
        others = X[:, [k for k in found.features if k != j]]
        assert g2_test(X[:, j], y, others if others.size else None).p_value <= how.alpha
    for j in outside if last["grow"].choice is None else ():
        given_them = X[:, list(found.features)] if found.features else None
        assert g2_test(X[:, j], y, given_them).p_value > how.alpha


def test_shrinking_in_between_finds_the_same_by_more_tests():
    X, y = network_rows()
    codes = Codes.of(np.column_stack([flip(X[:, 0], 0.05, np.random.default_rng(1)), X]), targets=y)
    after, between = (
        find_boundary(codes, 0, Procedure(seed=0, search=search))
        for search in ("iamb", "inter_iamb")
    )
    assert after.features == between.features == (1, 2, 3)
    assert between.n_tests >= after.n_tests


def test_iamb_takes_what_fit_takes():
    X, y = network_rows(1500)
    words = np.array(["no", "yes"])
    expected = iamb(X, y, random_state=0)
    frame = pd.DataFrame(words[X], columns=list("abcde"))
    for same in (frame, csr_array(X), X.tolist(), X + 0.5, frame.astype("category")):
        assert iamb(same, words[y], random_state=0) == expected


def test_sparse_codes_have_the_boundary_of_dense_ones():
    X, y = network_rows(1000)
    codes = Codes.of(X, targets=y)
    rows = [np.flatnonzero(x) for x in X.T]
    ones = SparseCodes(
        codes=np.ones(int(X.sum()), dtype=np.uint8),
        rows=np.concatenate(rows).astype(np.int32),
        indptr=np.cumsum([0, *map(len, rows)]),
        default=np.zeros(5, dtype=np.uint8),
        shape=X.shape,
    )
    found = find_boundary(replace(codes, features=ones), 0, Procedure())
    assert found.features == find_boundary(codes, 0, Procedure()).features != ()


def test_numbers_are_cut_at_the_median_for_the_tests():
    X, y = network_rows()
    numbers = X + np.random.default_rng(1).normal(size=X.shape)
    high = numbers > np.median(numbers, axis=0)
    assert iamb(numbers, y, random_state=0) == iamb(high, y, random_state=0) != ()


def test_the_log_can_be_checked_test_by_test():
    X, y = network_rows(1000)
    found = find_boundary(Codes.of(X, targets=y), 0, Procedure(seed=9))
    assert found.rounds[0].phase == "grow"
    assert found.n_tests == sum(len(r.candidates) for r in found.rounds)
    chosen = [r for r in found.rounds if r.phase == "grow" and r.choice is not None]
    assert sorted(r.choice for r in chosen) == list(found.features)
    for r in chosen:
        logged = r.tests[int(np.flatnonzero(r.candidates == r.choice)[0])]
        assert logged.p_value == r.tests.p_value.min() <= 1e-3
        z = X[:, r.given] if r.given else None
        assert permutation_test(X[:, r.choice], y, z, random_state=9) == logged


def test_copies_are_said():
    X, y = network_rows(1000)
    codes = Codes.of(np.column_stack([X, 1 - X[:, 0]]), targets=y)
    found = find_boundary(codes, 0, Procedure())
    (member,) = {0, 5} & set(found.features)
    assert found.substitutes[member] == (5 - member,)


def test_the_joint_boundary_drops_what_another_member_makes_redundant():
    X, y = network_rows(2000)
    rng = np.random.default_rng(0)
    codes = Codes.of(X[:, [0, 0, 4]], targets=np.stack([y, flip(X[:, 0], 0.3, rng)], axis=1))
    parts = [Boundary((0,), ()), Boundary((1,), ())]
    assert len(joint_boundary(codes, (0, 1), parts, Procedure()).features) == 1


def test_a_member_stays_where_no_test_could_tell():
    X, y = network_rows(200)
    codes = Codes.of(np.column_stack([X[:, 0], np.arange(200)]), targets=y)
    kept = joint_boundary(codes, (0,), [Boundary((0, 1), ())], Procedure())
    assert 0 in kept.features


def test_or_is_joined_and_xor_is_not():
    a, b = np.random.default_rng(0).integers(0, 2, (2, 1000))
    found = LabelFactors.of(None, np.stack([a | b, a, b], axis=1), random_state=0)
    assert found.factors == ((0, 1, 2),)
    assert found.edges == ((0, 1), (0, 2))
    for nothing in (None, np.empty((1000, 0)), np.zeros((1000, 1))):
        xor = label_factors(nothing, np.stack([a ^ b, a, b], axis=1), random_state=0)
        assert xor == ((0,), (1,), (2,))


@pytest.mark.skipif(not _kernels.COMPILED, reason="too slow without the kernels")
@pytest.mark.parametrize("number", TOY_FACTORS)
def test_factors_of_the_toy_problem_are_recovered_from_many_rows(number):
    right = 0
    for seed in range(10):
        X, Y = toy_problem(number, 30_000, rng=seed)
        codes = Codes.of(X, targets=Y)
        found = find_label_factors(codes, tuple("abcde"), Procedure(seed=seed))
        assert all(b.features == (0,) for b in found.boundaries)
        assert factor_boundaries(codes, found, Procedure(seed=seed)) == ((0,),) * len(found.factors)
        right += found.factors == TOY_FACTORS[number]
    assert right >= 9


def test_duplicates_fall_apart():
    a, b = np.random.default_rng(0).integers(0, 2, (2, 2000))
    X, Y = duplicate(np.stack([a, a & b], axis=1), np.stack([a | b, b], axis=1), rng=0)
    assert label_factors(X, Y, random_state=0) == ((0, 1), (2, 3))


def test_edges_are_the_tests_at_the_level():
    X, Y = toy_problem(3, 2000, rng=1)
    found = LabelFactors.of(X.astype(str), Y, alpha=0.01, random_state=0)
    for i in range(5):
        for j in range(i):
            least = min(found.tests[i, j].p_value, found.tests[j, i].p_value)
            assert ((j, i) in found.edges) == (least <= 0.01)
            z = X[:, found.boundaries[i].features]
            again = permutation_test(Y[:, j], Y[:, i], z, random_state=0)
            assert again.statistic == pytest.approx(found.tests[i, j].statistic)


def test_constants_and_single_labels():
    X, y = network_rows(300)
    assert iamb(X, np.zeros(300)) == ()
    assert iamb(np.ones((300, 3)), y) == ()
    assert iamb(None, y) == ()
    assert label_factors(X, y) == label_factors(X, y[:, None]) == ((0,),)
    constant = np.stack([y, np.zeros(300, int), 1 - y], axis=1)
    assert label_factors(None, constant, random_state=0) == ((0, 2), (1,))


def test_bad_input_is_refused_with_a_sentence():
    X, y = network_rows(50)
    with pytest.raises(DataError, match="y has 2 columns; iamb takes one"):
        iamb(X, np.stack([y, y], axis=1))
    with pytest.raises(DataError, match="50 rows and targets 49"):
        iamb(X, y[:-1])
    with pytest.raises(DataError, match=r"label 'class' holds 0\.5"):
        iamb(X, y * 0.5)
    for level in (0, 1, -0.1, float("nan")):
        with pytest.raises(ParameterError, match="alpha is"):
            iamb(X, y, alpha=level)
    with pytest.raises(ParameterError, match="n_permutations is 0"):
        label_factors(X, y, n_permutations=0)
    with pytest.raises(ParameterError, match="random_state is 'x'"):
        label_factors(X, y, random_state="x")
    with pytest.raises(ParameterError, match="no DAG 6"):
        toy_problem(6, 10)


@pytest.mark.skipif(not _kernels.COMPILED, reason="too slow without the kernels")
def test_boundaries_of_a_real_data_set_do_not_depend_on_threads(shared):
    data = jb.load_dataset(shared / "data" / "multilabel" / "enron.arff.xz")
    codes, space = read_codes(data.X, data.Y)
    assert len(space) == 53
    for j in codes.targets.sum(axis=0).argsort()[-2:]:
        one, two = (find_boundary(codes, j, Procedure(n_jobs=k)) for k in (1, 2))
        assert one.features == two.features != ()
        assert [r.choice for r in one.rounds] == [r.choice for r in two.rounds]


def test_the_selector_keeps_the_boundary_in_any_container():
    X, y = network_rows(2000)
    selector = MarkovBoundary(random_state=0).fit(X, y)
    np.testing.assert_array_equal(selector.transform(X), X[:, [0, 1, 2]])
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = clone(selector).set_output(transform="pandas").fit(frame, y)
    assert list(named.transform(frame)) == list(named.get_feature_names_out()) == ["a", "b", "c"]
    table = jb.Table.of(frame)
    assert clone(selector).fit(table, y).transform(table).names == ("a", "b", "c")
    assert clone(selector).fit(csr_array(X), y).transform(csr_array(X)).shape == (2000, 3)


def test_the_selector_of_several_labels_keeps_what_any_of_them_needs():
    X, y = network_rows(3000)
    other = flip(X[:, 4], 0.2, np.random.default_rng(3))
    selector = MarkovBoundary(random_state=0).fit(X, np.stack([y, other], axis=1))
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 4]
    assert [b.features for b in selector.boundaries_] == [(0, 1, 2), (4,)]


def test_sampled_rows_have_the_frequencies_of_their_network():
    dag = random_dag(5, rng=3)
    network = random_network(dag, (2, 3, 2, 4, 2), rng=0, n_targets=2)
    codes = sample_network(network, 200_000, rng=1)
    for v, family in enumerate(network.families):
        table = count(codes, [family])[family]
        axis = family.index(v)
        whole = table.sum(axis=axis, keepdims=True)
        share = np.divide(table, whole, out=np.zeros_like(table), where=whole > 0)
        expected = np.exp(network.log_tables[v])
        spread = np.sqrt(expected * (1 - expected) / np.maximum(whole, 1))
        unseen = np.broadcast_to(whole == 0, share.shape)
        assert ((np.abs(share - expected) <= 5 * spread + 1e-12) | unseen).all()


def test_the_toy_graphs_are_those_of_the_paper():
    assert toy_dag(1) == Dag(((5,),) * 5 + ((),))
    assert [len(toy_dag(k).arcs) - 5 for k in TOY_FACTORS] == [0, 2, 3, 3, 4]


def test_duplicates_keep_rows_together_and_shuffle_copies():
    X, Y = np.arange(50)[:, None], np.arange(50)[:, None] + 100
    X3, Y3 = duplicate(X, Y, rng=0, copies=3)
    np.testing.assert_array_equal(X3 + 100, Y3)
    assert X3[:, 0].tolist() == X.ravel().tolist() == sorted(X3[:, 2].tolist())
    assert X3[:, 1].tolist() != X3[:, 2].tolist()
    sparse = duplicate(csr_array(X), csr_array(Y), rng=0, copies=3)[0]
    np.testing.assert_array_equal(sparse.toarray(), X3)
    named = duplicate(jb.Table.of(X), Y, rng=0)[0]
    assert named.names == ("x0", "x0.1")
    with pytest.raises(DataError, match="50 rows and Y 49"):
        duplicate(X, Y[:-1])
