"""Conditioning against the full joint by brute force, on random networks and random holes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from jointbayes.codes import Codes, SparseCodes
from jointbayes.errors import CostError
from jointbayes.graph import Dag
from jointbayes.inference import compile_network, condition, contributions, sum_out
from jointbayes.inference.features.elimination import sum_over_network
from jointbayes.inference.features.messages import is_tree, sum_over_tree
from jointbayes.network import Network, families_of


def random_network(rng, p, most_parents, n_classes=None):
    """Features in random order, each below some earlier ones and (mostly) below the class."""
    order = rng.permutation(p) + 1
    parents = {0: ()}
    for place, v in enumerate(order):
        many = int(rng.integers(0, min(most_parents, place) + 1))
        chosen = sorted(int(u) for u in rng.choice(order[:place], many, replace=False))
        parents[int(v)] = (0, *chosen) if rng.random() < 0.9 else tuple(chosen)
    dag = Dag(tuple(parents[v] for v in range(p + 1)))
    cards = (n_classes or int(rng.integers(1, 4)), *(int(k) for k in rng.integers(1, 4, p)))
    tables = []
    for v, family in enumerate(families_of(dag)):
        p_table = rng.random([cards[u] for u in family]) + 0.05
        axis = family.index(v)
        tables.append(np.log(p_table / p_table.sum(axis=axis, keepdims=True)))
    return Network(dag, cards, tuple(tables))


def joint(network, full):
    """P of one complete assignment, class first: the product of one entry from each table."""
    return np.exp(
        sum(
            table[tuple(full[u] for u in family)]
            for family, table in zip(network.families, network.log_tables, strict=True)
        )
    )


def brute_force(network, x):
    rows = []
    for row in x.tolist():
        seen = zip(row, network.cards[1:], strict=True)
        choices = [range(k) if v == k else [v] for v, k in seen]
        rows.append(
            [
                sum(joint(network, (c, *full)) for full in product(*choices))
                for c in range(network.cards[0])
            ]
        )
    return np.log(rows)


def holes(rng, network, n, share):
    cards = np.array(network.cards[1:])
    x = rng.integers(0, cards, (n, len(cards)))
    return np.where(rng.random(x.shape) < share, cards, x)


SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.sampled_from([1, 3]), st.sampled_from([0.0, 0.3, 0.8]))
@settings(max_examples=40, deadline=None)
def test_conditioning_sums_over_what_is_missing(seed, most_parents, share):
    rng = np.random.default_rng(seed)
    network = random_network(rng, int(rng.integers(1, 6)), most_parents)
    x = holes(rng, network, 6, share)
    got = condition(compile_network(network), Codes.of(x, network.cards[1:]))
    np.testing.assert_allclose(got, brute_force(network, x), rtol=0, atol=1e-10)


@given(SEEDS, st.sampled_from([1, 3]))
@settings(max_examples=25, deadline=None)
def test_contributions_and_the_prior_sum_to_the_answer(seed, most_parents):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 4, most_parents)
    x = holes(rng, network, 8, 0.3)
    scorer = compile_network(network)
    terms = contributions(scorer, x)
    expected = condition(scorer, Codes.of(x, network.cards[1:]))
    np.testing.assert_allclose(scorer.log_prior + terms.sum(axis=1), expected, atol=1e-10)
    missing = x == np.array(network.cards[1:])
    assert np.allclose(terms[missing], 0)


def test_messages_and_elimination_agree_on_a_wide_tree():
    rng = np.random.default_rng(1)
    network = random_network(rng, 30, 1, n_classes=3)
    x = holes(rng, network, 40, 0.4)
    assert is_tree(network)
    by_messages = sum_over_tree(network, x)
    np.testing.assert_allclose(by_messages, sum_over_network(network, x), atol=1e-9)
    np.testing.assert_allclose(by_messages, sum_out(network, x))


def test_nothing_observed_leaves_the_prior():
    network = random_network(np.random.default_rng(2), 5, 3, n_classes=3)
    nothing = Codes.of([network.cards[1:]], network.cards[1:])
    got = condition(compile_network(network), nothing)
    np.testing.assert_allclose(got[0], network.log_tables[0], atol=1e-12)


def test_blocks_threads_and_sparsity_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    network = random_network(rng, 6, 1, n_classes=2)
    cards = network.cards[1:]
    x = holes(rng, network, 9000, 0.05).astype(np.uint8)
    scorer = compile_network(network)
    dense = condition(scorer, Codes.of(x, cards), n_jobs=1)
    np.testing.assert_array_equal(condition(scorer, Codes.of(x, cards), n_jobs=2), dense)
    columns = csr_array(x).tocsc()
    sparse = SparseCodes(
        columns.data,
        columns.indices.astype(np.int32),
        columns.indptr.astype(np.int64),
        np.zeros(len(cards), np.uint8),
        x.shape,
    )
    none = np.empty((len(x), 0), np.uint8)
    codes = Codes(sparse, cards, none, ())
    np.testing.assert_array_equal(condition(scorer, codes), dense)
    monkeypatch.setattr("jointbayes.inference.features.conditioning.SPARSE_CELLS", 1)
    np.testing.assert_array_equal(condition(scorer, codes), dense)


def test_a_sum_that_cannot_be_afforded_is_refused_with_its_size():
    p, k = 12, 10
    dag = Dag(((), *((0,) for _ in range(p)), (0, *range(1, p + 1))))
    cards = (2, *(k,) * p, 1)
    with pytest.raises(CostError, match=r"misses 12 features .* 2,000,000,000,000 cells"):
        sum_over_network(_hollow(dag, cards), np.array([[k] * p + [0]]))


def _hollow(dag, cards):
    """A network whose tables have the right shapes and no memory."""
    shapes = ([cards[u] for u in family] for family in families_of(dag))
    return Network(dag, cards, tuple(np.broadcast_to(0.0, shape) for shape in shapes))
