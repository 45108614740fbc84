"""Dataset: features, labels, their names, and what was left out on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from jointbayes.table import Table

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
    >>> import numpy as np
    >>> X = Table.of([[5.1, 3.5], [6.2, 2.9]])
    >>> iris = Dataset("iris", X, np.array(["setosa", "virginica"]), ("class",), X.names)
    >>> iris
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
