"""Rows and labels, or a data set in place of both: the one way in which verbs take data."""

from __future__ import annotations

from typing import Any

from jointbayes.datasets.dataset import Dataset
from jointbayes.errors import DataError
from jointbayes.table import Column, Table

__all__ = ["named_labels", "rows_and_labels"]


def rows_and_labels(X: Any, Y: Any = None) -> tuple[Any, Any, str]:
    """Return rows, labels with their names, and what the data are called.

    >>> rows_and_labels([[1], [2]], ["a", "b"])
    ([[1], [2]], ['a', 'b'], 'data')
    >>> rows_and_labels(Dataset.of([[1], [2]], ["a", "b"], name="letters"))[2]
    'letters'
    """
    if isinstance(X, Dataset):
        if Y is not None:
            raise DataError("a Dataset brings its labels; leave Y out, or give dataset.X and Y")
        return X.X, named_labels(X), X.name
    if Y is None:
        raise DataError(
            "the labels are missing: give X and Y, or a Dataset in place of both; found a "
            f"{type(X).__name__} alone"
        )
    return X, Y, "data"


def named_labels(dataset: Dataset) -> Any:
    """Return the labels of a data set as what a model reads their names from.

    >>> named_labels(Dataset.of([[1], [2]], [[1, 0], [0, 1]])).names
    ('y0', 'y1')
    """
    if dataset.Y.ndim == 1:
        return dataset.Y
    columns = zip(dataset.label_names, dataset.Y.T, strict=True)
    return Table(tuple(Column.of(name, values) for name, values in columns))
