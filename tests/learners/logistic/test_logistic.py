"""Batched logistic regressions against the definition of their objective."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from jointbayes.errors import ParameterError
from jointbayes.learners.logistic import path as logistic_path
from jointbayes.learners.logistic.basis import learn_scaling, make_basis
from jointbayes.learners.logistic.path import choose_penalties
from jointbayes.learners.logistic.problem import Problem, log_likelihoods
from jointbayes.learners.logistic.solver import minimize_logistic
from jointbayes.models import BatchedLogistic
from jointbayes.table import Table


def objective(Z, y, W, penalty):
    """Σ −log softmax(W'z)_y + λ/2 |w|²; one column of W means that the other value scores 0."""
    total = 0.0
    for z, label in zip(Z, y, strict=True):
        scores = [float(np.dot(z, w[:-1]) + w[-1]) for w in W.T]
        scores = [0.0, *scores] if len(scores) == 1 else scores
        total -= scores[label] - np.logaddexp.reduce(scores)
    return total + penalty / 2 * float((W[:-1] ** 2).sum())


def least(Z, y, width, penalty):
    """The minimum of the objective by a general solver."""
    shape = (Z.shape[1] + 1, width)

    def value(w):
        W = w.reshape(shape)
        scores = Z @ W[:-1] + W[-1]
        scores = np.hstack([np.zeros((len(Z), 1)), scores]) if width == 1 else scores
        log_p = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        residual = np.exp(log_p) - np.eye(log_p.shape[1])[y]
        residual = residual[:, 1:] if width == 1 else residual
        g = np.vstack([Z.T @ residual + penalty * W[:-1], residual.sum(axis=0)])
        f = -log_p[np.arange(len(Z)), y].sum() + penalty / 2 * (W[:-1] ** 2).sum()
        return f, g.ravel()

    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9}
    return minimize(
        value, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options=options
    ).fun


def fitted_objectives(model, X, Y):
    """The objective of every label at the coefficients found, by definition."""
    found = model.logistics_
    Z = found.scaling.apply(X)
    ends = np.cumsum([outcome.width for outcome in found.outcomes])
    return [
        objective(Z, Y[:, j], found.W[:, end - o.width : end], found.penalty[j])
        for j, (o, end) in enumerate(zip(found.outcomes, ends, strict=True))
    ]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(8, 40),
    st.integers(1, 60),
    st.sampled_from([0.01, 1.0, 100.0]),
)
@settings(max_examples=15, deadline=None)
def test_the_minimum_is_reached(seed, n, p, penalty):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ np.diag(10.0 ** rng.integers(-3, 4, p))
    Y = np.stack([rng.integers(0, 2, n), rng.integers(0, 3, n), X[:, 0] > 0], axis=1)
    Y[:3] = [[0, 0, 0], [1, 1, 1], [0, 2, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BatchedLogistic(penalty=penalty, max_iter=2000).fit(X, Y)
    Z = learn_scaling(X).apply(X)
    for j, found in enumerate(fitted_objectives(model, X, Y)):
        width = model.logistics_.outcomes[j].width
        assert found <= least(Z, Y[:, j], width, penalty) * (1 + 1e-5)


def test_no_worse_than_scikit_learn_on_its_own_ground(shared):
    import jointbayes as jb

    data = jb.load_dataset(shared / "data" / "multilabel" / "emotions.arff.xz")
    model = BatchedLogistic(penalty=1.0).fit(data.X, data.Y)
    X = model.design_.matrix(data.X)
    Z = learn_scaling(X).apply(X)
    ours = fitted_objectives(model, X, data.Y.astype(int))
    for j, found in enumerate(ours):
        rival = LogisticRegression(C=1.0, max_iter=1000).fit(Z, data.Y[:, j])
        W = np.append(rival.coef_[0], rival.intercept_)[:, None]
        assert found <= objective(Z, data.Y[:, j].astype(int), W, 1.0) * (1 + 1e-5)


def test_a_sparse_matrix_gives_the_answer_of_a_dense_one():
    rng = np.random.default_rng(0)
    X = (rng.random((300, 400)) < 0.01) * rng.random((300, 400))
    Y = (X @ rng.normal(size=(400, 3)) + 0.1 * rng.normal(size=(300, 3)) > 0).astype(int)
    model = BatchedLogistic(penalty=1.0)
    thin = model.fit(sparse.csr_array(X), Y)
    assert make_basis(X).axes.ndim == 1  # it is thin enough to be solved as sparse
    p = thin.predict_proba(sparse.csr_array(X))
    np.testing.assert_allclose(thin.predict_proba(X), p, atol=1e-12)
    np.testing.assert_allclose(
        BatchedLogistic(penalty=1.0).fit(X, Y).predict_proba(X), p, atol=1e-9
    )
    thick = minimize_logistic(
        Problem(make_basis(X), Y * 1.0, (1, 1, 1), np.ones(3)), tol=1e-12, max_iter=5000
    )
    Z = learn_scaling(X).apply(X)
    for j in range(3):
        assert thick.objective[j] == pytest.approx(least(Z, Y[:, j], 1, 1.0), rel=1e-7)


def words(rng, n=400, p=20):
    """Weights of words, most of them rare."""
    share = 0.4 / np.arange(1, p + 1)
    return np.where(rng.random((n, p)) < share, rng.uniform(0.1, 1.0, (n, p)), 0.0)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_words_keep_their_proportions(kind):
    """None is louder than it was beside the others, and their unit does not matter."""
    X = words(np.random.default_rng(0))
    Z = learn_scaling(kind(X)).apply(X)
    ratio = Z.std(axis=0) / X.std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0])
    assert Z.std(axis=0).max() == pytest.approx(1.0)
    np.testing.assert_allclose(learn_scaling(kind(1e6 * X)).apply(1e6 * X), Z)


