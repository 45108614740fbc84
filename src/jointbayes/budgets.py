"""Budgets that several stages share: how much is held, listed or drawn at a time."""

from __future__ import annotations

import os

__all__ = [
    "BLOCK_CELLS",
    "CACHE_CELLS",
    "ENUMERATED_LABELS",
    "SAMPLED_VECTORS",
    "physical_memory",
]

BLOCK_CELLS = 1 << 22
"""Cells of a temporary array; rows are taken in blocks so that none grows beyond."""

CACHE_CELLS = 1 << 17
"""Cells of a temporary array that is read many times and should stay in the cache."""

ENUMERATED_LABELS = 12
"""Largest number of binary labels of which all label vectors are listed."""

SAMPLED_VECTORS = 1000
"""Label vectors drawn for each row where there are too many to list."""


def physical_memory() -> int:
    """Return the bytes of memory that the process may have; what nobody can say is no limit.

    That is what the machine has, or less where ``ulimit -v`` says so.

    >>> physical_memory() > 1 << 20
    True
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ImportError, AttributeError, ValueError, OSError):  # not a Unix
        return 1 << 62
    allowed = getrlimit(RLIMIT_AS)[0]
    return there if allowed in (RLIM_INFINITY, -1) else min(there, allowed)
