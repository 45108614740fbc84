"""Texts: rows of many columns, nearly all of them 0, that say which words there are and how often.

A long text has more of every word than a short one on the same subject. What it is about is its
direction: its words, divided by their length, the root of the sum of their squares. How long it is
may say something too, and is a column of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import row_norms

from jointbayes.design.label_columns import beside
from jointbayes.design.units import THIN, count_entries, inverse, learn_units, scale_columns

__all__ = ["WORDS", "Direction", "are_texts", "learn_direction"]

WORDS = ("auto", "unit", "keep")

EMPTY, MOSTLY = 1 / 10, 3 / 4
"""Rows are texts if fewer of their entries than this are not 0, and if more of these than that are
in thin columns: categories beside numbers are none."""

SAME = 1e-6
"""Texts whose lengths differ by less, relatively, are as long: the rest is rounding."""


def are_texts(matrix: Any) -> bool:
    """Return whether the rows of a dense or CSR matrix look like texts."""
    entries = count_entries(matrix)
    thin = entries < THIN * matrix.shape[0]
    few = entries.sum() < EMPTY * np.prod(matrix.shape)
    return bool(few and entries[thin].sum() > MOSTLY * entries.sum())


@dataclass(frozen=True, eq=False)
class Direction:
    """Brings the words of every row to length 1, and has their length as one more column.

    Other columns are left as they are. The length is the logarithm of how many times as long as the
    shortest text in training a row is; beyond the longest, it counts as the longest.

    Parameters
    ----------
    factor
        (p,) one by the unit of a word, 0 for columns that are none.
    shortest, longest
        The lengths between which texts in training are, empty ones apart.

    Examples
    --------
    Two words and a number:

    >>> direction = Direction(np.array([1.0, 1.0, 0.0]), shortest=1.0, longest=9.0)
    >>> direction.apply(np.array([[3.0, 4.0, 7.0], [0.0, 0.0, 8.0]])).round(3).tolist()
    [[0.6, 0.8, 7.0, 1.609], [0.0, 0.0, 8.0, 0.0]]
    """

    factor: NDArray[np.float64]
    shortest: float
    longest: float

    def apply(self, matrix: Any) -> Any:
        """Return the rows of a dense or CSR matrix by direction and length."""
        words = scale_columns(matrix, self.factor)
        length = row_norms(words)
        words = sparse.diags_array(inverse(np.where(length > 0, length, 1.0))) @ words
        if not self.factor.all():
            words = words + scale_columns(matrix, 1.0 * (self.factor == 0))
        times = np.clip(length, self.shortest, self.longest) / self.shortest
        return beside(words, np.log(times)[:, None])


def learn_direction(
    matrix: Any, words: str = "auto", counted: int | None = None
) -> Direction | None:
    """Return what reads the words of rows, their thin columns, by direction and length.

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
    factor = np.pad(np.where(thin, inverse(unit), 0.0), (0, p - len(unit)))
    length = row_norms(scale_columns(matrix, factor))
    some = length[length > 0]
    shortest, longest = (float(some.min()), float(some.max())) if len(some) else (1.0, 1.0)
    alike = longest < shortest * (1 + SAME)
    return Direction(factor, shortest, shortest if alike else longest)
