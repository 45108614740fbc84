"""What every model promises alike, rule by rule and model by model.

Names, positive values, empty answers, losses, weights, seeds, kinds of tables, and what a
posterior answers. Rules that have files of their own: unknown labels (`test_unknown`), threads
(`tests/house/test_threads`), numbers of numpy (`tests/kernels/test_every_model`), Pipelines
(`tests/design`).
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import jointbayes as jb
from jointbayes.errors import JointBayesError
from jointbayes.learners.logistic.estimator import BatchedLogistic

QUICK = BatchedLogistic(penalty=1.0)
ONE = [
    jb.NaiveBayes(),
    jb.TAN(),
    jb.KDB(),
    jb.AODE(),
    jb.ATAN(),
    jb.WATAN(),
    jb.LKDB(),
    jb.AKDB(),
    jb.ChowLiuMultinet(),
    jb.LabelDriven(),
    jb.LTAN(),
]
SEVERAL = [
    jb.MultilabelNB(),
    jb.MultilabelFAN(),
    jb.NetworkEnsemble(),
    jb.CTBN(QUICK),
    jb.NaiBX(),
    jb.ClassifierCascade(QUICK),
    jb.ILFCompo(jb.NaiveBayes()),
    jb.BinaryRelevance(QUICK),
    jb.ClassifierChain(QUICK),
    jb.ChainEnsemble(QUICK, n_chains=2),
    jb.StackedRelevance(QUICK),
    jb.LabelPowerset(QUICK),
    jb.RAkEL(QUICK),
    jb.MLkNN(),
    jb.IBLR(QUICK),
    jb.JointForest(n_estimators=8),
    jb.JointLayer(jb.MLkNN(), jb.CTBN(QUICK), cv=2),
    jb.Calibrated(jb.MultilabelNB(), cv=2),
    jb.Constrained(jb.MultilabelNB(), []),
    jb.Conformal(jb.MultilabelNB()),
    jb.Auto(cv=2, models=[jb.BinaryRelevance(QUICK), jb.MultilabelNB()]),
]
MARGINAL = [jb.Thresholded(jb.MultilabelNB(), cv=2)]
"""Decides by thresholds on marginals, so that it has no loss of label vectors."""
SILENT = [jb.MMOC()]
"""Has no posterior."""

ALL = [*ONE, *SEVERAL, *MARGINAL, *SILENT]
DRAWING = [model for model in ALL if "random_state" in model.get_params(deep=False)]


def over(models):
    return pytest.mark.parametrize("model", models, ids=lambda model: type(model).__name__)


def rows(n=72, empty=True, seed=0):
    """Two numbers and a category; three labels that go together; no row without one, if asked."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(3),
            "age": rng.normal(size=n).round(3),
            "kind": pd.Categorical(rng.choice(["old", "new", "odd"], n)),
        },
        index=[f"row {i}" for i in range(n)],
    )
    beach = (X["size"] + rng.normal(0, 0.4, n) > 0.3).to_numpy()
    sea = beach ^ (rng.random(n) < 0.15)
    town = (X["kind"] == "old").to_numpy() ^ (rng.random(n) < 0.1)
    Y = pd.DataFrame({"beach": beach, "sea": sea, "town": town}, index=X.index).astype(int)
    if not empty:
        Y.loc[Y.sum(axis=1) == 0, "town"] = 1
    return X, Y


def target_of(model, Y):
    return Y["beach"] if any(type(model) is type(one) for one in ONE) else Y


def fitted(model, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y, **options)


def matrix(X):
    return X.assign(kind=X["kind"].cat.codes).to_numpy(float)


@over(ALL)
def test_names_are_the_users(model):
    X, Y = rows()
    y = target_of(model, Y)
    found = fitted(model, X, y)
    assert list(found.feature_names_in_) == list(X.columns)
    names = ["beach"] if y.ndim == 1 else list(Y.columns)
    if y.ndim == 2:
        assert list(found.label_names_) == names
    if hasattr(found, "posterior"):
        told = found.posterior(X[:4]).given({"beach": 1})
        assert (told.map()[:, 0] == 1).all()
        assert found.posterior(X[:4]).space.names == tuple(names)
    if hasattr(found, "edges_"):
        known = {*X.columns, *names}
        assert {name for edge in found.edges_ for name in edge} <= known | {"class"}


@over(ALL)
def test_a_dataset_is_its_rows_and_labels(model, tmp_path):
    X, Y = rows()
    y = target_of(model, Y)
    names = ["beach"] if y.ndim == 1 else list(Y.columns)
    pd.concat([X, Y[names]], axis=1).to_csv(tmp_path / "rows.csv", index=False)
    dataset = jb.load_dataset(tmp_path / "rows.csv", target=names)
    whole, apart = fitted(model, dataset, None), fitted(model, dataset.X, dataset.Y)
    assert np.array_equal(whole.predict(dataset.X), apart.predict(dataset.X))
    assert [*map(str, whole.feature_names_in_)] == list(X.columns)


