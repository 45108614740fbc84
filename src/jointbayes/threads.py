"""Threads: how many a piece of work may start, and the one loop that starts them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from jointbayes.errors import ParameterError

__all__ = ["each", "n_threads"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def n_threads(n_jobs: int | None = None) -> int:
    """Return how many threads ``n_jobs`` asks for; None for every core the process may use.

    OMP_NUM_THREADS, which other libraries heed too, and JOINTBAYES_NUM_THREADS say how many that
    is at most; negative numbers count back from it. There are never more threads than cores.

    >>> n_threads(1), n_threads(3000) == n_threads(4000)
    (1, True)
    """
    if n_jobs == 1:
        return 1
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), _cores())
    available = min(_cores(), *_limits())
    return available if n_jobs is None else max(1, available + 1 + n_jobs)


def each(
    work: Callable[[Item], Answer], items: Iterable[Item], n_jobs: int | None = None
) -> list[Answer]:
    """Return the answers to all items, in their order; one thread or one item starts no pool.

    Where the system has no thread to give, the items are done one by one.

    >>> each(abs, [-1, 2], n_jobs=2)
    [1, 2]
    """
    todo = list(items)
    threads = min(n_threads(n_jobs), len(todo))
    if threads < 2:
        return [work(item) for item in todo]
    with ThreadPoolExecutor(threads) as pool:
        try:
            answers = pool.map(work, todo)
        except RuntimeError:  # no thread could be started; what was asked is taken back
            pool.shutdown(cancel_futures=True)
            return [work(item) for item in todo]
        return list(answers)


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
