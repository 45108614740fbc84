"""The axes of tables over variables: one for each, in the order of a scope, and the rows last."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jointbayes.arrays import Floats

__all__ = ["Scope", "spread"]

Scope = tuple[int, ...]


def spread(table: Floats, own: Scope, axes: Scope) -> Floats:
    """Give a table over ``own`` the axes of a larger scope, with length 1 where they are new.

    The last axis holds rows and axes before those of ``own`` are left in place.

    >>> import numpy as np
    >>> spread(np.zeros((2, 3, 7)), (0, 1), (1, 5, 0)).shape
    (3, 1, 2, 7)
    """
    if own == axes:
        return table
    turn, widen = _turn_and_widen(own, axes, table.ndim - len(own) - 1)
    widened: Floats = table.transpose(turn)[widen]
    return widened


@lru_cache(maxsize=1 << 14)
def _turn_and_widen(own: Scope, axes: Scope, lead: int) -> tuple[Scope, tuple[Any, ...]]:
    """Return the order of axes, and the index that puts new ones between them."""
    kept = (lead + own.index(v) for v in axes if v in own)
    turn = (*range(lead), *kept, lead + len(own))
    new = (slice(None) if v in own else None for v in axes)
    return turn, (*[slice(None)] * lead, *new, slice(None))
