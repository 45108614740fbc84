"""What a counting call may cost and how its rows weigh: settled before anything is allocated."""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.budgets import physical_memory
from jointbayes.codes import Cards, Codes
from jointbayes.errors import CostError, DataError

__all__ = ["MAX_BYTES", "afford", "row_weights"]

MAX_BYTES = 4 << 30


def afford(cells: int, what: str, max_bytes: int, cards: Cards = ()) -> None:
    """Refuse ``cells`` double-precision numbers beyond ``max_bytes``, naming the largest cards.

    >>> afford(10**6, "the tables", max_bytes=1 << 20, cards=(2, 1000, 500))
    Traceback (most recent call last):
    ...
    jointbayes.errors.CostError: the tables need 8 MiB (limit 1 MiB); the variables of most values
    have [1000, 500, 2]: use fewer bins or values, fewer variables, or raise max_bytes
    """
    limit = min(max_bytes, physical_memory())
    if 8 * cells > limit:
        most = sorted(cards, reverse=True)[:5]
        which = f"; the variables of most values have {most}" if cards else ""
        more = "raise max_bytes" if limit == max_bytes else "allow more memory"
        raise CostError(
            f"{what} need {8 * cells / 2**20:,.0f} MiB (limit {limit / 2**20:,.0f} MiB)"
            f"{which}: use fewer bins or values, fewer variables, or {more}"
        )


def row_weights(codes: Codes, weights: Floats | None) -> Floats | None:
    """Return the weights as the kernels take them, one for each row, or None."""
    if weights is None:
        return None
    given = np.ascontiguousarray(weights, dtype=np.float64)
    if given.shape != (len(codes),):
        raise DataError(f"{len(codes)} rows need one weight each; got the shape {given.shape}")
    return given
