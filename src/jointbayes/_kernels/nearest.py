r"""The nearest rows of a matrix.

.. math:: |a - b|^2 = |a|^2 + |b|^2 - 2 \sum_j a_j b_j                                      (1)

Where rows are sparse, only columns that are not zero in both add to the sum.
"""

from __future__ import annotations

import numpy as np

from jointbayes._kernels.arguments import FLOATS, INT64, array, parts, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["nearest_by_products", "nearest_rows"]

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


@takes(products=array("float64", axes=2), asked_squares=FLOATS, squares=FLOATS)
def nearest_by_products(
    products: Floats,
    asked_squares: Floats,
    squares: Floats,
    k: int,
    own: int,
    threads: int,
) -> Ints:
    """Return the same from the (m, n) products Σ_j a_j b_j of rows asked and others."""
    del threads  # rows are independent of each other
    distance = np.round(asked_squares[:, None] + squares - 2 * products, DIGITS)  # (1)
    if own >= 0:
        rows = np.arange(len(distance))
        distance[rows, own + rows] = np.inf
    return _least(distance, k)


def _least(distance: Floats, k: int) -> Ints:
    """Return the columns of the k least numbers of each row; of equal ones the first.

    >>> _least(np.array([[3.0, 1.0, 1.0, 1.0]]), 2).tolist()
    [[1, 2]]
    """
    if k == 0:
        return np.empty((len(distance), 0), dtype=np.int64)
    last = np.partition(distance, k - 1, axis=1)[:, k - 1]
    rows, columns = np.nonzero(distance <= last[:, None])
    tied = distance[rows, columns] == last[rows]
    room = k - np.bincount(rows[~tied], minlength=len(distance))
    before = np.concatenate([[0], np.cumsum(np.bincount(rows[tied], minlength=len(distance)))])
    place = np.cumsum(tied) - before[rows]  # among the equal ones of the row, from 1 on
    taken: Ints = columns[~tied | (place <= room[rows])]
    return taken.reshape(len(distance), k)
