"""LabelMatrix: an array of labels that knows what its columns are called."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LabelMatrix"]


class LabelMatrix(np.ndarray[Any, Any]):
    """A numpy array of labels with ``label_names``, one for each column.

    Rows that are taken keep the names, columns that are taken keep theirs; whatever is computed
    from it is a plain array, and has none.

    >>> Y = LabelMatrix.of([[1, 0], [0, 1], [1, 1]], ("wet", "cold"))
    >>> Y[1:].label_names, Y[:, ::-1].label_names, Y.T.label_names
    (('wet', 'cold'), ('cold', 'wet'), ())
    >>> Y.sum(axis=0)
    array([2, 2])
    """

    label_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Any, label_names: Sequence[str]) -> LabelMatrix:
        """Return the values, a view where they are an array, with names."""
        labels = np.asarray(values).view(cls)
        labels.label_names = tuple(label_names)
        return labels

    @property
    def name(self) -> str | None:
        """The name of the only label, as that of a Series."""
        return self.label_names[0] if self.ndim == 1 and len(self.label_names) == 1 else None

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if isinstance(found, LabelMatrix):
            found.label_names = self._names_of(index, found)
        return found

    def _names_of(self, index: Any, found: LabelMatrix) -> tuple[str, ...]:
        if not self.label_names or found.ndim != self.ndim:
            return ()
        if self.ndim == 1 or not isinstance(index, tuple):
            return self.label_names
        rows_and_columns = [part for part in index if part is not Ellipsis]
        if len(rows_and_columns) < len(index):  # labels[rows, ...]
            return self.label_names if len(rows_and_columns) == 1 else ()
        if len(rows_and_columns) != 2:
            return ()
        names = np.array(self.label_names, dtype=object)[rows_and_columns[1]]
        return tuple(names) if isinstance(names, np.ndarray) and names.ndim == 1 else ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute with plain arrays: sums and comparisons of labels are not labels."""
        if "out" in options:
            options["out"] = tuple(map(_plain, options["out"]))
        return getattr(ufunc, method)(*map(_plain, inputs), **options)

    def copy(self, order: Any = "C") -> LabelMatrix:
        """Return a copy that keeps the names."""
        return LabelMatrix.of(_plain(self).copy(order), self.label_names)

    def astype(self, dtype: Any, *arguments: Any, **options: Any) -> LabelMatrix:
        """Return the labels in another type, with their names."""
        return LabelMatrix.of(_plain(self).astype(dtype, *arguments, **options), self.label_names)

    def __copy__(self) -> LabelMatrix:
        """Return a copy that keeps the names."""
        return self.copy()

    def __deepcopy__(self, memo: Any) -> LabelMatrix:
        """Copy the values, objects and all, and keep the names."""
        return LabelMatrix.of(deepcopy(_plain(self), memo), self.label_names)

    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
        """Take rows, which keep the names, or anything else, which does not."""
        found = _plain(self).take(indices, axis, out, mode)
        rows = axis == 0 and isinstance(found, np.ndarray) and found.ndim == self.ndim
        return LabelMatrix.of(found, self.label_names) if rows else found

    def __reduce__(self) -> Any:
        """Pickle the names with the values."""
        return LabelMatrix.of, (_plain(self), self.label_names)


def _plain(value: Any) -> NDArray[Any] | Any:
    return value.view(np.ndarray) if isinstance(value, LabelMatrix) else value
