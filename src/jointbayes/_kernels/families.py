"""Contingency tables of many small families of columns, by definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import FLOATS, INT64, ONE_COLUMN, each, maybe, takes
from jointbayes._kernels.counting import tabulate
from jointbayes.arrays import Floats, Values

__all__ = ["count_families"]


@takes(columns=each(ONE_COLUMN), cards=INT64, weights=maybe(FLOATS))
def count_families(
    columns: Sequence[Values],
    cards: NDArray[np.int64],
    families: Sequence[Sequence[int]],
    weights: Floats | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> list[Floats]:
    """Return the table of each family of columns, flat, the last member running fastest."""
    nothing = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
    return [
        tabulate(nothing, [columns[v] for v in f], [cards[v] for v in f], 1, weights).ravel()
        for f in families
    ]
