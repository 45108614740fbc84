"""Auto: what it keeps is what its leaderboard says is best."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.labels import learn_labels
from jointbayes.models.auto.correction import Correction
from jointbayes.models.auto.keeping import keep
from jointbayes.models.auto.portfolio import Candidate
from jointbayes.models.auto.trying import Judge, Trial
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.pooling import prune
from jointbayes.posterior import Independent, mix

LOSSES = ["subset", "hamming", "f1", "jaccard"]
QUICK = ["BinaryRelevance", "MLkNN", "MultilabelFAN", "LabelPowerset"]


def data(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(n, 3)) > 0).astype(int)
    Y[:, 2] = np.where(rng.random(n) < 0.9, Y[:, 0] ^ Y[:, 1], Y[:, 2])
    return X, Y


def order(record):
    return record["loss"], record["log_loss"]


@pytest.mark.parametrize("loss", LOSSES)
def test_the_best_of_the_leaderboard_is_kept(loss):
    X, Y = data()
    model = jb.Auto(loss, models=QUICK).fit(X, Y)
    records = model.leaderboard_
    assert records == sorted(records, key=order)
    assert records[0]["model"] == model.best_
    weights = {r["model"]: r["weight"] for r in records}
    assert sum(weights.values()) == pytest.approx(1, abs=1e-12)
    named = {
        type(member).__name__: w for member, w in zip(model.members_, model.weights_, strict=True)
    }
    assert named == {name: w for name, w in weights.items() if w > 0}
    if model.best_ != "Pool":
        assert weights[model.best_] == 1
    np.testing.assert_array_equal(model.predict(X), model.posterior(X).decide(loss))


@pytest.mark.parametrize("seed", range(6))
def test_a_pool_is_kept_unless_the_best_model_is_clearly_better(seed):
    model = jb.Auto("hamming", models=QUICK).fit(*data(seed=seed))
    records = {r["model"]: r for r in model.leaderboard_}
    pool = records.pop("Pool", None)
    best = min(map(order, records.values()))
    if pool is not None and model.best_ != "Pool":
        assert order(records[model.best_]) == best
    if pool is None:  # of least loss, or nearly so and the likeliest
        likeliest = min(r["log_loss"] for r in records.values())
        kept = records[model.best_]
        assert order(kept) == best or kept["log_loss"] <= likeliest + 1e-3
    if pool is not None and order(pool) <= best:
        assert model.best_ == "Pool"
    if pool is not None:  # its weights are those of largest likelihood
        assert pool["log_loss"] <= min(r["log_loss"] for r in records.values()) + 1e-3


def test_the_posterior_is_the_mixture_of_corrected_models_of_all_rows():
    X, Y = data(seed=5)
    model = jb.Auto("hamming", models=QUICK).fit(X, Y)
    assert model.best_ == "Pool"
    parts = []
    for member, correction in zip(model.members_, model.corrections_, strict=True):
        post = type(member)().fit(X, Y).posterior(X)
        powered = post.power(correction.power)
        back = correction.backing
        if back is not None:
            independent = back.around(post.marginals(), post.space)
            powered = mix([powered, independent], [1 - back.weight, back.weight])
        parts.append(powered)
    expected = mix(parts, model.weights_.tolist())
    np.testing.assert_allclose(model.posterior(X).log_prob(Y), expected.log_prob(Y), atol=1e-9)


def test_the_same_rows_make_the_same_model():
    X, Y = data()
    one, two = (jb.Auto(models=QUICK).fit(X, Y) for _ in range(2))
    unclocked = [[{**r, "seconds": 0} for r in model.leaderboard_] for model in (one, two)]
    assert unclocked[0] == unclocked[1]
    np.testing.assert_array_equal(one.posterior(X).log_prob(Y), two.posterior(X).log_prob(Y))
    other = jb.Auto(models=QUICK, random_state=5).fit(X, Y)
    assert order(other.leaderboard_[0]) != order(one.leaderboard_[0])


def test_no_label_vector_is_impossible():
    X, Y = data()
    Y[(Y == [1, 1, 1]).all(axis=1)] = 0
    for models in (["LabelPowerset"], QUICK):
        post = jb.Auto(models=models).fit(X, Y).posterior(X)
        assert np.isfinite(post.log_prob(np.ones_like(Y))).all()
    assert np.isinf(jb.LabelPowerset().fit(X, Y).posterior(X).log_prob(np.ones_like(Y))).all()


def test_figures_are_those_of_rows_held_out():
    """Labels that rows do not tell: out of fold nothing is gained, whatever neighbours recall."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 3)), rng.integers(0, 2, (300, 2))
    model = jb.Auto(models=["MLkNN", "BinaryRelevance"]).fit(X, Y)
    for record in model.leaderboard_:
        assert record["loss"] == pytest.approx(0.75, abs=0.08)
        assert record["log_loss"] == pytest.approx(2 * np.log(2), abs=0.05)


