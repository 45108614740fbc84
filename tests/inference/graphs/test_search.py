"""The best vectors by search against all vectors, against elimination and against toulbar2."""

from __future__ import annotations

import sys
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posterior_kinds import space_of

from jointbayes import _kernels
from jointbayes._kernels import beliefs, solver
from jointbayes.errors import DataError, MissingExtraError
from jointbayes.inference.graphs import search as search_module
from jointbayes.inference.graphs.execute import maximize, propagate, sum_product
from jointbayes.inference.graphs.flat import flatten
from jointbayes.inference.graphs.plan import merge_factors, plan_factors
from jointbayes.inference.graphs.propagation import believe
from jointbayes.inference.graphs.search import search
from jointbayes.inference.graphs.toulbar2 import search_by_toulbar2
from jointbayes.models.networks.mnb import MultilabelNB
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.posterior import FactorGraph

seeds = st.integers(0, 2**32 - 1)
law = settings(max_examples=25, deadline=None)
ROWS = 2
KERNELS = {"compiled": _kernels.best_vectors, "definition": solver.best_vectors}
both_kernels = pytest.mark.parametrize("kernel", KERNELS)


@pytest.fixture
def use(monkeypatch):
    return lambda name: monkeypatch.setattr(search_module, "best_vectors", KERNELS[name])


def random_graph(rng, cards, n_factors, widest=4, impossible=0.0, scale=2.0):
    d = len(cards)
    scopes = [
        tuple(rng.permutation(d)[: rng.integers(1, widest + 1)].tolist()) for _ in range(n_factors)
    ]
    plan = plan_factors(scopes, cards)
    tables = [rng.normal(0, scale, (*(cards[v] for v in s), ROWS)) for s in plan.scopes]
    for table in tables:
        table[rng.random(table.shape) < impossible] = -np.inf
    return plan, tables


def every_sum(plan, tables, row):
    """All label vectors with the sum of the factors, by definition."""
    vectors = np.array(list(product(*map(range, plan.cards))))
    total = np.zeros(len(vectors))
    for scope, table in zip(plan.scopes, tables, strict=True):
        total += table[..., row][tuple(vectors[:, list(scope)].T)]
    return vectors, total


@both_kernels
@pytest.mark.parametrize("k", [1, 2, 100])
@law
@given(
    seed=seeds,
    cards=st.one_of(
        st.integers(1, 8).map(lambda d: (2,) * d),
        st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple),
    ),
    impossible=st.sampled_from([0.0, 0.2, 0.8]),
)
def test_the_k_best_are_the_k_best_of_all(kernel, k, seed, cards, impossible):
    rng = np.random.default_rng(seed)
    plan, tables = random_graph(rng, cards, rng.integers(1, 12), impossible=impossible)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "best_vectors", KERNELS[kernel])
        found = search(plan, tables, k)
    assert np.isneginf(found.bound).all()
    for row in range(ROWS):
        vectors, total = every_sum(plan, tables, row)
        possible = np.sort(total[total > -np.inf])[::-1][:k]
        m = len(possible)
        np.testing.assert_allclose(found.score[row, :m], possible, rtol=1e-9, atol=2e-9)
        assert np.isneginf(found.score[row, m:]).all()
        place = {tuple(v): i for i, v in enumerate(vectors.tolist())}
        listed = [place[tuple(v)] for v in found.codes[row, :m].tolist()]
        assert len(set(listed)) == m
        np.testing.assert_allclose(total[listed], found.score[row, :m], rtol=1e-12)


@both_kernels
@pytest.mark.parametrize("cards", [(2, 2, 2, 2), (3, 2, 2, 4), (2, 3, 3, 2)])
def test_factors_that_share_a_pair_agree_before_anything_is_split(kernel, cards):
    """One factor wants two labels to be the same, one wants them to differ: one wish is granted.

    Of each label alone neither factor says anything.
    """
    plan = plan_factors([(0, 1, 2), (0, 1, 3)], cards)
    same = np.eye(*cards[:2])[:, :, None, None]
    like = [same, 1.0 - same]
    tables = [
        np.broadcast_to(t, (*cards[:2], cards[v], 1)) for t, v in zip(like, (2, 3), strict=True)
    ]
    graph = flatten(plan, tables)
    for rows in graph.blocks():
        _, score, bound, nodes = KERNELS[kernel](*graph.structure, rows, 1, 1 << 62, np.inf, 1)
    assert (score.tolist(), bound.tolist(), nodes.tolist()) == ([[1.0]], [-np.inf], [1])