def test_a_thin_column_of_another_unit_does_not_silence_words():
    X = words(np.random.default_rng(1))
    alone = learn_scaling(X).apply(X).std(axis=0)
    X[:, -1] *= 1e9
    beside = learn_scaling(X).apply(X).std(axis=0)
    assert (beside[:-1] > alone[:-1] / 10).all()
    assert beside[-1] <= 1.0 + 1e-12


def test_one_loud_word_among_thousands_does_not_silence_the_others():
    X = sparse.random(500, 3000, density=0.01, random_state=2, format="csr")
    alone = learn_scaling(X).factor
    loud = sparse.hstack([X, 5 * np.eye(500, 1)], format="csr")
    np.testing.assert_allclose(learn_scaling(loud).factor[:-1], alone, rtol=0.1)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_shifts_and_units_of_columns_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    Y = rng.integers(0, 2, (40, 2))
    moved = X * [1e-3, 7.0, 1e6] + [5.0, 0.0, -1e6]
    one, other = (BatchedLogistic(penalty=2.0, tol=1e-10).fit(M, Y) for M in (X, moved))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(moved), atol=1e-6)


def test_a_coefficient_that_is_held_stays_zero_and_the_others_are_optimal():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, (50, 2)) * 1.0
    basis = make_basis(X, fixed=2)
    free = np.ones((5, 2), dtype=bool)
    free[2, 0] = free[3, :] = False
    found = minimize_logistic(Problem(basis, y, (1, 1), np.full(2, 0.5), free), tol=1e-10)
    assert not found.W[~free].any()
    Z = learn_scaling(X).apply(X)
    for j, columns in enumerate([[0, 1], [0, 1, 2]]):
        assert found.objective[j] == pytest.approx(
            least(Z[:, columns], y[:, j].astype(int), 1, 0.5), rel=1e-7
        )