def test_one_class_variable():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 0] > 0.5, "high", np.where(X[:, 1] > 0, "mid", "low"))
    model = jb.Auto().fit(X, y)
    assert {"NaiveBayes", "TAN", "KDB(k=2)", "AODE", "AKDB", "LTAN"} <= {
        record["model"] for record in model.leaderboard_
    }
    assert model.predict(X).shape == (150,)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, atol=1e-9)
    assert model.score(X, y) > 0.85
    assert (model.predict_proba(X) > 0).all()


def test_a_model_of_ones_own_is_tried_beside_the_likely_ones():
    X, Y = data(90)
    alone = jb.Auto(cv=2, n_jobs=1).fit(X, Y[:, 0])
    own = jb.BinaryRelevance(GaussianNB())
    both = jb.Auto(cv=2, models=["Likely", own], n_jobs=1).fit(X, Y[:, 0])
    tried = {record["model"] for record in both.leaderboard_} - {"Pool"}
    assert tried - {record["model"] for record in alone.leaderboard_} == {str(own)}
    assert len(tried) > 5


def test_weights_count_as_in_a_weighted_mean():
    X, Y = data()
    weights = np.where(np.arange(len(X)) % 4 == 0, 0.0, 2.0)
    kept = weights > 0
    one = jb.Auto(models=QUICK).fit(X, Y, weights)
    two = jb.Auto(models=QUICK).fit(X[kept], Y[kept], weights[kept])
    for a, b in zip(one.leaderboard_, two.leaderboard_, strict=True):
        assert (a["model"], *order(a)) == (b["model"], *order(b))


def test_sparse_and_dense_rows_are_the_same():
    X, Y = data()
    X = np.where(np.abs(X) > 1, X, 0.0)
    models = ["BinaryRelevance", "MLkNN"]
    dense = jb.Auto(models=models).fit(X, Y).posterior(X).log_prob(Y)
    loose = sparse.csr_matrix(X)
    found = jb.Auto(models=models).fit(loose, Y).posterior(loose).log_prob(Y)
    np.testing.assert_allclose(found, dense, atol=1e-6)


def test_one_row_is_learned_without_comparison():
    model = jb.Auto().fit([[1.0, 2.0]], [[0, 1]])
    assert model.predict([[1.0, 2.0]]).tolist() == [[0, 1]]
    assert "held out" in model.leaderboard_[0]["note"]


