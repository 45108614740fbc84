"""Trying models within a time limit, by a clock that we turn."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.labels import learn_labels
from jointbayes.models.auto import trying
from jointbayes.models.auto.trying import Judge
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.posterior import Independent

NAMES = ["BinaryRelevance", "MLkNN", "MultilabelNB", "LabelPowerset"]


@pytest.fixture
def clock(monkeypatch):
    """A clock on which learning a model takes 1 second for each row of 10."""
    now = [0.0]
    learn = trying.learn_rows

    def learn_slowly(model, rows):
        now[0] += len(rows) / 10
        return learn(model, rows)

    monkeypatch.setattr(trying, "perf_counter", lambda: now[0])
    monkeypatch.setattr(trying, "learn_rows", learn_slowly)
    return now


def data(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, (X + rng.normal(size=(n, 2)) > 0).astype(int)


# With 60 rows in 3 folds each fold takes 4 seconds, so that a model takes 12, and 4 are set apart
# to learn all rows by it: k models take 16 k.
@pytest.mark.parametrize(
    "limit, tried", [(None, 4), (64.0, 4), (63.9, 3), (48.0, 3), (33.0, 2), (1.0, 1)]
)
def test_as_many_models_are_tried_as_fit(clock, limit, tried):
    model = jb.Auto(time_limit=limit, models=NAMES).fit(*data())
    records = {r["model"]: r for r in model.leaderboard_ if r["model"] != "Pool"}
    assert set(records) == set(NAMES)
    assert [name for name in NAMES if records[name]["loss"] is not None] == NAMES[:tried]
    for name in NAMES[tried:]:
        assert records[name]["log_loss"] is records[name]["power"] is None
        assert records[name]["weight"] == 0.0
        assert "time_limit" in records[name]["note"]
    if limit is not None and tried > 1:  # a fold that has begun is not interrupted
        begun = sum("after 1 of 3 folds" in records[name]["note"] for name in NAMES[tried:])
        assert clock[0] - 4 * begun + 4 * len(model.members_) <= limit


def test_a_model_that_cannot_learn_is_said_to_be_left_out():
    X = np.arange(30.0)[:, None]
    Y = np.array([["a", "x"], ["b", "y"], ["c", "x"]] * 10)
    model = jb.Auto(models=["NaiBX", "BinaryRelevance"]).fit(X, Y)
    assert model.best_ == "BinaryRelevance"
    assert model.leaderboard_[-1]["model"] == "NaiBX"
    assert model.leaderboard_[-1]["note"].startswith("cannot be learned: ")
    with pytest.raises(jb.errors.DataError, match="no model can learn these rows; NaiBX: "):
        jb.Auto(models=["NaiBX"]).fit(X, Y)


@pytest.mark.parametrize("loss", ["subset", "hamming", "f1", "jaccard", jb.losses.Weighted(2.0)])
def test_losses_are_those_of_the_metrics(loss):
    rng = np.random.default_rng(0)
    p, truth = rng.random((40, 3)), rng.integers(0, 2, (40, 3))
    log_p = [np.log(np.stack([1 - q, q], axis=1)) for q in p.T]
    post = Independent(log_p, learn_labels(truth))
    parts = [np.arange(0, 40, 2), np.arange(1, 40, 2)]
    judge = Judge(loss, "allow", HeldOut(parts, truth))
    found = judge.losses([post[rows] for rows in parts])
    answer = post.decide(loss, "allow")
    np.testing.assert_allclose(found, by_hand(loss, truth, answer), atol=1e-12)


def by_hand(loss, truth, answer):
    both, either = (truth & answer).sum(axis=1), (truth | answer).sum(axis=1)
    if loss == "subset":
        return (truth != answer).any(axis=1)
    if loss == "hamming":
        return (truth != answer).mean(axis=1)
    if loss == "jaccard":
        return 1 - np.where(either > 0, both / np.maximum(either, 1), 1.0)
    if loss == "f1":
        sizes = truth.sum(axis=1) + answer.sum(axis=1)
        return 1 - np.where(sizes > 0, 2 * both / np.maximum(sizes, 1), 1.0)
    return (2.0 * (answer > truth) + (answer < truth)).mean(axis=1)
