"""Histogram: the distinct values of a numeric column and the weight of each class at each value.

It is all that a way of cutting needs to see. A sparse column makes the histogram of the same column
written out, a row of weight 2 that of the row twice, and the order of rows is gone; so every method
that is a function of the histogram has these laws for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.errors import DataError
from jointbayes.threads import each, n_threads

__all__ = ["Cut", "Histogram", "as_weights", "by_column", "cut_columns", "each_column"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """Distinct values, increasing, without NaN; value i has the entries indptr[i]:indptr[i + 1].

    Parameters
    ----------
    values
        (m,) distinct numbers.
    indptr
        (m + 1,) where each value's entries begin.
    classes, counts
        The class and the weight of every entry; classes that do not occur have none.
    n_classes
        How many classes there are in all.
    """

    values: Floats
    indptr: NDArray[np.int64]
    classes: NDArray[np.int32]
    counts: Floats
    n_classes: int

    def __len__(self) -> int:
        return len(self.values)

    @property
    def weights(self) -> Floats:
        """(m,) weight of every value, all classes together."""
        return np.add.reduceat(self.counts, self.indptr[:-1]) if len(self) else np.zeros(0)


Cut = Callable[[Histogram], Floats]


def as_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """Check the weights of rows: one per row, finite, not negative, not all zero.

    >>> as_weights([1, 0, 2], 3).tolist(), as_weights(None, 3)
    ([1.0, 0.0, 2.0], None)
    """
    if sample_weight is None:
        return None
    weights = np.array(sample_weight, dtype=np.float64)  # a scalar stands for all rows
    weights = np.full(n_rows, weights) if weights.ndim == 0 else weights
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight for each row"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"sample_weight is {weights[row]} in row {row}; weights are finite and not negative"
        )
    if not weights.any():
        raise DataError("sample_weight is zero in every row; at least one row has to count")
    return weights


def cut_columns(
    cut: Cut,
    columns: Any,
    target: NDArray[Any] | None,
    n_classes: int,
    weights: Floats | None,
    n_jobs: int | None = None,
) -> list[Floats]:
    """Return the cuts of every column: of a list of dense ones, or of a sparse matrix by columns.

    >>> cut_columns(lambda h: h.values, [np.array([2.0, np.nan, 1.0, 2.0])], None, 1, None)
    [array([1., 2.])]
    """
    sparse = hasattr(columns, "indptr")
    if not sparse and not columns:
        return []
    n_rows = columns.shape[0] if sparse else len(columns[0])
    y = np.zeros(n_rows, np.uint32) if target is None else np.ascontiguousarray(target, np.uint32)
    counted = y if weights is None else y[weights > 0]
    sizes = np.bincount(counted, minlength=n_classes).astype(np.int64)
    totals = np.bincount(y, weights, minlength=n_classes).astype(np.float64)

    def one(x: Floats, rows: NDArray[np.int32] | None) -> Floats:
        found = _kernels.histogram(x, rows, y, weights, totals, sizes)
        return cut(Histogram(*found, n_classes))

    if sparse:
        rows = columns.indices.astype(np.int32, copy=False)
        data = columns.data.astype(np.float64, copy=False)
        parts = [slice(*ends) for ends in zip(columns.indptr, columns.indptr[1:], strict=False)]
        return each_column(lambda part: one(data[part], rows[part]), parts, n_jobs)
    return each_column(lambda x: one(np.ascontiguousarray(x), None), columns, n_jobs)


def by_column(X: Any) -> Any:
    """Return the columns of a dense matrix, or a sparse one by columns, in order, without repeats.

    >>> from scipy.sparse import coo_array
    >>> twice = coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    >>> by_column(twice).data.tolist()
    [3.0]
    """
    if not hasattr(X, "toarray"):
        return list(X.T)
    columns = X.tocsc()
    if not columns.has_canonical_format:
        columns = columns.copy()  # the caller's matrix stays as it is
        columns.sum_duplicates()
    return columns


def each_column(
    task: Callable[[Any], Any], columns: Sequence[Any], n_jobs: int | None = None
) -> list[Any]:
    """Return the task's answer for every column; threads take equal shares of them."""
    threads = min(n_threads(n_jobs), len(columns)) if len(columns) > 1 else 1
    if threads < 2:
        return [task(column) for column in columns]
    # Column j goes to thread j modulo threads, so that neighbours of one kind are spread.
    shares = [columns[k::threads] for k in range(threads)]
    out: list[Any] = [None] * len(columns)
    for k, share in enumerate(each(lambda part: [task(c) for c in part], shares, threads)):
        out[k::threads] = share
    return out