def test_what_makes_no_sense_is_refused():
    X, Y = data()
    for wrong in ({"cv": 1}, {"time_limit": 0}, {"models": []}, {"models": "CTBN"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            jb.Auto(**wrong).fit(X, Y)
    with pytest.raises(ParameterError, match="MLkNN: k=0"):
        jb.Auto(models=[jb.MLkNN(k=0)]).fit(X, Y)
    with pytest.raises(DataError, match="loss='f1'"):
        jb.Auto("f1", models=["TAN"]).fit(X, Y.sum(axis=1))


def test_a_stored_model_answers_the_same(tmp_path):
    X, Y = data()
    model = jb.Auto(models=QUICK).fit(X, Y)
    jb.save(model, tmp_path / "auto.jb")
    again = jb.load(tmp_path / "auto.jb")
    assert again.leaderboard_ == model.leaderboard_
    np.testing.assert_array_equal(again.posterior(X).log_prob(Y), model.posterior(X).log_prob(Y))


def test_on_emotions_it_is_better_than_labels_apart(shared):
    data = jb.load_dataset(shared / "data/multilabel/emotions.arff.xz")
    Y = np.asarray(data.Y)
    place = np.arange(len(Y)) % 5
    train, test = np.flatnonzero(place > 1), np.flatnonzero(place < 2)
    model = jb.Auto(n_jobs=1).fit(data.X[train], Y[train])
    apart = jb.BinaryRelevance(n_jobs=1).fit(data.X[train], Y[train])
    assert all(record["note"] == "" for record in model.leaderboard_)
    assert model.score(data.X[test], Y[test]) > apart.score(data.X[test], Y[test])
    log_loss = [-m.posterior(data.X[test]).log_prob(Y[test]).mean() for m in (model, apart)]
    assert log_loss[0] < log_loss[1]


def held_out_trial(name, log_p, losses):
    """A model that was tried on one fold, whose posterior says log_p of the truth, a 1."""
    post = Independent([np.log(np.stack([1 - np.exp(log_p), np.exp(log_p)], axis=1))], SPACE)
    return Trial(Candidate(name, None, "none"), Correction(), (post,), log_p, losses, 1.0)


SPACE = learn_labels(np.array([[0], [1]]))


@pytest.mark.parametrize(
    ("wrong_in_pool", "kept"), [(0, "Pool"), (1, "Pool"), (10, "Pool"), (20, "first")]
)
def test_a_little_worse_for_the_loss_is_no_reason_to_leave_the_pool(wrong_in_pool, kept):
    n = 100
    p, q = np.full(n, 0.9), np.full(n, 0.1)
    p[50:], q[50:] = 0.1, 0.9
    held = HeldOut([np.arange(n)], np.ones((n, 1), dtype=int))

    class Told(Judge):
        def losses(self, posteriors):
            assert type(posteriors[0]).__name__ == "Mixture"
            rows = np.arange(n)
            return ((rows >= 5) & (rows < 45 + wrong_in_pool)).astype(float)

    judge = Told("subset", "allow", held)
    own = (np.arange(n) < 40).astype(float)
    trials = [
        held_out_trial("first", np.log(p), own),
        held_out_trial("second", np.log(q), np.ones(n)),
    ]
    assert keep(trials, judge).name == kept


def test_a_pool_leans_towards_the_model_of_least_loss_where_that_is_clearly_better():
    """What is kept is the best of (1), by losses that are counted one by one."""
    n, rng = 400, np.random.default_rng(0)
    likely = np.where(rng.random(n) < 0.55, 0.95, 0.4)  # sure where it is right
    right = np.where(rng.random(n) < 0.8, 0.7, 0.2)  # right more often, and less likely
    judge = Judge("subset", "allow", HeldOut([np.arange(n)], np.ones((n, 1), dtype=int)))
    each = {"likely": likely, "right": right}
    trials = [held_out_trial(k, np.log(p), (p < 0.5).astype(float)) for k, p in each.items()]
    pool = prune(np.stack([trial.log_p for trial in trials], axis=1))
    assert pool.min() > 0
    found = keep(trials, judge)
    alphas = (0.0, 0.25, 0.5, 0.75, 1.0)
    wrong = {}
    for a in alphas:
        w = (1 - a) * pool + a * np.array([0.0, 1.0])
        wrong[a] = w[0] * likely + w[1] * right < 0.5
    least = min(alphas, key=lambda a: (wrong[a].sum(), a))
    change = wrong[0.0].astype(float) - wrong[least]
    assert 0 < least < 1
    assert change.mean() > 3 * change.std() / np.sqrt(n)
    expected = (1 - least) * pool + least * np.array([0.0, 1.0])
    assert found.name == "Pool"
    np.testing.assert_allclose(found.weights, expected)
    assert found.pool["loss"] == pytest.approx(wrong[least].mean())


@pytest.mark.parametrize(("wrong", "kept"), [(40, "likely"), (42, "likely"), (80, "lucky")])
def test_a_little_luck_is_no_reason_to_leave_the_likeliest_model(wrong, kept):
    n = 100
    judge = Judge("subset", "allow", HeldOut([np.arange(n)], np.ones((n, 1), dtype=int)))
    rows = np.arange(n)
    trials = [
        held_out_trial("likely", np.log(np.full(n, 0.9)), (rows < wrong).astype(float)),
        held_out_trial("lucky", np.log(np.full(n, 0.5)), (rows >= 60).astype(float)),
    ]
    found = keep(trials, judge)
    assert found.name == kept
    assert found.weights.tolist() == ([1, 0] if kept == "likely" else [0, 1])
    assert found.pool is None