@over(ALL)
def test_every_kind_of_table_is_the_same_table(model):
    X, Y = rows()
    y = target_of(model, Y)
    found = fitted(model, X, y)
    expected = found.predict(X)
    polar = pl.from_pandas(X)
    for same in (
        polar,
        polar.lazy(),
        pa.Table.from_pandas(X, preserve_index=False),
        jb.Table.of(X),
    ):
        assert np.array_equal(found.predict(same), expected)
        assert np.array_equal(fitted(model, same, y).predict(same), expected)


@over(SEVERAL)
@pytest.mark.parametrize("words", [("no", "yes"), ("Nein", "Ja"), ("absent", "present")])
def test_words_for_yes_and_no_are_labels_whose_yes_is_known(model, words):
    X, Y = rows(48)
    said = Y.apply(lambda column: np.array(words)[column])
    found, plain = fitted(model, X, said), fitted(model, X, Y)
    assert [list(classes) for classes in found.classes_] == [list(words)] * 3
    assert np.array_equal(found.predict_proba(X), plain.predict_proba(X))
    assert np.array_equal(found.predict(X), np.array(words)[plain.predict(X)])


@over(SEVERAL)
def test_other_pairs_of_values_are_not_positive_because_they_sort_last(model):
    X, Y = rows(48)
    said = Y.assign(beach=np.array(["refused", "granted"])[Y["beach"]])
    if isinstance(model, jb.NaiBX | jb.ClassifierCascade):  # which picks sets of labels
        with pytest.raises(JointBayesError, match="binarize"):
            fitted(model, X, said)
        return
    found = fitted(model, X, said)
    proba = found.predict_proba(X)
    assert isinstance(proba, list)
    assert [p.shape for p in proba] == [(48, 2)] * 3
    assert list(found.classes_[0]) == ["granted", "refused"]
    asked = found.posterior(X[:3])
    for loss in ("f1", "jaccard"):
        with pytest.raises(JointBayesError, match="binarize"):
            asked.decide(loss)
    told = jb.labels.binarize(said, positive={"beach": "granted"})
    assert fitted(model, X, told).predict_proba(X).shape == (48, 3)


@over(SEVERAL)
def test_an_empty_answer_is_legal_if_a_row_was_empty(model):
    X, Y = rows(empty=True)
    some = fitted(model, X, Y)
    allowed = clone(some).set_params(empty="allow")
    assert np.array_equal(some.predict(X), fitted(allowed, X, Y).predict(X))
    X, Y = rows(empty=False)
    none = fitted(model, X, Y)
    forbidden = clone(none).set_params(empty="forbid")
    assert none.predict(X).any(axis=1).all()
    assert np.array_equal(none.predict(X), fitted(forbidden, X, Y).predict(X))


@over(SEVERAL)
def test_a_row_of_no_weight_is_not_an_empty_row(model):
    X, Y = rows(empty=False)
    gone = np.arange(len(Y)) % 9 == 0
    blank = Y.mask(pd.Series(gone, Y.index), 0)
    found = fitted(model, X, blank, sample_weight=(~gone).astype(float))
    assert found.predict(X).any(axis=1).all()


@over(SEVERAL)
def test_what_is_asked_changes_answers_and_never_the_posterior(model):
    X, Y = rows()
    plain = fitted(model, X, Y).posterior(X)
    other = fitted(clone(model).set_params(loss="hamming", empty="forbid"), X, Y).posterior(X)
    for one, two in zip(plain.marginals(), other.marginals(), strict=True):
        assert np.array_equal(one, two)


@over(SEVERAL)
def test_losses_are_named_or_given(model):
    X, Y = rows()
    for given, name in ((jb.losses.Weighted(), "hamming"), (jb.losses.FBeta(1), "f1")):
        told = fitted(clone(model).set_params(loss=given, empty="allow"), X, Y)
        named = fitted(clone(model).set_params(loss=name, empty="allow"), X, Y)
        post = named.posterior(X)
        cost = [post.expected_loss(m.predict(X), name) for m in (told, named)]
        np.testing.assert_allclose(*cost, atol=1e-9)  # of several best answers, either


@over(ALL)
def test_a_row_of_no_weight_is_not_there(model):
    """Nor is a label value that only such rows carry; what is learned from rows is the same."""
    X, Y = rows()
    extra = X.iloc[:6].assign(size=9.0)
    y, more = target_of(model, Y), target_of(model, Y.iloc[:6] * 0 + 7)
    weights = np.r_[np.ones(len(X)), np.zeros(6)]
    full = fitted(model, pd.concat([X, extra]), pd.concat([y, more]), sample_weight=weights)
    alone = fitted(model, X, y, sample_weight=np.ones(len(X)))
    assert np.array_equal(np.ravel(full.classes_), np.ravel(alone.classes_))
    assert np.array_equal(full.predict(X), alone.predict(X))


