"""Structures for single rows: compiled kernels, definitions, and the rules in plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import trees

fast = pytest.importorskip("jointbayes._kernels._fast")


def problem(seed, n=30, p=7, n_classes=3, levels=6, hidden=0.2):
    """Random codes, a fifth of them not observed, and symmetric ranks with many ties."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 4, p)
    x = np.stack([rng.integers(0, k, n) for k in cards], axis=1)
    x = np.where(rng.random(x.shape) < hidden, cards, x)
    offsets = np.concatenate([[0], np.cumsum(cards)]).astype(np.int64)
    width = offsets[-1]
    ranks = rng.integers(0, levels, (n_classes, width, width)).astype(np.int32)
    ranks = np.maximum(ranks, ranks.transpose(0, 2, 1))
    rows = np.sort(rng.integers(0, n, 2 * n))
    labels = rng.integers(0, n_classes, 2 * n)
    return np.asfortranarray(x.astype(np.uint8)), offsets, rows, labels, ranks, rng


def tree_by_hand(x, cards, offsets, ranks):
    seen = [i for i in range(len(x)) if x[i] < cards[i]]
    parents = [-1] * len(x)
    members = seen[:1]
    while len(members) < len(seen):
        links = [
            (-ranks[offsets[m] + x[m], offsets[j] + x[j]], j, order, m)
            for order, m in enumerate(members)
            for j in seen
            if j not in members
        ]
        _, j, _, m = min(links)
        parents[j] = m
        members.append(j)
    return parents


def parents_by_hand(x, cards, offsets, value_ranks, pair_ranks, k):
    value = [offsets[i] + x[i] for i in range(len(x))]
    seen = [i for i in range(len(x)) if x[i] < cards[i]]
    order = sorted(seen, key=lambda i: (-value_ranks[value[i]], i))
    parents = [[-1] * k for _ in x]
    for place, i in enumerate(order):
        earlier = sorted(order[:place], key=lambda j: (-pair_ranks[value[i], value[j]], j))[:k]
        parents[i][: len(earlier)] = earlier
    return parents


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_expert_trees_follow_the_rule(seed, p):
    x, offsets, rows, labels, ranks, rng = problem(seed, p=p)
    cards = np.diff(offsets)
    expected = [
        tree_by_hand(x[r].tolist(), cards, offsets, ranks[c])
        for r, c in zip(rows, labels, strict=True)
    ]
    assert trees.expert_trees(x, offsets, rows, labels, ranks, 1).tolist() == expected
    assert fast.expert_trees(x, offsets, rows, labels, ranks, 2).tolist() == expected
    log_pair = rng.normal(size=ranks.shape)
    log_single = rng.normal(size=ranks.shape[:2])
    likelihood = [
        sum(
            log_single[c, offsets[i] + x[r, i]]
            if parents[i] < 0
            else log_pair[c, offsets[i] + x[r, i], offsets[parents[i]] + x[r, parents[i]]]
            for i in range(p)
            if x[r, i] < cards[i]
        )
        for r, c, parents in zip(rows, labels, expected, strict=True)
    ]
    for kernel in (trees, fast):
        answer = kernel.expert_log_likelihood(
            x, offsets, rows, labels, ranks, log_pair, log_single, 2
        )
        np.testing.assert_allclose(answer, likelihood, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kernel", [trees, fast])
def test_given_trees_are_looked_up(kernel):
    x, offsets, rows, labels, ranks, rng = problem(3, hidden=0.0)
    log_pair, log_single = rng.normal(size=ranks.shape), rng.normal(size=ranks.shape[:2])
    own = trees.expert_trees(x, offsets, rows, labels, ranks, 1).astype(np.int64)
    which = np.arange(len(rows))
    expected = trees.expert_log_likelihood(x, offsets, rows, labels, ranks, log_pair, log_single, 1)
    turn = rng.permutation(len(rows))
    answer = kernel.tree_log_likelihood(
        x, offsets, rows[turn], labels[turn], which[turn], own, log_pair, log_single, 2
    )
    np.testing.assert_allclose(answer, expected[turn], rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 4))
def test_local_parents_follow_the_rule(seed, p, k):
    x, offsets, _, _, ranks, rng = problem(seed, p=p)
    value_ranks = rng.integers(0, 4, offsets[-1]).astype(np.int32)
    expected = [
        parents_by_hand(row.tolist(), np.diff(offsets), offsets, value_ranks, ranks[0], k)
        for row in x
    ]
    for kernel in (trees, fast):
        answer = kernel.local_parents(x, offsets, value_ranks, ranks[0], k, 2)
        assert answer.tolist() == expected


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_any_width_of_codes_and_any_number_of_threads(dtype):
    x, offsets, rows, labels, ranks, rng = problem(1, n=2000)
    x = np.asfortranarray(x.astype(dtype))
    values = rng.integers(0, 4, offsets[-1]).astype(np.int32)
    one, two = (fast.expert_trees(x, offsets, rows, labels, ranks, t) for t in (1, 2))
    assert np.array_equal(one, two)
    one, two = (fast.local_parents(x, offsets, values, ranks[0], 2, t) for t in (1, 2))
    assert np.array_equal(one, two)


def test_no_trees_and_no_rows():
    x, offsets, rows, labels, ranks, _ = problem(2)
    for kernel in (trees, fast):
        assert kernel.expert_trees(x, offsets, rows[:0], labels[:0], ranks, 1).shape == (0, 7)


def test_the_compiled_kernels_are_in_use():
    assert (_kernels.expert_trees is fast.expert_trees) == _kernels.COMPILED
