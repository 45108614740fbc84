"""Kernel classifiers against their definition: one fit less for every row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax
from sklearn.utils.estimator_checks import parametrize_with_checks

from jointbayes.errors import DataError, ParameterError
from jointbayes.learners.kernel import KernelClassifier, _Weighed


@parametrize_with_checks([KernelClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] ** 2 + 0.3 * rng.normal(size=n) > 0.6).astype(int) + (X[:, 1] > 1)


def likeness(X, L, width=None):
    mean, spread = L.mean(axis=0), L.std(axis=0)
    A, B = (X - mean) / spread, (L - mean) / spread
    v = L.shape[1] if width is None else width
    return np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / (2 * v))


def test_probabilities_are_those_of_kernel_ridge_regression():
    X, y = data()
    model = KernelClassifier().fit(X, y)
    T, f = np.eye(3)[y], np.bincount(y) / len(y)
    alike = likeness(X, X, model.width_)
    dual = np.linalg.solve(alike + model.penalty_ * np.eye(len(X)), T - f)
    new = np.random.default_rng(1).normal(size=(7, 3))
    expected = softmax(model.sureness_ * (likeness(new, X, model.width_) @ dual + f), axis=1)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-6)


@pytest.mark.parametrize("penalty", [0.1, 2.0])
def test_rows_left_out_need_no_further_fit(penalty):
    X, y = data(25)
    size, E = np.linalg.eigh(likeness(X, X))
    phi, w = E * np.sqrt(np.maximum(size, 0)), np.ones(len(y))
    w[:3] = 2.0
    rows = _Weighed(phi, y, 3, w, np.eye(phi.shape[1]))
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


@pytest.mark.parametrize("n_landmarks", [40, 1000])
def test_the_width_is_the_likeliest_that_is_uphill(n_landmarks):
    X, y = data(120)
    model = KernelClassifier(n_landmarks=n_landmarks).fit(X, y)

    def left_out(width):
        size, E = np.linalg.eigh(likeness_to(model.landmarks_, model.landmarks_, width))
        kept = size > 1e-9 * size[-1]
        basis = E[:, kept] / np.sqrt(size[kept])
        phi = likeness_to((X - X.mean(axis=0)) / X.std(axis=0), model.landmarks_, width) @ basis
        rows = _Weighed(phi, y, 3, np.ones(len(y)), basis)
        directions = rows.directions()
        return max(rows.left_out(directions, 4.0**e).likelihood for e in range(-6, 4))

    found = left_out(model.width_)
    assert all(found >= left_out(model.width_ * factor) for factor in (0.25, 4.0))


def likeness_to(A, B, width):
    return np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / (2 * width))


def texts(n=60, seed=0):
    """Rows of 40 words, of which a few tell the class, long texts and short ones."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.poisson(0.05, size=(n, 40)).astype(float)
    X[np.arange(n), y * 3 + rng.integers(0, 3, n)] += 1
    return X * rng.integers(1, 5, size=(n, 1)), y


def test_texts_are_compared_by_direction_and_rare_words_tell_more():
    X, y = texts()
    model = KernelClassifier().fit(X, y)
    weighted = X * (np.log((1 + len(X)) / (1 + (X > 0).sum(axis=0))) + 1)
    unit = weighted / np.linalg.norm(weighted, axis=1, keepdims=True)
    T, f = np.eye(2)[y], np.bincount(y) / len(y)
    alike = likeness_to(unit, unit, model.width_)
    dual = np.linalg.solve(alike + model.penalty_ * np.eye(len(X)), T - f)
    expected = softmax(model.sureness_ * (alike @ dual + f), axis=1)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(3 * X), expected, atol=1e-6)


@pytest.mark.parametrize("rows", [texts, data])
def test_dense_and_sparse_rows_are_the_same_rows(rows):
    X, y = rows(60)
    one, other = KernelClassifier().fit(X, y), KernelClassifier().fit(sparse.csr_matrix(X), y)
    for asked in (X, sparse.csr_matrix(X), sparse.csc_array(X)):
        np.testing.assert_array_equal(one.predict_proba(asked), other.predict_proba(X))


def test_texts_drawn_as_landmarks_are_distinct_and_weights_are_copies():
    X, y = texts()
    w = np.random.default_rng(2).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), w)
    one = KernelClassifier().fit(X, y, sample_weight=w)
    other = KernelClassifier().fit(X[again], y[again])
    kept = one.scale_.apply(X[w > 0]).toarray()
    assert one.landmarks_.shape[0] == other.landmarks_.shape[0] == len(np.unique(kept, axis=0))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_an_empty_text_and_words_never_seen_are_answered():
    X, y = texts()
    model = KernelClassifier().fit(np.c_[X, np.zeros(len(X))], y)
    asked = np.zeros((2, 41))
    asked[1, -1] = 1.0
    proba = model.predict_proba(asked)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba[0], proba[1])


def test_what_memory_cannot_hold_is_refused(monkeypatch):
    X, y = data()
    monkeypatch.setattr("jointbayes.learners.likeness.physical_memory", lambda: 1 << 10)
    with pytest.raises(DataError, match="GiB as 40 × 3 numbers"):
        KernelClassifier().fit(sparse.csr_matrix(X), y)


def test_numbers_of_any_size_are_compared():
    X, y = data()
    one = KernelClassifier().fit(X, y)
    huge = KernelClassifier().fit(X * [1e300, 1e-300, 1.0], y)
    np.testing.assert_allclose(
        huge.predict_proba(X * [1e300, 1e-300, 1.0]), one.predict_proba(X), atol=1e-9
    )
    assert np.isfinite(one.predict_proba([[1e308, -1e308, 0.0]])).all()