def test_the_penalty_is_that_of_the_best_held_out_likelihood(monkeypatch):
    monkeypatch.setattr(logistic_path, "ROUGH", 1e-9)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 8))
    Y = np.stack([X[:, 0] + rng.normal(size=120) > 0, rng.random(120) < 0.5], axis=1) * 1.0
    basis, fold = make_basis(X), np.arange(120) % 4
    grid = [1000.0, 100.0, 10.0, 1.0, 0.1]
    problem = Problem(basis, Y, (1, 1), np.ones(2))
    scores = []
    for penalty in grid:
        total = np.zeros(2)
        for k in range(4):
            train = Problem(basis.rows(fold != k), Y[fold != k], (1, 1), np.full(2, penalty))
            W = minimize_logistic(train, tol=1e-9).W
            total += log_likelihoods(basis.rows(fold == k).times(W), Y[fold == k], (1, 1))
        scores.append(total)
    follows, noise = np.argmax(scores, axis=0)
    around = slice(follows - 1, follows + 2)
    a, b, _ = np.polyfit(np.log(grid)[around], np.array(scores)[around, 0], 2)
    expected = [np.exp(-b / (2 * a)), grid[noise]]
    assert noise == 0 < follows  # the strongest penalty there is silences noise
    np.testing.assert_allclose(choose_penalties(problem, fold, grid), expected, rtol=1e-5)


def test_rows_are_held_out_until_there_are_enough(monkeypatch):
    rng = np.random.default_rng(5)
    X, fold = rng.normal(size=(60, 3)), np.arange(60) % 4
    Y = (X[:, :2] + rng.normal(size=(60, 2)) > 0) * 1.0
    problem = Problem(make_basis(X), Y, (1, 1), np.ones(2))
    taken = []
    part = logistic_path._Part.of
    monkeypatch.setattr(
        logistic_path._Part, "of", lambda p, out: taken.append(int(out.sum())) or part(p, out)
    )
    for enough, folds in ((1, 1), (15, 1), (16, 2), (45, 3), (1000, 4)):
        monkeypatch.setattr(logistic_path, "ENOUGH", enough)
        taken.clear()
        choose_penalties(problem, fold)
        assert taken == [15] * folds


def test_sparse_coordinates_are_understood_to_be_centred():
    rng = np.random.default_rng(6)
    X = rng.random((40, 200)) * (rng.random((40, 200)) < 0.015)
    basis = make_basis(sparse.csr_array(X))
    assert sparse.issparse(basis.values)
    Z = basis.values.toarray()
    Z = np.column_stack([Z - Z.mean(axis=0), np.ones(40)])
    W, R = rng.normal(size=(Z.shape[1], 3)), rng.normal(size=(40, 3))
    np.testing.assert_allclose(basis.times(W), Z @ W, atol=1e-12)
    np.testing.assert_allclose(basis.back(R), Z.T @ R, atol=1e-12)
    np.testing.assert_allclose(basis.squares, (Z[:, :-1] ** 2).mean(axis=0), atol=1e-12)


def test_degenerate_columns_and_labels_are_no_trouble():
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    X = np.stack([x, x, np.full(30, 7.0), 1e300 * x, 1e-300 * x, np.zeros(30)], axis=1)
    Y = np.stack([x > 0, np.zeros(30), np.ones(30)], axis=1).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BatchedLogistic().fit(X, Y)
        p = model.predict_proba(np.vstack([X, 1e305 * np.ones((1, 6)), -X[:1] * 1e4]))
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p[:, 1], 0.5 / 31)  # the smoothed frequency of what never occurred
    np.testing.assert_allclose(p[:, 2], 30.5 / 31)
    assert model.score(X, Y) == 1.0


def test_separable_data_are_fitted_and_slow_convergence_is_said_once():
    X = np.arange(40.0)[:, None]
    Y = np.stack([X[:, 0] > 20, X[:, 0] > 30], axis=1).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert BatchedLogistic(penalty=1e-6).fit(X, Y).score(X, Y) == 1.0
    with pytest.warns(ConvergenceWarning, match="2 of 2 logistic regressions") as said:
        BatchedLogistic(penalty=1e-6, max_iter=1).fit(X, Y)
    assert len(said) == 1


