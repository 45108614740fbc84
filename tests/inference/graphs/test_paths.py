"""Paths that automata read along: against sums and maxima over all vectors, and what they cost."""

from __future__ import annotations

from itertools import product
from math import log2, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import space_of

from jointbayes import rules
from jointbayes.inference.graphs.paths import plan_path
from jointbayes.inference.graphs.plan import merge_factors, plan_factors
from jointbayes.inference.graphs.walks import count_along, rank_along, sample_along, sum_along
from jointbayes.rules import Automaton, compile_rules

ROWS = 2


@st.composite
def ruled_graphs(draw):
    """Factors over binary variables and one that is not, and automata over some of them."""
    d = draw(st.integers(1, 6))
    cards = [draw(st.integers(2, 3)), *[2] * (d - 1)]
    scopes = draw(
        st.lists(st.lists(st.integers(0, d - 1), min_size=1, max_size=3, unique=True), max_size=5)
    )
    asked = []
    for _ in range(draw(st.integers(1, 3))):
        some = draw(st.lists(st.integers(0, d - 1), min_size=1, unique=True))
        asked.append(counter(some, cards, draw(st.integers(0, 3)), draw(st.integers(0, 3))))
    return scopes, cards, asked, draw(st.integers(0, 2**32 - 1))


def counter(labels, cards, least, most):
    """Accept sums of codes between two numbers."""
    top = sum(cards)
    states = np.arange(top + 1)
    steps = [np.minimum(states[:, None] + np.arange(cards[j]), top) for j in labels]
    return Automaton(tuple(labels), tuple(steps), (states >= least) & (states <= least + most))


def by_definition(scopes, factors, cards, automata):
    """The sum of factors of every vector that is accepted, by row."""
    found = {}
    for y in product(*map(range, cards)):
        if all(automaton.obeys(np.array(y)) for automaton in automata):
            rows = [
                f[(slice(None), *(y[v] for v in s))] for s, f in zip(scopes, factors, strict=True)
            ]
            found[y] = np.sum(rows, axis=0) + np.zeros(ROWS)
    return found


@settings(max_examples=60, deadline=None)
@given(ruled_graphs())
def test_every_walk_is_that_over_all_vectors(graph):
    scopes, cards, automata, seed = graph
    rng = np.random.default_rng(seed)
    factors = [rng.normal(size=(ROWS, *(cards[v] for v in s))) for s in scopes]
    plan = plan_factors(scopes, cards)
    tables = merge_factors(plan, factors, ROWS)
    path = plan_path(plan, automata)
    slow = by_definition(scopes, factors, cards, automata)
    total = sum_along(path, tables)
    if not slow:
        assert len(path.tallies) == 0
        assert np.isneginf(total).all()
        return
    score = np.stack(list(slow.values()))
    np.testing.assert_allclose(total, np.log(np.exp(score).sum(axis=0)), atol=1e-9)
    codes, best = rank_along(path, tables, 5)
    ranked = -np.sort(-score, axis=0)[:5].T
    np.testing.assert_allclose(best[:, : ranked.shape[1]], ranked, atol=1e-9)
    for row in range(ROWS):
        held = [tuple(y) for y, s in zip(codes[row].tolist(), best[row], strict=True) if s > -9e9]
        assert len(set(held)) == len(held) == ranked.shape[1]
        np.testing.assert_allclose([slow[y][row] for y in held], ranked[row], atol=1e-9)
    p = np.exp(score - total)
    marginals = count_along(path, tables, len(cards))[..., 0]
    every = np.array(list(slow))
    expected = [p[every[:, j] == c].sum(axis=0) for j, k in enumerate(cards) for c in range(k)]
    np.testing.assert_allclose(marginals.T, expected, atol=1e-9)
    drawn = sample_along(path, tables, 30, rng)
    assert {tuple(y) for y in drawn.reshape(-1, len(cards)).tolist()} <= set(slow)


def test_samples_come_as_often_as_they_are_probable():
    plan = plan_factors([(0, 1), (1, 2)], (2, 2, 2))
    factors = [np.random.default_rng(j).normal(size=(1, 2, 2)) for j in range(2)]
    automata = compile_rules([rules.at_least(1), rules.at_most(2)], space_of((2, 2, 2)))
    path, tables = plan_path(plan, automata), merge_factors(plan, factors, 1)
    drawn = sample_along(path, tables, 20_000, np.random.default_rng(0))[:, 0]
    slow = by_definition(plan.given, factors, (2, 2, 2), automata)
    total = sum(np.exp(score[0]) for score in slow.values())
    for y, score in slow.items():
        p = np.exp(score[0]) / total
        assert abs((drawn == y).all(axis=1).mean() - p) < 4 * np.sqrt(p * (1 - p) / 20_000)


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_has_few_labels_open_and_a_counter_few_states(seed):
    d, k = 120, 9
    parents = [int(np.random.default_rng(seed * d + j).integers(0, j)) for j in range(1, d)]
    plan = plan_factors([(j + 1, parent) for j, parent in enumerate(parents)], (2,) * d)
    path = plan_path(plan, compile_rules([rules.at_most(k)], space_of((2,) * d)))
    assert sorted(turn.variable for turn in path.turns) == list(range(d))
    assert sorted(v for turn in path.turns for v in turn.closed) == list(range(d))
    assert max(len(turn.frontier) for turn in path.turns) <= log2(d) + 1
    assert path.largest <= (k + 1) * 2 ** int(log2(d) + 1)
    assert max(turn.before.shape[0] for turn in path.turns) == k + 1  # what is over is dropped


def test_rules_of_separate_labels_are_read_one_after_the_other():
    """Ten groups of five that exclude each other, mixed up: never all ten counters at once."""
    names = np.random.default_rng(0).permutation(50).reshape(10, 5)
    asked = [rules.exclusive(*(f"y{j}" for j in group)) for group in names]
    plan = plan_factors([(j,) for j in range(50)], (2,) * 50)
    path = plan_path(plan, compile_rules(asked, space_of((2,) * 50)))
    assert max(turn.before.shape[0] for turn in path.turns) == 2
    tables = [np.zeros((2, 1))] * 50
    assert sum_along(path, tables)[0] == pytest.approx(10 * np.log(6))


def test_a_path_that_is_too_large_is_not_made():
    plan = plan_factors([(j,) for j in range(30)], (2,) * 30)
    automata = compile_rules([rules.at_most(9)], space_of((2,) * 30))
    path = plan_path(plan, automata)
    assert path.cells == sum(
        turn.before.shape[0] * turn.before.shape[2] * prod(2 for _ in turn.frontier)
        for turn in path.turns
    )
    assert plan_path(plan, automata, max_cells=path.cells - 1) is None
    assert plan_path(plan, automata, max_cells=2 * path.cells) is not None
