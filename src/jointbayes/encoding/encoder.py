"""Encoder: a table's columns, each by its variable, to codes and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Ints
from jointbayes.checks import check_indices, check_that
from jointbayes.codes import Cards, CodeArray, Codes, SparseCodes, narrowest
from jointbayes.discretize.histogram import by_column, each_column
from jointbayes.encoding.foreign import Front
from jointbayes.encoding.variable import Variable
from jointbayes.errors import DataError
from jointbayes.table import Column, Table

__all__ = ["Encoder", "read"]

FEW_ROWS = 64
"""Rows up to which all columns of numbers are cut at once, not one by one."""


def read(X: Any) -> Any:
    """Return a sparse matrix by columns, without repeats, and anything else as a Table."""
    if not hasattr(X, "toarray"):
        return Table.of(X)
    if X.ndim != 2 or 0 in X.shape or X.dtype.kind not in "biuf":
        Table.of(X.toarray())  # refuses each of these by its name
    return by_column(X)


@dataclass(frozen=True, eq=False)
class Encoder:
    """What was learned about the columns of a table: one variable for each.

    Parameters
    ----------
    variables
        In the order of the columns.
    front
        What numeric columns pass through first, if somebody else's transformer cuts them.

    Examples
    --------
    >>> from jointbayes.encoding import learn_encoder
    >>> table = Table.of([["red", 1], ["blue", 2], ["red", None]])
    >>> encoder = learn_encoder(table, discretizer="median")
    >>> encoder.cards, encoder.encode(table).tolist()
    ((2, 3), [[1, 0], [0, 1], [1, 2]])

    A colour that was never seen is not observed, which is the code after all others:

    >>> encoder.encode(Table.of([["green", 2]])).tolist()
    [[2, 1]]
    """

    variables: tuple[Variable, ...]
    front: Front | None = None

    def _check_stored(self) -> None:
        check_that(self.variables, "there are no columns")
        for _, where in () if self.front is None else self.front.parts:
            check_indices("the columns of a transformer", where, len(self.variables))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """How many values each column has; that code itself means not observed."""
        return tuple(variable.card for variable in self.variables)

    @cached_property
    def layout(self) -> tuple[Ints, Ints]:
        """(p,) ``cards``, and (p + 1,) where values begin if all columns stand in one row."""
        cards = np.array(self.cards, dtype=np.int64)
        return cards, np.concatenate([[0], np.cumsum(cards)])

    @cached_property
    def _width(self) -> np.dtype[Any]:
        """The narrowest numbers that hold the codes of every column."""
        return narrowest(max(self.cards))

    def encode(self, X: Any, n_jobs: int | None = None) -> CodeArray | SparseCodes:
        """Return the codes of the rows of ``X``; those of a sparse matrix are sparse.

        Columns are taken by position, categories by value.
        """
        foreign = self.front is not None and hasattr(X, "toarray")
        X = read(X.toarray() if foreign else X)
        if X.shape[1] != len(self.variables):
            raise DataError(
                f"X has {X.shape[1]} features, but {len(self.variables)} were there in fit; "
                "give the same columns"
            )
        if not isinstance(X, Table):
            return self._encode_sparse(X)
        table = X if self.front is None else self.front.apply(X)
        out = np.empty(table.shape, dtype=self._width, order="F")
        if len(out) <= FEW_ROWS:
            for j in self._write_numbers(table, out):  # for so few, threads cost more
                self.variables[j].write(table.at(j), out[:, j])
            return out
        every = range(len(out.T))
        each_column(lambda j: self.variables[j].write(table.columns[j], out[:, j]), every, n_jobs)
        return out

    def _write_numbers(self, table: Table, out: CodeArray) -> Sequence[int]:
        """Write the codes of all plain numbers of a few rows at once; return the other columns."""
        which, rest, cuts, missing = self._grid
        held = table.numbers_at(which) if which else None
        if held is None:
            columns = [table.columns[j] for j in which]
            if not columns or any(column.kind != "numeric" for column in columns):
                return range(len(self.variables))
            x = np.concatenate([column.values for column in columns]).reshape(len(which), -1)
        else:
            x = held.T
        codes = np.add.reduce(x[:, :, None] > cuts[:, None], axis=2)
        np.copyto(codes, missing[:, None], where=np.isnan(x))
        out[:, list(which) if rest else slice(None)] = codes.T
        return rest

    @cached_property
    def _grid(self) -> tuple[tuple[int, ...], list[int], Floats, Ints]:
        """The columns of plain numbers, the others, the cuts, padded, and the missing codes."""
        which = tuple(
            j for j, v in enumerate(self.variables) if v.kind == "numeric" and v.cuts is not None
        )
        found = [v.cuts for v in self.variables if v.kind == "numeric" and v.cuts is not None]
        cuts = np.full((len(which), max(map(len, found), default=0)), np.inf)
        for own, ends in zip(cuts, found, strict=True):
            own[: len(ends)] = ends
        missing = np.array([self.variables[j].missing_code for j in which], dtype=np.int64)
        rest = sorted(set(range(len(self.variables))).difference(which))
        return which, rest, cuts, missing

    def codes(
        self, X: Any, targets: Any = None, cards: Cards = (), n_jobs: int | None = None
    ) -> Codes:
        """Return the rows of ``X`` with the (n, d) codes of their labels, if there are any.

        >>> from jointbayes.encoding import learn_encoder
        >>> table = Table.of([["red"], ["blue"]])
        >>> learn_encoder(table).codes(table, np.array([[0], [1]]), cards=(2,)).cards
        (2, 2)
        """
        features = self.encode(X, n_jobs)
        if targets is None:
            none = np.empty((features.shape[0], 0), dtype=np.uint8)
            return Codes(features, self.cards, none, ())
        narrow = np.asfortranarray(targets, dtype=narrowest(max(cards) - 1))
        return Codes(features, self.cards, narrow, cards)

    def _encode_sparse(self, X: Any) -> SparseCodes:
        codes, default = np.empty(X.nnz, dtype=self._width), self._codes_of_zero
        data = X.data.astype(np.float64, copy=False)
        for j in np.flatnonzero(np.diff(X.indptr)).tolist():
            part = slice(X.indptr[j], X.indptr[j + 1])
            self.variables[j].write_numbers(data[part], codes[part])
        kept = codes != np.repeat(default, np.diff(X.indptr))
        before = np.concatenate([[0], np.cumsum(kept)])
        return SparseCodes(
            codes=codes[kept],
            rows=X.indices[kept].astype(np.int32),
            indptr=before[X.indptr].astype(np.int64),
            default=default.copy(),
            shape=X.shape,
        )

    @cached_property
    def _codes_of_zero(self) -> CodeArray:
        """The code that every column has where a sparse matrix has no entry."""
        out = np.empty(len(self.variables), dtype=self._width)
        for j, variable in enumerate(self.variables):
            variable.write_numbers(np.zeros(1), out[j : j + 1])
        return out

    def decode(self, codes: CodeArray | SparseCodes) -> Table:
        """Return the values codes stand for: categories, and the intervals of numbers by name."""
        dense = codes.dense() if isinstance(codes, SparseCodes) else codes
        return Table(
            tuple(
                _decoded(variable, column)
                for variable, column in zip(self.variables, dense.T, strict=True)
            )
        )


def _decoded(variable: Variable, codes: CodeArray) -> Column:
    known = variable.categories
    if known is None:
        known = np.array([variable.label(k) for k in range(variable.n_known)], dtype=object)
    values = np.where(codes < variable.n_known, codes.astype(np.int64), -1)
    return Column(variable.name, "nominal", values, known, declared=True)
