"""Climbing: the value of one number that costs least, where costs rise on either side of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["climb"]

MANY = 10
"""Values beyond which the first steps are long."""


def climb(values: Sequence[float], start: float, cost: Callable[[float], float]) -> float:
    """Return a value that costs less than its neighbours, by steps of four, two and one.

    The search begins at the value nearest to ``start``, and asks for no cost twice.

    >>> climb(range(20), 3, lambda x: (x - 13) ** 2)
    13
    """
    known: dict[int, float] = {}

    def cost_at(i: int) -> float:
        if not 0 <= i < len(values):
            return np.inf
        if i not in known:
            known[i] = cost(values[i])
        return known[i]

    at = int(np.abs(np.asarray(values) - start).argmin())
    for step in (4, 2, 1) if len(values) > MANY else (1,):
        for way in (step, -step):
            while cost_at(at + way) < cost_at(at):
                at += way
    return values[at]
