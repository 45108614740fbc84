"""Joint probabilities under every feature as common parent, by definition.

The values of all features stand in one row of W cells, feature i from ``start[i]`` on, with one
cell more for "not observed" after its values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import COLUMNS, INT64, array, takes
from jointbayes.arrays import Floats

__all__ = ["parent_joints"]


@takes(
    features=COLUMNS,
    start=INT64,
    log_joint=array("float64", axes=2),
    log_child=array("float64", axes=3),
)
def parent_joints(
    features: NDArray[Any], start: NDArray[np.int64], log_joint: Floats, log_child: Floats
) -> Floats:
    """Return (p, n, C), log P(c, x_p) + Σ_i log P(x_i | c, x_p) for every parent, row and class.

    ``log_joint`` is (W, C) and ``log_child`` (W, W, C), the parent first. A parent whose
    ``log_joint`` is −inf has −inf for all classes.
    """
    place = features.T.astype(np.int64) + start[:, None]
    out = np.asarray(log_joint[place])
    row, term = np.empty(len(features), dtype=np.int64), np.empty_like(out[0])
    flat = log_child.reshape(-1, log_child.shape[-1])
    for parent, total in zip(place, out, strict=True):
        for child in place:
            np.add(parent * len(log_joint), child, out=row)
            np.take(flat, row, axis=0, out=term, mode="clip")
            np.add(total, term, out=total)
    return out