@pytest.mark.parametrize(
    "options", [{"penalty": 0}, {"penalty": "auto"}, {"folds": 1}, {"tol": 0}, {"max_iter": 0}]
)
def test_parameters_outside_their_range_are_refused(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        BatchedLogistic(**options).fit([[0.0], [1.0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("seed", [0, 4, 6, 13])
def test_a_rough_solution_that_has_not_moved_is_no_peak(seed):
    """A few negatives: under strong penalties nothing moves, under weak ones much."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = 2 * X[:, 0] + rng.logistic(size=200) > -5
    assert BatchedLogistic().fit(X, y).penalty_[0] <= 10


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_coefficients_are_those_of_the_columns(kind):
    """By which anyone can predict, and which are scikit-learn's where nothing is penalised."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 4))
    Y = (Z @ rng.normal(size=(4, 2)) + rng.logistic(size=(300, 2)) > 0).astype(int)
    X = Z * [1, 10, 0.1, 5] + [0, 3, -2, 100]
    model = BatchedLogistic(penalty=1e-6, tol=1e-9).fit(kind(X), Y)
    odds = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.predict_proba(kind(X)), expit(odds), atol=1e-9)
    rivals = [LogisticRegression(C=np.inf, tol=1e-9, max_iter=9999).fit(X, y) for y in Y.T]
    theirs = np.concatenate([rival.coef_ for rival in rivals])
    np.testing.assert_allclose(model.coef_, theirs, rtol=1e-4)


def test_coefficients_of_many_values_constants_and_mixed_columns():
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "blue"], 90)
    X = pd.DataFrame({"size": rng.normal(size=90), "colour": colour})
    Y = np.stack([rng.integers(0, 3, 90), colour == "red", np.ones(90, dtype=int)], axis=1)
    model = BatchedLogistic(penalty=1.0).fit(X, Y)
    assert model.columns_ == ("size", "colour=blue", "colour=red")
    assert model.coef_.shape == (3 + 1 + 1, 3)  # of the constant one its only value
    Z = model.design_.matrix(Table.of(X)) @ model.coef_.T + model.intercept_
    first, second = model.predict_proba(X)[:2]
    np.testing.assert_allclose(first, softmax(Z[:, :3], axis=1), atol=1e-12)
    np.testing.assert_allclose(second[:, 1], expit(Z[:, 3]), atol=1e-12)
    assert model.coef_[3, 2] > 0 > model.coef_[3, 1]


def test_a_label_that_never_varies_has_a_flat_line():
    X = np.random.default_rng(2).normal(size=(20, 2))
    model = BatchedLogistic().fit(X, np.stack([X[:, 0] > 0, np.zeros(20)], axis=1).astype(int))
    assert model.coef_[1].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(expit(model.intercept_[1]), model.predict_proba(X)[0, 1])


@pytest.mark.parametrize("n", [7, 39, 300])
def test_a_column_of_ones_is_constant_whatever_weights_sum_to(n):
    """Sums of thirds round: what they lack is no row without an entry."""
    X = np.stack([np.ones(n), np.arange(n) % 3, np.arange(n) == 2], axis=1).astype(float)
    for w in (np.full(n, 1 / 3), 1 / (1 + np.arange(n) % 7), np.full(n, 0.1)):
        dense, thin = learn_scaling(X, w), learn_scaling(sparse.csr_array(X), w)
        assert thin.factor[0] == 0
        np.testing.assert_allclose(thin.factor, dense.factor, rtol=1e-9)


def test_what_blas_flags_in_a_product_is_no_warning():
    """OpenBLAS may flag what lies beyond a row (numpy issue 24067); infinities do it here."""
    basis = make_basis(np.eye(3))
    basis.values[0, :2] = np.inf, -np.inf
    with np.errstate(invalid="raise"):
        basis.times(np.ones((basis.shape[1], 1)))
        basis.back(np.ones((3, 1)))
        basis.back(np.full((3, 1), np.inf))
