"""Column: a name, a kind and one numpy array.

Numbers are doubles with NaN for missing; dates are numbers too, in seconds since 1970. Nominal
columns are integer codes into ``categories``, −1 for missing. Categories are told apart by value,
as Python does: 1, 1.0 and True are the same one, "1" is another.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Values
from jointbayes.checks import check_indices, check_shape, check_that
from jointbayes.errors import DataError
from jointbayes.table.wording import shown

__all__ = [
    "Column",
    "as_objects",
    "factorize",
    "in_order",
    "is_missing",
    "is_number",
    "nominal_column",
    "plain_values",
    "position_names",
    "record_column",
    "to_column",
]


@dataclass(frozen=True, eq=False)
class Column:
    """One named, typed column.

    Parameters
    ----------
    name
        What reports and errors call it.
    kind
        ``"numeric"``, ``"nominal"``, ``"string"`` or ``"date"``.
    values
        Numbers and dates: float64, NaN = missing. Nominal and string: integer codes, −1 = missing.
    categories
        The values that codes stand for.
    declared
        Whether the categories were declared, so that all count, seen or not.

    Examples
    --------
    >>> colour = Column.of("colour", ["red", None, "blue", "red"])
    >>> colour.kind, colour.categories.tolist(), colour.values.tolist()
    ('nominal', ['blue', 'red'], [1, -1, 0, 1])
    >>> colour[1:].decoded().tolist()
    [None, 'blue', 'red']
    """

    name: str
    kind: str
    values: Values
    categories: Values | None = None
    declared: bool = False

    def _check_stored(self) -> None:
        check_shape("values", self.values, (None,))
        if self.categories is None:
            check_that(self.values.dtype == np.float64, f"{self.name!r} does not hold numbers")
        else:
            check_shape("categories", self.categories, (None,))
            check_indices("values", self.values, len(self.categories), least=-1)

    @classmethod
    def of(cls, name: str, values: Any) -> Column:
        """Type a plain sequence: numbers numeric, dates dates, everything else nominal."""
        return to_column(name, plain_values(values))

    def __repr__(self) -> str:
        return f"Column({shown(self.name)}, {self.kind}, {len(self):,} rows)"

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Column:
        return replace(self, values=self.values[rows])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """(n,) where no value is known."""
        mask: NDArray[np.bool_] = self.values < 0 if self.is_coded else np.isnan(self.values)
        return mask

    @property
    def is_coded(self) -> bool:
        """Whether ``values`` are codes into ``categories``."""
        return self.categories is not None

    def decoded(self) -> Values:
        """Return the values the codes stand for, None for missing; numbers as they are."""
        if self.categories is None:
            return self.values
        known = np.empty(len(self.categories) + 1, dtype=object)
        known[:-1] = self.categories
        return known[self.values]  # −1 is the last


def plain_values(values: Any) -> Values:
    """Return a numpy array in which nothing was turned into a string on the way.

    >>> plain_values([1, "a"]).dtype.kind, plain_values([[1, 2], [3, 4.5]]).dtype.kind
    ('O', 'f')
    """
    if np.ma.isMaskedArray(values):
        numeric = values.dtype.kind in "iuf"
        kept = np.array(values.data, dtype=np.float64 if numeric else object)
        kept[np.ma.getmaskarray(values)] = np.nan if numeric else None
        return kept
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(
            "the rows are not of equal length, so they are not a table; fill them up"
        ) from None
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        as_given = np.asarray(values, dtype=object)
        return array if {str} >= set(map(type, as_given.flat)) else as_given
    return array


@lru_cache(maxsize=8)
def position_names(p: int) -> tuple[str, ...]:
    """Return the names of columns that have none.

    >>> position_names(3)
    ('x0', 'x1', 'x2')
    """
    return tuple(f"x{j}" for j in range(p))


def to_column(name: str, values: Values) -> Column:
    """Type one plain array by its dtype."""
    kind = values.dtype.kind
    if kind in "iuf":
        return Column(name, "numeric", np.asarray(values, dtype=np.float64))
    if kind == "b":
        return nominal_column(name, values.astype(np.int8), [False, True])
    if kind == "M":
        return Column(name, "date", _seconds(values))
    if kind == "m":
        return Column(name, "numeric", _seconds(values))
    if kind == "c":
        raise DataError(f"Complex data not supported\ncolumn {name!r} is complex; split it in two")
    return _from_objects(name, values)


def record_column(name: str, cells: list[Any]) -> Column:
    """Type the cells of one column of records: numbers and missing ones are numbers.

    >>> record_column("wind", [3, None, 5]).values.tolist()
    [3.0, nan, 5.0]
    """
    known = [cell for cell in cells if not is_missing(cell)]
    if known and all(is_number(cell) and not isinstance(cell, bool | np.bool_) for cell in known):
        numbers = [np.nan if is_missing(cell) else float(cell) for cell in cells]
        return Column(name, "numeric", np.array(numbers))
    return to_column(name, as_objects(cells))


def nominal_column(name: str, codes: Values, categories: Iterable[Any]) -> Column:
    """Build a nominal column; categories are put in order, and unseen ones left out."""
    return Column(name, "nominal", *_in_order(codes, as_objects(categories)))


def _in_order(codes: Values, categories: Values) -> tuple[Values, Values]:
    """Keep only seen categories, sorted, so that the order of rows does not matter."""
    seen = np.bincount(codes.astype(np.int64) + 1, minlength=len(categories) + 1)[1:] > 0
    order = [k for k in in_order(categories) if seen[k]]
    dtype = np.min_scalar_type(-max(len(categories), 1))
    lookup = np.full(len(categories) + 1, -1, dtype=dtype)
    lookup[order] = np.arange(len(order))
    return lookup[codes], categories[order]


def factorize(name: str, values: Values) -> tuple[Values, Values]:
    """Return the codes of any values, −1 for missing, and the categories in order.

    >>> codes, categories = factorize("x", as_objects(["b", 1, float("nan"), True, "a", None]))
    >>> codes.tolist(), categories.tolist()
    ([2, 0, -1, 0, 1, -1], [1, 'a', 'b'])
    """
    cells = values.tolist()
    try:
        index = dict.fromkeys(cells, -1)
    except TypeError:
        row = next(i for i, value in enumerate(cells) if not _hashable(value))
        raise TypeError(
            f"column {name!r} holds a {type(cells[row]).__name__} in row {row}; "
            "each argument must be a string or a number"
        ) from None
    known = as_objects(value for value in index if not is_missing(value))
    known = known[in_order(known)]
    index.update((value, code) for code, value in enumerate(known.tolist()))
    dtype = np.min_scalar_type(-max(len(known), 1))
    return np.fromiter(map(index.__getitem__, cells), dtype, count=len(cells)), known


def _from_objects(name: str, values: Values) -> Column:
    codes, known = factorize(name, values)
    if len(known) and all(isinstance(value, dt.date) for value in known):
        stamps = np.array([_timestamp(value) for value in known] + [np.nan])
        return Column(name, "date", stamps[codes])
    return Column(name, "nominal", codes, known)


def as_objects(values: Iterable[Any]) -> Values:
    """Return a 1-D array of the values themselves, tuples and intervals too.

    >>> as_objects([(1, 2), (3, 4)]).shape
    (2,)
    """
    return np.fromiter(values, dtype=object)


def in_order(categories: Values) -> list[int]:
    """Return the order in which mixed categories stand: numbers, then strings, then the rest.

    >>> in_order(as_objects(["b", 10, "a", 2.5]))
    [3, 1, 2, 0]
    """
    values = categories.tolist()
    try:
        return sorted(range(len(values)), key=lambda k: _rank(values[k]))
    except TypeError:  # some type has no order of its own: its text gives one
        return sorted(range(len(values)), key=lambda k: (_rank(values[k])[:2], repr(values[k])))


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; True and False are, "1" is not.

    >>> [is_number(value) for value in (1, np.int8(1), True, np.bool_(True), "1", 1j)]
    [True, True, True, True, False, False]
    """
    return isinstance(value, (Real, np.bool_))


def _rank(value: Any) -> tuple[int, str, Any]:
    if is_number(value):
        return 0, "", value
    return (1, "", value) if isinstance(value, str) else (2, type(value).__name__, value)


def is_missing(value: Any) -> bool:
    """Whether a value is none: None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  NaN and NaT differ from themselves
    except TypeError:  # pandas.NA answers NA
        return True


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _timestamp(value: dt.date) -> float:
    moment = value if isinstance(value, dt.datetime) else dt.datetime(*value.timetuple()[:3])
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()


def _seconds(values: Values) -> NDArray[np.float64]:
    ticks = values.astype(f"{values.dtype.kind}8[us]")
    seconds: NDArray[np.float64] = ticks.astype(np.int64) / 1e6
    seconds[np.isnat(ticks)] = np.nan
    return seconds
