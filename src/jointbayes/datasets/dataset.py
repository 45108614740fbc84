"""Dataset: features, labels, their names, and what was left out on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from jointbayes.errors import DataError
from jointbayes.table import Table
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
        labels = Y.toarray() if hasattr(Y, "tocsr") else plain_values(Y)
        if labels.ndim not in (1, 2):
            raise DataError(f"labels have {labels.ndim} dimensions; give one or two")
        if table.shape[0] != len(labels):
            raise DataError(f"X has {table.shape[0]} rows and Y has {len(labels)}; give as many")
        by_position = ("class",) if labels.ndim == 1 else _numbered("y", labels.shape[1])
        label_names = Table.of(Y).names if hasattr(Y, "columns") else by_position
        features = table.names if isinstance(table, Table) else _numbered("x", table.shape[1])
        return cls(name, table, labels, label_names, features)

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


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{j}" for j in range(count))
