"""Sums of table rows that codes pick, by definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import CODES, FLOATS, INT64, array, takes
from jointbayes.arrays import Floats, Ints

__all__ = ["add_terms"]


@takes(
    features=array(*CODES, axes=2, order="A"),
    first=FLOATS,
    cells=array("float64", axes=2),
    start=INT64,
    members=array("int64", axes=2),
    strides=array("int64", axes=2),
)
def add_terms(
    features: NDArray[Any], first: Floats, cells: Floats, start: Ints, members: Ints, strides: Ints
) -> Floats:
    """Return (n, C), ``first`` plus one row of ``cells`` (all tables one after the other) per term.

    Term t takes the row ``start[t]`` + Σ_j ``strides[t, j]`` · the code of feature
    ``members[t, j]``; a stride of zero fills up terms of fewer features.
    """
    total = np.empty((len(features), len(first)))
    total[:] = first
    term = np.empty_like(total)
    for begin, columns, steps in zip(start, members, strides, strict=True):
        cell = np.full(len(features), begin)
        for column, step in zip(columns[steps > 0], steps[steps > 0], strict=True):
            cell += step * features[:, column].astype(np.int64)
        # "clip" skips a second pass over the index; codes are in range by construction.
        np.take(cells, cell, axis=0, out=term, mode="clip")
        total += term
    return total
