"""Trees and branchings against exhaustive search and networkx."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.errors import DataError
from jointbayes.structure import (
    maximum_branching,
    maximum_spanning_tree,
    reroot,
)


def prim_by_hand(w):
    """The rule in words: heaviest link first, ties to the lower node and the earliest member."""
    members, parents = [0], {0: -1}
    while len(members) < len(w):
        links = [
            (-w[m][j], j, order, m)
            for order, m in enumerate(members)
            for j in range(len(w))
            if j not in members
        ]
        _, j, _, m = min(links)
        parents[j] = m
        members.append(j)
    return [parents[j] for j in range(len(w))]


def is_branching(parents):
    for start in range(len(parents)):
        seen, node = set(), start
        while node >= 0:
            if node in seen:
                return False
            seen.add(node)
            node = parents[node]
    return True


def total(weights, parents):
    return sum(weights[p][c] for c, p in enumerate(parents) if p >= 0)


symmetric = (
    st.tuples(st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([3, 1000]))
    .map(lambda t: np.random.default_rng(t[1]).integers(-t[2], t[2], (t[0], t[0])) / 7)
    .map(lambda w: w + w.T)
)


@settings(max_examples=50, deadline=None)
@given(symmetric)
def test_the_tree_is_prims_with_the_stated_ties(w):
    parents = maximum_spanning_tree(w)
    assert parents.tolist() == prim_by_hand(np.round(w, 10).tolist())
    shifted = w + 1000  # networkx takes a weight of zero for no link
    best = nx.maximum_spanning_tree(nx.from_numpy_array(shifted)).size(weight="weight")
    assert total(shifted, parents) == pytest.approx(best)


def test_each_matrix_of_a_stack_has_its_own_tree():
    w = np.random.default_rng(0).integers(0, 9, (2, 3, 7, 7)).astype(float)
    w += np.swapaxes(w, -2, -1)
    trees = maximum_spanning_tree(w)
    assert trees.shape == (2, 3, 7)
    for index in np.ndindex(2, 3):
        assert trees[index].tolist() == maximum_spanning_tree(w[index]).tolist()
    assert maximum_spanning_tree(w[:0]).shape == (0, 3, 7)


def test_noise_below_the_tolerance_decides_nothing():
    rng = np.random.default_rng(0)
    w = rng.integers(0, 3, (12, 12)).astype(float)
    w += w.T
    noise = 1e-13 * rng.random((12, 12))
    assert (maximum_spanning_tree(w) == maximum_spanning_tree(w + noise + noise.T)).all()


@settings(max_examples=40, deadline=None)
@given(symmetric, st.integers(0, 8))
def test_rerooting_keeps_the_links(w, root):
    parents = maximum_spanning_tree(w)
    root %= len(w)
    turned = reroot(parents, root)
    assert turned[root] == -1
    assert is_branching(turned)

    def links(tree):
        return {frozenset((c, int(p))) for c, p in enumerate(tree) if p >= 0}

    assert links(turned) == links(parents)
    assert reroot(turned, 0).tolist() == parents.tolist()


@st.composite
def arcs(draw):
    n, rng = draw(st.integers(1, 5)), np.random.default_rng(draw(st.integers(0, 10**6)))
    w = rng.integers(-3, 8, (n, n)).astype(float)
    if draw(st.booleans()):
        w += rng.random((n, n))
    w[rng.random((n, n)) < 0.2] = -np.inf
    return w


@settings(max_examples=50, deadline=None)
@given(arcs())
def test_no_branching_is_heavier(w):
    n = len(w)
    parents = maximum_branching(w).tolist()
    assert is_branching(parents)
    assert all(w[p, c] > 0 for c, p in enumerate(parents) if p >= 0)
    choices = [[-1] + [p for p in range(n) if p != c and w[p, c] > 0] for c in range(n)]
    best = max(total(w, tree) for tree in product(*choices) if is_branching(tree))
    assert total(w, parents) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(8))
def test_large_branchings_weigh_what_networkx_finds(seed):
    rng = np.random.default_rng(seed)
    n = 25
    # Positive cycles everywhere: heavy arcs inside groups of groups.
    group = rng.integers(0, 4, n)
    w = rng.random((n, n)) + 3.0 * (group[:, None] == group[None, :]) * rng.random((n, n))
    w -= rng.choice([0.0, 1.0])
    parents = maximum_branching(w)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from((i, j, w[i, j]) for i, j in product(range(n), repeat=2) if i != j)
    assert is_branching(parents)
    assert total(w, parents) == pytest.approx(nx.maximum_branching(graph).size(weight="weight"))


def test_forbidding_roots_forces_a_tree_when_arcs_are_heavy():
    w = np.array([[0, 5, 1], [5, 0, 4], [1, 4, 0]], dtype=float)
    assert maximum_branching(w).tolist() in ([-1, 0, 1], [1, -1, 1])


def test_nothing_to_connect():
    assert maximum_branching(np.zeros((0, 0))).tolist() == []
    assert maximum_spanning_tree(np.zeros((0, 0))).tolist() == []
    assert maximum_branching([[7.0]]).tolist() == [-1]
    assert maximum_branching([[np.nan]]).tolist() == [-1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: maximum_spanning_tree(np.zeros((2, 3))), "square"),
        (lambda: maximum_spanning_tree([[0, np.nan], [np.nan, 0]]), "finite"),
        (lambda: maximum_spanning_tree([[0, 1], [2, 0]]), "symmetric"),
        (lambda: maximum_branching([1.0, 2.0]), "square"),
        (lambda: maximum_branching([[0, np.nan], [0, 0]]), "nan"),
        (lambda: maximum_branching([[0, np.inf], [0, 0]]), "inf"),
    ],
)
def test_bad_weights_are_refused(call, words):
    with pytest.raises(DataError, match=words):
        call()
