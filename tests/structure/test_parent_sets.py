"""The bridge search against exhaustive search, compiled and by definition."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import _kernels
from jointbayes._kernels import bridge as definition
from jointbayes.codes import Codes
from jointbayes.counts import count_singles
from jointbayes.errors import DataError, ParameterError
from jointbayes.information import bdeu
from jointbayes.models.networks.vector_counts import count_by_vector
from jointbayes.structure import best_parent_sets, learn_bridge, parent_sets


def score(x, y, chosen, ess=5.0):
    shape = [int(y[:, j].max()) + 1 for j in chosen] + [int(x.max()) + 1]
    table = np.zeros(shape)
    np.add.at(table, (*(y[:, j] for j in chosen), x), 1)
    return bdeu(table, ess)


def problem(seed, cards):
    rng = np.random.default_rng(seed)
    y = np.stack([rng.integers(0, k, 90) for k in cards], axis=1)
    y[: max(cards)] = np.minimum(np.arange(max(cards))[:, None], np.array(cards) - 1)
    noise = rng.integers(0, 2, (90, 3))
    return np.stack([y[:, 0] ^ y[:, -1], y.sum(axis=1) % 3, noise[:, 0]], axis=1) + noise[:, 1:2], y


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(2, 3), min_size=1, max_size=4))
def test_no_set_scores_better_than_the_answer(seed, cards):
    x, y = problem(seed, cards)
    for j, found in enumerate(best_parent_sets(x, y)):
        every = [s for k in range(len(cards) + 1) for s in combinations(range(len(cards)), k)]
        best = max(score(x[:, j], y, s) for s in every)
        assert score(x[:, j], y, found) == pytest.approx(best, abs=1e-9)
        smaller = [s for s in every if (len(s), s) < (len(found), found)]
        assert all(score(x[:, j], y, s) < best - 1e-10 for s in smaller)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_compiled_search_is_the_definition(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, m, d = rng.integers(0, 40), rng.integers(1, 4), rng.integers(1, 7)
    class_cards = rng.integers(1, data.draw(st.sampled_from([4, 600])), d)
    if data.draw(st.booleans()):
        class_cards[:] = 2
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 7, m))])
    vectors = np.unique((rng.random((n, d)) * class_cards).astype(np.uint32), axis=0)
    counts = rng.poisson(1.5, (len(vectors), offsets[-1])).astype(float)
    hidden = rng.integers(0, 2, len(vectors))
    if data.draw(st.booleans()):
        counts *= 0.3
    most = max((counts[:, a:b].sum(axis=1) for a, b in pairwise(offsets)), key=np.sum)
    rows = np.maximum(np.ceil(most), counts.sum(axis=1)) + hidden
    exhaustive = int(rng.integers(0, (d if class_cards.max() < 4 else min(d, 2)) + 1))
    limit = int(rng.integers(exhaustive, (d if class_cards.max() < 4 else exhaustive) + 1))
    arguments = np.asfortranarray(vectors), class_cards, rows, counts, offsets, 5.0
    expected = definition.best_parents(*arguments, exhaustive, limit, 1)
    for threads in (1, 3):
        answer = _kernels.best_parents(*arguments, exhaustive, limit, threads)
        np.testing.assert_array_equal(answer[0], expected[0])
        np.testing.assert_allclose(answer[1], expected[1], atol=1e-9)
        np.testing.assert_array_equal(answer[2], expected[2])


@pytest.mark.parametrize("times", [1, 900])
@pytest.mark.parametrize("exhaustive", [4, 7, 8])
@pytest.mark.parametrize("follows", [2, 7])
def test_of_all_subsets_the_compiled_search_finds_what_the_definition_does(
    times, exhaustive, follows
):
    rng = np.random.default_rng(follows)
    y = rng.integers(0, 2, (300, 8))
    noise = rng.random((300, 2)) < 0.02
    x = np.stack([y[:, :follows].sum(axis=1) % 2, y[:, 3] + y[:, 7]], axis=1) + noise
    known = count_by_vector(Codes.of(np.c_[x, rng.integers(0, 20, (300, 4))], targets=y))
    counts, cards = known.counts.n_cx * times, known.counts.cards
    hidden = counts * (rng.random(counts.shape) < 0.9)  # some values were not observed
    for told in (counts, hidden):
        arguments = (
            np.asfortranarray(known.vectors, dtype=np.uint32),
            np.full(8, 2),
            known.counts.n_c * times,
            told,
            np.concatenate([[0], np.cumsum(cards)]),
            5.0,
            exhaustive,
            8,
        )
        expected = definition.best_parents(*arguments, 1)
        for threads in (1, 3):
            found = _kernels.best_parents(*arguments, threads)
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_allclose(found[1], expected[1], rtol=1e-11)
            np.testing.assert_array_equal(found[2], expected[2])


def test_an_integer_is_a_hard_limit_and_auto_grows_beyond_what_it_can_search():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, (4000, 40))
    x = (y[:, :5].sum(axis=1) + rng.integers(0, 2, 4000))[:, None]
    known = count_by_vector(Codes.of(x, targets=y))
    limited = learn_bridge(known.vectors, known.class_cards, known.counts, max_parents=2)
    grown = learn_bridge(known.vectors, known.class_cards, known.counts)
    assert len(limited.parents[0]) == 2
    assert limited.proof == "best of all subsets of up to 2 classes"
    assert grown.exhaustive >= 3
    assert grown.parents[0] == (0, 1, 2, 3, 4)
    assert grown.scores[0] > limited.scores[0]


def test_bad_input_gets_a_sentence():
    with pytest.raises(DataError, match="2 rows and classes 3"):
        best_parent_sets([[0], [1]], [[0], [1], [1]])
    with pytest.raises(DataError, match="encode them first"):
        best_parent_sets([[0.5], [1.0]], [[0], [1]])
    with pytest.raises(ParameterError, match="max_parents is -1"):
        best_parent_sets([[0], [1]], [[0], [1]], max_parents=-1)
    with pytest.raises(ParameterError, match="ess is 0"):
        best_parent_sets([[0], [1]], [[0], [1]], ess=0)


def test_a_feature_of_very_many_values_is_scored_as_defined():
    rng = np.random.default_rng(0)
    n = 15_000
    vectors = np.asfortranarray(np.unique(rng.integers(0, 2, (40, 3)), axis=0).astype(np.uint32))
    counts = np.zeros((len(vectors), n))
    counts[rng.integers(0, len(vectors), n), rng.permutation(n)] = 1
    arguments = (vectors, np.full(3, 2), counts.sum(axis=1), counts, np.array([0, n]), 5.0, 2, 3, 1)
    found, expected = _kernels.best_parents(*arguments), definition.best_parents(*arguments)
    assert found[0].tolist() == expected[0].tolist()
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_a_class_of_more_values_than_a_byte_holds_is_told_apart():
    values = np.arange(600) % 300
    feature = (values >= 256).astype(int)
    codes = Codes.of(feature[:, None], targets=values)
    bridge = learn_bridge(np.arange(300)[:, None], (300,), count_singles(codes))
    assert bridge.parents == ((0,),)
    assert bridge.scores[0] == pytest.approx(score(feature, values[:, None], (0,)), abs=1e-9)


@pytest.mark.parametrize(
    ("classes", "vectors", "exhaustive"),
    [(14, 16_384, 14), (20, 100, 6), (20, 1000, 5), (53, 10**6, 4), (400, 10**6, 3)],
)
def test_what_is_tried_depends_on_the_work(classes, vectors, exhaustive):
    assert parent_sets._sizes((2,) * classes, "auto", vectors) == (exhaustive, classes)
