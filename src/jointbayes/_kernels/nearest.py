r"""The nearest rows of a sparse matrix.

.. math:: |a - b|^2 = |a|^2 + |b|^2 - 2 \sum_j a_j b_j                                      (1)

Only columns that are not zero in both rows add to the sum.
"""

from __future__ import annotations

import numpy as np

from jointbayes._kernels.arguments import FLOATS, INT64, parts, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["nearest_rows"]

Compressed = tuple[Ints, Ints, Floats]
"""Where rows begin and end, the columns of what is not zero, and its values; or by columns."""

DIGITS = 9
"""Distances that agree to so many decimals are equal."""


@takes(
    asked=parts(INT64, INT64, FLOATS),
    columns=parts(INT64, INT64, FLOATS),
    asked_squares=FLOATS,
    squares=FLOATS,
)
def nearest_rows(
    asked: Compressed,
    columns: Compressed,
    asked_squares: Floats,
    squares: Floats,
    k: int,
    own: int,
    threads: int,
) -> Ints:
    """Return the (m, k) nearest of n rows for each of m rows asked, in ascending order.

    ``asked`` is by rows, ``columns`` the others by columns; the squares are |a|² and |b|². Of equal
    ones the first are nearer. If ``own`` is not below 0, row i asked is the other's row ``own + i``
    and no neighbour of its own.
    """
    del threads  # rows are independent of each other
    ends, places, values = asked
    starts, rows, entries = columns
    found = np.empty((len(asked_squares), k), dtype=np.int64)
    for i in range(len(found)):
        product = np.zeros(len(squares))
        for at in range(ends[i], ends[i + 1]):
            part = slice(starts[places[at]], starts[places[at] + 1])
            product[rows[part]] += values[at] * entries[part]
        distance = np.round(asked_squares[i] + squares - 2 * product, DIGITS)  # (1)
        if own >= 0:
            distance[own + i] = np.inf
        found[i] = np.sort(np.argsort(distance, kind="stable")[:k])
    return found
