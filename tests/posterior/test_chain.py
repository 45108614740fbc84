"""What is particular to chains: proofs, limits, samples; the laws are in test_posterior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import make, space_of

from jointbayes.errors import DataError
from jointbayes.inference.prefixes import prove
from jointbayes.posterior import Chain, ChainSearch, Tree


def logistic_chain(seed, d, rows, scale=1.5, search=None):
    """A chain of logistic regressions with random coefficients."""
    rng = np.random.default_rng(seed)
    base, slope = scale * rng.normal(size=(rows, d)), scale * rng.normal(size=(d, d))
    asked = []

    def conditional(place, at, before):
        asked.append(len(at))
        z = base[at, place] + before @ slope[:place, place]
        return -np.logaddexp(0.0, np.stack([z, -z], axis=1))

    chain = Chain(conditional, np.arange(rows), tuple(range(d)), space_of((2,) * d))
    return (chain if search is None else replace(chain, search=search)), asked


def every_vector(d):
    return np.indices((2,) * d).reshape(d, -1).T


def all_log_p(chain, d):
    vectors = every_vector(d)
    return chain._log_prob(np.broadcast_to(vectors, (len(chain), *vectors.shape)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
@settings(max_examples=25, deadline=None)
def test_the_k_best_are_those_of_enumeration(seed, k):
    chain, _ = logistic_chain(seed, 8, rows=4)
    log_p = all_log_p(chain, 8)
    order = np.argsort(-log_p, axis=1, kind="stable")[:, :k]
    codes, found = chain.top_k(k)
    np.testing.assert_allclose(found, np.take_along_axis(log_p, order, axis=1), atol=1e-9)
    np.testing.assert_allclose(chain.log_prob(codes[:, 0]), found[:, 0], atol=1e-12)
    assert not chain.gap().any()
    assert chain.exactness["map"] == "exact"


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from(["beam", "exact", "sample"]))
@settings(max_examples=40, deadline=None)
def test_no_vector_beats_the_answer_by_more_than_the_gap(seed, width, method):
    chain, _ = logistic_chain(seed, 7, rows=3, scale=0.4, search=ChainSearch(method, width))
    best, log_p = chain.map(), all_log_p(chain, 7).max(axis=1)
    excess = log_p - chain.log_prob(best)
    assert (excess <= chain.gap() + 1e-9).all()
    assert (chain.exactness["map"] == "exact") == (not chain.gap().any())


def test_fifty_three_labels_are_proven_in_a_tiny_part_of_the_tree():
    chain, asked = logistic_chain(0, 53, rows=20, scale=3.0)
    best = chain.map()
    assert not chain.gap().any()
    assert chain.visited.max() < 53 * 4096
    assert sum(asked) >= chain.visited.sum()
    flipped = best[:, None] ^ np.eye(53, dtype=np.intp)
    assert (chain._log_prob(flipped) <= chain.log_prob(best)[:, None]).all()


def test_a_limit_that_is_reached_is_said():
    chain, _ = logistic_chain(1, 30, rows=5, scale=0.05, search=ChainSearch("exact", 32))
    assert chain.gap().min() > 0
    assert chain.exactness["map"] == chain.exactness["subset"] == "bounded"
    assert chain.exactness["marginals"] == "approximate"


def test_greedy_follows_the_likelier_value_and_example_2_of_batal_shows_its_cost():
    # Tree of Figure 1: y3 → y2 → {y1, y4}; the tables fit the printed probabilities.
    y3, y2 = [[0.4, 0.6]], [[0.1, 0.9], [0.6, 0.4]]
    y1, y4 = [[0.4, 0.6], [0.8, 0.2]], [[0.7, 0.3], [0.7, 0.3]]
    space = space_of((2, 2, 2, 2), ("y1", "y2", "y3", "y4"))
    parents = (1, 2, -1, 1)
    tables = [np.log([t]) for t in (y1, y2, y3, y4)]
    tree = Tree(parents, tables, space)
    best, log_p = tree.top_k(1)
    assert best[0, 0].tolist() == [0, 1, 0, 0]
    np.testing.assert_allclose(np.exp(log_p), 0.2016)

    order = (2, 1, 0, 3)

    def conditional(place, rows, before):
        label = order[place]
        above = 0 if place == 0 else before[:, order.index(parents[label])]
        return np.broadcast_to(tables[label][0][above], (len(rows), 2))

    exact = Chain(conditional, np.arange(1), order, space)
    greedy = replace(exact, search=ChainSearch("beam", 1))
    assert exact.map().tolist() == [[0, 1, 0, 0]]
    assert greedy.map().tolist() == [[1, 0, 1, 0]]
    np.testing.assert_allclose(np.exp(greedy.log_prob(greedy.map())), 0.1512)
    np.testing.assert_allclose(exact.marginals(), tree.marginals())


def test_samples_estimate_what_is_too_large_to_sum():
    exact, _ = logistic_chain(3, 9, rows=3)
    sampled = replace(exact, search=ChainSearch(enumerated=1))
    for a, b in zip(exact.marginals(), sampled.marginals(), strict=True):
        np.testing.assert_allclose(a, b, atol=0.06)  # 1000 samples: four standard errors
    np.testing.assert_allclose(exact._sizes(), sampled._sizes(), atol=0.06)
    known, approximate = exact.given({"y8": 1}), sampled.given({"y8": 1})
    np.testing.assert_allclose(known._log_z, approximate._log_z, atol=0.3)
    assert approximate.exactness["log_prob"] == "approximate"
    assert (approximate.sample(20)[:, :, 8] == 1).all()
    for a, b in zip(known.marginals(), approximate.marginals(), strict=True):
        np.testing.assert_allclose(a, b, atol=0.15)  # the evidence comes last, so samples are few


def test_what_contradicts_what_is_known_is_refused():
    chain, _ = logistic_chain(4, 4, rows=2)
    known = chain.given({"y1": 1})
    with pytest.raises(DataError, match="probability 0"):
        known.given({"y1": 0})
    twice = known.given({"y1": 1, "y3": 0})
    np.testing.assert_allclose(twice.log_prob(twice.map()), twice.top_k(1)[1][:, 0], atol=1e-12)


def test_ties_are_found_in_order_where_the_limit_allows():
    def coin(_, rows, __):
        return np.log(np.full((len(rows), 2), 0.5))

    chain = Chain(coin, np.arange(2), (2, 0, 1), space_of((2, 2, 2)))
    np.testing.assert_array_equal(chain.top_k(5)[0][0], every_vector(3)[:5])


def test_proofs_hold_for_impossible_values_too():
    post, joints = make("chain", 7, (2, 3, 2))
    found = prove(post._step, np.arange(len(post)), post._cards, 12, 100)
    for row, joint in enumerate(joints):
        best = sorted((p for p in joint.values() if p > 0), reverse=True)
        np.testing.assert_allclose(np.exp(found.log_p[row, : len(best)]), best, atol=1e-12)
        assert np.isneginf(found.log_p[row, len(best) :]).all()
