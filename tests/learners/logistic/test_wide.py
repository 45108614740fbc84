"""Wide regressions by all their ways: single precision, factors, the span of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from jointbayes.learners.logistic import solver
from jointbayes.learners.logistic.basis import make_basis
from jointbayes.learners.logistic.preconditioner import Factored, leaning_of, precondition
from jointbayes.learners.logistic.problem import Problem, evaluate
from jointbayes.learners.logistic.solver import minimize_logistic
from jointbayes.learners.logistic.span import out_of_span, span
from jointbayes.models import BatchedLogistic, BinaryRelevance


def made_up(seed, n, p, leaning, labels=3):
    """Columns that lean on two directions, if they do, and labels that follow them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if leaning == "strong":
        X += 5 * rng.normal(size=(n, 2)) @ rng.normal(size=(2, p))
    return X, (X @ rng.normal(size=(p, labels)) + rng.normal(size=(n, labels)) > 0.5) * 1.0


def least(problem, column):
    """The minimum of the objective of a binary target by a general solver, in double precision."""
    X = np.asarray(problem.basis.values, dtype=np.float64)
    v = np.ones(len(X)) if problem.basis.weights is None else problem.basis.weights
    y, penalty = problem.targets[:, column], problem.penalty[column]
    free = np.ones(X.shape[1] + 1) if problem.free is None else problem.free[:, column]

    def value(w):
        w = w * free
        z = X @ w[:-1] + w[-1]
        residual = v * (1 / (1 + np.exp(-z)) - y)
        g = np.append(X.T @ residual + penalty * w[:-1], residual.sum()) * free
        return v @ (np.logaddexp(0, z) - y * z) + penalty / 2 * (w[:-1] ** 2).sum(), g

    start = np.zeros(X.shape[1] + 1)
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-8}
    return minimize(value, start, jac=True, method="L-BFGS-B", options=options).fun


@pytest.mark.parametrize("leaning", ["none", "strong"])
@pytest.mark.parametrize("p", [30, 200])
@pytest.mark.parametrize("weighted", [False, True])
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 30.0]))
@settings(max_examples=3, deadline=None)
def test_every_way_ends_near_the_minimum(leaning, p, weighted, seed, penalty):
    X, Y = made_up(seed, 70, p, leaning)
    weights = np.random.default_rng(seed).integers(1, 4, 70) * 1.0 if weighted else None
    problem = Problem(make_basis(X, weights, rotated=0), Y, (1, 1, 1), np.full(3, penalty))
    assert leaning_of(problem) == leaning
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "LARGE", 0)
        found = minimize_logistic(problem, max_iter=2000)
    assert found.converged.all()
    assert found.W.dtype == np.float64
    objective = evaluate(problem, found.W)[0]
    for column in range(3):
        assert objective[column] <= least(problem, column) * (1 + 1e-5) + 1e-6


def test_factors_hold_what_is_held_at_zero():
    X, Y = made_up(0, 90, 40, "strong")
    free = np.random.default_rng(1).random((41, 3)) < 0.7
    free[-1] = True
    problem = Problem(make_basis(X, rotated=0), Y, (1, 1, 1), np.full(3, 0.5), free)
    assert leaning_of(problem) == "strong"
    found = minimize_logistic(problem, tol=1e-9, max_iter=2000)
    assert (found.W[~free] == 0).all()
    for column in range(3):
        assert found.objective[column] == pytest.approx(least(problem, column), rel=1e-6)


def test_a_factor_is_the_inverse_of_the_hessian_at_one_curvature():
    X, Y = made_up(0, 50, 6, "strong", labels=2)
    problem = Problem(make_basis(X, rotated=0), Y, (1, 1), np.array([0.5, 0.5]))
    inverse = precondition(problem, np.full((50, 2), 0.5), "strong")
    assert isinstance(inverse, Factored)
    Z = np.column_stack([problem.basis.values, np.ones(50)])
    hessian = Z.T @ Z / 4 + 0.5 * np.diag([1.0] * 6 + [0.0])
    G = np.random.default_rng(0).normal(size=(7, 2))
    np.testing.assert_allclose(inverse.times(hessian @ G), G, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        inverse.only(np.array([False, True])).times(G[:, 1:]), inverse.times(G)[:, 1:]
    )


def test_rows_that_are_alike_have_a_span():
    X, _ = made_up(0, 10, 30, "none")
    basis = make_basis(np.vstack([X, X]), rotated=0)
    _, L = span(basis)
    u = np.random.default_rng(0).normal(size=(21, 2))
    w = out_of_span(basis, L, u)
    assert np.isfinite(w).all()
    a = np.linalg.solve(L.T, u[:-1])
    np.testing.assert_allclose(basis.times(w) - u[-1], basis.values @ (basis.values.T @ a))


@pytest.mark.parametrize("shift", [0.0, 3.0, 1e3, 1e7])
def test_rows_as_they_come_are_predicted_as_scaled_ones(shift):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1.0, 1e-3, 1e6, 5.0] + [shift, shift * 1e-3, shift * 1e6, 0.0]
    Y = (X - X.mean(axis=0) > 0)[:, :2].astype(int)
    found = BatchedLogistic(penalty=1.0).fit(X, Y).logistics_
    scaled = found.scaling.apply(X) @ found.W[:-1] + found.W[-1]
    np.testing.assert_allclose(found.predictors(X), scaled, atol=1e-9, rtol=1e-9)
    far = X.copy()
    far[0] = 1e200
    assert np.isfinite(found.predictors(far)).all()


def test_a_wide_model_answers_as_one_solved_without_haste():
    X, Y = made_up(0, 150, 400, "strong", labels=5)
    hasty = BinaryRelevance(BatchedLogistic(penalty=3.0)).fit(X, Y.astype(int))
    exact = BinaryRelevance(BatchedLogistic(penalty=3.0, tol=1e-10)).fit(X, Y.astype(int))
    np.testing.assert_allclose(hasty.predict_proba(X), exact.predict_proba(X), atol=0.02)


def test_rows_that_are_alike_in_single_precision_have_a_span():
    X, _ = made_up(0, 20, 90, "strong")
    basis = make_basis(np.vstack([X, X]), rotated=0).single()
    narrow, L = span(basis)
    u = np.random.default_rng(0).normal(size=(41, 2))
    w = out_of_span(basis, L, u)
    products = np.asarray(basis.values, dtype=np.float64) @ w[:-1]
    np.testing.assert_allclose(products, (narrow.values @ u[:-1]), atol=1e-3)