@over(ALL)
def test_a_value_never_seen_is_a_miss(model):
    X, Y = rows()
    y = target_of(model, Y)
    found = fitted(model, X, y)
    strange = y.copy()
    strange.iloc[:3] = 5
    right = (np.asarray(found.predict(X)) == y.to_numpy()).reshape(len(X), -1).all(axis=1)
    assert found.score(X, strange) == pytest.approx(right[3:].sum() / len(X))


@over(DRAWING)
def test_the_same_seed_is_the_same_model(model):
    X, Y = rows()
    y = target_of(model, Y)

    def answers(seed):
        found = fitted(clone(model).set_params(random_state=seed), X, y)
        return found.posterior(X).marginals() if hasattr(found, "posterior") else found.predict(X)

    assert np.array_equal(answers(None), answers(None))
    assert np.array_equal(answers(7), answers(np.int64(7)))
    drawn = answers(np.random.default_rng(7)), answers(np.random.default_rng(7))
    assert np.array_equal(*drawn)
    answers(np.random.RandomState(7))


@over(ALL)
def test_the_parameters_of_the_treaty_are_there(model):
    known = model.get_params(deep=False)
    assert "n_jobs" in known
    if type(model) not in map(type, ONE):
        assert {"empty", "unknown"} <= set(known)
        assert (known["empty"], known["unknown"]) in (("auto", "refuse"), (None, None))
    with pytest.raises(TypeError, match="did you mean 'n_jobs'"):
        type(model)(n_job=1)


@over(ALL)
def test_words_as_parameters_are_refused_by_name(model):
    X, Y = rows(24)
    with pytest.raises(JointBayesError, match=r"n_jobs='two' is outside its range"):
        fitted(clone(model).set_params(n_jobs="two"), X, target_of(model, Y))


@over([*ONE, *SEVERAL, *MARGINAL])
def test_a_posterior_answers_every_question(model):
    X, Y = rows(40)
    y = target_of(model, Y)
    post = fitted(model, X, y).posterior(X[:6])
    d = 1 if y.ndim == 1 else 3
    best, vectors, log_p = post.map(), *post.top_k(2)
    assert best.shape == (6, d)
    assert vectors.shape == (6, 2, d)
    assert np.array_equal(vectors[:, 0], best)
    assert (log_p[:, 0] >= log_p[:, 1]).all()
    np.testing.assert_allclose(post.log_prob(best), log_p[:, 0], atol=1e-9)
    assert post.sample(5, rng=0).shape == (5, 6, d)
    assert len(post[2:4]) == 2
    assert (post.gap() >= 0).all()
    assert set(post.exactness.values()) <= {"exact", "bounded", "approximate"}
    surer, same = post.power(2.0), post.power(1.0)
    assert (surer.log_prob(best) >= post.log_prob(best) - 1e-9).all()
    np.testing.assert_allclose(same.log_prob(best), post.log_prob(best), atol=1e-9)
    cost = [post.expected_loss(post.decide(loss), "hamming") for loss in ("hamming", "subset")]
    assert (cost[0] <= cost[1] + 1e-9).all()
    names, worth = post.next_question()
    assert set(names) <= set(post.space.names)
    assert (worth >= 0).all()
    if d > 1:
        assert post.map(empty="forbid").any(axis=1).all()
        obeyed = post.subject_to(jb.rules.implies("beach", "sea")).map()
        assert (obeyed[:, 0] <= obeyed[:, 1]).all()
        assert post.decide(jb.losses.FBeta(2)).shape == (6, 3)


@over([*ONE, *SEVERAL, *MARGINAL])
def test_frames_come_out_as_they_went_in(model):
    X, Y = rows(40)
    y = target_of(model, Y)
    found = fitted(model, X, y)
    post, polar = found.posterior(X[:6]), found.posterior(pl.from_pandas(X[:6]))
    table = post.to_frame("marginals")
    assert list(table.index) == list(X.index[:6])
    assert list(post.to_frame("map").columns) == list(post.space.names)
    if y.ndim == 1:  # one class variable: all its values
        assert list(table.columns) == ["beach=0", "beach=1"]
        np.testing.assert_allclose(table.to_numpy(), post.marginals()[0], atol=1e-12)
    else:  # labels: how probable it is that they are relevant
        assert list(table.columns) == list(Y.columns)
        p = [marginal[:, 1] for marginal in post.marginals()]
        np.testing.assert_allclose(table.to_numpy(), np.stack(p, axis=1), atol=1e-12)
    listed = post.to_frame("top_k", 2)
    assert len(listed) == 12
    assert {*post.space.names, "probability", "row", "rank"} <= set(listed.columns)
    assert isinstance(polar.to_frame("marginals"), pl.DataFrame)
    assert "\n" not in repr(post)
    assert "<table" in post._repr_html_()
