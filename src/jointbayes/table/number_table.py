"""NumberTable: a table of nothing but numbers, in one array, as most tables are that are asked."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.table.column import Column, position_names
from jointbayes.table.frames import are_numbers
from jointbayes.table.given import Given
from jointbayes.table.table import Table

__all__ = ["NumberTable", "table_to_ask"]


class NumberTable(Table):
    """A Table whose columns are made when somebody looks at them: a thousand take their time.

    Parameters
    ----------
    numbers
        (n, p) of doubles, NaN for missing, with at least one row and column; it may be what the
        user gave, and cannot be written to.
    names
        Of the columns.
    source
        What they were read from.

    Examples
    --------
    >>> table = NumberTable(np.array([[1.0, 2.0], [3.0, 4.0]]), ("a", "b"), None)
    >>> table.shape, table[1:].column("b").values.tolist(), table
    ((2, 2), [4.0], Table(2 rows, 2 columns: a, b))
    """

    numbers: Floats

    def __init__(self, numbers: Floats, names: tuple[str, ...], source: Any) -> None:
        given = source if source is None or isinstance(source, Given) else Given(source)
        numbers = numbers.view()
        numbers.flags.writeable = False
        vars(self).update(numbers=numbers, names=names, given=given)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        pairs = zip(self.names, self.numbers.T, strict=True)
        return tuple(Column(name, "numeric", values) for name, values in pairs)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, p = self.numbers.shape
        return n, p

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> Table:
        """Take rows by a slice, a mask or positions."""
        index = rows[0] if isinstance(rows, tuple) else rows
        if not isinstance(index, slice):
            index = np.atleast_1d(np.asarray(index))
            index = index if len(index) else index.astype(np.intp)
        given = None if self.given is None else self.given.take(index)
        return NumberTable(self.numbers[index], self.names, given)


def table_to_ask(X: Any, known: Any = None) -> Table:
    """Read rows that a model is asked, as `Table.of` does, but at once if they are plain numbers.

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
        if good and names and (_in_one_array(X) or are_numbers(X.dtypes.tolist())):
            return NumberTable(X.to_numpy(np.float64), tuple(names), X)
    return Table.of(X)


def _in_one_array(frame: Any) -> bool:
    """Whether pandas holds a frame as one array of numbers: to ask for its dtypes takes longer."""
    blocks: Any = getattr(getattr(frame, "_mgr", None), "blocks", ())
    values = blocks[0].values if len(blocks) == 1 else None
    return type(values) is np.ndarray and values.dtype.kind in "iuf"
