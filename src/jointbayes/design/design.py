"""Design: a table's columns as the matrix of numbers that a given classifier sees.

Numbers stay as they are, and bool is the numbers 0 and 1, other values there being missing; a
missing one becomes the mean of its column in training, and a column that had any missing there gets
an indicator column. Any other nominal column becomes one indicator column per value, missing being
one more value if it occurred; a value never seen is all zero. The columns of the matrix are the
numbers, then the indicators of missing, then those of nominal values. A sparse matrix stays sparse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import physical_memory
from jointbayes.codes import SparseCodes
from jointbayes.design.means import column_means, sparse_means
from jointbayes.design.texts import Direction, learn_direction
from jointbayes.encoding.encoder import Encoder
from jointbayes.encoding.learning import learn_encoder, nominal_positions
from jointbayes.encoding.numbers import finite_sparse, nominal_part, read_numbers
from jointbayes.encoding.variable import as_numbers
from jointbayes.errors import DataError
from jointbayes.table import Column, Table
from jointbayes.table.column import is_number

__all__ = ["Design", "learn_design", "learn_matrix"]


@dataclass(frozen=True, eq=False)
class Design:
    """What was learned about the columns of a table, to make numbers of it.

    Parameters
    ----------
    names
        Of all columns of the table.
    numeric
        The positions of its numeric columns.
    means
        Their means in training, which stand for missing numbers.
    flagged
        Which of them had missing numbers in training, as positions within ``numeric``.
    nominal
        The positions of the nominal columns.
    encoder
        The values of these.
    bools
        The positions of the numeric columns that are bool.
    direction
        What reads words by their direction, if anything does.

    Examples
    --------
    >>> size, colour = Column.of("size", [1.0, 3.0, np.nan]), Column.of("colour", ["a", "b", "a"])
    >>> design = learn_design(Table((size, colour)))
    >>> design.columns
    ('size', 'size missing', 'colour=a', 'colour=b')

    The missing number is the mean, with its flag up; an unseen category is neither of the known:

    >>> rows = Table((Column.of("size", [np.nan, 7.0]), Column.of("colour", ["b", "z"])))
    >>> design.matrix(rows).tolist()
    [[2.0, 1.0, 0.0, 1.0], [7.0, 0.0, 0.0, 0.0]]
    """

    names: tuple[str, ...]
    numeric: tuple[int, ...]
    means: Floats
    flagged: tuple[int, ...]
    nominal: tuple[int, ...] = ()
    encoder: Encoder | None = None
    bools: tuple[int, ...] = ()
    direction: Direction | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of every column of the matrix."""
        numbers = tuple(self.names[j] for j in self.numeric)
        flags = tuple(f"{numbers[i]} missing" for i in self.flagged)
        variables = () if self.encoder is None else self.encoder.variables
        values = tuple(f"{v.name}={v.label(code)}" for v in variables for code in range(v.card))
        return numbers + flags + values + (() if self.direction is None else ("length",))

    def matrix(self, X: Any) -> Any:
        """Return the (n, m) matrix of the rows of a Table, or of a sparse matrix as CSR."""
        return self.directed(self.numbers(X))

    def beside_numbers(self, X: Any, numbers: Any) -> Any:
        """Return the matrix of rows whose numbers are known."""
        del X
        return self.directed(numbers)

    def directed(self, numbers: Any) -> Any:
        """Return numbers with texts read by their direction, if there are any."""
        return numbers if self.direction is None else self.direction.apply(numbers)

    def numbers(self, X: Any) -> Any:
        """Return the matrix before texts are read by their direction."""
        if X.shape[1] != len(self.names):
            raise DataError(
                f"X has {X.shape[1]} features, but {len(self.names)} were there in fit; "
                "give the same columns"
            )
        return self._sparse(X.tocsr()) if hasattr(X, "tocsr") else self._dense(X)

    def _dense(self, X: Table) -> Floats:
        p = len(self.numeric)
        numbers, gaps = self._numeric_part(X)
        if p == self._width and not gaps:
            return numbers
        out = numbers if p == self._width else self._room(len(X), self._width)
        flags = p + len(self.flagged)
        out[:, p:flags] = 0.0
        if gaps:
            missing = np.isnan(numbers)
            out[:, p:flags] = missing[:, list(self.flagged)]
            numbers = np.where(missing, self.means, numbers)
        out[:, :p] = numbers
        if self.encoder is not None:
            rows, at, _ = _ones(self.encoder, nominal_part(X, self.names, self.nominal))
            out[:, flags:] = 0.0
            out[rows, flags + at] = 1.0
        return out

    @cached_property
    def _width(self) -> int:
        """How many columns the matrix has before texts are read by their direction."""
        values = 0 if self.encoder is None else sum(self.encoder.cards)
        return len(self.numeric) + len(self.flagged) + values

    def _numeric_part(self, X: Table) -> tuple[Floats, bool]:
        """Return the numeric columns as numbers, and whether some of these may be missing."""
        held = None if self.bools else X.numbers_at(self.numeric)
        if held is not None and _all_finite(held):
            return held, False
        pairs = [(j, X.columns[j]) for j in self.numeric]
        chosen = [_without_text(column) if j in self.bools else column for j, column in pairs]
        numbers = read_numbers(chosen) if chosen else np.empty((len(X), 0))
        return numbers, not _all_finite(numbers)

    def _room(self, n: int, width: int) -> Floats:
        """Return an array for the numbers; refuse with a sentence what memory cannot hold."""
        try:
            if 8 * n * width <= physical_memory():
                return np.empty((n, width))
        except MemoryError:
            pass
        cards = {} if self.encoder is None else {v.name: v.card for v in self.encoder.variables}
        most = max(cards, key=lambda name: cards[name], default=None)
        blamed = "" if most is None else f"; column {most!r} alone has {cards[most]:,} values"
        raise DataError(
            f"X takes {8 * n * width / 2**30:,.1f} GiB as {n:,} × {width:,} numbers, one for every "
            f"value of a nominal column, which is more than there is{blamed}: leave such columns "
            "out, merge their rare values, or give a sparse matrix"
        )

    def _sparse(self, X: Any) -> Any:
        names = tuple(self.names[j] for j in self.numeric)
        numbers = finite_sparse(X[:, list(self.numeric)] if self.nominal else X, names).copy()
        missing = np.isnan(numbers.data)
        parts = [numbers]
        if missing.any() or self.flagged:
            numbers.data = np.where(missing, self.means[numbers.indices], numbers.data)
            flags = sparse.csr_array(
                (missing * 1.0, numbers.indices, numbers.indptr), numbers.shape
            )
            parts.append(flags[:, list(self.flagged)])
        if self.encoder is not None:
            parts.append(_indicators(self.encoder, nominal_part(X, self.names, self.nominal)))
        out = sparse.hstack(parts, format="csr") if len(parts) > 1 else numbers
        out.eliminate_zeros()
        return out


