"""How many threads matrix products start: as few as anyone inside asked for, and then as before."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import ThreadpoolController

import jointbayes as jb
from jointbayes.learners.logistic import solver
from jointbayes.threads import BlasThreads, each, products

CONTROLLER = ThreadpoolController()


def counted() -> set[int]:
    """What the BLAS libraries of the process say."""
    return {lib.num_threads for lib in CONTROLLER.select(user_api="blas").lib_controllers}


@pytest.fixture(autouse=True)
def three():
    """Three threads to begin with, however few the environment allows."""
    with CONTROLLER.limit(limits=3, user_api="blas"):
        if counted() != {3}:
            pytest.skip("the number of BLAS threads cannot be set here")
        yield
        assert counted() == {3}


def test_the_least_number_holds_and_the_first_comes_back():
    with BlasThreads(2):
        assert counted() == {2}
        with BlasThreads(1), BlasThreads(None):
            assert counted() == {1}
        assert counted() == {2}
        with BlasThreads(5):
            assert counted() == {2}


def test_errors_set_it_back():
    with pytest.raises(ZeroDivisionError), BlasThreads(1):
        1 / 0  # noqa: B018  the error is the point


def test_threads_that_overlap_leave_no_trace():
    entered, leave = threading.Event(), threading.Event()

    def other():
        with BlasThreads(1):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with BlasThreads(2):
        thread.start()
        entered.wait(10)
        assert counted() == {1}
    assert counted() == {1}  # the other is still inside
    leave.set()
    thread.join()


def test_small_products_start_none_and_large_ones_may():
    with products(1 << 20):
        assert counted() == {1}
    with products(1 << 30):
        assert counted() == {3}


def test_threads_of_ours_start_none_of_theirs():
    assert each(lambda _: counted(), range(2), n_jobs=2) in (
        [{1}] * 2,
        [{3}] * 2,
    )


@pytest.mark.parametrize(("n_jobs", "expected"), [(1, {1}), (None, {3})])
def test_n_jobs_of_a_model_holds_for_its_base_learners(n_jobs, expected):
    seen = set()

    class Watching(LogisticRegression):
        def fit(self, X, y):
            seen.update(counted())
            return super().fit(X, y)

        def predict_proba(self, X):
            seen.update(counted())
            return super().predict_proba(X)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    model = jb.BinaryRelevance(Watching(), n_jobs=n_jobs).fit(X, (X > 0).astype(int))
    model.predict(X)
    model.posterior(X)
    assert seen == expected


def test_regressions_of_a_few_rows_are_solved_without(monkeypatch):
    seen, evaluate = set(), solver.evaluate

    def watched(*arguments):
        seen.update(counted())
        return evaluate(*arguments)

    monkeypatch.setattr(solver, "evaluate", watched)
    X = np.random.default_rng(0).normal(size=(3000, 20))
    jb.CTBN().fit(X, (X[:, :3] > 0).astype(int))
    assert seen == {1}