@pytest.mark.parametrize("seed", range(8))
def test_the_best_of_medium_graphs_is_that_of_elimination(seed):
    rng = np.random.default_rng(seed)
    plan, tables = random_graph(rng, (2,) * 24 if seed % 2 else (2, 3, 4) * 5, 40, widest=3)
    codes, score = maximize(plan, tables)
    found = search(plan, tables)
    np.testing.assert_array_equal(found.codes[:, 0], codes)
    np.testing.assert_allclose(found.score[:, 0], score, rtol=1e-12)


def test_ties_and_duplicate_labels_are_no_obstacle():
    """Labels that are copies of each other, in pairs, and nothing else to tell them apart."""
    scopes = [(i, i + 1) for i in range(0, 40, 2)]
    plan = plan_factors(scopes, (2,) * 40)
    same = np.where(np.eye(2)[..., None] == 1, np.zeros((2, 2, 1)), -np.inf)
    found = search(plan, [same] * 20, k=3)
    assert found.score.tolist() == [[0.0, 0.0, 0.0]]
    assert (found.codes[..., ::2] == found.codes[..., 1::2]).all()
    assert len(np.unique(found.codes[0], axis=0)) == 3


def hard_graph(seed=3, d=16):
    """All pairs of labels at odds with each other: little is decided without branching."""
    rng = np.random.default_rng(seed)
    plan = plan_factors(list(combinations(range(d), 2)), (2,) * d)
    return plan, [rng.normal(size=(2, 2, ROWS)) for _ in plan.scopes]


@both_kernels
def test_what_is_not_proven_carries_a_bound(kernel, use):
    use(kernel)
    plan, tables = hard_graph()
    best = maximize(plan, tables)[1]
    found = search(plan, tables, max_nodes=2)
    assert (found.gap > 0).all()
    assert np.isfinite(found.score).all()
    assert (found.score[:, 0] <= best + 1e-9).all()
    assert (found.score[:, 0] + found.gap >= best - 1e-9).all()
    assert (search(plan, tables, time_limit=1e-9).gap > 0).all()


