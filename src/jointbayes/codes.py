"""Codes: the data as small integers, the only form in which anything is counted.

A variable with k values has the codes 0 … k − 1; the code k means *not observed*. So a table with
one neutral row more serves observed and unobserved values alike, and no mask is needed anywhere.
Variables are numbered targets first, features after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.checks import check_cards, check_indices, check_shape, check_that
from jointbayes.errors import DataError
from jointbayes.threads import n_threads

__all__ = ["CodeArray", "Codes", "SparseCodes", "narrowest", "offsets"]

CodeArray = NDArray[np.unsignedinteger[Any]]
Cards = tuple[int, ...]
STRETCH = 1 << 16


def narrowest(largest: int) -> np.dtype[Any]:
    """Return the smallest unsigned type that holds ``largest``.

    >>> narrowest(255), narrowest(256), narrowest(65_536)
    (dtype('uint8'), dtype('uint16'), dtype('uint32'))
    """
    return np.dtype(np.min_scalar_type(largest))


def offsets(cards: Cards) -> NDArray[np.int64]:
    """Return where each variable's values begin when all values stand in one row, and the total.

    >>> offsets((2, 3, 2)).tolist()
    [0, 2, 5, 7]
    """
    return np.cumsum((0, *cards), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """A code matrix of which only the entries unlike their column's default are kept, by column.

    Column j has ``codes[indptr[j]:indptr[j + 1]]`` in the rows ``rows[...]`` (increasing) and
    ``default[j]`` in all others.
    """

    codes: CodeArray
    rows: NDArray[np.int32]
    indptr: NDArray[np.int64]
    default: CodeArray
    shape: tuple[int, int]

    def column(self, j: int) -> CodeArray:
        """Return one column, dense."""
        out = np.full(self.shape[0], self.default[j], dtype=self.codes.dtype)
        part = slice(self.indptr[j], self.indptr[j + 1])
        out[self.rows[part]] = self.codes[part]
        return out

    def dense(self) -> CodeArray:
        """Return the whole matrix, dense and column-major."""
        out = np.empty(self.shape, dtype=self.codes.dtype, order="F")
        out[:] = self.default
        columns = np.repeat(np.arange(self.shape[1]), np.diff(self.indptr))
        out[self.rows, columns] = self.codes
        return out

    def check_codes(self, cards: Cards) -> None:
        """Refuse codes above those of features with so many values, and rows that are not there."""
        n, p = self.shape
        check_that(p == len(cards) and n >= 0, f"{p} columns of codes came with {len(cards)} cards")
        check_shape("indptr", self.indptr, (p + 1,))
        ends = self.indptr[0] == 0 and self.indptr[-1] == len(self.codes)
        check_that(ends and (np.diff(self.indptr) >= 0).all(), "indptr does not part the codes")
        for name, array, length in (
            ("codes", self.codes, len(self.codes)),
            ("rows", self.rows, len(self.codes)),
            ("default", self.default, p),
        ):
            check_shape(name, array, (length,))
        check_indices("rows", self.rows, n)
        columns = np.repeat(np.arange(p), np.diff(self.indptr))
        later = (np.diff(self.rows) > 0) | (np.diff(columns) > 0)
        check_that(later.all(), "rows of a column do not increase")
        kept = {self.codes.dtype, self.default.dtype} == {narrowest(max(cards))}
        limits = np.asarray(cards)
        inside = (self.codes <= limits[columns]).all() and (self.default <= limits).all()
        check_that(kept and inside, "a code is larger than its feature has values")

    def take(self, index: NDArray[np.int64]) -> SparseCodes:
        """Return the rows of ``index``, in that order; a row may be asked for twice."""
        from scipy.sparse import csc_array

        # One more than the position, so that scipy never meets a stored zero.
        position = np.arange(1, len(self.codes) + 1, dtype=np.int64)
        whole = csc_array((position, self.rows, self.indptr), shape=self.shape)
        part = whole[index]
        part.sort_indices()
        return SparseCodes(
            codes=self.codes[part.data - 1],
            rows=part.indices.astype(np.int32),
            indptr=part.indptr.astype(np.int64),
            default=self.default,
            shape=(len(index), self.shape[1]),
        )


@dataclass(frozen=True, eq=False)
class Codes:
    """Rows of coded targets and features, column-major, in the narrowest type that fits.

    Parameters
    ----------
    features
        (n, p) codes; a sparse matrix of codes stays sparse.
    feature_cards
        How many values each feature has; the code equal to it means not observed.
    targets
        (n, q) codes of the class variables, always observed; q = 0 when only predicting.
    target_cards
        How many values each class variable has.

    Examples
    --------
    >>> codes = Codes.of([[0, 1], [1, 1], [1, 2]], feature_cards=(2, 2), targets=[0, 1, 1])
    >>> len(codes), codes.cards, codes.features.dtype.name
    (3, (2, 2, 2), 'uint8')
    >>> codes[1:].targets.ravel().tolist()
    [1, 1]

    The 2 in the last row is one beyond the values of its feature: it was not observed.
    """

    features: CodeArray | SparseCodes
    feature_cards: Cards
    targets: CodeArray
    target_cards: Cards

    @classmethod
    def of(
        cls,
        features: Any,
        feature_cards: Cards | None = None,
        targets: Any = None,
        target_cards: Cards | None = None,
    ) -> Codes:
        """Build codes from plain integer arrays; cards default to the largest code plus one."""
        x = _as_columns(features)
        y = _as_columns(np.empty((len(x), 0), np.uint8) if targets is None else targets)
        x_cards = _cards(x) if feature_cards is None else tuple(map(int, feature_cards))
        y_cards = _cards(y) if target_cards is None else tuple(map(int, target_cards))
        if len(x) != len(y):
            raise DataError(f"features have {len(x)} rows and targets {len(y)}; they have to agree")
        return cls(
            _narrow("feature", x, x_cards, max(x_cards, default=0)),
            x_cards,
            _narrow("target", y, y_cards, max(y_cards, default=1) - 1),
            y_cards,
        )

    def _check_stored(self) -> None:
        n = len(self)
        check_cards("cards", self.cards)
        if isinstance(self.features, SparseCodes):
            self.features.check_codes(self.feature_cards)
        else:
            _check_columns("features", self.features, n, [k + 1 for k in self.feature_cards])
        _check_columns("targets", self.targets, n, self.target_cards)

    def __len__(self) -> int:
        return int(self.features.shape[0])

    def __getitem__(self, rows: slice | NDArray[Any]) -> Codes:
        index = np.arange(len(self))[rows]
        if isinstance(self.features, SparseCodes):
            features: CodeArray | SparseCodes = self.features.take(index)
        else:
            features = np.asfortranarray(self.features[rows])
        targets = np.asfortranarray(self.targets[rows])
        return Codes(features, self.feature_cards, targets, self.target_cards)

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return len(self.feature_cards)

    @property
    def n_targets(self) -> int:
        """How many class variables there are."""
        return len(self.target_cards)

    @property
    def cards(self) -> Cards:
        """Values of every variable, targets first."""
        return self.target_cards + self.feature_cards

    def dense(self) -> CodeArray:
        """Return the (n, p) codes of the features, dense."""
        return self.features.dense() if isinstance(self.features, SparseCodes) else self.features

    def column(self, variable: int) -> CodeArray:
        """Return the codes of one variable, targets first."""
        if variable < self.n_targets:
            return self.targets[:, variable]
        feature = variable - self.n_targets
        if isinstance(self.features, SparseCodes):
            return self.features.column(feature)
        return self.features[:, feature]


def _as_columns(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    return array.reshape(len(array), -1) if array.ndim != 2 else array


def _cards(columns: NDArray[Any]) -> Cards:
    return tuple(int(k) + 1 for k in columns.max(axis=0, initial=0))


def _narrow(what: str, values: NDArray[Any], cards: Cards, largest: int) -> CodeArray:
    """Check codes against their limits and return them column-major in the type for ``largest``.

    In stretches of rows, which stay in cache while they are transposed, checked and narrowed.
    """
    if values.shape[1] != len(cards):
        raise DataError(f"{values.shape[1]} {what} columns came with {len(cards)} cards")
    if values.size and values.dtype.kind not in "bui":
        raise DataError(f"{what} codes have to be whole numbers; got {values.dtype}")
    limits = np.array(cards, dtype=np.int64) + (what == "feature")  # one more: not observed
    out = np.empty(values.shape, dtype=narrowest(largest), order="F")
    if values.dtype == out.dtype and values.flags.f_contiguous:
        out[:] = values
        _check(what, out.T, limits, 0, out.max(axis=0, initial=0) >= limits)
        return out
    if values.dtype == out.dtype == np.uint8 and values.flags.c_contiguous:
        top = _kernels.to_columns(values, out, n_threads())
        _check(what, out.T, limits, 0, top >= limits)
        return out
    for start in range(0, len(values), STRETCH):
        block = np.ascontiguousarray(values[start : start + STRETCH].T)
        low = block.min(axis=1) if block.dtype.kind == "i" else np.zeros_like(limits)
        _check(what, block, limits, start, (low < 0) | (block.max(axis=1) >= limits))
        out.T[:, start : start + STRETCH] = block
    return out


def _check(
    what: str,
    columns: NDArray[Any],
    limits: NDArray[np.int64],
    start: int,
    wrong: NDArray[np.bool_],
) -> None:
    """Refuse the first code outside its limit, of columns that begin at the row ``start``."""
    if wrong.any():
        column = int(np.argmax(wrong))
        x, limit = columns[column], int(limits[column])
        row = int(np.argmax((x < 0) | (x >= limit)))
        raise DataError(
            f"{what} column {column} holds the code {x[row]} in row {start + row}; "
            f"codes run from 0 to {limit - 1}"
        )


def _check_columns(what: str, x: CodeArray, n: int, limits: Sequence[int]) -> None:
    """Refuse codes from a file that are not column-major, of the right type, and legal."""
    check_shape(what, x, (n, len(limits)))
    fits = x.dtype == narrowest(max(limits, default=1) - 1) and x.flags.f_contiguous
    check_that(fits, f"{what} are not in the type and order of codes")
    check_that((x.max(axis=0, initial=0) < np.asarray(limits)).all(), f"{what} hold a wrong code")
