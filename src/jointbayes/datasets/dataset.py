"""Dataset: features, labels, their names, and what was left out on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from jointbayes.datasets.roles import label_values
from jointbayes.errors import DataError
from jointbayes.table import Column, Table
from jointbayes.table.column import plain_values

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features and labels of one file.

    Parameters
    ----------
    name
        The file's name without its suffixes.
    X
        A Table, or a CSR matrix for a sparse file of numbers.
    Y
        (n,) values of one class variable, or (n, d) of several, in the file's own values: 0 and 1
        for binary labels. A missing label is NaN among numbers and None among strings.
    label_names
        One name per class variable.
    feature_names
        One name per column of ``X``.
    identifiers
        Columns left out of ``X`` because they only name the rows.
    rows_dropped
        Rows left out because a label was missing (``missing_labels="drop"``).
    source
        The file it came from.

    Examples
    --------
    >>> Dataset.of([[5.1, 3.5], [6.2, 2.9]], ["setosa", "virginica"], name="iris")
    Dataset('iris', 2 rows, 2 features, labels: class)
    """

    name: str
    X: Any
    Y: NDArray[Any]
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    identifiers: tuple[str, ...] = ()
    rows_dropped: int = 0
    source: str = ""

    @classmethod
    def of(cls, X: Any, Y: Any, name: str = "data") -> Dataset:
        """Return a table and its labels, both of any kind that models take, as a data set.

        >>> Dataset.of([[5.1], [6.2]], [[1, 0], [0, 0]]).label_names
        ('y0', 'y1')
        """
        table = X.tocsr() if hasattr(X, "tocsr") else Table.of(X)
        Y = Y.toarray() if hasattr(Y, "tocsr") else Y
        columns = _label_columns(Y)
        if table.shape[0] != len(columns[0]):
            raise DataError(
                f"X has {table.shape[0]} rows and Y has {len(columns[0])}; give as many"
            )
        features = table.names if isinstance(table, Table) else _numbered("x", table.shape[1])
        return cls(name, table, label_values(columns), tuple(c.name for c in columns), features)

    @property
    def is_sparse(self) -> bool:
        """Whether ``X`` is a CSR matrix."""
        return not isinstance(self.X, Table)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __repr__(self) -> str:
        labels = ", ".join(self.label_names[:4]) + (", …" if len(self.label_names) > 4 else "")
        rows, features = self.X.shape
        return f"Dataset({self.name!r}, {rows} rows, {features} features, labels: {labels})"


def _label_columns(Y: Any) -> tuple[Column, ...]:
    """Return labels as columns: those of a frame by their names, others by their position."""
    if hasattr(Y, "columns"):
        return Table.of(Y).columns
    values = plain_values(Y)
    if values.ndim == 1:
        return (Column.of("class", Y),)
    renamed = zip(_numbered("y", values.shape[-1]), Table.of(Y).columns, strict=True)
    return tuple(replace(column, name=name) for name, column in renamed)


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{j}" for j in range(count))
