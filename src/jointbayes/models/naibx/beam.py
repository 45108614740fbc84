"""How wide a beam is: never wider than there are label sets, nor than memory allows."""

from __future__ import annotations

from jointbayes.arrays import Labels
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.errors import CostError
from jointbayes.posterior.sets_by_size import SetsBySize

__all__ = ["beam_width", "picked_by", "posterior_width"]

LEAST = 8
"""Least width of the beam that looks for the best sets of a posterior too large to list."""


def beam_width(beam: int, n_labels: int) -> int:
    """Return how many sets to keep, or refuse a beam for which one row would fill the memory.

    >>> beam_width(1000, 3), beam_width(1000, 100)
    (8, 1000)
    >>> beam_width(2**31, 100)
    Traceback (most recent call last):
    ...
    jointbayes.errors.CostError: beam=2147483648 keeps too many sets of 100 labels; choose ...
    """
    width, most = min(beam, 1 << n_labels), BLOCK_CELLS // n_labels
    if width > most:
        raise CostError(
            f"beam={beam} keeps too many sets of {n_labels} labels; choose at most {most}"
        )
    return width


def posterior_width(beam: int, n_labels: int) -> int:
    """Return the width of the beam that answers for the posterior.

    >>> posterior_width(1, 100)
    8
    """
    return max(beam_width(beam, n_labels), LEAST)


def picked_by(posterior: SetsBySize, beam: int) -> Labels:
    """Return the (n, d) sets that a beam answers with, that of one set being the greedy choice."""
    width = beam_width(beam, len(posterior.space))
    if beam == 1:
        return posterior.pick(posterior.log_size.argmax(axis=1))
    return posterior.best_of(width)
