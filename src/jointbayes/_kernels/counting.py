"""Class-conditional counts of coded columns, by definition.

All values of all features stand in one row, feature i from ``offsets[i]`` on. The code equal to a
feature's number of values means *not observed* and is counted nowhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["count_pairs", "count_singles"]

Array = NDArray[Any]


def count_singles(
    features: Array,
    target: Array,
    offsets: Array,
    n_classes: int,
    weights: Array | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.float64]:
    """Return n[c, offsets[i] + v], the rows of class c in which feature i has the value v."""
    out = np.empty((n_classes, offsets[-1]))
    for i, (start, stop) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
        width = stop - start + 1
        joint = target.astype(np.int64) * width + features[:, i]
        cells = np.bincount(joint, weights, minlength=n_classes * width)
        out[:, start:stop] = cells.reshape(n_classes, width)[:, :-1]
    return out


def count_pairs(
    features: Array,
    target: Array,
    offsets: Array,
    n_classes: int,
    weights: Array | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.float64]:
    """Return n[c, offsets[i] + v, offsets[j] + w] for every pair of features, and i = j.

    The blocks on the diagonal hold the counts of single features on their own diagonal.
    """
    out = np.zeros((n_classes, offsets[-1], offsets[-1]))
    for i in range(features.shape[1]):
        left = slice(offsets[i], offsets[i + 1])
        v = offsets[i + 1] - offsets[i] + 1
        for j in range(i, features.shape[1]):
            right = slice(offsets[j], offsets[j + 1])
            w = offsets[j + 1] - offsets[j] + 1
            joint = (target.astype(np.int64) * v + features[:, i]) * w + features[:, j]
            cells = np.bincount(joint, weights, minlength=n_classes * v * w)
            block = cells.reshape(n_classes, v, w)[:, :-1, :-1]
            out[:, left, right] = block
            out[:, right, left] = block.transpose(0, 2, 1)
    return out
