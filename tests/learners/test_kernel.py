"""Kernel classifiers against their definition: one fit less for every row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.utils.estimator_checks import parametrize_with_checks

from jointbayes.errors import DataError, ParameterError
from jointbayes.learners.kernel import PENALTIES, KernelClassifier, _Weighed


@parametrize_with_checks([KernelClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] ** 2 + 0.3 * rng.normal(size=n) > 0.6).astype(int) + (X[:, 1] > 1)


def likeness(X, L):
    mean, spread = L.mean(axis=0), L.std(axis=0)
    A, B = (X - mean) / spread, (L - mean) / spread
    return np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / (2 * L.shape[1]))


def test_probabilities_are_those_of_kernel_ridge_regression():
    X, y = data()
    model = KernelClassifier().fit(X, y)
    T, f = np.eye(3)[y], np.bincount(y) / len(y)
    dual = np.linalg.solve(likeness(X, X) + model.penalty_ * np.eye(len(X)), T - f)
    new = np.random.default_rng(1).normal(size=(7, 3))
    expected = softmax(model.sureness_ * (likeness(new, X) @ dual + f), axis=1)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-6)


@pytest.mark.parametrize("penalty", [0.1, 2.0])
def test_rows_left_out_need_no_further_fit(penalty):
    X, y = data(25)
    size, E = np.linalg.eigh(likeness(X, X))
    phi, w = E * np.sqrt(np.maximum(size, 0)), np.ones(len(y))
    w[:3] = 2.0
    rows = _Weighed(phi, y, 3, w)
    found = rows.left_out(rows.directions(), penalty)
    scores = []
    for i in range(len(y)):
        less = w.copy()
        less[i] -= 1
        G = (phi * less[:, None]).T @ phi + penalty * np.eye(phi.shape[1])
        scores.append(
            phi[i] @ np.linalg.solve(G, (phi * less[:, None]).T @ rows.centred()) + rows.frequency
        )
    log_p = np.log(softmax(found.sureness * np.array(scores), axis=1))
    assert found.likelihood == pytest.approx(w @ log_p[np.arange(len(y)), y], rel=1e-8)


def test_a_weight_of_two_is_the_row_twice():
    X, y = data()
    w = np.random.default_rng(2).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), w)
    one = KernelClassifier().fit(X, y, sample_weight=w)
    other = KernelClassifier().fit(X[again], y[again])
    assert one.penalty_ == other.penalty_
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_few_landmarks_do_nearly_as_well():
    X, y = data(400)
    whole, part = (KernelClassifier(n_landmarks=m).fit(X, y) for m in (1000, 100))
    assert len(part.landmarks_) == 100
    new, truth = data(200, seed=5)
    assert part.score(new, truth) > whole.score(new, truth) - 0.03
    again = KernelClassifier(n_landmarks=100).fit(X, y)
    np.testing.assert_array_equal(part.landmarks_, again.landmarks_)


def test_columns_that_do_not_vary_do_not_matter():
    X, y = data()
    wide = np.column_stack([X, np.full(len(X), 0.1), np.zeros(len(X))])
    one, other = KernelClassifier().fit(X, y), KernelClassifier().fit(wide, y)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(wide), atol=1e-9)
    nothing = KernelClassifier().fit(np.zeros((6, 2)), [0, 1, 1, 0, 1, 1])
    np.testing.assert_allclose(nothing.predict_proba([[0, 0]]).sum(), 1)


def test_faults_are_said():
    X, y = data()
    with pytest.raises(DataError, match="one class"):
        KernelClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ParameterError, match="n_landmarks=0"):
        KernelClassifier(n_landmarks=0).fit(X, y)
    assert (PENALTIES > 0).all()
