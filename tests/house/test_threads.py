"""``n_jobs=1`` starts no thread: not in Python, not in a kernel, not in a pool that stays.

How many threads a kernel starts is what `threads.n_threads` says; only for ``n_jobs=1`` it says so
without asking how many cores there are. So whoever asks has not been told.
"""

from __future__ import annotations

import inspect
import threading
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import get_tags

import jointbayes
import jointbayes.models
from jointbayes import threads

ROOT = Path(jointbayes.__file__).parent
MODELS = {
    name: kind
    for name, kind in ((n, getattr(jointbayes.models, n)) for n in jointbayes.models.__all__)
    if hasattr(kind, "predict") and "n_jobs" in inspect.signature(kind).parameters
}

OPTIONS = {
    "KDB(k=2)": lambda: jointbayes.KDB(k=2, n_jobs=1),
    "LKDB(k=2)": lambda: jointbayes.LKDB(k=2, n_jobs=1),
    "AKDB(k=2)": lambda: jointbayes.AKDB(k=2, n_jobs=1),
    "LabelDriven(KDB(k=2))": lambda: jointbayes.LabelDriven(jointbayes.KDB(k=2), n_jobs=1),
    "JointLayer(MultilabelNB())": lambda: jointbayes.JointLayer(
        jointbayes.MultilabelNB(), n_jobs=1
    ),
}
"""Models that go other ways than with their defaults."""


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    return X, (X @ rng.normal(size=(6, 3)) + rng.normal(size=(300, 3)) > 0).astype(int)


def caller() -> str:
    """The last two places in the package that lead to where this is called, without threads.py."""
    frames = [f for f in traceback.extract_stack() if f.filename.startswith(str(ROOT))]
    own = [f for f in frames if Path(f.filename).name != "threads.py"]
    return " → ".join(f"{Path(f.filename).relative_to(ROOT)}:{f.lineno}" for f in own[-2:])


@pytest.fixture
def started(monkeypatch):
    """Who starts a thread, or asks for as many as there are cores."""
    found, start = [], threading.Thread.start

    def cores():
        found.append(caller())
        return 2

    def record(thread):
        found.append(caller())
        start(thread)

    monkeypatch.setattr(threads, "_cores", cores)
    monkeypatch.setattr(threading.Thread, "start", record)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("JOINTBAYES_NUM_THREADS", raising=False)
    return found


def native() -> set[Path]:
    tasks = Path("/proc/self/task")  # where there is one: Linux
    return set(tasks.iterdir()) if tasks.is_dir() else set()


def use(model, X, Y) -> None:
    """Fit a model and ask it everything."""
    tags = get_tags(model).classifier_tags
    y = Y if tags.multi_label else Y[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, on rows this few
        model.fit(X, y)
    model.predict(X)
    if hasattr(model, "predict_proba"):
        model.predict_proba(X)
    if hasattr(model, "posterior"):
        post = model.posterior(X)
        post.map(), post.top_k(3), post.marginals(), post.sample(2)
        post.log_prob(Y if tags.multi_label else Y[:, :1])


def test_the_instrument_sees_threads(started):
    threads.each(abs, range(5), n_jobs=2)
    threads.n_threads()
    assert len(started) >= 2


@pytest.mark.parametrize("name", [*MODELS, *OPTIONS])
def test_one_job_starts_no_thread(name, started):
    X, Y = rows()
    before = native()
    use(OPTIONS[name]() if name in OPTIONS else MODELS[name](n_jobs=1), X, Y)
    assert not started, sorted(set(started))
    assert native() <= before


@pytest.mark.parametrize(
    "name", sorted(name for name in MODELS if hasattr(MODELS[name], "partial_fit"))
)
def test_one_job_starts_no_thread_batch_by_batch(name, started):
    X, Y = rows()
    model = MODELS[name](n_jobs=1)
    y = Y if get_tags(model).classifier_tags.multi_label else Y[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in (slice(0, 200), slice(200, 300)):
            model.partial_fit(X[part], y[part])
    assert not started, sorted(set(started))
