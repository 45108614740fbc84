"""Class-conditional counts of coded columns, by definition.

All values of all features stand in one row, feature i from ``offsets[i]`` on. The code equal to a
feature's number of values means *not observed* and is counted nowhere. Features come dense and
column-major, or sparse (`SparseCodes`), and give the same counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import CODED, FLOATS, INT64, ONE_COLUMN, maybe, takes
from jointbayes.arrays import Floats, Values

__all__ = ["Sparse", "column_of", "count_pairs", "count_singles", "tabulate"]


class Sparse(Protocol):
    """What the kernels read of a sparse matrix of codes."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def codes(self) -> Values: ...
    @property
    def rows(self) -> NDArray[np.int32]: ...
    @property
    def indptr(self) -> NDArray[np.int64]: ...
    @property
    def default(self) -> Values: ...
    def column(self, j: int, /) -> Values: ...


@takes(
    features=CODED,
    target=ONE_COLUMN,
    offsets=INT64,
    weights=maybe(FLOATS),
)
def count_singles(
    features: Values | Sparse,
    target: Values,
    offsets: NDArray[np.int64],
    n_classes: int,
    weights: Floats | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[Floats, Floats]:
    """Return n[c], the rows of class c, and n[c, offsets[i] + v], those where feature i is v."""
    out = np.empty((n_classes, offsets[-1]))
    base = target.astype(np.int64)
    for i, (start, stop) in enumerate(pairwise(offsets)):
        cells = tabulate(base, (column_of(features, i),), (stop - start,), n_classes, weights)
        out[:, start:stop] = cells
    return tabulate(base, (), (), n_classes, weights), out


@takes(
    features=CODED,
    target=ONE_COLUMN,
    offsets=INT64,
    weights=maybe(FLOATS),
)
def count_pairs(
    features: Values | Sparse,
    target: Values,
    offsets: NDArray[np.int64],
    n_classes: int,
    weights: Floats | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
    design: str,  # noqa: ARG001  the compiled kernel's: "auto", "bits", "groups" or "plain"
) -> tuple[Floats, Floats]:
    """Return n[c] and n[c, offsets[i] + v, offsets[j] + w] for every pair of features, and i = j.

    The blocks on the diagonal hold the counts of single features on their own diagonal.
    """
    out = np.zeros((n_classes, offsets[-1], offsets[-1]))
    base = target.astype(np.int64)
    cards = np.diff(offsets)
    for i in range(len(cards)):
        left = slice(offsets[i], offsets[i + 1])
        a = column_of(features, i)
        for j in range(i, len(cards)):
            right = slice(offsets[j], offsets[j + 1])
            pair = (a, column_of(features, j))
            block = tabulate(base, pair, (cards[i], cards[j]), n_classes, weights)
            out[:, left, right] = block
            out[:, right, left] = block.transpose(0, 2, 1)
    return tabulate(base, (), (), n_classes, weights), out


def tabulate(
    base: NDArray[np.int64],
    columns: Sequence[Values],
    cards: Sequence[int],
    n_classes: int,
    weights: Floats | None,
) -> Floats:
    """Return the (n_classes, *cards) table of a class and some columns."""
    shape = (n_classes, *(int(k) + 1 for k in cards))  # one cell more: not observed
    joint = base
    for column, width in zip(columns, shape[1:], strict=True):
        joint = joint * width + column
    cells = np.bincount(joint, weights, minlength=prod(shape)).reshape(shape)
    return cells[(slice(None), *(slice(-1) for _ in cards))].astype(np.float64)


def column_of(features: Values | Sparse, i: int) -> Values:
    """Return the codes of one feature."""
    return features[:, i] if isinstance(features, np.ndarray) else features.column(i)
