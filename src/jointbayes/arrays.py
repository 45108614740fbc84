"""The types of arrays, each under the one name it has everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bytes", "Floats", "Ints", "Labels", "Mask", "Nodes", "Rows", "Values", "Weights"]

Bytes = NDArray[np.uint8]
"""Columns of at most 256 codes, and bags of rows."""

Floats = NDArray[np.float64]
"""Numbers, probabilities and their logarithms."""

Ints = NDArray[np.int64]
"""Counts of whole things, and offsets."""

Labels = NDArray[np.intp]
"""Codes of labels, and positions of rows or columns."""

Mask = NDArray[np.bool_]
"""Which of some things."""

Nodes = NDArray[np.int32]
"""Nodes of trees, and the leaves of rows."""

Rows = slice | NDArray[np.intp]
"""Which rows: a slice, or their positions."""

Values = NDArray[Any]
"""Whatever the user's columns and labels hold."""

Weights = Floats | None
"""How often each row counts; None for once."""
