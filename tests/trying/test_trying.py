"""try_models: everybody on the same folds, told as they are."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.reading import read_labelled
from jointbayes.labels import learn_labels
from jointbayes.models.auto.correction import HeldOut
from jointbayes.models.auto.trying import Budget
from jointbayes.models.trust.inner_folds import deal_folds
from jointbayes.trying import entrants
from jointbayes.trying.entrants import enter_baseline, enter_yardstick
from jointbayes.trying.measuring import METRIC_OF, row_losses

N = 70


def frame(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(3, n)})


def labels(X, kind):
    """Of each kind of target: one class variable, binary labels, many-valued ones."""
    first, second = (X["a"] > 0).astype(int), ((X["a"] > 0) ^ (X["b"] > 1)).astype(int)
    if kind == "one":
        return pd.Series(np.where(first, "up", np.where(second, "down", "flat")), name="move")
    if kind == "binary":
        return pd.DataFrame({"first": first, "second": second})
    return pd.DataFrame({"first": first.map({0: "no gain", 1: "gain"}), "third": X["c"] + first})


@pytest.fixture(scope="module", params=["one", "binary", "many-valued"])
def tried(request):
    X = frame()
    Y = labels(X, request.param)
    return X, Y, jb.try_models(X, Y, cv=2, time_limit=None, progress="none")


def read(X, Y):
    return read_labelled(jb.Auto(), X, Y, None, learn_labels, reset=True)


def held_out(rows, k=3):
    return HeldOut(deal_folds(rows.codes, k, 0), rows.codes)


def test_everybody_takes_part_and_the_best_of_ours_is_recommended(tried):
    *_, found = tried
    board = found.leaderboard
    assert {place.kind for place in board} >= {"baseline", "scikit-learn", "model"}
    assert [p.score for p in board] == sorted((p.score for p in board), reverse=True)
    own = [place for place in board if place.kind in ("model", "pool")]
    assert found.place(found.recommended).score == own[0].score
    assert found.place("baseline").score < own[0].score
    assert board[0].verdict == "best" and board[0].p is None


def test_ties_are_called_ties_and_only_tests_call_anybody_behind(tried):
    *_, found = tried
    first, *others = found.leaderboard
    for place in others:
        equal = place.score == pytest.approx(first.score, abs=1e-12)
        assert (place.verdict == "tie") == equal
        if not equal:
            assert (place.verdict == "behind") == (place.p <= 0.05)


def test_the_model_is_the_one_that_its_line_of_python_makes(tried):
    X, Y, found = tried
    again = eval(found.code, {"jb": jb}).fit(X, Y)
    assert again.best_ == found.model.best_
    np.testing.assert_array_equal(again.predict(X), found.model.predict(X))
    assert found.model.label_names_ == list(Y.columns if Y.ndim == 2 else [Y.name])


def test_threads_and_repetition_change_nothing(tried):
    X, Y, found = tried
    if Y.ndim == 1 or Y.columns[-1] != "second":
        return  # once is enough
    again = jb.try_models(X, Y, cv=2, time_limit=None, n_jobs=1, progress="none")
    assert [(p.model, p.score, p.p) for p in again.leaderboard] == [
        (p.model, p.score, p.p) for p in found.leaderboard
    ]


@pytest.mark.parametrize("loss", ["subset", "hamming", "f1", "jaccard"])
def test_a_row_costs_what_the_metric_says(loss):
    X = frame(60)
    rows = read(X, labels(X, "binary"))
    held = held_out(rows)
    rng = np.random.default_rng(1)
    guess = enter_baseline(rows, held, lambda post: rng.integers(0, 2, (len(post), 2)))
    losses = row_losses(guess, held, loss)
    for fold, answer in zip(held.folds, guess.answers, strict=True):
        metric = jb.metrics.METRICS[METRIC_OF[loss]]
        expected = metric(rows.codes[fold], answer)
        assert 1 - losses[fold].mean() == pytest.approx(expected, abs=1e-12)


def test_the_baseline_answers_the_commonest_label_set_of_the_other_folds():
    X = frame(90)
    rows = read(X, labels(X, "binary"))
    held = held_out(rows)
    found = enter_baseline(rows, held, lambda post: post.space.encode(post.decide("subset")))
    for fold, answer in zip(held.folds, found.answers, strict=True):
        others = np.delete(rows.codes, fold, axis=0)
        vectors, counts = np.unique(others, axis=0, return_counts=True)
        assert (answer == vectors[counts.argmax()]).all()
    assert np.isfinite(held.log_p(found.posteriors)).all()


@pytest.mark.parametrize("kind", ["one", "binary", "many-valued"])
def test_the_yardstick_answers_as_scikit_learn_does(kind):
    X = frame(100)
    rows = read(X, labels(X, kind))
    held = held_out(rows)
    settings = {"random_state": 0, "n_jobs": 1}
    for name in entrants.YARDSTICKS:
        found = enter_yardstick(name, rows, held, Budget.from_now(), settings)
        for fold, answer in zip(held.folds, found.answers, strict=True):
            train = np.setdiff1d(np.arange(len(rows)), fold)
            target = rows.codes[train]
            if name == "RandomForestClassifier":
                model = RandomForestClassifier(random_state=0)
                model.fit(X.iloc[train].to_numpy(), target[:, 0] if kind == "one" else target)
            else:
                scaled = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
                model = MultiOutputClassifier(scaled).fit(X.iloc[train].to_numpy(), target)
            theirs = model.predict(X.iloc[fold].to_numpy()).reshape(len(fold), -1)
            assert (theirs == answer).mean() > 0.985  # solvers stop at other digits


def test_a_value_that_one_row_has_stops_nobody():
    X = frame(40)
    Y = labels(X, "one").copy()
    Y.iloc[7] = "once"
    found = jb.try_models(X, Y, cv=2, progress="none")
    assert {"LogisticRegression", "RandomForestClassifier"} <= set(found.kinds)
    assert found.model.predict(X).shape == (40,)


def test_what_time_does_not_allow_is_named():
    X = frame(80)
    found = jb.try_models(X, labels(X, "binary"), cv=2, time_limit=1e-9, progress="none")
    out = dict(found.left_out)
    assert {"LogisticRegression", "RandomForestClassifier"} <= out.keys()
    assert [kind for kind in found.kinds.values() if kind == "model"] == ["model"]
    assert "time_limit" in out["JointForest"]
    assert "Left out for want of time: LogisticRegression, RandomForest" in found.why[-1]


def test_noise_is_not_told_apart_from_the_baseline():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    found = jb.try_models(X, y, cv=3, progress="none")
    assert "the test does not tell apart" in found.why[1]


def test_where_nobody_has_a_row_right_another_loss_is_named():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(24, 2)), np.eye(24, dtype=int)  # no row has the labels of another
    found = jb.try_models(X, Y, cv=2, time_limit=1e-9, progress="none")
    assert found.leaderboard[0].score == 0
    assert found.why[1].startswith("Nobody has a whole row right")
    again = jb.try_models(X, Y, loss="hamming", cv=2, time_limit=1e-9, progress="none")
    assert "Nobody" not in "".join(again.why)


def test_the_noun_is_short_and_becomes_a_frame_and_json(tried):
    *_, found = tried
    text = repr(found)
    assert len(text.splitlines()) <= 11
    assert text.splitlines()[1].split()[0] == found.leaderboard[0].model
    assert max(map(len, text.splitlines()[:-1])) <= 80
    table = found.to_frame()
    assert list(table["model"]) == [place.model for place in found.leaderboard]
    np.testing.assert_allclose(table[found.metric], table["score"])
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert told["recommended"] == found.recommended
    assert len(told["leaderboard"]) == len(table)
    with pytest.raises(ParameterError, match="'SVC' was not tried; there are baseline"):
        found.place("SVC")


@pytest.mark.parametrize(
    "Y, options, message",
    [
        ("one", {"loss": "f1"}, "is of sets of labels, and these are multiclass"),
        ("binary", {"loss": "f2"}, "choose one of subset, hamming, f1, jaccard"),
        ("binary", {"cv": 1}, "try_models: cv=1 is outside its range"),
        ("binary", {"time_limit": -1}, "try_models: time_limit=-1 is outside"),
    ],
)
def test_what_cannot_be_tried_is_refused(Y, options, message):
    X = frame(30)
    with pytest.raises((DataError, ParameterError), match=message):
        jb.try_models(X, labels(X, Y), progress="none", **options)


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="3 rows are too few"):
        jb.try_models([[1.0], [2.0], [3.0]], [0, 1, 0])


def test_the_test_over_rows_is_student_s_with_a_larger_variance():
    rng = np.random.default_rng(0)
    a, b = rng.random(50), rng.random(50)
    found = jb.statistics.corrected_row_t(a, b, folds=5)
    plain = stats.ttest_rel(a, b)
    assert found.statistic == pytest.approx(plain.statistic / np.sqrt(2.25), abs=1e-9)
    assert found.p_value > plain.pvalue
    same = jb.statistics.corrected_row_t(a, a, folds=2)
    assert (same.statistic, same.p_value) == (0.0, 1.0)
    with pytest.raises(ParameterError, match="folds must be 2 at least"):
        jb.statistics.corrected_row_t(a, b, folds=1)
