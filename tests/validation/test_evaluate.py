"""evaluate against plain loops, and models by name."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

import jointbayes as jb
from jointbayes import metrics
from jointbayes.errors import DataError, ParameterError
from jointbayes.models.catalog import make_model, model_name, model_names, set_parameters
from jointbayes.validation import Folds, Score, evaluate, progress
from jointbayes.validation.evaluate import DEFAULT_METRICS

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (60, 4)).astype(str)
y = np.where(X[:, 0] == X[:, 1], "same", np.where(X[:, 2] == "0", "zero", "else"))
Y = np.stack([X[:, 0] == "0", X[:, 1] == X[:, 0]], axis=1).astype(int)


def test_scores_are_those_of_a_plain_loop():
    scores = evaluate(jb.TAN(), X, y, cv=4, random_state=5)
    right, losses = [], []
    for train, test in Folds(4, random_state=5).split(X, y):
        model = jb.TAN().fit(X[train], y[train])
        right.append(np.mean(model.predict(X[test]) == y[test]))
        losses.append(log_loss(y[test], model.predict_proba(X[test]), labels=model.classes_))
    assert scores["subset_accuracy"].folds == pytest.approx(right, abs=1e-12)
    assert scores["log_loss"].folds == pytest.approx(losses, abs=1e-12)
    assert scores["log_loss"].mean == pytest.approx(mean(losses))
    assert scores["log_loss"].spread == pytest.approx(stdev(losses))
    assert list(scores) == list(DEFAULT_METRICS["multiclass"])
    assert [fold.fold for fold in scores.folds] == [0, 1, 2, 3]
    assert sum(fold.test_rows for fold in scores.folds) == len(X)


def test_several_labels_and_the_loss_of_the_model():
    model = jb.MultilabelNB(loss="hamming", empty="allow")
    scores = evaluate(model, X, Y, cv=3, metrics=["hamming_loss", "joint_log_loss", "f1_micro"])
    for fold, (train, test) in enumerate(Folds(3, random_state=0).split(X, Y)):
        fitted = jb.MultilabelNB(loss="hamming", empty="allow").fit(X[train], Y[train])
        predicted, posterior = fitted.predict(X[test]), fitted.posterior(X[test])
        assert scores["hamming_loss"].folds[fold] == pytest.approx(np.mean(predicted != Y[test]))
        assert scores["joint_log_loss"].folds[fold] == metrics.joint_log_loss(Y[test], posterior)


class Counting(jb.TAN):
    """A model that counts how often it is asked for a posterior."""

    asked = 0

    def posterior(self, X):
        Counting.asked += 1
        return super().posterior(X)


def test_each_fold_has_one_posterior():
    Counting.asked = 0
    evaluate(Counting(), X, y, cv=3, metrics=["subset_accuracy", "log_loss", "cll_loss"])
    assert Counting.asked == 3


def counted(monkeypatch, kind, method):
    """Count the calls of a method, wherever the class has it from."""
    calls = []
    owner = next(k for k in kind.__mro__ if method in vars(k))
    real = vars(owner)[method]

    def count(self, *arguments):
        calls.append(method)
        return real(self, *arguments)

    monkeypatch.setattr(owner, method, count)
    return calls


@pytest.mark.parametrize(
    "model",
    [
        jb.MultilabelNB(),
        jb.MultilabelFAN(loss="f1", empty="allow"),
        jb.NetworkEnsemble(loss="hamming"),
        jb.BinaryRelevance(loss="jaccard"),
        jb.CTBN(),
        jb.NaiBX(beam=3),
        jb.NaiBX(loss="hamming"),
        jb.MLkNN(k=3),
    ],
    ids=repr,
)
def test_one_posterior_serves_the_answer_and_every_metric(monkeypatch, model):
    names = ["subset_accuracy", "f1_zero", "log_loss", "joint_log_loss"]
    splits = list(Folds(2, random_state=0).split(X, Y))
    want = [clone(model).fit(X[train], Y[train]).predict(X[test]) for train, test in splits]
    posteriors = counted(monkeypatch, type(model), "posterior")
    predictions = counted(monkeypatch, type(model), "predict")
    scores = evaluate(model, X, Y, cv=2, metrics=names)
    assert (len(posteriors), len(predictions)) == (2, 0)
    right = [
        metrics.f1(Y[test], p, empty="zero") for (_, test), p in zip(splits, want, strict=True)
    ]
    assert scores["f1_zero"].folds == pytest.approx(right, abs=1e-12)


class Stubborn(jb.TAN):
    """A model that answers without asking its posterior."""

    def predict(self, X):
        return np.full(len(X), "same")


def test_a_model_with_an_answer_of_its_own_gives_it():
    scores = evaluate(Stubborn(), X, y, cv=3, metrics=["subset_accuracy", "log_loss"])
    shares = [np.mean(y[test] == "same") for _, test in Folds(3, random_state=0).split(X, y)]
    assert scores["subset_accuracy"].folds == pytest.approx(shares)


def test_a_data_set_takes_the_place_of_rows_and_labels():
    frame = pd.DataFrame(Y, columns=["happy", "sad"])
    dataset = jb.Dataset.of(X, frame, name="moods")
    scores = evaluate("multilabelnb", dataset, cv=2)
    assert scores["f1"] == evaluate("multilabelnb", X, Y, cv=2)["f1"]
    assert scores.dataset == "moods"
    with pytest.raises(DataError, match=r"there are 2 labels \(happy, sad\)"):
        evaluate("tan", dataset)
    with pytest.raises(DataError, match="a Dataset brings its labels; leave Y out"):
        evaluate("tan", dataset, Y)
    with pytest.raises(DataError, match="the labels are missing: give X and Y, or a Dataset"):
        evaluate("tan", X)


@pytest.mark.parametrize(
    "rows",
    [
        X.tolist(),
        pd.DataFrame(X),
        jb.Table.of(X),
        X.astype(float),
        sparse.csr_matrix(X.astype(int)),
    ],
    ids=["list", "pandas", "Table", "array", "sparse"],
)
def test_any_container(rows):
    scores = evaluate(jb.NaiveBayes(categorical_features="from_dtype"), rows, y.tolist(), cv=2)
    assert 0 <= scores["subset_accuracy"].mean <= 1


def test_frames_and_sparse_matrices_of_labels():
    want = evaluate("multilabelnb", X, Y, cv=2)["f1"].folds
    assert evaluate("multilabelnb", X, pd.DataFrame(Y), cv=2)["f1"].folds == want
    assert evaluate("multilabelnb", X, sparse.csr_matrix(Y), cv=2)["f1"].folds == want


def test_processes_change_nothing_but_the_time():
    def values(n_jobs):
        return {k: s.folds for k, s in evaluate("tan", X, y, cv=2, n_jobs=n_jobs).items()}

    assert values(1) == values(2)


def test_the_same_seed_is_the_same_result_and_open_seeds_are_set():
    forest = RandomForestClassifier(5)
    one, other = (evaluate(forest, X.astype(int), y, cv=2, random_state=3) for _ in range(2))
    assert one["log_loss"] == other["log_loss"]
    assert forest.random_state is None


def test_models_of_scikit_learn_take_tables():
    dummy = DummyClassifier()
    assert evaluate(dummy, jb.Table.of(X), y, cv=2)["subset_accuracy"].mean < 1
    assert "joint_log_loss" not in evaluate(dummy, jb.Table.of(X.astype(int)), y, cv=2)


def test_a_class_that_training_never_saw_has_probability_zero():
    labels = np.where(np.arange(60) == 7, "once", y)
    names = ["subset_accuracy", "log_loss", "brier_score", "joint_log_loss", "joint_brier_score"]
    names += ["joint_calibration_error", "f1_macro"]
    scores = evaluate("tan", X, labels, cv=KFold(3), metrics=names)
    assert [np.isinf(v) for v in scores["log_loss"].folds] == [True, False, False]
    assert scores["joint_log_loss"].mean == np.inf
    assert scores["joint_log_loss"].spread is None
    json.dumps(scores.as_dict(), allow_nan=False)
    assert scores["joint_brier_score"].folds == pytest.approx(scores["brier_score"].folds)


def test_a_value_that_training_never_saw_among_several_class_variables():
    labels = np.stack([y, np.where(np.arange(60) == 7, "once", X[:, 0])], axis=1)
    few = labels.copy()
    few[:, 0] = np.where(y == "same", "same", "else")  # binary but for the second column
    for target in (labels, few):
        scores = evaluate(
            "multilabelnb", X, target, cv=KFold(3), metrics=["brier_score", "log_loss"]
        )
        assert np.isinf(scores["log_loss"].mean)
        assert np.isfinite(scores["brier_score"].mean)


def test_what_cannot_be_done_is_said_before_anything_is_fitted():
    for arguments, options, words in [
        (("tan", X, y), {"metrics": "ranking_loss"}, "is for multilabel targets, and this one"),
        (("tan", X, y), {"metrics": ["f2"]}, "no metric is called 'f2'"),
        (("tan", X, y), {"metrics": []}, "metrics is empty"),
        (
            (LinearSVC(), X, y),
            {"metrics": "log_loss"},
            r"has no predict_proba\(\), which the metric",
        ),
        (("tan", X, Y), {}, "TAN has one class variable, and there are 2 labels"),
        (("tan", X[:9], y), {}, "X has 9 rows"),
        (("tan", X, y), {"cv": "many"}, "cv must be"),
        (("tan", X, y), {"progress": True}, "progress=True is not known"),
        (("tannn", X, y), {}, "did you mean TAN"),
        ((3, X, y), {}, "a model is a name or an estimator"),
    ]:
        with pytest.raises((DataError, ParameterError), match=words):
            evaluate(*arguments, **options)


def test_scores_are_frozen_and_plain():
    scores = evaluate("tan", X, y, cv=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.model = "other"
    with pytest.raises(ParameterError, match="'f2' was not measured; there are subset_accuracy"):
        scores["f2"]
    plain = scores.as_dict()
    assert plain["metrics"]["log_loss"]["folds"] == list(scores["log_loss"].folds)
    assert plain["folds"][1]["metrics"]["log_loss"] == scores["log_loss"].folds[1]
    assert Score.of([2.0]) == Score(2.0, None, (2.0,))


def test_time_and_memory_are_measured():
    scores = evaluate("tan", X, y, cv=2)
    assert scores.fit_seconds.mean > 0
    assert scores.predict_seconds.mean > 0
    assert scores.peak_bytes is None or scores.peak_bytes >= 0


def timers():
    return {thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)}


def test_a_bar_is_shown_only_after_a_while(capsys, monkeypatch):
    evaluate("tan", X, y, cv=2, progress="bar")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    before = set(threading.enumerate())
    with progress.progress_bar("bar") as show:
        show("TAN", 1, 2)
        while not set(threading.enumerate()) - before - timers():
            time.sleep(0.01)  # the bar has a thread of its own once it is shown
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "TAN" in shown.err
    assert "1/2" in shown.err


# --- models by name ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", model_names())
def test_every_model_goes_by_its_name_in_any_case(name):
    assert type(make_model(name.lower())) is type(make_model(name)) is getattr(jb, name)


def test_parameters_from_text():
    model = set_parameters(make_model("LabelDriven"), ["delta=auto", "estimator=kdb(k=2)"])
    assert model_name(model) == "LabelDriven(delta='auto', estimator=KDB(k=2))"
    assert set_parameters(model, ["estimator__k=3"]).estimator.k == 3
    assert set_parameters(model, ["estimator=None"]).estimator is None
    assert set_parameters(jb.TAN(), ["categorical_features=[0, 2]"]).categorical_features == [0, 2]
    assert set_parameters(jb.TAN(), ["discretizer=width"]).discretizer == "width"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("TAN(", "is not a model"),
        ("1 + 1", "is not a model"),
        ("__import__('os')", "no model is called '__import__'"),
        ("KDB(k=open('x'))", "no model is called 'open'"),
        ("KDB(kk=2)", "KDB has no parameter 'kk'; did you mean k"),
        ("KDB(1, 2, 3)", "is not a model"),
        ("KDB(k=1 if 1 else 2)", "is not a model"),
        ("", "is not a model"),
        ("xyzzy", "there are AKDB"),
    ],
)
def test_text_that_is_no_model(text, words):
    with pytest.raises(ParameterError, match=words):
        make_model(text)


def test_settings_that_set_nothing():
    with pytest.raises(ParameterError, match="write name=value"):
        set_parameters(jb.TAN(), ["smoothing"])
    with pytest.raises(ParameterError, match="no model is called 'nothing'"):
        set_parameters(jb.LabelDriven(), ["estimator=nothing(1)"])


def test_small_probabilities_are_not_lost_in_their_complements():
    rows, labels = np.repeat([["a"], ["b"]], 30, axis=0), np.repeat([[0, 1], [1, 0]], 30, axis=0)
    rows = np.tile(rows, 60)  # sixty copies: the model is far too sure
    labels[7] = 1 - labels[7]
    scores = evaluate("multilabelnb", rows, labels, cv=2, metrics="log_loss")
    assert 1 < max(scores["log_loss"].folds) < np.inf
