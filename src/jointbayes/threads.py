"""Threads: how many a piece of work may start, and the one loop that starts them.

Whoever is not told a number asks for what the model that is at work was told (`governed_by`), so
that what it calls, and other models within it, start no more threads than it may.

Matrix products start threads of their own, inside BLAS, which wait for each other by spinning: on
small products, or beside other work, they cost more than they bring. How many there are is one
number for the whole process, so it is set here alone, and set back when the last who asked is done.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from threading import Lock
from types import TracebackType
from typing import Any, TypeVar

from jointbayes.errors import ParameterError

__all__ = ["BlasThreads", "each", "governed_by", "n_threads", "products"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")

TINY, LARGE = 1 << 13, 1 << 26
"""Multiplications of a matrix product below which BLAS starts no threads anyway, and from which on
threads pay."""

_at_most: ContextVar[int | None] = ContextVar("_at_most", default=None)
"""How many threads whoever asks without a number may start; None for no other limit."""

_FREE = nullcontext()
"""What is entered by a model that says nothing: a row alone should not wait for more."""


def n_threads(n_jobs: int | None = None, items: int | None = None) -> int:
    """Return how many threads ``n_jobs`` asks for; None for every core the process may use.

    OMP_NUM_THREADS, which other libraries heed too, and JOINTBAYES_NUM_THREADS say how many that
    is at most, and so does the model that is at work; negative numbers count back from it. There
    are never more threads than cores, and one is enough for one of ``items`` that may be done side
    by side.

    >>> n_threads(1), n_threads(3000) == n_threads(4000), n_threads(None, items=1)
    (1, True, 1)
    """
    allowed = _at_most.get() if n_jobs is None else None
    if 1 in (n_jobs, allowed) or (items is not None and items < 2):
        return 1
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), _cores())
    available = min(_cores(), *_limits())
    if n_jobs is None:
        return available if allowed is None else min(available, allowed)
    return max(1, available + 1 + n_jobs)


def each(
    work: Callable[[Item], Answer], items: Iterable[Item], n_jobs: int | None = None
) -> list[Answer]:
    """Return the answers to all items, in their order; one thread or one item starts no pool.

    Where the system has no thread to give, the items are done one by one.

    >>> each(abs, [-1, 2], n_jobs=2)
    [1, 2]
    """
    todo = list(items)
    there = n_threads(n_jobs) if len(todo) > 1 else 1
    threads = min(there, len(todo))
    if threads < 2:
        return [work(item) for item in todo]
    share = there // threads
    with BlasThreads(1), ThreadPoolExecutor(threads, "", _at_most.set, (share,)) as pool:
        try:
            answers = pool.map(work, todo)
        except RuntimeError:  # no thread could be started; what was asked is taken back
            pool.shutdown(cancel_futures=True)
            return [work(item) for item in todo]
        return list(answers)


class BlasThreads:
    """While it is entered, BLAS starts at most so many threads; None changes nothing.

    Threads of ours may enter it at the same time, and enter it again: the least number that anyone
    asked for holds until nobody asks.

    >>> with BlasThreads(1):
    ...     product = [[1.0]]
    """

    _lock = Lock()
    _asked: list[int] = []  # noqa: RUF012  by everyone who is inside, in this process
    _governed: list[_Library] = []  # noqa: RUF012  with what they had before

    def __init__(self, at_most: int | None) -> None:
        self.at_most = at_most

    def __enter__(self) -> None:
        if self.at_most is None:
            return
        with self._lock:
            if not self._asked:
                found = _libraries("scipy.linalg" in sys.modules)
                self._governed[:] = [_Library(one) for one in found]
            self._asked.append(self.at_most)
            self._set()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.at_most is None:
            return
        with self._lock:
            self._asked.remove(self.at_most)
            self._set()

    def _set(self) -> None:
        for library in self._governed:
            library.set_threads(min([library.before, *self._asked]))


class _Library:
    """A BLAS library, how many threads it had, and how many it was given: to ask it takes time."""

    def __init__(self, library: Any) -> None:
        self.library, self.before = library, library.get_num_threads()
        self.now = self.before

    def set_threads(self, wanted: int) -> None:
        if wanted == self.now:
            return
        clear = getattr(self.library, "clear_controlling_thread", None)
        if clear is not None:  # threadpoolctl 3.8: only the thread that was first may, till then
            clear(force=True)  # the lock of `BlasThreads` keeps them apart
        self.library.set_num_threads(wanted)
        self.now = wanted


def governed_by(model: Any) -> AbstractContextManager[None]:
    """While it is entered, nobody starts more threads than ``n_jobs`` of a model, BLAS included.

    None changes nothing, and a model within a model has no more than that one.

    >>> from types import SimpleNamespace
    >>> with governed_by(SimpleNamespace(n_jobs=1)):
    ...     n_threads()
    1
    """
    n_jobs = getattr(model, "n_jobs", None)
    return _FREE if n_jobs is None else _at_most_threads(n_threads(n_jobs))


@contextmanager
def _at_most_threads(own: int) -> Iterator[None]:
    before = _at_most.get()
    token = _at_most.set(own if before is None else min(own, before))
    try:
        with BlasThreads(own):
            yield
    finally:
        _at_most.reset(token)


def products(multiplications: int) -> BlasThreads:
    """Return what keeps BLAS from threads for matrix products that are too small for them.

    >>> products(10**6).at_most, products(10**9).at_most
    (1, None)
    """
    return BlasThreads(1 if TINY <= multiplications < LARGE else None)


@cache
def _libraries(scipy: bool) -> list[Any]:  # noqa: FBT001  whether scipy has brought its own
    """Return the BLAS libraries that have one number of threads for the whole process.

    Those whose threads are OpenMP's have one for each thread of ours; OMP_NUM_THREADS governs them.
    """
    del scipy
    from threadpoolctl import ThreadpoolController

    blas = ThreadpoolController().select(user_api="blas").lib_controllers
    return [each for each in blas if getattr(each, "threading_layer", "") != "openmp"]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # Linux: the cores this process may use
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limits() -> list[int]:
    found = []
    for name in ("OMP_NUM_THREADS", "JOINTBAYES_NUM_THREADS"):
        text = os.environ.get(name, "").split(",")[0].strip()  # OMP: one number a nesting level
        if text and not text.isdecimal():
            raise ParameterError(f"{name}={text!r} in the environment is not a number of threads")
        if text and int(text):
            found.append(int(text))
    return found or [1 << 16]
