"""Class graphs against exhaustive search over all graphs of their kind."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.information import bdeu
from jointbayes.structure import forest_augmented, naive_by_root, naive_classes


def family(y, child, parents):
    shape = [int(y[:, j].max()) + 1 for j in (*parents, child)]
    table = np.zeros(shape)
    np.add.at(table, tuple(y[:, j] for j in (*parents, child)), 1)
    return bdeu(table)


def total(y, parents):
    return sum(family(y, child, chosen) for child, chosen in enumerate(parents))


def acyclic(parents):
    left = set(range(len(parents)))
    while left:
        free = {i for i in left if not left & set(parents[i])}
        if not free:
            return False
        left -= free
    return True


def every_graph(d, most):
    """All graphs with a root: other classes have no parent, the root, or the root and one more."""
    for root in range(d):
        options = []
        for i in range(d):
            choices = [()] if i == root else [(), (root,)]
            if most == 2 and i != root:
                choices += [(root, j) for j in range(d) if j not in (i, root)]
            options.append(choices)
        yield from (graph for graph in product(*options) if acyclic(graph))


def labels(seed, d):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, (60, d)) if seed % 3 == 0 else rng.integers(0, 2, (60, d))
    y[:, -1] = np.where(rng.random(60) < 0.8, y[:, 0], y[:, -1])
    if d > 2:
        y[:, 1] = np.where(rng.random(60) < 0.9, y[:, 0] ^ (y[:, 2] & 1), y[:, 1])
    return y


@pytest.mark.parametrize(("learn", "most"), [(naive_classes, 1), (forest_augmented, 2)])
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_no_graph_of_the_kind_scores_better(learn, most, seed, d):
    y = labels(seed, d)
    graph = learn(y)
    assert acyclic(graph.parents)
    assert graph.score == pytest.approx(total(y, graph.parents), abs=1e-8)
    assert graph.score == pytest.approx(max(total(y, g) for g in every_graph(d, most)), abs=1e-8)


def test_weights_are_repetitions():
    y = labels(5, 4)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    for learn in (naive_classes, forest_augmented):
        repeated = learn(np.repeat(y, times, axis=0))
        weighted = learn(y, weights=times.astype(float))
        assert weighted.parents == repeated.parents
        assert weighted.score == pytest.approx(repeated.score, abs=1e-8)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 5))
def test_links_of_every_root_by_definition(seed, d):
    y = labels(seed, d)
    expected = [
        sum(family(y, i, (root,)) > family(y, i, ()) + 1e-9 for i in range(d) if i != root)
        for root in range(d)
    ]
    assert [graph.arcs for graph in naive_by_root(y)] == expected
    best = naive_classes(y)
    assert best.arcs == expected[best.root]


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 5))
def test_a_root_without_its_own_term_by_definition(seed, d):
    y = labels(seed, d)
    scores = [
        sum(max(family(y, i, (root,)), family(y, i, ())) for i in range(d) if i != root)
        for root in range(d)
    ]
    best = naive_classes(y, compared="others")
    assert scores[best.root] == pytest.approx(max(scores), abs=1e-8)
    if d > 1:  # the whole graph's score has the root's own term beside
        assert best.score == pytest.approx(max(scores) + family(y, best.root, ()), abs=1e-8)
