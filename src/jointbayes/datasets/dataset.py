"""Dataset: features, labels, their names, and what was left out on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.datasets.label_matrix import LabelMatrix
from jointbayes.datasets.notes import Note
from jointbayes.datasets.roles import label_values
from jointbayes.datasets.words import Words
from jointbayes.errors import DataError
from jointbayes.table import Table
from jointbayes.table.column import plain_values
from jointbayes.table.notebook import FIRST_COLUMNS, FIRST_ROWS, cells, grid_html
from jointbayes.table.table import named_by_itself
from jointbayes.table.wording import listed, visible

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
        for binary labels. A missing label is NaN among numbers and None among strings. It is a
        numpy array that knows ``label_names``, so that ``fit(dataset.X, dataset.Y)`` does, too.
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
    notes
        What the reader decided about columns: left out, read as dates, and so on.
    words
        The words of text columns; ``load_dataset(…, text=dataset.words)`` reads other files so.

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
    notes: tuple[Note, ...] = ()
    words: tuple[Words, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "Y", LabelMatrix.of(self.Y, self.label_names))

    @classmethod
    def of(cls, X: Any, Y: Any, name: str = "data") -> Dataset:
        """Return a table and its labels, both of any kind that models take, as a data set.

        >>> Dataset.of([[5.1], [6.2]], [[1, 0], [0, 0]]).label_names
        ('y0', 'y1')
        """
        table = X.tocsr() if hasattr(X, "tocsr") else Table.of(X)
        Y = Table.of(Y) if named_by_itself(Y) else Y
        label_names = _names_of(Y)
        labels = Y.toarray() if hasattr(Y, "tocsr") else _values_of(Y)
        if labels.ndim not in (1, 2):
            raise DataError(f"labels have {labels.ndim} dimensions; give one or two")
        if table.shape[0] != len(labels):
            raise DataError(f"X has {table.shape[0]} rows and Y has {len(labels)}; give as many")
        by_position = ("class",) if labels.ndim == 1 else _numbered("y", labels.shape[1])
        features = table.names if isinstance(table, Table) else _numbered("x", table.shape[1])
        return cls(name, table, labels, label_names or by_position, features)

    @property
    def is_sparse(self) -> bool:
        """Whether ``X`` is a CSR matrix."""
        return not isinstance(self.X, Table)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __repr__(self) -> str:
        labels = visible(listed(self.label_names, 4))
        rows, features = self.X.shape
        return f"Dataset({self.name!r}, {rows} rows, {features} features, labels: {labels})"

    def _repr_html_(self) -> str:
        """Return the first rows, labels first, as notebooks show them."""
        labels = np.asarray(self.Y).reshape(len(self), -1)
        shown = [
            (f"{name} (label)", labels[:FIRST_ROWS, j].tolist())
            for j, name in enumerate(self.label_names[:FIRST_COLUMNS])
        ]
        X = self.X[:FIRST_ROWS]
        if not isinstance(X, Table):
            X = Table.of(X[:, :FIRST_COLUMNS].toarray())
        shown += [
            (name, cells(column))
            for name, column in zip(self.feature_names, X.columns, strict=False)
        ]
        return grid_html(repr(self), shown, len(self), labels.shape[1] + self.X.shape[1])


def _names_of(Y: Any) -> tuple[str, ...]:
    """Return the names that labels bring with them: of a frame, a Series, or a data set."""
    if hasattr(Y, "columns"):
        return Table.of(Y).names
    name = getattr(Y, "name", None)  # polars' is empty where it has none
    return tuple(getattr(Y, "label_names", ())) if name in (None, "") else (str(name),)


def _values_of(Y: Any) -> NDArray[Any]:
    return label_values(Y.columns) if isinstance(Y, Table) else plain_values(Y)


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{j}" for j in range(count))
