"""Asking for labels until the rest is sure."""

from __future__ import annotations

import numpy as np
import pytest

import jointbayes as jb
from jointbayes.errors import DataError
from jointbayes.models import BatchedLogistic


@pytest.fixture(scope="module")
def asked_about():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    first = X[:, 0] + rng.normal(0, 1, 300) > 0
    Y = np.stack([first, first ^ (rng.random(300) < 0.05), X[:, 1] > 0], axis=1).astype(int)
    model = jb.CTBN(BatchedLogistic(penalty=1.0)).fit(X[:200], Y[:200])
    return model.posterior(X[200:]), Y[200:]


def test_every_row_is_sure_or_has_been_asked_everything(asked_about):
    post, Y = asked_about
    found = jb.ask(post, Y, sure=0.9)
    assert ((found.probability >= 0.9) | (found.questions == 3)).all()
    assert found.questions.sum() == len(found.answers)
    for row, label, value in found.answers:
        assert found.labels[row, int(label[1])] == value == Y[row, int(label[1])]


def test_what_is_sure_is_right_as_often_as_it_says(asked_about):
    post, Y = asked_about
    found = jb.ask(post, Y, sure=0.95)
    assert (found.labels == Y).all(axis=1).mean() > 0.9
    assert found.questions.mean() < 3


def test_each_step_asks_what_is_worth_most(asked_about):
    post, Y = asked_about
    found = jb.ask(post, Y, sure=0.999, most=1, by="worth")
    best = post.next_question()[1]
    own = {name: post.next_question(labels=[name])[1] for name in ("y0", "y1", "y2")}
    assert len(set(found.answers["row"])) == len(found.answers)
    assert all(own[label][row] >= best[row] - 1e-9 for row, label, _ in found.answers)


def test_a_label_that_nobody_knows_is_not_asked_for_twice(asked_about):
    post, _ = asked_about
    found = jb.ask(post[:10], lambda _row, _label: None, sure=1.0)
    assert len({(row, label) for row, label, _ in found.answers}) == len(found.answers)
    assert (found.labels == post[:10].map()).all()


def test_only_what_may_be_asked_is(asked_about):
    post, Y = asked_about
    found = jb.ask(post, Y, sure=0.999, labels=["y2"])
    assert set(found.answers["label"]) == {"y2"}
    with pytest.raises(ValueError, match="no label can be asked for; there are y0"):
        jb.ask(post, Y, labels=["sad"])


def test_what_is_not_an_answer_is_refused(asked_about):
    post, Y = asked_about
    with pytest.raises(ValueError, match="the answers have 2 columns"):
        jb.ask(post, Y[:, :2])
    with pytest.raises(ValueError, match=r"by=.luck. is outside its range"):
        jb.ask(post, Y, by="luck")
    with pytest.raises(ValueError, match="sure=0 is outside its range"):
        jb.ask(post, Y, sure=0)


def test_a_model_in_place_of_a_posterior_is_told_apart():
    with pytest.raises(DataError, match=r"ask: a CTBN is not a posterior; give model\.posterior"):
        jb.ask(jb.CTBN(), lambda _row, _label: 1)
