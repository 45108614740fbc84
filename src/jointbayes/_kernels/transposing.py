"""From a row-major table of bytes to a column-major one, by definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import array, takes

__all__ = ["to_columns"]


@takes(rows=array("uint8", axes=2), columns=array("uint8", axes=2, order="F"))
def to_columns(
    rows: NDArray[np.uint8],
    columns: NDArray[np.uint8],
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.uint8]:
    """Copy a row-major matrix into a column-major one and return the largest of each column."""
    columns[:] = rows
    return np.asarray(columns.max(axis=0, initial=0))
