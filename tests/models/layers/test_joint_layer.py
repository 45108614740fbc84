"""JointLayer is its definition, done by hand; and it knows what marginals do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import jointbayes as jb
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import learn_labels
from jointbayes.models.trust.inner_folds import deal_folds
from jointbayes.table import Table


def data(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, 3)) + rng.normal(size=(n, 3)) > 0).astype(int)
    Y[:, 2] = np.where(rng.random(n) < 0.9, 1 - Y[:, 0], Y[:, 2])
    return X, Y


def odds(p):
    p = np.clip(p, 1e-3, 1 - 1e-3)
    return np.log(p / (1 - p))


@pytest.mark.parametrize("joint", [jb.CTBN(), jb.MLkNN(k=3), jb.LabelPowerset()], ids=str)
def test_it_is_its_definition(joint):
    X, Y = data()
    base = OneVsRestClassifier(LogisticRegression())
    Z = np.empty(Y.shape)
    for held in deal_folds(Y, 3, seed=4):
        others = np.setdiff1d(np.arange(len(X)), held)
        Z[held] = odds(base.fit(X[others], Y[others]).predict_proba(X[held]))
    expected = joint.fit(Z, Y).posterior(odds(base.fit(X, Y).predict_proba(X)))
    model = jb.JointLayer(base, joint, cv=3, random_state=4).fit(X, Y)
    found = model.posterior(X)
    np.testing.assert_allclose(found.top_k(4)[1], expected.top_k(4)[1], atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), expected.decide("subset"))


@pytest.mark.parametrize(
    "estimator",
    [None, ExtraTreesClassifier(5, random_state=0), jb.NaiBX(), jb.models.BatchedLogistic()],
    ids=str,
)
def test_it_takes_classifiers_of_all_kinds_and_is_deterministic(estimator):
    X, Y = data()
    one, two = (jb.JointLayer(estimator, cv=2).fit(X, Y).posterior(X) for _ in range(2))
    np.testing.assert_array_equal(one.log_prob(Y), two.log_prob(Y))
    assert one.log_prob(Y).mean() > -3 * np.log(2)  # better than to guess


def test_columns_of_the_joint_model_have_the_labels_names():
    X, Y = data()
    frame = pytest.importorskip("pandas").DataFrame(Y, columns=["sun", "rain", "snow"])
    model = jb.JointLayer(cv=2).fit(X, frame)
    assert model.joint_.feature_names_in_.tolist() == ["sun", "rain", "snow"]
    assert model.label_names_ == ["sun", "rain", "snow"]


def test_many_valued_labels_and_nominal_columns():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green"], 90)
    size = np.where(rng.random(90) < 0.9, np.where(colour == "red", "big", "small"), "huge")
    Y = np.stack([size, np.where(size == "big", "dear", "cheap")], axis=1)
    model = jb.JointLayer(RandomForestClassifier(10, random_state=0)).fit(colour[:, None], Y)
    assert model.joint_.n_features_in_ == 4
    assert model.predict([["red"]]).tolist() == [["big", "dear"]]


def test_what_cannot_be_a_layer_is_refused():
    X, Y = data()
    with pytest.raises(ParameterError, match=r"joint=TAN\(\) cannot learn"):
        jb.JointLayer(joint=jb.TAN()).fit(X, Y)
    with pytest.raises(ParameterError, match="has no predict_proba"):
        jb.JointLayer(object()).fit(X, Y)
    with pytest.raises(ParameterError, match="cv=1"):
        jb.JointLayer(cv=1).fit(X, Y)


def test_labels_of_emotions_go_together(shared):
    data = jb.load_dataset(shared / "data/multilabel/emotions.arff.xz")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    forest = RandomForestClassifier(50, random_state=0, n_jobs=1)
    train, test = np.arange(len(X)) % 5 > 1, np.arange(len(X)) % 5 < 2
    alone = forest.fit(X[train], Y[train]).predict(X[test])
    layer = jb.JointLayer(forest, cv=3, n_jobs=1).fit(X[train], Y[train])
    together = layer.predict(X[test])
    exact = [(answer == Y[test]).all(axis=1).mean() for answer in (alone, together)]
    assert exact[1] > exact[0]


def test_without_a_joint_what_is_said_a_tree_and_vectors_are_pooled():
    X, Y = data()
    model = jb.JointLayer(cv=2, n_jobs=1).fit(X, Y)
    tried = {record["model"].partition("(")[0] for record in model.joint_.leaderboard_} - {"Pool"}
    assert tried == {"AsSaid", "CTBN", "LabelPowerset"}
    assert np.isfinite(model.posterior(X).log_prob(1 - Y)).all()


def test_labels_that_tell_nothing_of_each_other_stay_as_they_are_said():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    Y = (X + rng.logistic(size=X.shape) > 0).astype(int)
    layer = jb.JointLayer(cv=3, n_jobs=1).fit(X[:200], Y[:200])
    alone = jb.BinaryRelevance(n_jobs=1).fit(X[:200], Y[:200])
    lost = [-model.posterior(X[200:]).log_prob(Y[200:]).mean() for model in (layer, alone)]
    assert lost[0] < lost[1] + 0.05


def test_many_labels_have_a_tree_alone():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (40, 61))
    rows = Labelled(Table.of(np.zeros((40, 1))), Y, learn_labels(Y))
    assert isinstance(jb.JointLayer(n_jobs=1)._joint_model(rows), jb.CTBN)


@pytest.mark.parametrize("joint", [jb.CTBN(), jb.JointForest(10), jb.MLkNN(k=3)], ids=str)
def test_a_layer_that_sees_the_row_is_its_definition(joint):
    X, Y = data()
    base = OneVsRestClassifier(LogisticRegression())
    Z = np.empty(Y.shape)
    for held in deal_folds(Y, 3, seed=4):
        others = np.setdiff1d(np.arange(len(X)), held)
        Z[held] = odds(base.fit(X[others], Y[others]).predict_proba(X[held]))
    asked = np.hstack([odds(base.fit(X, Y).predict_proba(X)), X])
    expected = joint.fit(np.hstack([Z, X]), Y).posterior(asked)
    model = jb.JointLayer(base, joint, cv=3, sees="row", random_state=4).fit(X, Y)
    found = model.posterior(X)
    np.testing.assert_allclose(found.log_prob(Y), expected.log_prob(Y), atol=1e-9)
    np.testing.assert_allclose(model.posterior(X[:1]).log_prob(Y[:1]), found.log_prob(Y)[:1])


def test_a_layer_that_sees_the_row_pools_a_forest_and_reads_any_columns(tmp_path):
    rng = np.random.default_rng(0)
    X, Y = data()
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["y0", "b", "row y0"])
    frame["colour"] = rng.choice(["red", "blue"], len(X))
    frame["code"] = rng.integers(0, 3, len(X))
    model = jb.JointLayer(sees="row", cv=2, n_jobs=1, categorical_features=["colour", "code"])
    model.fit(frame, Y)
    tried = {record["model"].partition("(")[0] for record in model.joint_.leaderboard_} - {"Pool"}
    assert tried == {"JointForest", "CTBN", "LabelPowerset"}
    names = ["label y0", "label y1", "label y2", "row y0", "row b", "row row y0"]
    assert model.joint_.feature_names_in_.tolist() == [*names, "row colour", "row code"]
    before = model.posterior(frame).log_prob(Y)
    jb.save(model, tmp_path / "layer.jb")
    again = jb.load(tmp_path / "layer.jb").posterior(frame).log_prob(Y)
    np.testing.assert_array_equal(before, again)
    assert model.joint_.get_params()["models"][0].categorical_features == [6, 7]


def test_a_layer_that_sees_sparse_rows_reads_them_as_dense_ones():
    X, Y = data()
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    joint = jb.JointForest(10, n_jobs=1)
    dense = jb.JointLayer(joint=joint, sees="row", cv=2, n_jobs=1).fit(X, Y).posterior(X)
    other = jb.JointLayer(joint=joint, sees="row", cv=2, n_jobs=1).fit(sparse.csr_array(X), Y)
    found = other.posterior(sparse.csr_array(X)).log_prob(Y)
    np.testing.assert_allclose(found, dense.log_prob(Y), atol=1e-9)