def learn_design(X: Any, categorical_features: Any = "from_dtype") -> Design:
    """Learn how a Table or a sparse matrix becomes a matrix of numbers.

    Parameters
    ----------
    X
        A Table, or a sparse matrix, whose columns are numeric.
    categorical_features
        ``"from_dtype"``, or the nominal columns as a mask, positions or names; text is nominal in
        any case.

    Examples
    --------
    Categories that are numbers are indicators if one says so:

    >>> learn_design(Table.of([[1, 5.5], [2, 6.5]]), categorical_features=[0]).columns
    ('x1', 'x0=1', 'x0=2')
    """
    names = X.names if isinstance(X, Table) else tuple(f"x{j}" for j in range(X.shape[1]))
    asked = nominal_positions(categorical_features, names)
    columns = X.columns if isinstance(X, Table) else ()
    bools = {j for j, c in enumerate(columns) if _is_bool(c)}
    if not isinstance(X, Table) and X.dtype.kind == "b":
        bools = set(range(len(names)))
    coded = {j for j, c in enumerate(columns) if c.is_coded} - bools
    if asked is not None:  # categories that are numbers are numbers, unless they are named
        coded = {j for j in coded if as_numbers(X.columns[j]) is None} | asked
    nominal = tuple(sorted(coded))
    numeric = tuple(j for j in range(len(names)) if j not in coded)
    chosen = nominal_part(X, names, nominal)
    if isinstance(X, Table):
        means, missing = column_means(X, numeric)
    else:
        numbers = finite_sparse(
            X[:, list(numeric)] if nominal else X, tuple(names[j] for j in numeric)
        )
        means, missing = sparse_means(numbers)
    encoder = learn_encoder(chosen, categorical_features=chosen.names) if nominal else None
    flagged = tuple(np.flatnonzero(missing).tolist())
    kept = tuple(sorted(bools.difference(nominal)))
    return Design(names, numeric, means, flagged, nominal, encoder, kept)


def learn_matrix(
    X: Any, categorical_features: Any = "from_dtype", words: str = "keep"
) -> tuple[Design, Any]:
    """Return the design of a Table or a sparse matrix, and the matrix of its rows.

    Parameters
    ----------
    X, categorical_features
        As for `learn_design`.
    words
        How columns that are mostly 0 are read: "unit" (with length 1 in every row, and that length
        beside them), "keep", or "auto": "unit" for texts.

    Examples
    --------
    >>> design, matrix = learn_matrix(Table.of([[3, 4, 0], [0, 0, 1], [0, 0, 0]]), words="unit")
    >>> design.columns
    ('x0', 'x1', 'x2', 'length')
    >>> matrix.round(2).tolist()
    [[0.6, 0.8, 0.0, 1.61], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    """
    design = learn_design(X, categorical_features)
    numbers = design.numbers(X)
    direction = learn_direction(numbers, words, counted=len(design.numeric))
    design = replace(design, direction=direction)
    return design, design.directed(numbers)


def _all_finite(numbers: Floats) -> bool:
    """Return whether all numbers are finite, unless they are so large that their sum is not."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def _is_bool(column: Column) -> bool:
    known = () if column.categories is None else column.categories
    return len(known) > 0 and all(isinstance(value, bool | np.bool_) for value in known)


def _without_text(column: Column) -> Column:
    """Return a column in which values that are no numbers are missing."""
    if as_numbers(column) is not None or column.categories is None:
        return column
    known = [value if is_number(value) else np.nan for value in column.categories.tolist()]
    return Column(column.name, "numeric", np.array([*known, np.nan], dtype=float)[column.values])


def _indicators(encoder: Encoder, chosen: Table) -> Any:
    rows, at, shape = _ones(encoder, chosen)
    return sparse.csr_array((np.ones(len(at)), (rows, at)), shape)


def _ones(encoder: Encoder, chosen: Table) -> tuple[Labels, Labels, tuple[int, int]]:
    """Return the rows and columns in which the indicators are 1, and the shape of all of them."""
    codes = encoder.encode(chosen)
    dense = codes.dense() if isinstance(codes, SparseCodes) else codes
    limits, starts = encoder.layout
    rows, columns = np.nonzero(dense < limits)
    at = starts[columns] + dense[rows, columns].astype(np.intp)
    return rows, at, (len(dense), int(starts[-1]))
