"""Ties of three labels that no pair shows: found, rarely by chance, and only between components."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import ILFCompo
from jointbayes.codes import Codes
from jointbayes.errors import CostError, ParameterError
from jointbayes.independence import LabelFactors, Procedure, counts_test, label_factors
from jointbayes.independence.boundary import Boundary
from jointbayes.independence.triples import find_triples

NOTHING = Boundary((), ())


def parity(n, noise, rng, coins=0):
    """Three labels, of which one is the parity of the others but for noise, and coins."""
    a, b = rng.integers(0, 2, (2, n))
    c = a ^ b ^ (rng.random(n) < noise)
    return np.column_stack([a, b, c, *rng.integers(0, 2, (coins, n))])


def found_in(Y, **how):
    return label_factors(None, Y, n_permutations=None, random_state=0, ties="triples", **how)


def test_parity_is_found_the_more_often_the_more_rows_there_are():
    rng, power = np.random.default_rng(0), []
    for n in (25, 50, 100, 200):
        hits = [(0, 1, 2) in found_in(parity(n, 0.2, rng)) for _ in range(40)]
        power.append(np.mean(hits))
    assert power == sorted(power)
    assert power[0] < 0.35
    assert power[-1] > 0.95


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_coins_are_joined_by_threes_no_more_often_than_the_level_says(alpha):
    rng, trials, joined = np.random.default_rng(1), 150, 0
    codes = (
        Codes.of(np.empty((120, 0), int), targets=rng.integers(0, 2, (120, 5)))
        for _ in range(trials)
    )
    alone = [(j,) for j in range(5)]
    for one in codes:
        joined += bool(find_triples(one, [NOTHING] * 5, alone, Procedure(alpha, confirm=0)))
    spread = np.sqrt(alpha * (1 - alpha) / trials)
    assert joined / trials <= alpha + 3 * spread


def test_features_that_explain_the_parity_leave_nothing_to_join():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 600))
    Y = np.column_stack([a, b, a ^ b])
    assert found_in(Y) == ((0, 1, 2),)
    # Given a and b each label is a constant of its stratum.
    X = np.column_stack([a, b, 2 * a + b]).astype(str)
    assert label_factors(X, Y, random_state=0, ties="triples") == ((0,), (1,), (2,))


def test_a_component_is_tied_by_one_of_its_labels():
    rng = np.random.default_rng(3)
    Y = parity(500, 0.05, rng, coins=1)
    Y = np.column_stack([Y, Y[:, 0]])  # a copy: by pairs the labels 0 and 4 are one component
    found = LabelFactors.of(None, Y, random_state=0, ties="triples")
    assert found.factors == ((0, 1, 2, 4), (3,))
    assert found.edges == ((0, 4),)
    assert found.triples == ((0, 1, 2), (1, 2, 4))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_triples_are_those_that_tests_one_by_one_find(seed):
    rng = np.random.default_rng(seed)
    Y = parity(80, 0.2, rng, coins=1)
    how = Procedure(0.01, "g2")
    found = find_triples(
        Codes.of(np.empty((80, 0), int), targets=Y), [NOTHING] * 4, [(j,) for j in range(4)], how
    )
    slow = set()
    for i in range(4):
        for j in range(4):
            for k in range(j + 1, 4):
                if i in (j, k):
                    continue
                counts = np.zeros((2, 4))
                np.add.at(counts, (Y[:, i], 2 * Y[:, j] + Y[:, k]), 1)
                if counts_test(counts, method="g2").p_value <= 0.01 / 12:
                    slow.add(tuple(sorted((i, j, k))))
    assert set(found) == slow


def test_ilf_compo_learns_parity_together():
    rng = np.random.default_rng(4)
    Y, X = parity(300, 0.0, rng), rng.integers(0, 2, (300, 1))
    model = ILFCompo(test=Procedure(ties="triples"), random_state=0).fit(X, Y)
    assert model.factors_ == ((0, 1, 2),)
    a, b, c = model.predict(X).T
    assert ((a ^ b) == c).all()
    assert ILFCompo(random_state=0).fit(X, Y).factors_ == ((0,), (1,), (2,))


def test_every_test_of_a_triple_has_to_reject_by_the_rule_both():
    Y = parity(400, 0.1, np.random.default_rng(5))
    assert found_in(Y, rule="both") == ((0, 1, 2),)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="ties is 'fours'"):
        Procedure(ties="fours")
    wide = np.random.default_rng(0).integers(0, 2, (4, 90))
    codes = Codes.of(np.empty((4, 0), int), targets=wide)
    with pytest.raises(CostError, match="tests"):
        find_triples(codes, [NOTHING] * 90, [(j,) for j in range(90)], Procedure())


def exclusive(n, rng):
    """Two labels that mostly agree, and a third: where they do not, which none of them tells."""
    a = rng.integers(0, 2, n)
    b = a ^ (rng.random(n) < 0.25)
    return np.column_stack([a, b, a ^ b])


@pytest.mark.parametrize("rule", ["either", "both"])
def test_a_label_is_tied_to_two_that_pairs_have_joined(rule):
    Y = exclusive(400, np.random.default_rng(6))
    by_pairs = label_factors(None, Y, random_state=0, rule=rule)
    assert by_pairs == ((0, 1), (2,))
    assert found_in(Y, rule=rule) == ((0, 1, 2),)


def test_coins_are_not_tied_to_two_that_pairs_have_joined():
    rng, alpha, trials, joined = np.random.default_rng(7), 0.05, 150, 0
    for _ in range(trials):
        Y = np.column_stack([exclusive(120, rng)[:, :2], rng.integers(0, 2, (120, 2))])
        codes = Codes.of(np.empty((120, 0), int), targets=Y)
        how = Procedure(alpha, confirm=0)
        joined += bool(find_triples(codes, [NOTHING] * 4, [(0, 1), (2,), (3,)], how))
    assert joined / trials <= alpha + 3 * np.sqrt(alpha * (1 - alpha) / trials)
