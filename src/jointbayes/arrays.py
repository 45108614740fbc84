"""The types of arrays, each under the one name it has everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Ints", "Labels", "Mask", "Rows", "Values", "Weights"]

Floats = NDArray[np.float64]
"""Numbers, probabilities and their logarithms."""

Ints = NDArray[np.int64]
"""Counts of whole things, and offsets."""

Labels = NDArray[np.intp]
"""Codes of labels, and positions of rows or columns."""

Mask = NDArray[np.bool_]
"""Which of some things."""

Rows = slice | NDArray[np.intp]
"""Which rows: a slice, or their positions."""

Values = NDArray[Any]
"""Whatever the user's columns and labels hold."""

Weights = Floats | None
"""How often each row counts; None for once."""
