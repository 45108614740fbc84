"""Label powersets, RAkEL and ensembles of chains against what they are defined to be."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from jointbayes import ChainEnsemble, ClassifierChain, ILFCompo, LabelPowerset, RAkEL
from jointbayes.errors import ParameterError
from jointbayes.models import BatchedLogistic
from jointbayes.models.powersets.rakel import draw_groups

MODELS = (LabelPowerset, RAkEL, ChainEnsemble)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    Y = (X @ rng.normal(size=(3, 4)) + 0.5 * rng.normal(size=(150, 4)) > 0.3).astype(int)
    return X, Y


def test_a_powerset_is_a_classifier_of_label_vectors(rows):
    X, Y = rows
    vectors, place = np.unique(Y, axis=0, return_inverse=True)
    peer = GaussianNB().fit(X, place.ravel())
    post = LabelPowerset(GaussianNB()).fit(X, Y).posterior(X)
    np.testing.assert_array_equal(post.map(), vectors[peer.predict(X)])
    p = np.exp([post.log_prob(np.tile(v, (150, 1))) for v in vectors]).T
    np.testing.assert_allclose(p, peer.predict_proba(X), atol=1e-12)
    unseen = next(v for v in np.ndindex(2, 2, 2, 2) if not (vectors == v).all(axis=1).any())
    assert np.isneginf(post.log_prob(np.tile(unseen, (150, 1)))).all()


def test_a_powerset_may_have_many_values_per_label(rows):
    X, Y = rows
    many = np.column_stack([Y[:, 0] + Y[:, 1], Y[:, 2]]).astype(str)
    model = LabelPowerset(GaussianNB()).fit(X, many)
    assert [p.shape for p in model.predict_proba(X)] == [(150, 3), (150, 2)]
    assert model.score(X, many) > 0.5


def test_rakel_averages_the_powersets_of_its_groups(rows):
    X, Y = rows
    model = RAkEL(GaussianNB(), k=2, m=4, random_state=1).fit(X, Y)
    total, count = np.zeros(Y.shape), np.zeros(4)
    for group in model.groups_:
        own = LabelPowerset(GaussianNB()).fit(X, Y[:, group]).predict_proba(X)
        total[:, group] += own
        count[list(group)] += 1
    held = count > 0
    np.testing.assert_allclose(
        model.predict_proba(X)[:, held], (total / np.maximum(count, 1))[:, held]
    )


def test_a_label_in_no_group_has_its_frequency(rows):
    X, Y = rows
    model = RAkEL(GaussianNB(), k=1, m=1).fit(X, Y)
    ((held,),) = model.groups_
    p = model.predict_proba(X)
    for j in {0, 1, 2, 3} - {held}:
        np.testing.assert_allclose(p[:, j], (Y[:, j].sum() + 0.5) / 151)


@pytest.mark.parametrize(("d", "k", "m"), [(4, 3, 10), (14, 3, 10), (30, 5, 40), (2, 3, 10)])
def test_groups_are_distinct_and_as_many_as_there_can_be(d, k, m):
    groups = draw_groups(d, k, m, "overlapping", np.random.default_rng(0))
    assert len(set(groups)) == len(groups) == min(m, comb(d, min(k, d)))
    assert {len(g) for g in groups} == {min(k, d)}
    apart = draw_groups(d, k, m, "disjoint", np.random.default_rng(0))
    assert sorted(j for g in apart for j in g) == list(range(d))
    assert max(len(g) for g in apart) <= k


@pytest.mark.parametrize("estimator", [BatchedLogistic(penalty=1.0, tol=1e-12), GaussianNB()])
def test_an_ensemble_is_the_mixture_of_its_chains(rows, estimator):
    X, Y = rows
    model = ChainEnsemble(estimator, n_chains=3).fit(X, Y)
    chains = [ClassifierChain(estimator, order=order).fit(X, Y) for order in model.orders_]
    members = [np.exp(chain.posterior(X).log_prob(Y)) for chain in chains]
    np.testing.assert_allclose(
        np.exp(model.posterior(X).log_prob(Y)), np.mean(members, axis=0), atol=1e-6
    )
    assert len(set(model.orders_)) > 1


def test_votes_are_those_of_greedy_chains(rows):
    X, Y = rows
    model = ChainEnsemble(LogisticRegression(), n_chains=5, voting="votes").fit(X, Y)
    answers = [
        ClassifierChain(LogisticRegression(), order=order, inference="greedy").fit(X, Y).predict(X)
        for order in model.orders_
    ]
    np.testing.assert_array_equal(model.predict(X), (np.mean(answers, axis=0) >= 0.5).astype(int))


def test_chains_may_learn_from_a_share_of_the_rows(rows):
    X, Y = rows
    part, whole = (ChainEnsemble(GaussianNB(), n_chains=2, share=s).fit(X, Y) for s in (0.67, 1))
    assert part.orders_[0] == whole.orders_[0]
    assert not np.allclose(part.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("model", [m(GaussianNB()) for m in MODELS])
def test_a_label_of_one_value_gets_its_smoothed_frequency(model, rows):
    X, Y = rows
    constant = np.column_stack([Y[:, 0], np.zeros(len(Y), dtype=int)])
    p = model.fit(X, constant).predict_proba(X)
    assert (p[:, 1] < 0.01).all()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RAkEL(k=0), "k=0"),
        (RAkEL(groups="some"), "groups='some'"),
        (RAkEL(unseen="some"), "unseen='some'"),
        (LabelPowerset(unseen=None), "unseen=None"),
        (ChainEnsemble(n_chains=0), "n_chains=0"),
        (ChainEnsemble(share=1.5), "share=1.5"),
        (ChainEnsemble(voting="no"), "voting='no'"),
        (LabelPowerset(loss="zero"), "loss='zero'"),
        (LabelPowerset(object()), "predict_proba"),
    ],
)
def test_bad_parameters_get_one_sentence(model, message, rows):
    with pytest.raises(ParameterError, match=message):
        model.fit(*rows)


@pytest.mark.parametrize(("d", "k"), [(2, 3), (4, 3), (7, 3), (20, 3), (53, 3), (31, 5), (9, 1)])
def test_groups_cover_every_label_twice_unless_their_number_is_given(d, k):
    groups = draw_groups(d, k, "auto", "overlapping", np.random.default_rng(0))
    size = min(k, d)
    assert len(set(groups)) == len(groups) == min(max(10, 2 * -(-d // size)), comb(d, size))
    assert {len(set(g)) for g in groups} == {size}
    often = np.bincount([j for g in groups for j in g], minlength=d)
    assert often.min() >= min(2, comb(d, size) * size // d)


def forest():
    return ExtraTreesClassifier(8, random_state=0)


BACKED = {
    "powerset": LabelPowerset(unseen="back_off"),
    "powerset of trees": LabelPowerset(forest(), unseen="back_off"),
    "rakel": RAkEL(k=2, m=4, unseen="back_off"),
    "rakel of trees": RAkEL(forest(), k=2, m=4, unseen="back_off"),
    "factors": ILFCompo(unseen="back_off"),
    "factors of trees": ILFCompo(forest(), unseen="back_off"),
    "factors as chains": ILFCompo(forest(), max_labels=1, unseen="back_off"),
}


@pytest.mark.parametrize("name", BACKED)
def test_backed_off_models_answer_as_enumeration_does(name, rows):
    X, Y = rows
    X, Y = X[:60], Y[:60]
    post = clone(BACKED[name]).fit(X, Y).posterior(X[:9])
    every = np.array(list(product([0, 1], repeat=4)))
    log_p = np.stack([post.log_prob(np.tile(v, (9, 1))) for v in every], axis=1)
    assert np.isfinite(log_p).all()
    p = np.exp(log_p)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-9)
    for j, marginal in enumerate(post.marginals()):
        np.testing.assert_allclose(marginal[:, 1], p @ every[:, j], rtol=0, atol=1e-9)
    found, best = post.top_k(16)
    np.testing.assert_allclose(best, -np.sort(-log_p, axis=1), rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        [[post.log_prob(np.tile(v, (9, 1)))[i] for v in row] for i, row in enumerate(found)], best
    )
    np.testing.assert_allclose(post.log_prob(post.map()), log_p.max(axis=1), rtol=0, atol=1e-9)
    costs = {
        "hamming": (every[:, None] != every).mean(axis=2),
        "f1": 1 - f1_of(every[:, None], every),
    }
    for loss, cost in costs.items():
        expected = (p @ cost).min(axis=1)
        decided = post.decide(loss, empty="allow")
        np.testing.assert_allclose(post.expected_loss(decided, loss), expected, atol=1e-9)
    known = post.given({"y0": 1})
    share = p * (every[:, 0] == 1)
    share /= share.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(known.marginals()[1][:, 1], share @ every[:, 1], atol=1e-9)
    if name != "factors as chains":  # whose answer is greedy
        assert set(post.exactness.values()) == {"exact"}


def f1_of(a, b):
    common, sizes = (a & b).sum(axis=-1), a.sum(axis=-1) + b.sum(axis=-1)
    return np.where(sizes == 0, 1.0, 2 * common / np.maximum(sizes, 1))


def test_what_a_powerset_backs_off_to_is_told_by_rows_held_out(rows):
    X, Y = rows
    model = LabelPowerset(GaussianNB(), unseen="back_off").fit(X, Y)
    plain = LabelPowerset(GaussianNB()).fit(X, Y)
    back = model.powerset_.backing
    marginals = plain.predict_proba(X)
    f = (Y.sum(axis=0) + 0.5) / (len(Y) + 1)
    q = (1 - back.share) * marginals + back.share * f
    independent = np.where(Y == 1, q, 1 - q).prod(axis=1)
    with np.errstate(divide="ignore"):
        listed = np.exp(plain.posterior(X).log_prob(Y))
    expected = np.log((1 - back.weight) * listed + back.weight * independent)
    np.testing.assert_allclose(model.posterior(X).log_prob(Y), expected, rtol=0, atol=1e-9)


def test_backing_off_costs_less_than_calling_what_happens_impossible(rows):
    X, Y = rows
    test, train = slice(0, 60), slice(60, None)
    far = np.random.default_rng(1).integers(0, 2, (60, 4))  # vectors of chance
    for model in (LabelPowerset(forest()), RAkEL(forest()), ILFCompo(forest())):
        zero = model.fit(X[train], Y[train]).posterior(X[test]).log_prob(far)
        backed = clone(model).set_params(unseen="back_off").fit(X[train], Y[train])
        assert np.isneginf(zero).any()
        assert np.isfinite(backed.posterior(X[test]).log_prob(far)).all()


def test_one_row_is_no_reason_to_call_the_rest_impossible():
    model = LabelPowerset(unseen="back_off").fit([[0.0]], [[0, 1]])
    post = model.posterior([[0.0]])
    assert post.map().tolist() == [[0, 1]]
    assert np.isfinite(post.log_prob([[1, 0]])).all()


def test_many_labels_backed_off_are_still_exact():
    rng = np.random.default_rng(0)
    Y = (rng.random((80, 30)) < 0.2).astype(int)
    X = Y @ rng.normal(size=(30, 4)) + rng.normal(size=(80, 4))
    post = LabelPowerset(GaussianNB(), unseen="back_off").fit(X, Y).posterior(X[:5])
    log_p = post.top_k(5)[1]
    assert post.exactness["top_k"] == "exact"
    assert (np.diff(log_p, axis=1) <= 0).all()
    drawn = post.sample(500, rng=0).reshape(-1, 30)
    best = post.log_prob(post.map())
    for i in range(5):
        others = post[np.full(200, i)].log_prob(drawn[i::5][:200])
        assert (others <= best[i] + 1e-12).all()