def test_rows_that_share_tables_are_rows():
    rng = np.random.default_rng(0)
    plan = plan_factors([(0, 1), (1, 2), (2, 3)], (2, 3, 2, 2))
    factors = [rng.normal(size=(n, *shape)) for n, shape in [(1, (2, 3)), (1, (3, 2)), (5, (2, 2))]]
    tables = merge_factors(plan, factors, 5)
    assert sorted(table.strides[-1] for table in tables) == [0, 0, 8]
    dense = [np.ascontiguousarray(table) for table in tables]
    np.testing.assert_array_equal(search(plan, tables, 3).codes, search(plan, dense, 3).codes)
    space = space_of(plan.cards)
    shared, own = FactorGraph(plan, tables, space), FactorGraph(plan, dense, space)
    for index in ([3, 1], slice(2, 4), slice(0, 0)):
        np.testing.assert_array_equal(shared[index].marginals()[1], own[index].marginals()[1])
        np.testing.assert_array_equal(shared[index].top_k(3)[0], own[index].top_k(3)[0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("impossible", [0.0, 0.2])
def test_toulbar2_agrees(seed, impossible):
    pytest.importorskip("pytoulbar2")
    rng = np.random.default_rng(seed)
    for plan, tables in [hard_graph(seed), random_graph(rng, (2, 3, 4, 2, 2), 9, 4, impossible)]:
        ours, theirs = search(plan, tables), search_by_toulbar2(plan, tables)
        np.testing.assert_allclose(theirs.score, ours.score, atol=1e-7)
        assert theirs.gap.tolist() == [0.0] * ROWS


def test_toulbar2_says_what_it_has_not_proven():
    pytest.importorskip("pytoulbar2")
    plan, tables = hard_graph(d=60)
    found = search_by_toulbar2(plan, tables, time_limit=1.0)
    assert (found.gap > 0).all()
    assert (found.score[:, 0] + found.gap >= search(plan, tables, 1, 0.2).score[:, 0]).all()


def test_models_take_toulbar2_by_name():
    pytest.importorskip("pytoulbar2")
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 2, (60, 20)), rng.integers(0, 2, (60, 16))
    ours = NetworkEnsemble(max_bytes=1).fit(X, Y)
    theirs = NetworkEnsemble(max_bytes=1, engine="toulbar2").fit(X, Y)
    np.testing.assert_array_equal(theirs.predict(X[:5]), ours.predict(X[:5]))


def test_without_toulbar2_it_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytoulbar2", None)
    plan, tables = hard_graph(d=3)
    with pytest.raises(MissingExtraError, match=r"jointbayes\[toulbar2\]"):
        search_by_toulbar2(plan, tables)


# What a posterior answers when elimination does not fit.


def frugal(plan, tables, max_bytes=1, **limits):
    return FactorGraph(plan, tables, space_of(plan.cards), max_bytes, **limits)


@law
@given(seed=seeds, d=st.integers(1, 7))
def test_without_memory_the_best_are_exact_and_the_rest_is_marked(seed, d):
    rng = np.random.default_rng(seed)
    plan, tables = random_graph(rng, (2,) * d, rng.integers(1, 9), impossible=0.05)
    exact, found = frugal(plan, tables, 1 << 30), frugal(plan, tables)
    try:
        exact.map()
    except DataError:
        for ask in (found.map, found.marginals, lambda: found.top_k(2), lambda: found.sample(1)):
            with pytest.raises(DataError, match="no label vector"):
                ask()
        return
    for empty in ("allow", "forbid"):
        np.testing.assert_allclose(
            exact.log_prob(found.map(empty)), exact.log_prob(exact.map(empty)), rtol=1e-9, atol=1e-9
        )
    codes, log_p = found.top_k(5)
    expected = exact.top_k(5)[1]
    np.testing.assert_array_equal(np.isneginf(log_p), np.isneginf(expected))
    differences = (own - own[:, :1] for own in (log_p, expected))
    np.testing.assert_allclose(*differences, rtol=1e-9, atol=1e-8)
    assert all(len(np.unique(own, axis=0)) == codes.shape[1] for own in codes)
    assert (found.gap() == 0).all()
    assert (found.log_prob(found.map()) <= 0).all()
    for p in found.marginals():
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    drawn = found.sample(5, rng=0).reshape(-1, d)
    assert np.isfinite(exact._score(drawn.reshape(5, ROWS, d).swapaxes(0, 1))).all()
    sizes = found._sizes()
    np.testing.assert_allclose(sizes.sum(axis=2), np.stack(found.marginals())[..., 1].T, atol=1e-12)


def test_the_words_for_what_is_not_exact():
    plan, tables = hard_graph(d=13)
    assert set(frugal(plan, tables, 1 << 30, time_limit=None).exactness.values()) == {
        "exact",
        "approximate",  # Jaccard compares candidates beyond 12 labels
    }
    found = frugal(plan, tables, time_limit=None)
    approximate = {"marginals", "log_prob", "sample", "hamming", "f1", "jaccard"}
    assert found.exactness == dict.fromkeys(("map", "subset", "top_k"), "exact") | dict.fromkeys(
        approximate, "approximate"
    )
    hurried = frugal(plan, tables, time_limit=1e-9)
    assert hurried.exactness["map"] == hurried.exactness["subset"] == "bounded"
    best = maximize(plan, tables)[1]
    reached = hurried._score(hurried.map()[:, None])[:, 0]
    assert (reached + hurried.gap() >= best - 1e-9).all()
    assert frugal(plan, tables, 1 << 30, time_limit=1e-9).gap().tolist() == [0.0] * ROWS


def test_known_labels_are_kept_and_impossible_ones_refused():
    plan, tables = hard_graph(d=12)
    found = frugal(plan, tables)
    after = found.given({"y3": 1, "y7": [0, 1]})
    exact = frugal(plan, tables, 1 << 30).given({"y3": 1, "y7": [0, 1]})
    np.testing.assert_array_equal(after.map(), exact.map())
    assert (after.sample(5)[..., 3] == 1).all()
    tables[0] = tables[0] + np.where(np.arange(2) == 1, -np.inf, 0.0)[:, None, None]
    with pytest.raises(DataError, match="y0 has probability 0 in row 0"):
        frugal(plan, tables).given({"y0": 1})


@pytest.mark.parametrize("seed", range(3))
def test_beliefs_are_marginals_on_trees_and_near_them_elsewhere(seed):
    rng = np.random.default_rng(seed)
    cards = (2, 3, 2, 4, 2)
    scopes = [(0, 1), (1, 2), (1, 3), (3, 4)]
    for extra, tolerance in ([], 1e-6), ([(0, 4)], 0.05):
        plan = plan_factors(scopes + extra, cards)
        tables = [rng.normal(0, 0.5, (*(cards[v] for v in s), ROWS)) for s in plan.scopes]
        log_z, conditionals = sum_product(plan, tables)
        marginals, bethe = believe(plan, tables)
        np.testing.assert_allclose(bethe, log_z, atol=tolerance)
        for own, true in zip(marginals, propagate(plan, conditionals), strict=True):
            np.testing.assert_allclose(own, true, atol=tolerance)


@law
@given(
    seed=seeds,
    cards=st.lists(st.integers(1, 4), min_size=2, max_size=9).map(tuple),
    scale=st.sampled_from([0.3, 3.0, 100.0, 1000.0]),
    impossible=st.booleans(),
    ring=st.booleans(),
)
def test_compiled_beliefs_are_those_of_the_definition(seed, cards, scale, impossible, ring):
    """Trees of any strength, with values that are impossible; rings where messages settle."""
    rng = np.random.default_rng(seed)
    d = len(cards)
    scopes = [(int(rng.integers(v)), v) for v in range(1, d)] + [(0,)]
    if ring:
        scopes, scale, impossible = [*scopes, (0, d // 2, d - 1)[: d - 1]], 0.3, False
        scopes = [tuple(sorted(set(scope))) for scope in scopes]
    plan = plan_factors(scopes, cards)
    shapes = [(*(cards[v] for v in scope), 3) for scope in plan.scopes]
    tables = [rng.normal(0, scale, shape) for shape in shapes]
    if impossible:
        tables[0][rng.random(tables[0].shape) < 0.3] = -np.inf
        tables[0][(0,) * len(plan.scopes[0])] = 0.0
    tables[-1] = np.broadcast_to(tables[-1][..., :1], tables[-1].shape)
    graph = flatten(plan, tables)
    (rows,) = graph.blocks()
    found, z = _kernels.settled_beliefs(*graph.structure, rows, 2)
    true, log_z = beliefs.settled_beliefs(*graph.structure, rows, 1)
    np.testing.assert_allclose(found, true, atol=1e-6)
    np.testing.assert_allclose(z, log_z, rtol=1e-9, atol=1e-6)


def test_what_a_row_believes_does_not_depend_on_its_neighbours():
    """Calm rows rest sooner than wild ones, on a graph with cycles."""
    rng = np.random.default_rng(4)
    plan = plan_factors([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], (2, 2, 3, 2))
    scale = np.array([0.1, 1.0, 3.0, 0.0, 2.0])
    tables = [rng.normal(size=(*(plan.cards[v] for v in s), 5)) * scale for s in plan.scopes]
    together, z = believe(plan, tables)
    for row in range(5):
        alone, own_z = believe(plan, [table[..., [row]] for table in tables])
        np.testing.assert_allclose(own_z, z[[row]], rtol=1e-12, atol=1e-12)
        for a, b in zip(alone, together, strict=True):
            np.testing.assert_allclose(a, b[[row]], rtol=1e-9)


def test_samples_without_memory_are_near_the_joint():
    rng = np.random.default_rng(2)
    plan, tables = random_graph(rng, (2, 3, 2), 4, scale=0.7)
    exact, found = frugal(plan, tables, 1 << 30), frugal(plan, tables)
    drawn = found.sample(20_000, rng=1)
    for j, p in enumerate(exact.marginals()):
        share = np.stack([(drawn[..., j] == c).mean(axis=0) for c in range(p.shape[1])], axis=1)
        np.testing.assert_allclose(share, p, atol=0.02)


def labelled(d, n=200):
    """Rows whose labels depend on each other, as many columns as labels."""
    rng = np.random.default_rng(0)
    Y = (rng.normal(size=(n, 1)) + rng.normal(size=(n, d)) > 0.5).astype(int)
    return np.where(rng.random((n, d)) < 0.2, 1 - Y, Y).astype(str).astype(object), Y


@pytest.mark.parametrize("model", [MultilabelNB, NetworkEnsemble])
def test_models_answer_the_same_with_and_without_memory(model):
    X, Y = labelled(8)
    rich, poor = model(), model(max_bytes=1, time_limit=None)
    assert (rich.fit(X, Y).predict(X) == poor.fit(X, Y).predict(X)).all()
    assert poor.posterior(X).exactness["map"] == "exact"
    near = np.abs(rich.predict_proba(X) - poor.predict_proba(X))
    assert near.mean() < 0.01


def test_the_ensemble_of_many_labels_is_proven():
    """Its class graph is complete: elimination would need 2^40 cells."""
    X, Y = labelled(40)
    post = NetworkEnsemble(max_parents=1).fit(X, Y).posterior(X[:20])
    assert post.plan.width == 39
    assert post.exactness["map"] == "exact"
    flips = np.broadcast_to(post._mode()[:, None], (20, 40, 40)) ^ np.eye(40, dtype=int)
    assert (post._score(flips).max(axis=1) <= post._found.score[:, 0] + 1e-9).all()


@pytest.mark.parametrize("time_limit", [0, -1.0, "none", float("nan")])
def test_a_time_limit_is_positive_or_none(time_limit):
    with pytest.raises(ValueError, match=r"time_limit=.*None or a finite number above 0"):
        MultilabelNB(time_limit=time_limit).fit([["a"], ["b"]], [[0, 1], [1, 0]])
