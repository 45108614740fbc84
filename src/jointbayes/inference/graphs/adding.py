"""Add tables over parts of a clique up: small ones first, so that few sums have its size.

A clique of twenty labels may hold a hundred tables over five of them each. Added to the whole one
after the other, these are a hundred times its cells. So the smallest table left is added to the one
with which it makes the smallest sum, again and again, until one is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.inference.graphs.axes import Scope, spread

__all__ = ["sum_tables"]

Addition = tuple[int, int, Scope]
"""Which two tables are added, by their places, and the scope of their sum, which is put last."""


def sum_tables(
    tables: Sequence[Floats], scopes: Sequence[Scope], clique: Scope, cards: Sequence[int]
) -> Floats:
    """Return a new table over a clique: the sum of tables over parts of it, rows last.

    >>> own, both = np.array([[1.0], [2.0]]), np.array([[[10.0], [20.0]], [[30.0], [40.0]]])
    >>> sum_tables([own, both], [(0,), (1, 0)], (0, 1), (2, 2))[..., 0].tolist()
    [[11.0, 31.0], [22.0, 42.0]]
    """
    parts, axes, shape = list(tables), list(scopes), tuple(cards[v] for v in clique)
    for i, j, scope in _additions(tuple(scopes), clique, shape):
        parts.append(spread(parts[i], axes[i], scope) + spread(parts[j], axes[j], scope))
        axes.append(scope)
    n = parts[-1].shape[-1]
    if len(parts) > len(tables) and axes[-1] == clique:
        return parts[-1]
    total = np.zeros((*shape, n))
    total += spread(parts[-1], axes[-1], clique)
    return total


@lru_cache(maxsize=1 << 12)
def _additions(
    scopes: tuple[Scope, ...], clique: Scope, shape: tuple[int, ...]
) -> tuple[Addition, ...]:
    """Return what is added to what, until one table is left."""
    cards = dict(zip(clique, shape, strict=True))
    found, merged, left = [], [frozenset(scope) for scope in scopes], set(range(len(scopes)))

    def size(scope: frozenset[int]) -> int:
        return prod(cards[v] for v in scope)

    while len(left) > 1:
        i = min(left, key=lambda i: (size(merged[i]), i))
        left.remove(i)
        j = min(left, key=lambda j: (size(merged[i] | merged[j]), j))
        left.remove(j)
        left.add(len(merged))
        merged.append(merged[i] | merged[j])
        found.append((i, j, tuple(v for v in clique if v in merged[-1])))
    return tuple(found)
