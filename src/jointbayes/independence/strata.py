"""Coded columns, and the strata in which the conditioning columns are constant.

Only values that occur are numbered, so there are never more strata than rows; a stratum of one row
holds no evidence and costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Ints
from jointbayes.errors import DataError

__all__ = ["Strata", "as_codes", "as_strata"]


@dataclass(frozen=True, eq=False)
class Strata:
    """A partition of the rows.

    Parameters
    ----------
    codes
        (n,) the stratum of each row, all of 0 … k − 1 in use.
    n_strata
        Their number k.

    Examples
    --------
    >>> strata = Strata.whole(4).split(np.array([1, 0, 1, 1]))
    >>> strata.codes.tolist(), strata.order.tolist(), strata.starts.tolist()
    ([1, 0, 1, 1], [1, 0, 2, 3], [0, 1, 4])
    """

    codes: Ints
    n_strata: int

    @classmethod
    def whole(cls, n: int) -> Strata:
        """Return all rows as one stratum."""
        return cls(np.zeros(n, dtype=np.int64), 1)

    def split(self, column: NDArray[Any]) -> Strata:
        """Return the strata in which a coded column is constant as well."""
        width = int(column.max(initial=0)) + 1
        joint = self.codes * width + column
        if self.n_strata * width > 8 * len(joint) + 1024:
            codes = np.unique(joint, return_inverse=True)[1].astype(np.int64)
        else:
            codes = _ranked(joint)
        return Strata(codes, int(codes.max(initial=-1)) + 1)

    @cached_property
    def order(self) -> Ints:
        """The rows, stratum by stratum."""
        if self.n_strata == 1:
            return np.arange(len(self.codes))
        # Sorting small numbers is by radix, which is linear.
        narrow = np.uint16 if self.n_strata < 1 << 16 else np.int64
        return np.argsort(self.codes.astype(narrow), kind="stable").astype(np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Where each stratum begins in `order`, and the end."""
        sizes = np.bincount(self.codes, minlength=self.n_strata)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def as_codes(values: Any, name: str, n: int | None = None) -> Ints:
    """Return a column as numbers 0 … k − 1 of the values that occur; refuse continuous ones.

    >>> as_codes([7, 3, 7], "x").tolist()
    [1, 0, 1]
    >>> as_codes([0.5, 1.2], "x")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: x holds 0.5 in row 0; a discrete test takes codes, so cut numbers
    first (jb.discretize) or test them with fisher_z_test
    """
    column = np.asarray(values)
    if column.ndim != 1 or not len(column):
        raise DataError(f"{name} has the shape {column.shape}; give one column with some rows")
    if n is not None and len(column) != n:
        raise DataError(f"{name} has {len(column)} rows and x {n}; they have to agree")
    if column.dtype.kind == "f":
        odd = ~(np.floor(column) == column)  # NaN and fractions alike
        if odd.any():
            row = int(odd.argmax())
            raise DataError(
                f"{name} holds {column[row]} in row {row}; a discrete test takes codes, so cut "
                "numbers first (jb.discretize) or test them with fisher_z_test"
            )
    if column.dtype.kind in "iu":
        low, high = int(column.min()), int(column.max())
        if high - low <= 8 * len(column) + 1024:
            return _ranked(column.astype(np.int64) - low)
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def _ranked(codes: Ints) -> Ints:
    """Return codes of a small range as numbers of the values that occur, without sorting rows."""
    used = np.bincount(codes) > 0
    return np.asarray((np.cumsum(used) - 1)[codes])


def as_strata(z: Any, n: int) -> Strata:
    """Return the strata of None, of one column, or of the columns of a matrix.

    >>> as_strata([[0, 0], [0, 1], [0, 0]], 3).codes.tolist()
    [0, 1, 0]
    """
    strata = Strata.whole(n)
    if z is None:
        return strata
    matrix = np.asarray(z)
    columns: Iterable[NDArray[Any]] = matrix.T if matrix.ndim == 2 else [matrix]
    for j, column in enumerate(columns):
        strata = strata.split(as_codes(column, f"z[:, {j}]" if matrix.ndim == 2 else "z", n))
    return strata
