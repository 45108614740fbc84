"""The cascade of any classifiers against its definition, and what it promises."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from cascade_oracle import PlainCascade
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import jointbayes as jb
from jointbayes import ClassifierCascade
from jointbayes.errors import CostError, DataError, ParameterError
from jointbayes.models import BatchedLogistic
from jointbayes.models.naibx.examples import examples_of

LOGISTIC = LogisticRegression(tol=1e-10, max_iter=5000)
QUICK = BatchedLogistic(penalty=1.0)
EQUAL = RadiusNeighborsClassifier(1e-9, outlier_label="most_frequent")  # takes no weights


def rows(n=80, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, d)) + rng.normal(size=(n, d)) > 0.4).astype(int)
    return X, Y


@pytest.mark.parametrize("weighted", ["weighted", "plain"])
@pytest.mark.parametrize(
    "make", [lambda: clone(LOGISTIC), GaussianNB], ids=["logistic", "naive Bayes"]
)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_posterior_is_that_of_the_definition(make, d, weighted):
    X, Y = rows(d=d, n=120)
    w = np.random.default_rng(1).integers(1, 4, len(X)) if weighted == "weighted" else None
    model = ClassifierCascade(make(), examples=None).fit(X, Y, sample_weight=w)
    plain = PlainCascade(make, X, Y, np.ones(len(X)) if w is None else w)
    vectors = list(product((0, 1), repeat=d))
    for i in (0, 7, 20):
        want = plain.joint(X[i])
        got = model.posterior(np.repeat(X[i : i + 1], len(vectors), axis=0)).log_prob(vectors)
        np.testing.assert_allclose(np.exp(got), [want[v] for v in vectors], atol=1e-6)
        assert sum(want.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "table",
    [DecisionTreeClassifier(), EQUAL, make_pipeline(DecisionTreeClassifier())],
    ids=["tree", "equal rows", "pipeline"],
)
def test_classifiers_that_remember_every_row_give_its_frequencies(table):
    """Eq. 8 is an identity: with exact frequencies at every level, so is the posterior."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, 300)
    Y = (rng.random((300, 4)) < np.array([[0.7, 0.2, 0.4, 0.5]])).astype(int)
    Y[kind == 1] = 1 - Y[kind == 1]
    model = ClassifierCascade(table, examples=None).fit(kind[:, None].astype(float), Y)
    for k in range(3):
        own = Y[kind == k]
        vectors, counts = np.unique(own, axis=0, return_counts=True)
        post = model.posterior(np.full((len(vectors), 1), float(k)))
        np.testing.assert_allclose(np.exp(post.log_prob(vectors)), counts / len(own), atol=1e-9)
        np.testing.assert_allclose(model.predict_proba([[float(k)]])[0], own.mean(axis=0))


def test_of_one_class_variable_it_is_the_classifier():
    X, Y = rows()
    y = np.array(["a", "b", "c"])[Y[:, 0] + Y[:, 1]]
    for estimator in (LOGISTIC, GaussianNB(), KNeighborsClassifier(3)):
        alone = estimator.fit(X, y)
        model = ClassifierCascade(estimator).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-12)
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_rows_of_one_label_each_are_a_choice_among_labels():
    X, Y = rows()
    which = Y[:, 0] + Y[:, 1]
    model = ClassifierCascade(GaussianNB()).fit(X, np.eye(3, dtype=int)[which])
    alone = GaussianNB().fit(X, which).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), alone, atol=1e-12)


def test_examples_are_all_those_of_the_paper_or_so_many_drawn():
    has = np.array([[1, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 1, 0]]) > 0
    for k, count in ((1, 3), (2, 6), (3, 3)):  # m C(m − 1, k − 1) of three labels
        found = examples_of(has, k, None, 0)
        assert np.bincount(found.row, minlength=5).tolist() == [count, k == 1, 0, count, count]
        pairs = {(*found.picked[i].tolist(), found.label[i]) for i in np.flatnonzero(found.row < 1)}
        assert len(pairs) == count
        assert (found.picked.sum(axis=1) == k - 1).all()
        assert has[found.row, found.label].all()
        assert not found.picked[np.arange(len(found.row)), found.label].any()
        assert (found.picked <= has[found.row]).all()
        one = found.one_of_each_row
        assert found.row[one].tolist() == np.unique(found.row).tolist()
    drawn = examples_of(has, 2, 4, 0)
    assert np.bincount(drawn.row, minlength=5).tolist() == [4, 0, 0, 4, 4]
    assert (drawn.share == 0.25).all()
    equal = [(drawn.picked[drawn.row == i], drawn.label[drawn.row == i]) for i in (0, 4)]
    assert all((a == b).all() for a, b in zip(*equal, strict=True))  # the labels are the same
    assert (examples_of(has, 2, 4, 1).label != drawn.label).any()


