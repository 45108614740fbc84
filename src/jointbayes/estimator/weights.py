"""Weights of labelled rows: one for each row, or one for each label of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from jointbayes.arrays import Floats, Labels, Mask, Weights
from jointbayes.errors import DataError

__all__ = ["Weighed", "read_weights"]


@dataclass(frozen=True, eq=False)
class Weighed:
    """How often rows count, and their labels.

    Parameters
    ----------
    rows
        (n,) how often each row counts; None for once.
    entries
        (n, d) how often each label of each row counts, where that is not as often as the row; of a
        label that does not count, as often as the row.
    hidden
        (n, d) the labels that do not count, where there are any in a row that does.
    """

    rows: Weights = None
    entries: Floats | None = None
    hidden: Mask | None = None

    def take(self, index: Labels) -> Weighed:
        """Return the weights of some of the rows."""
        return Weighed(
            None if self.rows is None else self.rows[index],
            None if self.entries is None else self.entries[index],
            None if self.hidden is None else self.hidden[index],
        )


def read_weights(sample_weight: Any, X: Any, n_labels: int = 1) -> Weighed:
    """Return weights that are not negative and not all zero; a row counts as its labels on average.

    >>> X = np.zeros((3, 1))
    >>> read_weights([1, 0, 2], X).rows.tolist()
    [1.0, 0.0, 2.0]
    >>> found = read_weights([[1, 3], [2, 2], [0, 5]], X, n_labels=2)
    >>> found.rows.tolist(), found.entries.tolist(), found.hidden.tolist()
    ([2.0, 2.0, 5.0], [[1.0, 3.0], [2.0, 2.0], [5.0, 5.0]], [[False, False], [False, False], \
[True, False]])
    """
    if sample_weight is None:
        return Weighed()
    if np.asarray(sample_weight).ndim != 2:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        _check_some(weights)
        return Weighed(np.asarray(weights))
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (X.shape[0], n_labels):
        raise DataError(
            f"sample_weight has the shape {weights.shape}, and there are {X.shape[0]} rows of "
            f"{n_labels} label{'s' * (n_labels != 1)}; give one number for each row, or one for "
            "each label of each row"
        )
    odd = ~((weights >= 0) & (weights < np.inf))
    if odd.any():
        row, label = np.argwhere(odd)[0].tolist()
        raise DataError(
            f"sample_weight is {weights[row, label]} for label {label} of row {row}; give finite "
            "numbers that are not negative"
        )
    _check_some(weights)
    counts = weights > 0
    rows = weights.sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
    entries = np.where(counts, weights, rows[:, None])
    some = np.flatnonzero(rows)
    return Weighed(
        rows,
        None if (entries == entries[:, :1]).all() else entries,
        None if counts[some].all() else ~counts,
    )


def _check_some(weights: Floats) -> None:
    if not (weights > 0).any():
        raise DataError("sample_weight is zero for every row; at least one row has to count")
