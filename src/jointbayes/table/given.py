"""What a user gave as a table: kept beside its columns for those who read it, and rows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Given", "take_rows"]


@dataclass(frozen=True, eq=False)
class Given:
    """A frame or an array as it came, and which of its rows are meant.

    Parameters
    ----------
    source
        A pandas or polars frame, or a 2-D array.
    rows
        The positions of the rows, None for all of them: taking rows copies nothing.

    Examples
    --------
    >>> Given(np.array([[1], [2], [3]])).take(slice(1, None)).take(np.array([1])).read().tolist()
    [[3]]
    """

    source: Any
    rows: NDArray[np.intp] | None = None

    def take(self, index: Any) -> Given:
        """Return some of the rows, by a slice, a mask or positions."""
        every = np.arange(len(self.source)) if self.rows is None else self.rows
        return Given(self.source, every[index])

    def read(self) -> Any:
        """Return the rows, in what they came in."""
        if self.rows is None:
            return self.source
        return getattr(self.source, "iloc", self.source)[self.rows]


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return the given rows of a frame, an array, a sparse matrix, a table or a list.

    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[i] for i in rows]
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]
