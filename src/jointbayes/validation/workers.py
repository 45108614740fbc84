"""Jobs on several processes at once, Ctrl-C while they run, and none that outlives its master."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread, current_thread, main_thread
from typing import Any, cast

__all__ = ["finished"]

WATCH_SECONDS = 0.5


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

    with warnings.catch_warnings():  # whoever stops a run knows that jobs are left
        warnings.filterwarnings("ignore", message="[0-9]+ tasks .*have been", category=UserWarning)
        with (
            _deaf_to_interrupts(),
            _watched_workers(),
        ):
            workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
            done = workers(delayed(function)(*job) for job in jobs)
        yield from done


def _watched_workers() -> AbstractContextManager[Any]:
    from joblib import parallel_config  # type: ignore[import-untyped]

    try:
        config = parallel_config("loky", initializer=_leave_with, initargs=(os.getpid(),))
    except TypeError:  # before joblib 1.5, whose workers leave after five idle minutes
        config = parallel_config("loky")
    return cast("AbstractContextManager[Any]", config)


def _leave_with(master: int) -> None:
    """End this worker soon after its master has ended, however that was brought about."""

    def watch() -> None:
        while os.getppid() == master:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


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
