"""NumberTable: a table whose numbers stand in one array, as rows come that a model is asked."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.table.column import Column, position_names
from jointbayes.table.frames import parts_of_pandas
from jointbayes.table.given import Given
from jointbayes.table.table import Table

__all__ = ["NumberTable", "table_to_ask"]


class NumberTable(Table):
    """A Table whose columns are made when somebody looks at them: a thousand take their time.

    Parameters
    ----------
    numbers
        (n, q) of doubles, NaN for missing, with at least one row; it may be what the user gave,
        and cannot be written to.
    names
        Of all columns.
    source
        What they were read from.
    others
        The columns that do not stand in ``numbers``, by their position.

    Examples
    --------
    >>> table = NumberTable(np.array([[1.0, 2.0], [3.0, 4.0]]), ("a", "b"), None)
    >>> table.shape, table[1:].column("b").values.tolist(), table
    ((2, 2), [4.0], Table(2 rows, 2 columns: a, b))
    """

    numbers: Floats
    others: Mapping[int, Column]

    def __init__(
        self,
        numbers: Floats,
        names: tuple[str, ...],
        source: Any,
        others: Mapping[int, Column] | None = None,
    ) -> None:
        given = source if source is None or isinstance(source, Given) else Given(source)
        numbers = numbers.view()
        numbers.flags.writeable = False
        vars(self).update(numbers=numbers, names=names, given=given, others=others or {})

    @cached_property
    def where(self) -> tuple[int, ...]:
        """The positions of the columns that stand in ``numbers``."""
        every = positions(len(self.names))
        return tuple([j for j in every if j not in self.others]) if self.others else every

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        pairs = zip(self.where, self.numbers.T, strict=True)
        plain = {j: Column(self.names[j], "numeric", values) for j, values in pairs}
        return tuple(self.others.get(j) or plain[j] for j in range(len(self.names)))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.numbers), len(self.names)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> Table:
        """Take rows by a slice, a mask or positions."""
        index = rows[0] if isinstance(rows, tuple) else rows
        if not isinstance(index, slice):
            index = np.atleast_1d(np.asarray(index))
            index = index if len(index) else index.astype(np.intp)
        given = None if self.given is None else self.given.take(index)
        others = {j: column[index] for j, column in self.others.items()}
        return NumberTable(self.numbers[index], self.names, given, others)

    def at(self, position: int) -> Column:
        """Return the column at a position."""
        return self.others.get(position) or self.columns[position]

    def numbers_at(self, where: tuple[int, ...]) -> Floats | None:
        """Return (n, m) the numbers of some columns, None if one of them is of another kind."""
        if where == self.where:
            return self.numbers
        place = {j: i for i, j in enumerate(self.where)}
        return self.numbers[:, [place[j] for j in where]] if place.keys() >= set(where) else None


@cache
def positions(p: int) -> tuple[int, ...]:
    """Return the positions of all columns of a table: rows that are asked one by one share them.

    >>> positions(3)
    (0, 1, 2)
    """
    return tuple(range(p))


def table_to_ask(X: Any, known: Any = None) -> Table:
    """Read rows that a model is asked, as `Table.of` does, but their numbers at once.

    ``known`` are names of columns that were looked at before, or None.

    >>> type(table_to_ask(np.eye(2))).__name__, type(table_to_ask([["a"]])).__name__
    ('NumberTable', 'Table')
    """
    pandas = sys.modules.get("pandas")
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "iuf" and X.size:
        return NumberTable(np.asarray(X, dtype=np.float64), position_names(X.shape[1]), X)
    if pandas is not None and type(X) is pandas.DataFrame and len(X):
        names = X.columns.tolist()
        same = known is not None and names == known.tolist()
        good = same or (set(map(type, names)) == {str} and len(set(names)) == len(names))
        parts = parts_of_pandas(X, names, pandas) if good and names else None
        if parts is not None:
            numbers, others = parts
            return NumberTable(numbers, tuple(names), X, others)
    return Table.of(X)
