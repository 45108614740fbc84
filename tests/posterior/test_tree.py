"""Trees of labels: a few rows are answered one by one, as many are together."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes.inference.logs import log_normalize
from jointbayes.labels import LabelSpace
from jointbayes.posterior import Tree


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(0, 4))
@settings(max_examples=40, deadline=None)
def test_a_few_rows_have_the_modes_they_have_among_many(seed, d, n):
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 4, d).tolist()
    parents = tuple(int(rng.integers(-1, j)) for j in range(d))
    shuffled = rng.permutation(d)
    place = np.argsort(shuffled)
    cards = [cards[j] for j in shuffled]
    parents = tuple(-1 if parents[j] < 0 else int(place[parents[j]]) for j in shuffled)
    above = [1 if p < 0 else cards[p] for p in parents]
    log_p = [log_normalize(rng.normal(size=(90, a, k))) for a, k in zip(above, cards, strict=True)]
    space = LabelSpace(tuple(f"y{j}" for j in range(d)), tuple(map(np.arange, cards)))
    many = Tree(parents, log_p, space)
    few = Tree(parents, [p[:n] for p in log_p], space)
    np.testing.assert_array_equal(few.map(), many.map()[:n])
