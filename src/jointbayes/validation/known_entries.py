"""Where some of the true labels are not known: which metrics and which rows can still be asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.labels.known import entries_known

__all__ = ["ENTRIES", "is_by_entry", "rows_told"]

ENTRIES = ("hamming_accuracy", "hamming_loss", "log_loss", "brier_score")
"""Metrics that are means over entries."""


def is_by_entry(name: str) -> bool:
    """Say whether a metric needs no row all of whose labels are known.

    >>> is_by_entry("hamming_loss"), is_by_entry("f1_macro"), is_by_entry("subset_accuracy")
    (True, True, False)
    """
    return name in ENTRIES or name.endswith(("_macro", "_macro_zero"))


def rows_told(Y: Any) -> Labels:
    """Return the rows all of whose labels are known.

    >>> rows_told([[0, 1], [None, 1]]).tolist()
    [0]
    """
    return np.flatnonzero(entries_known(Y).all(axis=1))