def test_the_answer_is_greedy_or_that_of_a_beam():
    X, Y = rows(d=6, n=150)
    model = ClassifierCascade(QUICK).fit(X, Y)
    post = model.posterior(X)
    assert post.exactness["map"] == "exact"
    greedy = post.pick(post.log_size.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X), post.map())
    np.testing.assert_array_equal(model.set_params(beam=1).predict(X), greedy)
    wide = model.set_params(beam=64).predict(X)
    p, q = post.log_prob(greedy), post.log_prob(wide)
    assert (q >= p - 1e-9).all()
    assert (q > p + 1e-9).any()
    assert np.mean(np.isclose(q, post.log_prob(post.map()))) > 0.9
    np.testing.assert_array_equal(
        model.set_params(loss="hamming").predict(X), post.decide("hamming")
    )


@pytest.mark.parametrize("size", [None, "logistic", "ordinal", "forest", LOGISTIC])
def test_anybody_may_say_the_size(size):
    X, Y = rows(n=60)
    model = ClassifierCascade(GaussianNB(), size=size, random_state=1).fit(X, Y)
    p = model.posterior(X)._every()[1]
    np.testing.assert_allclose(np.exp(p).sum(axis=1), 1)
    if size is not None:
        sizes = jb.NaiBX(size=size, random_state=1).fit(X, Y).posterior(X).log_size
        np.testing.assert_allclose(model.posterior(X).log_size, sizes)


def test_a_size_without_probabilities_is_believed():
    X, Y = rows()
    model = ClassifierCascade(GaussianNB(), size=RidgeClassifier()).fit(X, Y)
    said = RidgeClassifier().fit(X, Y.sum(axis=1)).predict(X)
    np.testing.assert_array_equal(model.posterior(X).map().sum(axis=1), said)


def test_pipelines_see_names_and_ours_are_classifiers_too():
    X, Y = rows()
    frame = pd.DataFrame(X, columns=["a", "b", "size"])
    labels = pd.DataFrame(Y, columns=["p", "q", "r", "s"])
    seen = []

    def noted(rows):
        seen.append(list(rows.columns))
        return rows

    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    pipeline.steps.insert(0, ("note", FunctionTransformer(noted)))
    model = ClassifierCascade(pipeline).fit(frame, labels)
    assert ["a", "b", "size", "size (label)"] in seen
    assert ["a", "b", "size", "size (label)", "p", "q", "r", "s"] in seen
    plain = ClassifierCascade(make_pipeline(StandardScaler(), GaussianNB())).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X))
    for estimator in (jb.TAN(), jb.JointForest(n_estimators=5, n_jobs=1)):
        p = ClassifierCascade(estimator, examples=4).fit(X, Y).predict_proba(X)
        assert ((p > 0) & (p < 1)).all()


def test_rows_without_labels_and_labels_that_never_come_have_an_answer():
    X, Y = rows()
    model = ClassifierCascade(GaussianNB()).fit(X, np.zeros_like(Y))
    assert not model.predict(X).any()
    assert model.set_params(empty="forbid").predict(X).sum(axis=1).tolist() == [1] * len(X)
    Y[:, 2] = 0
    model = ClassifierCascade(LOGISTIC).fit(X, Y)
    p = model.predict_proba(X)
    assert ((p[:, 2] > 0) & (p[:, 2] < 0.05)).all()
    whole = ClassifierCascade(LOGISTIC).fit(X, np.ones_like(Y)).predict(X)
    assert whole.all()


def test_many_labels_are_answered_and_marked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    Y = (X @ rng.normal(size=(5, 20)) + rng.normal(size=(120, 20)) > 2.5).astype(int)
    model = ClassifierCascade(QUICK, examples=4).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    post = model.posterior(X[:5])
    assert post.exactness["map"] == "approximate"
    assert np.isfinite(post.log_prob(Y[:5])).all()
    assert post.map().shape == (5, 20)


@pytest.mark.parametrize(
    "estimator", [QUICK, LOGISTIC, RandomForestClassifier(3, random_state=0)], ids=str
)
def test_a_saved_model_answers_the_same(estimator, tmp_path):
    X, Y = rows()
    model = ClassifierCascade(estimator, size="ordinal", examples=2, random_state=3).fit(X, Y)
    jb.save(model, tmp_path / "model.jb")
    again = jb.load(tmp_path / "model.jb")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.get_params()["examples"] == 2


def test_what_cannot_be_learned_says_so():
    X, Y = rows()
    with pytest.raises(ParameterError, match="has no predict_proba"):
        ClassifierCascade(RidgeClassifier()).fit(X, Y)
    with pytest.raises(ParameterError, match="size='bayes'"):
        ClassifierCascade(size="bayes").fit(X, Y)
    with pytest.raises(ParameterError, match="examples=0"):
        ClassifierCascade(examples=0).fit(X, Y)
    with pytest.raises(ParameterError, match="size='logistic' takes no sample_weight"):
        ClassifierCascade(LOGISTIC, size="logistic").fit(X, Y, sample_weight=np.ones(len(X)))
    with pytest.raises(ParameterError, match=r"KNeighbors.* takes no sample_weight"):
        ClassifierCascade(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(X)))
    with pytest.raises(DataError, match="a cascade picks sets of labels"):
        ClassifierCascade(LOGISTIC).fit(X, Y + Y[:, ::-1])
    with pytest.raises(CostError, match=r"level \d+ learns from .* give fewer examples= for each"):
        ClassifierCascade(LOGISTIC, examples=None).fit(X, np.ones((len(X), 30), dtype=int))
