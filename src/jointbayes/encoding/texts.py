"""Texts: rows of many columns, nearly all of them 0, that say which words there are and how often.

A long text has more of every word than a short one on the same subject. What it is about is its
direction: its words, divided by their length, the root of the sum of their squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from jointbayes.encoding.units import THIN, count_entries, inverse, learn_units, scale_columns

__all__ = ["WORDS", "Direction", "are_texts", "learn_direction"]

WORDS = ("auto", "unit", "keep")

EMPTY, MOSTLY = 1 / 10, 3 / 4
"""Rows are texts if fewer of their entries than this are not 0, and if more of these than that are
in thin columns: categories beside numbers are none."""


def are_texts(matrix: Any) -> bool:
    """Return whether the rows of a dense or CSR matrix look like texts."""
    entries = count_entries(matrix)
    thin = entries < THIN * matrix.shape[0]
    few = entries.sum() < EMPTY * np.prod(matrix.shape)
    return bool(few and entries[thin].sum() > MOSTLY * entries.sum())


@dataclass(frozen=True, eq=False)
class Direction:
    """Brings the words of every row to length 1 and leaves other columns as they are.

    Parameters
    ----------
    factor
        (p,) one by the unit of a word, 0 for columns that are none.

    Examples
    --------
    Two words and a number:

    >>> Direction(np.array([1.0, 1.0, 0.0])).apply(np.array([[3.0, 4.0, 7.0], [0.0, 0.0, 8.0]]))
    array([[0.6, 0.8, 7. ],
           [0. , 0. , 8. ]])
    """

    factor: NDArray[np.float64]

    def apply(self, matrix: Any) -> Any:
        """Return the rows of a dense or CSR matrix by their direction."""
        words = normalize(scale_columns(matrix, self.factor))
        if self.factor.all():
            return words
        return words + scale_columns(matrix, 1.0 * (self.factor == 0))


def learn_direction(
    matrix: Any, words: str = "auto", counted: int | None = None
) -> Direction | None:
    """Return what brings the words of rows, their thin columns, to length 1.

    Parameters
    ----------
    matrix
        (n, p) numbers without gaps, dense or CSR.
    words
        "unit"; "keep": then there is nothing to do; or "auto": "unit" for texts.
    counted
        So many columns at the left may be words; the others are indicators of something else.
    """
    p = matrix.shape[1]
    numbers = matrix if counted in (None, p) else matrix[:, :counted]
    if words == "keep" or (words == "auto" and not are_texts(numbers)):
        return None
    unit, thin = learn_units(numbers)
    return Direction(np.pad(np.where(thin, inverse(unit), 0.0), (0, p - len(unit))))
