r"""Columns: a table as blocks of numbers, one for each kind of distribution.

Numbers are Gaussian, Bernoulli (whether the number is above 0) or multinomial (how often a word
occurs). Nominal columns are Bernoulli too, one indicator for each value; two values need only one.
Missing cells are NaN. Gaussian columns are moved and scaled before,

(1)  z = s x − s c,   c the mean of the first rows, s a power of 2 near 1 / max |x|,

so that no square overflows, and deviations of 1e-3 from 1e9 keep their digits. A change of unit is
the same factor for every label. A sparse matrix stays sparse, so there c = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.encoding import Encoder, learn_encoder
from jointbayes.encoding.learning import nominal_positions
from jointbayes.encoding.variable import as_numbers, checked_numbers
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Column, Table

__all__ = ["KINDS", "Blocks", "Columns", "learn_columns"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

KINDS = ("gaussian", "bernoulli", "multinomial")
CELLS = 1 << 22
"""Cells of a block of rows, so that no copy of a large table is made."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Some rows by kind: Gaussian, Bernoulli and multinomial columns, then nominal indicators."""

    gaussian: Any
    bernoulli: Any
    multinomial: Any
    indicators: Any

    @property
    def parts(self) -> tuple[tuple[str, Any], ...]:
        """Kind and matrix of every block."""
        return (
            ("gaussian", self.gaussian),
            ("bernoulli", self.bernoulli),
            ("multinomial", self.multinomial),
            ("bernoulli", self.indicators),
        )


