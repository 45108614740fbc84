"""Label vectors as zeros and ones: one column for two values, else one column for each value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from jointbayes.arrays import Floats, Labels

__all__ = ["blocks_of", "every_vector", "indicators_of"]


def blocks_of(cards: Sequence[int]) -> list[slice]:
    """Return the columns of each class variable.

    >>> blocks_of((2, 3))
    [slice(0, 1, None), slice(1, 4, None)]
    """
    widths = [1 if k == 2 else k for k in cards]
    ends = np.cumsum(widths).tolist()
    return [slice(end - width, end) for width, end in zip(widths, ends, strict=True)]


def indicators_of(codes: Labels, cards: Sequence[int]) -> Floats:
    """Return the (n, q) zeros and ones of (n, d) codes.

    >>> indicators_of(np.array([[1, 2], [0, 0]]), (2, 3)).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
    """
    columns = [
        codes[:, [j]] if k == 2 else codes[:, [j]] == np.arange(k) for j, k in enumerate(cards)
    ]
    return np.concatenate(columns, axis=1).astype(np.float64)


def every_vector(cards: Sequence[int]) -> Labels:
    """Return all label vectors, the first the one of codes 0.

    >>> every_vector((2, 2)).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.array(list(product(*map(range, cards))), dtype=np.intp)
