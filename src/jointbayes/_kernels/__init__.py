"""The hot loops: compiled where the extension is there, else their numpy definitions.

Every kernel has a definition in Python beside its C++ file, with the same name, signature and
answer. ``JOINTBAYES_KERNELS=reference`` chooses the definitions; ``JOINTBAYES_NUM_THREADS`` limits
the threads. Results do not depend on either.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

__all__ = [
    "COMPILED",
    "best_parents",
    "count_pairs",
    "count_singles",
    "n_threads",
    "parse_dense",
    "parse_sparse",
    "parse_svmlight",
]

COMPILED = (
    os.environ.get("JOINTBAYES_KERNELS") != "reference"
    and find_spec(f"{__name__}._fast") is not None
)

# One line for each topic in either branch.
if COMPILED:
    from jointbayes._kernels._fast import best_parents, count_pairs, count_singles
    from jointbayes._kernels._fast import parse_dense, parse_sparse, parse_svmlight
else:
    from jointbayes._kernels.bridge import best_parents
    from jointbayes._kernels.counting import count_pairs, count_singles
    from jointbayes._kernels.parsing import parse_dense, parse_sparse, parse_svmlight


def n_threads(n_jobs: int | None = None) -> int:
    """Return how many threads to use: ``n_jobs`` as in scikit-learn, None for all cores.

    >>> n_threads(1)
    1
    """
    available = int(os.environ.get("JOINTBAYES_NUM_THREADS", 0)) or len(os.sched_getaffinity(0))
    if n_jobs is None:
        return available
    return max(1, n_jobs if n_jobs > 0 else available + 1 + n_jobs)
