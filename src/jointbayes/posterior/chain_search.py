"""How the vectors of a chain are looked for, and what draws from it add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.inference.lists import count_vectors, vectors
from jointbayes.inference.logs import log_sum

__all__ = ["ChainSearch", "count_sizes", "listing", "places_of", "weigh_values", "weights_of"]


@dataclass(frozen=True)
class ChainSearch:
    """How vectors are looked for.

    Parameters
    ----------
    method
        "exact", "beam" or "sample"; a beam of width 1 is the greedy chain.
    width
        Of the beam, at most of the exact search's; or how many vectors are drawn.
    enumerated
        Most vectors over which sums are exact.
    time_limit
        Seconds after which the exact search of a row ends without its proof; None for never.
    """

    method: str = "exact"
    width: int = 4096
    enumerated: int = 1 << 16
    time_limit: float | None = None


@lru_cache(maxsize=64)
def listing(order: tuple[int, ...], cards: tuple[int, ...]) -> tuple[Labels, Labels]:
    """Return all vectors in order, and the place of each where the labels are in another order.

    >>> listing((1, 0), (2, 2))[1].tolist()
    [0, 2, 1, 3]
    """
    codes = _every_vector(cards)
    size = np.array([cards[j] for j in order[1:]] + [1], dtype=np.intp)
    return codes, codes[:, list(order)] @ np.cumprod(size[::-1])[::-1]


@lru_cache(maxsize=256)
def places_of(order: tuple[int, ...]) -> Labels:
    """Return the place of each label in an order; nobody may write to it.

    >>> places_of((2, 0, 1)).tolist()
    [1, 2, 0]
    """
    places = np.argsort(order)
    places.flags.writeable = False
    return places


@lru_cache(maxsize=2)
def _every_vector(cards: tuple[int, ...]) -> Labels:
    return vectors(cards, count_vectors(cards))


def count_sizes(codes: Labels, weights: Floats) -> Floats:
    """Return (n, d, d + 1) sums of (draws, n) weights where a label is relevant, by size."""
    _, n, d = codes.shape
    draw, row, label = np.nonzero(codes)
    size = codes.sum(axis=2)[draw, row]
    cell = (row * d + label) * (d + 1) + size
    total: Floats = np.bincount(cell, weights[draw, row], minlength=n * d * (d + 1))  # type: ignore[assignment]
    return total.reshape(n, d, d + 1)


def weigh_values(codes: Labels, weights: Floats, cards: Sequence[int]) -> list[Floats]:
    """Return the (n, k) weight of each value of each label among (draws, n, d) vectors."""
    return [
        np.stack([(weights * (codes[:, :, j] == c)).sum(axis=0) for c in range(card)], axis=1)
        for j, card in enumerate(cards)
    ]


def weights_of(importance: Floats) -> Floats:
    """Return the (draws, n) weights of draws, which sum to one on every row."""
    weights: Floats = np.exp(importance - log_sum(importance, axis=0))
    return weights
