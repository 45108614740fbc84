"""Plans of elimination: valid on random graphs, best where that is known, honest in their cost."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import space_of

import jointbayes.posterior.factor_graph as module
from jointbayes.errors import DataError, StructureError
from jointbayes.inference.graphs.plan import merge_factors, plan_factors, plan_tree
from jointbayes.posterior import FactorGraph, Tree

graphs = st.integers(1, 9).flatmap(
    lambda d: st.tuples(
        st.lists(st.lists(st.integers(0, d - 1), min_size=1, max_size=4, unique=True), max_size=12),
        st.lists(st.integers(1, 4), min_size=d, max_size=d),
    )
)


@settings(max_examples=50, deadline=None)
@given(graphs)
def test_every_factor_and_message_finds_its_table(graph):
    scopes, cards = graph
    plan = plan_factors(scopes, cards)
    order = [step.variable for step in plan.steps]
    assert sorted(order) == list(range(len(cards)))
    assert plan.given == tuple(map(tuple, scopes))
    for scope, host in zip(plan.given, plan.hosts, strict=True):
        assert set(scope) <= set(plan.scopes[host])
    placed = [i for step in plan.steps for i in step.tables]
    assert sorted(placed) == list(range(len(plan.scopes)))
    sent = [child for step in plan.steps for child in step.children]
    assert sorted(sent) == sorted(set(order) - set(plan.roots))
    for place, step in enumerate(plan.steps):
        assert not set(step.separator) & set(order[: place + 1])
        for i in step.tables:
            assert set(plan.scopes[i]) <= set(step.clique)
        for child in step.children:
            assert plan.at[child] < place
            assert set(plan.steps[plan.at[child]].separator) <= set(step.clique)
    sizes = [prod(cards[v] for v in step.clique) for step in plan.steps]
    assert (plan.cells, plan.largest, plan.bytes) == (sum(sizes), max(sizes), 8 * sum(sizes))


@settings(max_examples=50, deadline=None)
@given(graphs, st.integers(0, 2**32 - 1))
def test_merged_factors_are_the_same_function(graph, seed):
    scopes, cards = graph
    rng = np.random.default_rng(seed)
    factors = [rng.normal(size=(rng.choice([1, 2]), *(cards[v] for v in s))) for s in scopes]
    plan = plan_factors(scopes, cards)
    tables = merge_factors(plan, factors, 2)
    y = tuple(int(rng.integers(card)) for card in cards)
    for row in range(2):
        expected = sum(
            f[(row % len(f), *(y[v] for v in s))] for f, s in zip(factors, scopes, strict=True)
        )
        found = sum(t[(*(y[v] for v in s), row)] for t, s in zip(tables, plan.scopes, strict=True))
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("scopes", "d", "width"),
    [
        ([(i, i + 1) for i in range(9)], 10, 1),
        ([(0, i) for i in range(1, 10)], 10, 1),
        ([(i, (i + 1) % 10) for i in range(10)], 10, 2),
        ([tuple(range(6))], 6, 5),
        ([(i, j) for i in range(6) for j in range(i)], 6, 5),
        ([(i, i + 1, i + 2, i + 3) for i in range(12)], 15, 3),
        ([], 4, 0),
        (
            [(i + 4 * j, i + 1 + 4 * j) for i in range(3) for j in range(8)]
            + [(i + 4 * j, i + 4 * j + 4) for i in range(4) for j in range(7)],
            32,
            4,
        ),
    ],
    ids=["chain", "star", "ring", "one table", "all pairs", "3-tree", "no factor", "grid"],
)
def test_width_of_graphs_whose_treewidth_is_known(scopes, d, width):
    assert plan_factors(scopes, (2,) * d).width == width


def test_weights_decide_where_values_are_many():
    # Eliminating the wide label first would leave a table of 50 × 2 × 2; last, none is that large.
    plan = plan_factors([(0, 1), (1, 2), (2, 3), (3, 0)], (50, 2, 2, 2))
    assert plan.steps[0].variable == 2
    assert plan.largest == 200


def test_components_are_solved_apart():
    plan = plan_factors([(0, 1), (2, 3)], (2, 2, 2, 2))
    assert len(plan.roots) == 2
    assert plan.cells == 2 * (4 + 2)
    assert "2 components" in str(plan)


def test_a_plan_says_what_it_costs():
    plan = plan_factors([tuple(range(10))], (2,) * 10)
    assert plan.bytes == 8 * sum(2**k for k in range(1, 11)) == 16_368
    assert "width 9" in str(plan)
    assert plan.fits(16_368)
    assert not plan.fits(16_367)
    assert not plan.fits(20_000, copies=2)


@pytest.mark.parametrize("scope", [(), (0, 0), (0, 3), (-1,)])
def test_scopes_that_make_no_sense_are_refused(scope):
    with pytest.raises(StructureError, match="variables from 0 to 2"):
        plan_factors([(0, 1), scope], (2, 2, 2))


def test_a_cycle_has_no_plan():
    with pytest.raises(StructureError, match="variable 1 is its own ancestor"):
        plan_tree((-1, 2, 1), (2, 2, 2))


def random_graph(seed, n=23):
    rng = np.random.default_rng(seed)
    scopes = [(0, 3, 1), (2, 4), (1, 2), (5, 4), (3,), (6, 0)]
    cards = (2, 2, 2, 2, 2, 2, 2)
    factors = [rng.normal(size=(n, *(cards[v] for v in s))) for s in scopes]
    plan = plan_factors(scopes, cards)
    return FactorGraph(plan, merge_factors(plan, factors, n), space_of(cards)), factors


def test_blocks_of_rows_change_nothing(monkeypatch):
    whole, _ = random_graph(1)
    answers = [whole.map(), whole.top_k(7)[1], np.hstack(whole.marginals()), whole.decide("f1")]
    draws = whole.sample(3)
    monkeypatch.setattr(module, "CACHE_CELLS", 1)
    rows, _ = random_graph(1)
    again = [rows.map(), rows.top_k(7)[1], np.hstack(rows.marginals()), rows.decide("f1")]
    for one, other in zip(answers, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(draws, rows.sample(3))


def test_constants_of_any_size_cancel():
    post, factors = random_graph(2)
    shifted = [f + c for f, c in zip(factors, (1e5, -1e5, 800, -800, 0, 3), strict=True)]
    other = FactorGraph(post.plan, merge_factors(post.plan, shifted, 23), post.space)
    np.testing.assert_array_equal(post.map(), other.map())
    np.testing.assert_allclose(np.hstack(post.marginals()), np.hstack(other.marginals()), atol=1e-9)


def test_a_tree_is_a_factor_graph():
    rng = np.random.default_rng(4)
    parents, cards = (2, 0, -1, 2, -1), (2, 3, 2, 2, 3)
    above = [1 if p < 0 else cards[p] for p in parents]
    log_p = [np.log(rng.dirichlet(np.ones(k), (6, a))) for a, k in zip(above, cards, strict=True)]
    tree = Tree(parents, log_p, space_of(cards))
    scopes = [(j,) if p < 0 else (p, j) for j, p in enumerate(parents)]
    plan = plan_factors(scopes, cards)
    factors = [p[:, 0] if a == 1 else p for p, a in zip(log_p, above, strict=True)]
    graph = FactorGraph(plan, merge_factors(plan, factors, 6), space_of(cards))
    np.testing.assert_allclose(graph._log_z, 0, atol=1e-12)
    for one, other in zip(tree.top_k(20), graph.top_k(20), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    for one, other in zip(tree.marginals(), graph.marginals(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_factors_that_exclude_everything_are_refused():
    plan = plan_factors([(0, 1)], (2, 2))
    table = np.zeros((2, 2, 3))
    table[..., 1] = -np.inf
    post = FactorGraph(plan, [table], space_of((2, 2)))
    for ask in (post.map, post.marginals, lambda: post.sample(1), lambda: post.decide("f1")):
        with pytest.raises(DataError, match="no label vector"):
            ask()


def test_all_vectors_of_a_large_sparse_graph_sum_to_one():
    """Sixteen labels in a ring, all 65,536 vectors: beyond what the laws enumerate."""
    rng = np.random.default_rng(0)
    scopes = [(i, (i + 1) % 16) for i in range(16)]
    plan = plan_factors(scopes, (2,) * 16)
    factors = [rng.normal(size=(2, 2, 2)) for _ in scopes]
    post = FactorGraph(plan, merge_factors(plan, factors, 2), space_of((2,) * 16))
    every = np.array(list(product((0, 1), repeat=16)))
    log_p = post._log_prob(np.broadcast_to(every, (2, *every.shape)))
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1, rtol=1e-10)
    np.testing.assert_allclose(post.top_k(50)[1], -np.sort(-log_p, axis=1)[:, :50], rtol=1e-10)
    np.testing.assert_array_equal(post.map(), every[log_p.argmax(axis=1)])
    expected = np.exp(log_p) @ every
    np.testing.assert_allclose(
        np.stack([p[:, 1] for p in post.marginals()], axis=1), expected, rtol=1e-10
    )
