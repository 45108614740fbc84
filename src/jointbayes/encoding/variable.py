"""Variable: what the codes of one column mean.

The known values come first: categories of a nominal column, intervals (a, b] of a numeric one.
Where missing is a value of its own it comes after them. The code after all values means *not
observed*: an unseen category, or a missing value where missing is no value.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes import _kernels
from jointbayes.arrays import Floats, Values
from jointbayes.checks import check_contiguous, check_shape, check_that
from jointbayes.errors import DataError
from jointbayes.table import Column
from jointbayes.table.column import is_number

__all__ = ["Variable", "as_numbers", "checked_numbers"]

EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True, eq=False)
class Variable:
    """The values of one column, by code.

    Parameters
    ----------
    name
        The column's.
    kind
        ``"nominal"``, ``"numeric"`` or ``"date"``.
    categories
        The values of a nominal column.
    cuts
        The ends of the intervals of a numeric column; None if it was all missing.
    with_missing
        Whether missing is one more value.

    Examples
    --------
    >>> size = Variable("size", "numeric", cuts=np.array([2.5, 4.0]), with_missing=True)
    >>> size.card, [size.label(code) for code in range(size.card + 1)]
    (4, ['≤ 2.5', '(2.5, 4]', '> 4', 'missing', 'not observed'])
    """

    name: str
    kind: str
    categories: Values | None = None
    cuts: Floats | None = None
    with_missing: bool = False

    def _check_stored(self) -> None:
        if self.cuts is not None:
            check_shape("cuts", self.cuts, (None,))
            check_contiguous(cuts=self.cuts)
            rising = not np.isnan(self.cuts).any() and (self.cuts[1:] > self.cuts[:-1]).all()
            check_that(rising, f"the cuts of {self.name!r} do not increase")
        if self.categories is not None:
            check_shape("categories", self.categories, (None,))
            distinct = len(set(self.categories.tolist())) == len(self.categories)
            check_that(distinct, f"{self.name!r} has a category twice")

    @property
    def n_known(self) -> int:
        """Values without missing."""
        if self.categories is not None:
            return len(self.categories)
        return 0 if self.cuts is None else len(self.cuts) + 1

    @property
    def card(self) -> int:
        """Values in all; an all-missing column is one constant value."""
        return max(1, self.n_known + self.with_missing)

    @property
    def missing_code(self) -> int:
        """The code of a missing cell."""
        return self.n_known if self.with_missing else self.card

    @cached_property
    def _code_of(self) -> dict[Any, int]:
        """The code of every category."""
        known = [] if self.categories is None else self.categories.tolist()
        return {value: code for code, value in enumerate(known)}

    def label(self, code: int) -> str:
        """Say what a code means."""
        if code == self.card:
            return "not observed"
        if code >= self.n_known:
            return "missing"
        if self.categories is not None:
            return _shown(self.categories[code], self.kind)
        assert self.cuts is not None
        ends = [_shown(cut, self.kind) for cut in self.cuts[max(code - 1, 0) : code + 1]]
        if not ends:
            return "any"
        if code == 0:
            return f"≤ {ends[0]}"
        return f"({ends[0]}, {ends[1]}]" if code < len(self.cuts) else f"> {ends[0]}"

    def write(self, column: Column, out: Values) -> None:
        """Write the codes of a column of this variable into ``out``."""
        if self.categories is None:
            self.write_numbers(checked_numbers(column, self.kind), out)
        elif column.categories is None:
            self._check_kind(column)
            self.write_numbers(column.values, out)
        else:
            self._write_categories(column, out)

    def write_numbers(self, x: Floats, out: Values) -> None:
        """Write the codes of plain numbers, NaN for missing."""
        if self.cuts is not None:
            _kernels.digitize(
                np.ascontiguousarray(x, np.float64), self.cuts, self.missing_code, out
            )
            return
        numbers = {v: k for v, k in self._code_of.items() if is_number(v)}
        ordered = np.array(sorted(numbers), dtype=np.float64)
        lookup = np.array([numbers[v] for v in sorted(numbers)] + [self.card], dtype=out.dtype)
        at = np.searchsorted(ordered, x)
        found = np.append(ordered, np.nan)[at] == x
        out[:] = np.where(found, lookup[at], self.card)
        out[np.isnan(x)] = self.missing_code

    def _write_categories(self, column: Column, out: Values) -> None:
        assert self.categories is not None
        assert column.categories is not None
        theirs, code_of = column.categories.tolist(), self._code_of
        same = column.categories is self.categories or theirs == list(code_of)
        if same and self.missing_code == self.n_known:
            out[:] = column.values  # at the speed of memory; −1 becomes the largest number
            if column.values.min(initial=0) < 0:
                out[column.missing] = self.missing_code
            return
        lookup = [code_of.get(value, self.card) for value in theirs] + [self.missing_code]
        _take(np.array(lookup, dtype=out.dtype), column.values, out)

    def _check_kind(self, column: Column) -> None:
        known = [] if self.categories is None else self.categories.tolist()
        if not known or any(is_number(v) for v in known):
            return
        if not column.missing.all():
            raise DataError(
                f"column {self.name!r} held categories such as {known[0]!r} in fit and now holds "
                f"{_example(column)}; give it as it was"
            )


def as_numbers(column: Column) -> Floats | None:
    """Return a column's numbers; categories that are all numbers are numbers too, text is not.

    >>> as_numbers(Column.of("x", np.array([True, None, 2], dtype=object))).tolist()
    [1.0, nan, 2.0]
    """
    if column.categories is None:
        return column.values
    known = column.categories.tolist()
    if not all(is_number(value) for value in known):
        return None
    return np.array([*known, np.nan], dtype=np.float64)[column.values]


def checked_numbers(column: Column, kind: str) -> Floats:
    """Return the numbers of a column that held numbers, or dates, in fit; refuse all else."""
    numbers = as_numbers(column)
    if numbers is not None and (
        (column.kind == "date") == (kind == "date") or column.missing.all()
    ):
        return numbers
    raise DataError(
        f"column {column.name!r} held {'dates' if kind == 'date' else 'numbers'} in fit and now "
        f"holds {_example(column)}; give it as it was"
    )


def _take(lookup: Values, codes: Values, out: Values) -> None:
    if codes.dtype.itemsize == 1 == lookup.dtype.itemsize and len(codes) > len(lookup):
        table = np.resize(lookup[-1:], 256)  # −1 is the byte 255
        table[: len(lookup) - 1] = lookup[:-1]
        out[:] = np.frombuffer(codes.tobytes().translate(table.tobytes()), dtype=out.dtype)
    else:
        out[:] = lookup[codes]


def _example(column: Column) -> str:
    row = int(np.argmin(column.missing))
    value = column[row : row + 1].decoded().tolist()[0]
    return f"{value!r} in row {row}" if column.kind != "date" else f"a date in row {row}"


def _shown(value: Any, kind: str) -> str:
    if kind == "date" and abs(value) < 1e11:
        return (EPOCH + dt.timedelta(seconds=float(value))).isoformat(" ").removesuffix(" 00:00:00")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
