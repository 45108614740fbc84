"""mNB, mFAN and the ensemble against their definitions, written plainly."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.information import bdeu
from jointbayes.models.networks import classifier
from jointbayes.posterior import Blocks

MODELS = [jb.MultilabelNB, jb.MultilabelFAN, jb.NetworkEnsemble]
ESS = 5.0


def draw(seed, n=60, m=3, cards=(2, 2, 2)):
    """Nominal features that depend on the classes, and classes that depend on each other."""
    rng = np.random.default_rng(seed)
    Y = np.stack([rng.integers(0, k, n) for k in cards], axis=1)
    Y[:, -1] = np.where(rng.random(n) < 0.7, Y[:, 0] % cards[-1], Y[:, -1])
    for j, k in enumerate(cards):
        Y[:k, j] = np.arange(k)
    X = (Y[:, rng.integers(0, len(cards), m)] + rng.integers(0, 2, (n, m))) % 3
    return X.astype(str), Y


def conditional(table):
    """P(last axis | the others) with the pseudo-counts of BDeu."""
    contexts = table.size // table.shape[-1]
    cells = table + ESS / contexts / table.shape[-1]
    return cells / cells.sum(axis=-1, keepdims=True)


def table(columns, cards):
    n = np.zeros(cards)
    np.add.at(n, tuple(columns), 1)
    return n


def best_bridge(x, k, Y, cards):
    sets = [s for size in range(len(cards) + 1) for s in combinations(range(len(cards)), size)]
    scores = [bdeu(table([*Y[:, s].T, x], [*(cards[j] for j in s), k])) for s in sets]
    best = max(scores)
    return next(s for s, score in zip(sets, scores, strict=True) if score >= best - 1e-9)


def log_joint(class_parents, X, Y, cards, row):
    """log P(c, row) for every label vector, by enumeration."""
    values = [sorted(set(x)) for x in X.T]
    coded = np.stack([np.searchsorted(v, x) for v, x in zip(values, X.T, strict=True)], axis=1)
    vectors = list(product(*(range(k) for k in cards)))
    out = np.zeros(len(vectors))
    for i, parents in enumerate(class_parents):
        p = conditional(table(Y[:, [*parents, i]].T, [cards[j] for j in (*parents, i)]))
        out += [np.log(p[tuple(v[j] for j in (*parents, i))]) for v in vectors]
    for j, known in enumerate(values):
        if row[j] not in known:
            continue
        parents = best_bridge(coded[:, j], len(known), Y, cards)
        shape = [*(cards[k] for k in parents), len(known)]
        p = conditional(table([*Y[:, parents].T, coded[:, j]], shape))
        x = known.index(row[j])
        out += [np.log(p[(*(v[k] for k in parents), x)]) for v in vectors]
    return np.array(vectors), out


def expected(model, X, Y, cards, row):
    """Pool the joints of all members and normalize."""
    graphs = [graph.parents for graph in model.learned_.graphs]
    joints = [log_joint(graph, X, Y, cards, row) for graph in graphs]
    pooled = np.mean([log for _, log in joints], axis=0)
    return joints[0][0], pooled - np.logaddexp.reduce(pooled)


@pytest.mark.parametrize("make", MODELS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), cards=st.sampled_from([(2, 2, 2), (2, 3), (3, 2, 2)]))
def test_probabilities_are_those_of_the_definition(make, seed, cards):
    X, Y = draw(seed, cards=cards)
    model = make().fit(X, Y)
    for row in [X[0], X[7], np.array(["0", "never seen", "2"])]:
        vectors, log_p = expected(model, X, Y, cards, row)
        posterior = model.posterior(np.repeat(row[None], len(vectors), axis=0))
        np.testing.assert_allclose(posterior.log_prob(vectors), log_p, atol=1e-9)


@pytest.mark.parametrize("make", MODELS)
def test_any_split_into_batches_is_one_fit(make):
    X, Y = draw(1, n=90)
    whole = make().fit(X, Y)
    for cuts in ([30], [40, 41, 60]):
        parts = make()
        for rows in np.split(np.arange(len(X)), cuts):
            parts.partial_fit(X[rows], Y[rows])
        assert parts.edges_ == whole.edges_
        np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("make", MODELS)
def test_weights_are_repetitions(make):
    X, Y = draw(2)
    times = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = make().fit(X, Y, sample_weight=times)
    repeated = make().fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    assert weighted.edges_ == repeated.edges_
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-12)
    fractions = make().fit(X, Y, sample_weight=times / 2)
    assert np.isfinite(fractions.predict_proba(X)).all()


@pytest.mark.parametrize("make", MODELS)
def test_the_empty_answer_is_forbidden_unless_allowed(make):
    X, Y = draw(3, n=200)
    Y[:] = 0
    Y[::9, 0] = 1
    assert make(empty="forbid").fit(X, Y).predict(X).any(axis=1).all()
    assert not make().fit(X, Y).predict(X).any(axis=1).all()
    some = Y.any(axis=1)
    assert make().fit(X[some], Y[some]).predict(X).any(axis=1).all()


@pytest.mark.parametrize("make", MODELS)
def test_odd_labels_are_learned_from(make):
    X, Y = draw(4)
    odd = np.column_stack([Y[:, 0], Y[:, 0], np.zeros(len(Y), int), np.ones(len(Y), int)])
    model = make(empty="allow").fit(X, odd)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 4)
    assert (probabilities[:, 2] < 0.5).all()
    assert (probabilities[:, 3] > 0.5).all()
    assert make().fit(X, Y[:, :1]).predict(X).shape == (len(X), 1)
    assert make().fit(X, Y[:, 0]).predict(X).shape == (len(X),)
    many = make().fit(X, np.column_stack([Y[:, 0], Y.sum(axis=1)]))
    assert [p.shape[1] for p in many.predict_proba(X)] == [2, 4]


def test_a_refused_batch_leaves_no_trace():
    X, Y = draw(5)
    model = jb.MultilabelNB().partial_fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(DataError, match="'y0' holds 7"):
        model.partial_fit(X, Y + 7)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_parameters_out_of_range_are_named():
    X, Y = draw(6)
    for wrong in ({"ess": 0}, {"ess": float("nan")}, {"max_parents": -1}, {"loss": "zero-one"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            jb.MultilabelNB(**wrong).fit(X, Y)


def test_names_and_proof_are_told():
    pandas = pytest.importorskip("pandas")
    X, Y = draw(7)
    frame, labels = (
        pandas.DataFrame(X, columns=list("abc")),
        pandas.DataFrame(Y, columns=list("uvw")),
    )
    model = jb.MultilabelFAN().fit(frame, labels)
    assert model.label_names_ == ["u", "v", "w"]
    assert {name for arc in model.edges_ for name in arc} <= set("abcuvw")
    assert model.bridge_proof_ == "best of all subsets"


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("cards", [(2, 2, 2), (3, 2)])
def test_contributions_add_up_to_the_log_odds_of_flipping_one_label(make, cards):
    X, Y = draw(8, cards=cards)
    rows = np.vstack([X[:6], [["0", "never seen", "1"]]])
    model = make().fit(X, Y)
    why = model.explain(rows)
    posterior = model.posterior(rows)
    np.testing.assert_array_equal(why.answer, model.predict(rows))
    for i in range(len(cards)):
        flipped = why.answer.copy()
        flipped[:, i] = why.runner_up[:, i]
        odds = posterior.log_prob(why.answer) - posterior.log_prob(flipped)
        np.testing.assert_allclose(why.log_odds[:, i], odds, atol=1e-9)
        total = why.base[:, i] + why.contributions[:, i].sum(axis=1)
        np.testing.assert_allclose(total, odds, atol=1e-9)
    assert (why.contributions[-1, :, 1] == 0).all()


def test_pooled_marginals_are_those_of_the_members_label_by_label():
    X, Y = draw(9)
    model = jb.NetworkEnsemble(pooling="marginals", loss="hamming", empty="allow").fit(X, Y)
    logs = []
    for graph in model.learned_.graphs:
        rows = [log_joint(graph.parents, X, Y, (2, 2, 2), row) for row in X[:5]]
        joint = np.array([np.exp(log - np.logaddexp.reduce(log)) for _, log in rows])
        logs.append(np.log([joint @ (rows[0][0] == v) for v in (0, 1)]))
    pooled = np.exp(np.mean(logs, axis=0))
    relevant = pooled[1] / pooled.sum(axis=0)
    np.testing.assert_allclose(model.predict_proba(X[:5]), relevant, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X[:5]), relevant > 0.5)
    joint = jb.NetworkEnsemble().fit(X, Y).posterior(X[:5])
    np.testing.assert_allclose(model.posterior(X[:5]).log_prob(Y[:5]), joint.log_prob(Y[:5]))


@pytest.mark.parametrize("kind", [jb.MultilabelFAN, jb.NetworkEnsemble])
def test_many_rows_are_asked_in_blocks_with_the_same_answers(kind, monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 3, (40, 6)), rng.integers(0, 2, (40, 5))
    model = kind().fit(X, Y)
    whole = model.posterior(X)
    monkeypatch.setattr(classifier, "FACTOR_BYTES", 2000)
    post = model.posterior(X)
    assert isinstance(post, Blocks)
    assert 1 < post.step < len(X)
    model.fit(X, 1 - Y)  # the posterior stays that of the model it was asked of
    for one, other in ((post, whole), (post[9:30][::-1], whole[9:30][::-1]), (post[:0], whole[:0])):
        np.testing.assert_array_equal(one.map("forbid"), other.map("forbid"))
        np.testing.assert_array_equal(one.top_k(3)[0], other.top_k(3)[0])
        np.testing.assert_allclose(one.marginals(), other.marginals(), rtol=1e-12)
        assert one.exactness == other.exactness
    known = {"y0": 1, "y3": 0}
    np.testing.assert_array_equal(post.given(known).map(), whole.given(known).map())
    twice = post.given({"y0": 1}).given({"y3": 0})
    vector = np.tile([1, 0, 0, 0, 0], (len(Y), 1))
    np.testing.assert_allclose(twice.log_prob(vector), whole.given(known).log_prob(vector))