@dataclass(frozen=True, eq=False)
class Columns:
    """The kind of every column, fixed by the first rows seen.

    Parameters
    ----------
    names
        Of all columns.
    kinds
        "gaussian", "bernoulli", "multinomial" or "nominal", one for each.
    scale, origin
        s and s c in (1), for the Gaussian columns.
    encoder
        The values of the nominal columns.
    dates
        Which columns were dates.

    Examples
    --------
    >>> table = Table.of([[0.5, 1, "a"], [2.5, 0, "b"], [3.5, 1, "c"]])
    >>> columns = learn_columns(table)
    >>> columns.kinds
    ('gaussian', 'bernoulli', 'nominal')
    >>> rows = next(columns.blocks(Table.of([[1.5, 1, "b"]])))
    >>> rows.bernoulli.tolist(), rows.indicators.toarray().tolist()
    ([[1.0]], [[0.0, 1.0, 0.0]])
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    scale: Floats
    origin: Floats
    encoder: Encoder | None
    dates: frozenset[int] = frozenset()

    def where(self, kind: str) -> list[int]:
        """Return the positions of the columns of a kind."""
        return [j for j, own in enumerate(self.kinds) if own == kind]

    def blocks(self, X: Any) -> Iterator[Blocks]:
        """Yield the rows of a Table or CSR matrix, a few at a time."""
        if hasattr(X, "tocsr"):
            X = _checked_sparse(X, self.names)
            step = max(1, CELLS * X.shape[0] // max(X.nnz, X.shape[0]))
        else:
            step = max(1, CELLS // len(self.kinds))
        for start in range(0, X.shape[0], step):
            yield self._block(X[start : start + step], start)

    def _block(self, X: Any, start: int) -> Blocks:
        read = self._read_sparse if hasattr(X, "tocsr") else self._read_dense
        gaussian, bernoulli, counts = (read(X, kind) for kind in KINDS)
        if hasattr(X, "tocsr"):
            gaussian.data *= self.scale[gaussian.indices]
            bernoulli.data = _present(bernoulli.data)
        else:
            gaussian *= self.scale
            gaussian -= self.origin
            bernoulli = _present(bernoulli)
        self._check_counts(counts, start)
        return Blocks(gaussian, bernoulli, counts, self._indicators(X))

    def _read_dense(self, X: Table, kind: str) -> Floats:
        where = self.where(kind)
        out = np.empty((len(X), len(where)))
        for i, j in enumerate(where):
            out[:, i] = _finite(X.columns[j], "date" if j in self.dates else "numeric")
        return out

    def _read_sparse(self, X: Any, kind: str) -> Any:
        where = self.where(kind)
        return (X if len(where) == X.shape[1] else X[:, where]).copy()

    def _check_counts(self, counts: Any, start: int) -> None:
        data = counts.data if hasattr(counts, "tocsr") else counts
        if not (data < 0).any():
            return
        dense = counts.toarray() if hasattr(counts, "tocsr") else counts
        row, i = (int(at[0]) for at in np.nonzero(dense < 0))
        raise DataError(
            f"column {self.names[self.where('multinomial')[i]]!r} holds {dense[row, i]:g} in row "
            f"{start + row}: a multinomial column counts, so no number may be negative; "
            "name another kind in features="
        )

    def _indicators(self, X: Any) -> Any:
        if self.encoder is None:
            return sparse.csr_array((X.shape[0], 0))
        codes = np.asarray(self.encoder.encode(_nominal(X, self.names, self.where("nominal"))))
        columns = [_indicate(c, k) for c, k in zip(codes.T, self.encoder.cards, strict=True)]
        return sparse.hstack(columns, format="csr")


def learn_columns(X: Any, features: Any = "auto", categorical_features: Any = "from_dtype") -> Columns:
    """Decide the kind of every column of a Table or CSR matrix.

    Parameters
    ----------
    X
        The first rows.
    features
        "auto", "gaussian", "bernoulli" or "multinomial", or one of these for each column: what
        columns of numbers are. "auto": those within {0, 1} are Bernoulli, the others Gaussian.
    categorical_features
        "from_dtype", or the nominal columns as a mask, positions or names; text is nominal anyway.
    """
    names = X.names if isinstance(X, Table) else tuple(f"x{j}" for j in range(X.shape[1]))
    asked = _per_column(features, names)
    kinds = _nominal_or_not(X, names, categorical_features, asked)
    if isinstance(X, Table):
        kinds = [
            _guess(as_numbers(column)) if kind == "auto" else kind
            for kind, column in zip(kinds, X.columns, strict=True)
        ]
        dates = frozenset(j for j, column in enumerate(X.columns) if column.kind == "date")
    else:
        X = _checked_sparse(X, names)
        other = np.bincount(X.indices[~_within(X.data)], minlength=X.shape[1]) > 0
        guess = np.where(other, "gaussian", "bernoulli").tolist()
        kinds = [g if kind == "auto" else kind for kind, g in zip(kinds, guess, strict=True)]
        dates = frozenset()
    nominal = [j for j, kind in enumerate(kinds) if kind == "nominal"]
    encoder = None
    if nominal:
        chosen = _nominal(X, names, nominal)
        encoder = learn_encoder(chosen, categorical_features=chosen.names)
    gaussian = [j for j, kind in enumerate(kinds) if kind == "gaussian"]
    return Columns(names, tuple(kinds), *_units(X, gaussian), encoder, dates)


def _per_column(features: Any, names: tuple[str, ...]) -> list[str]:
    legal = ("auto", *KINDS)
    given = [features] * len(names) if isinstance(features, str) else list(features)
    if len(given) != len(names) or any(kind not in legal for kind in given):
        odd = next((kind for kind in given if kind not in legal), f"{len(given)} kinds")
        raise ParameterError(
            f"NaiBX: features holds {odd!r}; give one of {', '.join(legal)}, "
            f"or one for each of the {len(names)} columns"
        )
    return given


def _nominal_or_not(
    X: Any, names: tuple[str, ...], categorical_features: Any, asked: Sequence[str]
) -> list[str]:
    chosen = nominal_positions(categorical_features, names) or ()
    kinds = ["nominal" if j in chosen else kind for j, kind in enumerate(asked)]
    if isinstance(X, Table):
        for j, column in enumerate(X.columns):
            numbers = as_numbers(column)
            if numbers is None or (
                column.is_coded and asked[j] == "auto" and not _within(numbers).all()
            ):
                kinds[j] = "nominal"
    return kinds


def _guess(numbers: Floats | None) -> str:
    assert numbers is not None  # columns without numbers are nominal already
    return "bernoulli" if _within(numbers).all() else "gaussian"


def _within(numbers: Floats) -> NDArray[np.bool_]:
    return (numbers == 0) | (numbers == 1) | np.isnan(numbers)


def _present(numbers: Floats) -> Floats:
    return np.where(np.isnan(numbers), np.nan, numbers > 0)


def _units(X: Any, gaussian: list[int]) -> tuple[Floats, Floats]:
    """Return s and s c of (1)."""
    scale, origin = np.ones(len(gaussian)), np.zeros(len(gaussian))
    if not isinstance(X, Table):
        largest = np.zeros(X.shape[1])
        np.maximum.at(largest, X.indices, np.where(np.isnan(X.data), 0.0, np.abs(X.data)))
        return _power(largest[gaussian]), origin
    for i, j in enumerate(gaussian):
        column = X.columns[j]
        numbers = _finite(column, column.kind)
        known = numbers[~np.isnan(numbers)]
        scale[i] = _power(np.abs(known).max(initial=0.0))
        origin[i] = (known * scale[i]).mean() if len(known) else 0.0
    return scale, origin


def _power(largest: Any) -> Any:
    """Return the power of 2 that brings a number near 1; 1 for 0 (and what is close to it)."""
    exponent = np.clip(np.frexp(largest)[1], -1000, 1000)
    return np.where(largest > 0, np.ldexp(1.0, -exponent), 1.0)


def _finite(column: Column, kind: str) -> Floats:
    numbers = checked_numbers(column, "date" if kind == "date" else "numeric")
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        raise DataError(
            f"column {column.name!r} contains infinity ({numbers[row]}) in row {row}; "
            "give a finite number or leave it missing"
        )
    return numbers


def _checked_sparse(X: Any, names: tuple[str, ...]) -> Any:
    if X.dtype.kind not in "biuf":
        Table.of(X.toarray())  # refuses complex numbers and the like by their name
    X = sparse.csr_array(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    infinite = np.isinf(X.data)
    if infinite.any():
        raise DataError(
            f"column {names[X.indices[int(infinite.argmax())]]!r} contains infinity; "
            "give a finite number or leave it missing"
        )
    return X


def _nominal(X: Any, names: tuple[str, ...], where: list[int]) -> Table:
    if isinstance(X, Table):
        return Table(tuple(X.columns[j] for j in where))
    dense = X[:, where].toarray()
    return Table(tuple(Column.of(names[j], x) for j, x in zip(where, dense.T, strict=True)))


def _indicate(codes: NDArray[Any], card: int) -> Any:
    """Return one column per value, or one in all for two values; NaN where not observed."""
    codes = codes.astype(np.intp)
    width = 1 if card == 2 else card
    seen = np.flatnonzero(codes == 1 if card == 2 else codes < card)
    lost = np.flatnonzero(codes == card)
    rows = np.concatenate([seen, np.repeat(lost, width)])
    at = np.concatenate([codes[seen] - (card == 2), np.tile(np.arange(width), len(lost))])
    data = np.concatenate([np.ones(len(seen)), np.full(width * len(lost), np.nan)])
    return sparse.csr_array((data, (rows, at)), (len(codes), width))
