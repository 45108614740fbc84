"""What all estimators around an estimator do."""

from __future__ import annotations

import numpy as np
import pytest
from dependent_rows import dependent_rows
from scipy import sparse
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import jointbayes as jb
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import learn_labels
from jointbayes.models.wrappers.wrapper import out_of_fold
from jointbayes.table import Table

DECIDING_ALIKE = [jb.Calibrated, jb.Constrained, jb.Conformal]
WRAPPERS = [*DECIDING_ALIKE, jb.Thresholded]


@pytest.mark.parametrize("wrapper", DECIDING_ALIKE)
@pytest.mark.parametrize("loss", ["subset", "hamming", "f1"])
def test_loss_and_empty_are_those_of_the_estimator(wrapper, loss):
    X, Y = dependent_rows(80)
    Y[:, :2] |= ~Y.any(axis=1, keepdims=True)  # no row is empty
    inner = jb.CTBN(loss=loss, empty="allow")
    model = wrapper(inner).fit(X, Y)
    post = model.posterior(X)
    assert (model.predict(X) == post.decide(loss, "allow")).all()
    told = wrapper(inner, loss="jaccard", empty="forbid").fit(X, Y)
    assert (told.predict(X) == told.posterior(X).decide("jaccard", "forbid")).all()


def test_a_wrapper_in_a_wrapper_passes_the_loss_on():
    X, Y = dependent_rows(80)
    model = jb.Conformal(jb.Calibrated(jb.CTBN(loss="hamming"))).fit(X, Y)
    assert (model.predict(X) == model.posterior(X).decide("hamming")).all()


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_one_class_variable(wrapper):
    X, Y = dependent_rows(120)
    y = np.array(["no", "yes"])[Y[:, 0]]
    model = wrapper(jb.TAN()).fit(X, y)
    assert model.predict(X).shape == (120,)
    assert model.predict_proba(X).shape == (120, 2)
    assert set(model.predict(X)) <= {"no", "yes"}
    with pytest.raises(ValueError, match="y should be a 1d array"):
        wrapper(jb.TAN()).fit(X, Y)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("inner", [DecisionTreeClassifier(), jb.MMOC()])
def test_what_has_no_joint_posterior_is_refused(wrapper, inner):
    X, Y = dependent_rows(20)
    with pytest.raises(ParameterError, match=r"estimator=.* has no joint posterior"):
        wrapper(inner).fit(X, Y)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_estimator_that_was_given_is_not_changed(wrapper):
    X, Y = dependent_rows(40)
    inner = jb.MultilabelNB()
    model = wrapper(inner).fit(X, Y)
    assert not hasattr(inner, "space_")
    assert clone(model).estimator.get_params() == inner.get_params()


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("of", [np.asarray, sparse.csr_matrix, Table.of])
def test_the_fitted_estimator_answers_for_rows_of_the_same_kind(wrapper, of):
    X, Y = dependent_rows(60)
    model = wrapper(jb.BinaryRelevance()).fit(of(X), Y)
    expected = model.estimator_.predict_proba(of(X))
    if wrapper is not jb.Calibrated:
        np.testing.assert_allclose(model.predict_proba(of(X)), expected)
    assert expected.shape == Y.shape


@pytest.mark.parametrize(
    "model",
    [
        jb.Calibrated(jb.Constrained(jb.CTBN(), [jb.rules.at_most(4), jb.rules.at_least(0, "y1")])),
        jb.Conformal(jb.Calibrated(jb.MultilabelNB())),
        jb.Thresholded(jb.MultilabelNB(), "f1_micro"),
    ],
    ids=str,
)
def test_a_file_holds_all_that_was_learned(model, tmp_path):
    X, Y = dependent_rows(60)
    jb.save(model.fit(X, Y), tmp_path / "model.jb")
    loaded = jb.load(tmp_path / "model.jb")
    np.testing.assert_array_equal(loaded.posterior(X).log_prob(Y), model.posterior(X).log_prob(Y))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    if isinstance(model, jb.Conformal):
        assert (loaded.predict_sets(X).size() == model.predict_sets(X).size()).all()


@pytest.mark.parametrize(
    "model, name, value",
    [
        (jb.Calibrated(), "power_", -1.0),
        (jb.Conformal(), "scores_", np.array([2.0, 1.0])),
        (jb.Constrained(), "rules", [jb.rules.implies("sea", "y0")]),
        (jb.Constrained(), "estimator_", jb.CTBN()),
        (jb.Thresholded(jb.MultilabelNB()), "thresholds_", np.array([0.5, 0.5, 0.5, 1.5])),
        (jb.Thresholded(jb.MultilabelNB()), "thresholds_", np.array([0.5])),
        (jb.Thresholded(jb.MultilabelNB()), "decision_", jb.losses.Weighted({"sea": 2})),
        (jb.Thresholded(jb.MultilabelNB()), "decision_", "accuracy"),
    ],
    ids=str,
)
def test_a_file_that_does_not_agree_with_itself_is_refused(model, name, value, tmp_path):
    X, Y = dependent_rows(40)
    setattr(model.fit(X, Y), name, value)
    with pytest.raises(DataError, match="cannot be right"):
        jb.save(model, tmp_path / "model.jb")
        jb.load(tmp_path / "model.jb")


def test_every_row_is_in_one_fold_and_judged_by_the_others():
    X, Y = dependent_rows(23)
    rows = Labelled(Table.of(X), Y, learn_labels(Y))
    folds = list(out_of_fold(jb.MultilabelNB(), rows, 5))
    assert sorted(np.concatenate([test for test, _ in folds])) == list(range(23))
    assert {len(test) for test, _ in folds} == {4, 5}
    for test, post in folds:
        others = np.setdiff1d(np.arange(23), test)
        slow = jb.MultilabelNB().fit(X[others], Y[others]).posterior(X[test])
        np.testing.assert_allclose(post.log_prob(Y[test]), slow.log_prob(Y[test]))
