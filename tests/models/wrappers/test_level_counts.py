"""Counts over levels of scores against all vectors of a tree, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import ROWS, make

from jointbayes.labels import LabelSpace
from jointbayes.models import LabelSets
from jointbayes.models.wrappers.level_counts import count_within
from jointbayes.models.wrappers.tree_sets import as_tree
from jointbayes.posterior import Independent, Tree


@pytest.mark.parametrize("kind", ["tree", "independent"])
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    cards=st.lists(st.integers(1, 3), min_size=1, max_size=6),
    level=st.floats(0, 12),
    levels=st.sampled_from([1, 3, 20, 400]),
)
def test_the_number_of_vectors_lies_between_the_bounds(kind, seed, cards, level, levels):
    post, joints = make(kind, seed, tuple(cards))
    below, above = count_within(as_tree(post), np.full(ROWS, level), levels)
    for row, joint in enumerate(joints):
        scores = [-np.log(p) for p in joint.values() if p > 0]
        assert below[row] <= sum(s <= level + 1e-6 for s in scores)
        assert above[row] >= sum(s <= level - 1e-6 for s in scores)


def test_what_is_impossible_below_an_impossible_value_is_not_counted():
    coin, never = np.log([[[0.5, 0.5]]]), np.array([[[np.log(0.5)] * 2, [-np.inf] * 2]])
    space = LabelSpace(("a", "b"), (np.array([0, 1]),) * 2)
    tree = Tree((-1, 0), [coin, never], space)
    assert [bound.tolist() for bound in count_within(tree, np.array([5.0]))] == [[2.0], [2.0]]


def test_more_levels_leave_less_between_the_bounds():
    """200 labels, far too many vectors to list: the bounds close in on one number."""
    rng, d = np.random.default_rng(0), 200
    space = LabelSpace(tuple(f"l{j}" for j in range(d)), (np.array([0, 1]),) * d)
    p = rng.uniform(0.05, 0.3, d)
    post = Independent([np.log([[1 - q, q]]) for q in p], space)
    best = -np.log(1 - p).sum()
    width = []
    for levels in (64, 512, 4096):
        below, above = count_within(as_tree(post), np.array([best + 8.0]), levels)
        assert 1e4 < below[0] <= above[0]
        width.append(np.log(above[0] / below[0]))
    assert width[0] > 3 * width[1] > 9 * width[2]
    sets = LabelSets(post, np.array([best + 14.0]))
    least, most = sets.bounds()
    assert 1e6 < least[0] < most[0] < 1.25 * least[0]
    assert sets.size()[0] == most[0]
    assert not sets.exact[0]
