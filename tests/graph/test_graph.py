"""Directed acyclic graphs against networkx, and what they refuse."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.errors import StructureError
from jointbayes.graph import Dag


@st.composite
def dags(draw):
    n = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rank = rng.permutation(n)
    arcs = rng.random((n, n)) < 0.4
    return Dag(
        tuple(tuple(p for p in range(n) if rank[p] < rank[c] and arcs[p, c]) for c in range(n))
    )


@settings(max_examples=50, deadline=None)
@given(dags())
def test_a_dag_agrees_with_networkx(dag):
    graph = nx.DiGraph(list(dag.arcs))
    graph.add_nodes_from(range(len(dag)))
    assert list(dag.order) == list(nx.lexicographical_topological_sort(graph))
    for v in range(len(dag)):
        assert set(dag.children[v]) == set(graph.successors(v))


def test_equal_arcs_are_equal_dags():
    assert Dag(((), (0,))) == Dag(((), (0,)))
    assert hash(Dag(((), (0,)))) == hash(Dag(((), (0,))))


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        (((0,),), "0 → 0"),
        (((), (0, 2), (1,)), "cycle"),
        (((), (2,)), "parent 2"),
        (((), (-1,)), "parent -1"),
        (((), (0, 0)), "twice"),
    ],
)
def test_what_is_no_dag_is_refused(parents, words):
    with pytest.raises(StructureError, match=words):
        Dag(parents)


def test_the_cycle_that_is_named_is_one():
    with pytest.raises(StructureError) as caught:
        Dag(((), (0, 3), (1,), (2,), (3,)))
    named = [int(v) for v in str(caught.value).split("arcs ")[1].split(" are")[0].split(" → ")]
    assert named[0] == named[-1]
    arcs = {(0, 1), (3, 1), (1, 2), (2, 3), (3, 4)}
    assert set(pairwise(named)) <= arcs
