r"""Columns: a table as blocks of numbers, one for each kind of distribution.

Numbers are Gaussian, Bernoulli (whether the number is above 0), multinomial (how often a word
occurs) or Poisson (how often something happens, each column by itself). Nominal columns have one
indicator for each value, two values only one, and each is Bernoulli; categorical columns have the
same indicators and one distribution of all values. Missing cells are NaN. Gaussian columns are
moved and scaled before,

(1)  z = s x − s c,   c the mean of the first rows, s a power of 2 near 1 / max |x|,

so that no square overflows, and deviations of 1e-3 from 1e9 keep their digits. A change of unit is
the same factor for every label. A sparse matrix stays sparse, so there c = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.arrays import Floats, Ints
from jointbayes.checks import check_finite, check_that
from jointbayes.codes import CodeArray
from jointbayes.encoding import Encoder
from jointbayes.encoding.numbers import finite_sparse, nominal_part, read_numbers
from jointbayes.errors import DataError
from jointbayes.table import Table

__all__ = ["CELLS", "KINDS", "ColumnBlocks", "Columns"]


KINDS = ("gaussian", "bernoulli", "multinomial", "poisson")
"""What columns of numbers may be."""

CODED = ("nominal", "categorical")
"""Kinds of columns whose values have indicators."""

CELLS = 1 << 22
"""Cells of a block of rows, so that no copy of a large table is made."""


@dataclass(frozen=True, eq=False)
class ColumnBlocks:
    """Some rows by kind: Gaussian, Bernoulli, multinomial columns, indicators, Poisson columns.

    The last block is None where there are no such columns.
    """

    gaussian: Any
    bernoulli: Any
    multinomial: Any
    indicators: Any
    poisson: Any = None

    @property
    def parts(self) -> tuple[tuple[str, Any], ...]:
        """Kind and matrix of every block."""
        usual = (
            ("gaussian", self.gaussian),
            ("bernoulli", self.bernoulli),
            ("multinomial", self.multinomial),
            ("indicators", self.indicators),
        )
        return usual if self.poisson is None else (*usual, ("poisson", self.poisson))


@dataclass(frozen=True, eq=False)
class Columns:
    """The kind of every column, fixed by the first rows seen.

    Parameters
    ----------
    names
        Of all columns.
    kinds
        "gaussian", "bernoulli", "multinomial", "poisson", "nominal" or "categorical", one for each.
    scale, origin
        s and s c in (1), for the Gaussian columns.
    encoder
        The values of the nominal and categorical columns.
    dates
        Which columns were dates.

    Examples
    --------
    >>> from jointbayes.models.naibx.kinds import learn_columns
    >>> from jointbayes.table import Column
    >>> word, colour = Column.of("word", [0, 1, 1]), Column.of("colour", ["red", "blue", "pink"])
    >>> columns = learn_columns(Table((word, colour)))
    >>> rows = next(columns.blocks(Table((word, Column.of("colour", ["pink", "red", "grey"])))))
    >>> rows.bernoulli.tolist(), rows.indicators.toarray().tolist()
    ([[0.0], [1.0], [1.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [nan, nan, nan]])
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    scale: Floats
    origin: Floats
    encoder: Encoder | None
    dates: frozenset[int] = frozenset()

    def _check_stored(self) -> None:
        named = len(self.names) == len(self.kinds) and {*self.kinds} <= {*KINDS, *CODED}
        coded = 0 if self.encoder is None else len(self.encoder.variables)
        check_that(named and coded == len(self.where(*CODED)), "kinds and names do not agree")
        for name, array in (("scale", self.scale), ("origin", self.origin)):
            check_finite(name, array, (len(self.where("gaussian")),))
        check_that((self.scale > 0).all(), "scale is not above 0")

    @property
    def widths(self) -> tuple[tuple[str, int], ...]:
        """Kind of each of the `ColumnBlocks`, and how many columns it has."""
        counted = {kind: len(self.where(kind)) for kind in KINDS}
        poisson = counted.pop("poisson")
        usual = (*counted.items(), ("indicators", sum(self.spread)))
        return (*usual, ("poisson", poisson)) if poisson else usual

    @property
    def spread(self) -> tuple[int, ...]:
        """How many indicators each nominal or categorical column has."""
        cards = () if self.encoder is None else self.encoder.cards
        return tuple(1 if card == 2 else card for card in cards)

    @property
    def values_of_one(self) -> NDArray[np.intp]:
        """Of every indicator: how many values its column has if they have one distribution, or 2.

        An indicator by itself has two, and so has the one of a column with two values.
        """
        own = [
            card if self.kinds[j] == "categorical" and card > 1 else 2
            for j, card in zip(self.where(*CODED), self.spread, strict=True)
        ]
        return np.repeat(np.array(own, dtype=np.intp), self.spread)

    def where(self, *kinds: str) -> list[int]:
        """Return the positions of the columns of some kinds."""
        if len(kinds) == 1:
            return list(self._of_kind.get(kinds[0], ()))
        return [j for j, own in enumerate(self.kinds) if own in kinds]

    @cached_property
    def _of_kind(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for j, kind in enumerate(self.kinds):
            found.setdefault(kind, []).append(j)
        return found

    def check_like(self, other: Columns) -> None:
        """Refuse to merge models that do not mean the same by their columns, units apart."""
        mine, theirs = (
            []
            if c.encoder is None
            else [[v.label(k) for k in range(v.card)] for v in c.encoder.variables]
            for c in (self, other)
        )
        if (self.names, self.kinds, mine) != (other.names, other.kinds, theirs):
            raise DataError(
                "merge: the models have different columns, kinds of columns or categories; "
                "say in features= what they are, and declare categories"
            )

    def from_units_of(self, other: Columns) -> tuple[Floats, Floats]:
        """Return the factor and shift that turn z of another model into ours."""
        factor = self.scale / other.scale
        return factor, factor * other.origin - self.origin

    def blocks(self, X: Any, first: int = 0) -> Iterator[ColumnBlocks]:
        """Yield the rows of a Table or CSR matrix, a few at a time; ``first`` is their first."""
        if hasattr(X, "tocsr"):
            X = finite_sparse(X, self.names)
            step = max(1, CELLS * X.shape[0] // max(X.nnz, X.shape[0]))
        else:
            step = max(1, CELLS // len(self.kinds))
        if X.shape[0] <= step:
            yield self._block(X, first)
            return
        for start in range(0, X.shape[0], step):
            yield self._block(X[start : start + step], first + start)

    def _block(self, X: Any, start: int) -> ColumnBlocks:
        read: Any = self._read_sparse if hasattr(X, "tocsr") else self._read_dense
        gaussian, bernoulli, counts, events = (read(X, kind, start) for kind in KINDS)
        if hasattr(X, "tocsr"):
            gaussian.data *= self.scale[gaussian.indices]
            bernoulli.data = _present(bernoulli.data)
        else:
            gaussian *= self.scale
            gaussian -= self.origin
            bernoulli = _present(bernoulli)
        self._check_counts("multinomial", counts, start)
        self._check_counts("poisson", events, start)
        poisson = events if events.shape[1] else None
        return ColumnBlocks(gaussian, bernoulli, counts, self._indicators(X), poisson)

    def _read_dense(self, X: Table, kind: str, first: int) -> Floats:
        where = self._of_kind.get(kind)
        if not where:
            return np.empty((len(X), 0))
        held = None if self.dates else X.numbers_at(tuple(where))
        if held is not None and not np.isinf(held).any():
            return held.copy()
        return read_numbers([X.columns[j] for j in where], [j in self.dates for j in where], first)

    def _read_sparse(self, X: Any, kind: str, first: int) -> Any:
        del first  # infinity was refused before
        where = self.where(kind)
        return (X if len(where) == X.shape[1] else X[:, where]).copy()

    def _check_counts(self, kind: str, counts: Any, start: int) -> None:
        data = counts.data if hasattr(counts, "tocsr") else counts
        if not data.size or not (data < 0).any():
            return
        dense = counts.toarray() if hasattr(counts, "tocsr") else counts
        row, i = (int(at[0]) for at in np.nonzero(dense < 0))
        raise DataError(
            f"column {self.names[self.where(kind)[i]]!r} holds {dense[row, i]:g} in row "
            f"{start + row}: a {kind} column counts, so no number may be negative; "
            "name another kind in features="
        )

    def _indicators(self, X: Any) -> Any:
        if self.encoder is None:
            return _nothing(X.shape[0])
        codes = np.asarray(self.encoder.encode(nominal_part(X, self.names, self._coded)))
        return _indicate(codes, np.array(self.encoder.cards), np.array(self.spread))

    @cached_property
    def _coded(self) -> list[int]:
        return self.where(*CODED)


@lru_cache(maxsize=4)
def _nothing(n: int) -> Any:
    """Return n rows without columns; to make them takes longer than all else about a row."""
    return sparse.csr_array((n, 0))


def _present(numbers: Floats) -> Floats:
    return np.where(np.isnan(numbers), np.nan, numbers > 0)


def _indicate(codes: CodeArray, cards: Ints, spread: Ints) -> Any:
    """Return a column per value, or one in all for two values; all NaN where not observed.

    >>> _indicate(np.array([[1, 2], [2, 0]]), np.array([2, 3]), np.array([1, 3])).toarray().tolist()
    [[1.0, 0.0, 0.0, 1.0], [nan, 1.0, 0.0, 0.0]]
    """
    lost, of_two = codes == cards, (cards == 2).astype(np.intp)
    first = np.cumsum(spread) - spread + np.where(lost, 0, codes - of_two)
    entries = np.where(lost, spread, codes >= of_two).ravel()
    before = np.cumsum(entries)
    later = np.arange(before[-1]) - np.repeat(before - entries, entries)
    at = np.repeat(first.ravel(), entries) + later
    data = np.repeat(np.where(lost, np.nan, 1.0).ravel(), entries)
    ends = np.concatenate([[0], before[len(cards) - 1 :: len(cards)]])
    return sparse.csr_array((data, at, ends), (len(codes), int(spread.sum())))
