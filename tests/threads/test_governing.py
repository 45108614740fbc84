"""What a model was told of threads holds for whatever it calls, and for nobody else."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from jointbayes import threads
from jointbayes.threads import each, governed_by, n_threads

ONE, TWO, NONE = (SimpleNamespace(n_jobs=n) for n in (1, 2, None))


@pytest.fixture(autouse=True)
def eight(monkeypatch):
    """Eight cores, and nothing said in the environment."""
    monkeypatch.setattr(threads, "_cores", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("JOINTBAYES_NUM_THREADS", raising=False)


def test_whoever_is_not_told_asks_the_model_at_work():
    assert n_threads() == 8
    with governed_by(TWO):
        assert (n_threads(), n_threads(3), n_threads(1), n_threads(-1)) == (2, 3, 1, 8)
        with governed_by(NONE):
            assert n_threads() == 2
    assert n_threads() == 8


def test_a_model_within_a_model_has_no_more():
    with governed_by(ONE), governed_by(TWO):
        assert n_threads() == 1
    with governed_by(TWO), governed_by(ONE):
        assert n_threads() == 1


def test_errors_set_it_back():
    with pytest.raises(ZeroDivisionError), governed_by(ONE):
        1 / 0  # noqa: B018  the error is the point
    assert n_threads() == 8


def test_other_threads_are_not_governed():
    told = []
    with governed_by(ONE):
        other = threading.Thread(target=lambda: told.append(n_threads()))
        other.start()
        other.join()
    assert told == [8]


def test_threads_share_what_there_is():
    assert each(lambda _: n_threads(), range(8)) == [1] * 8
    assert each(lambda _: n_threads(), range(2), n_jobs=4) == [2, 2]
    assert n_threads() == 8
