"""The hot loops: compiled where the extension is there, else their numpy definitions.

Every kernel has a definition in Python beside its C++ file, with the same name, signature and
answer. ``JOINTBAYES_KERNELS=reference`` chooses the definitions; ``JOINTBAYES_NUM_THREADS`` limits
the threads. Results do not depend on either.
"""

from __future__ import annotations

import os

from jointbayes._kernels.counting import count_pairs, count_singles

__all__ = ["COMPILED", "count_pairs", "count_singles", "n_threads"]

COMPILED = False


def n_threads(n_jobs: int | None = None) -> int:
    """Return how many threads to use: ``n_jobs`` as in scikit-learn, None for all cores.

    >>> n_threads(1)
    1
    """
    available = int(os.environ.get("JOINTBAYES_NUM_THREADS", 0)) or len(os.sched_getaffinity(0))
    if n_jobs is None:
        return available
    return max(1, n_jobs if n_jobs > 0 else available + 1 + n_jobs)
