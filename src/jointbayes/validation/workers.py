"""Jobs on several processes at once, and Ctrl-C while they run."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

__all__ = ["finished"]


def finished(
    function: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], n_jobs: int
) -> Iterator[Any]:
    """Yield what ``function`` makes of each job as soon as it is done, in any order.

    >>> list(finished(max, [(1, 2), (4, 3)], n_jobs=1))
    [2, 4]
    """
    if n_jobs == 1:
        yield from (function(*job) for job in jobs)
        return
    from sklearn.utils.parallel import Parallel, delayed

    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    with warnings.catch_warnings():  # whoever stops a run knows that jobs are left
        warnings.filterwarnings("ignore", message="[0-9]+ tasks .*have been", category=UserWarning)
        with _deaf_to_interrupts():
            done = workers(delayed(function)(*job) for job in jobs)
        yield from done


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C while workers are started: they stay so, and we answer it for all of them."""
    if current_thread() is not main_thread():  # others hear no signals anyway
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
