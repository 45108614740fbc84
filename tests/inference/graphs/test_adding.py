"""Tables over parts of a clique add up to what cell after cell does, in whatever order."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.inference.graphs.adding import sum_tables


@st.composite
def cliques(draw):
    """Return a clique, scopes within it in orders of their own, cards, and rows."""
    clique = tuple(draw(st.permutations(range(draw(st.integers(1, 5))))))
    some = st.lists(st.sampled_from(clique), min_size=1, unique=True).map(tuple)
    scopes = draw(st.lists(some, min_size=1, max_size=8))
    cards = draw(st.lists(st.integers(1, 3), min_size=len(clique), max_size=len(clique)))
    return clique, scopes, cards, draw(st.integers(0, 3))


@settings(max_examples=80, deadline=None)
@given(cliques(), st.integers(0, 99))
def test_sums_are_those_cell_by_cell(case, seed):
    clique, scopes, cards, n = case
    rng = np.random.default_rng(seed)
    tables = [rng.normal(size=(*(cards[v] for v in scope), n)) for scope in scopes]
    tables[0][rng.random(tables[0].shape) < 0.2] = -np.inf
    before = [table.copy() for table in tables]
    total = sum_tables(tables, scopes, clique, cards)
    assert total.shape == (*(cards[v] for v in clique), n)
    for cell in product(*(range(cards[v]) for v in clique)):
        at = dict(zip(clique, cell, strict=True))
        parts = [t[tuple(at[v] for v in s)] for t, s in zip(before, scopes, strict=True)]
        np.testing.assert_allclose(total[cell], np.sum(parts, axis=0), rtol=1e-12, atol=1e-12)
    total[...] = 0.0  # which is nobody else's
    for table, as_it_was in zip(tables, before, strict=True):
        np.testing.assert_array_equal(table, as_it_was)
