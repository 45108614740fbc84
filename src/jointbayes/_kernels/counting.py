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

from jointbayes.arrays import Floats, Values

__all__ = ["count_families", "count_pairs", "count_singles", "pair_information", "to_columns"]


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


def to_columns(
    rows: NDArray[np.uint8],
    columns: NDArray[np.uint8],
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.uint8]:
    """Copy a row-major matrix into a column-major one and return the largest of each column."""
    columns[:] = rows
    return np.asarray(columns.max(axis=0, initial=0))


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
        cells = _tabulate(base, (_column(features, i),), (stop - start,), n_classes, weights)
        out[:, start:stop] = cells
    return _tabulate(base, (), (), n_classes, weights), out


def count_pairs(
    features: Values | Sparse,
    target: Values,
    offsets: NDArray[np.int64],
    n_classes: int,
    weights: Floats | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
    design: str = "auto",  # noqa: ARG001  the compiled kernel's: "bits", "groups" or "plain"
) -> tuple[Floats, Floats]:
    """Return n[c] and n[c, offsets[i] + v, offsets[j] + w] for every pair of features, and i = j.

    The blocks on the diagonal hold the counts of single features on their own diagonal.
    """
    out = np.zeros((n_classes, offsets[-1], offsets[-1]))
    base = target.astype(np.int64)
    cards = np.diff(offsets)
    for i in range(len(cards)):
        left = slice(offsets[i], offsets[i + 1])
        a = _column(features, i)
        for j in range(i, len(cards)):
            right = slice(offsets[j], offsets[j + 1])
            pair = (a, _column(features, j))
            block = _tabulate(base, pair, (cards[i], cards[j]), n_classes, weights)
            out[:, left, right] = block
            out[:, right, left] = block.transpose(0, 2, 1)
    return _tabulate(base, (), (), n_classes, weights), out


def pair_information(
    features: Values | Sparse,
    target: Values,
    offsets: NDArray[np.int64],
    n_classes: int,
    weights: Floats | None,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return I(X_i; X_j | C) in bits for every pair of features; zero on the diagonal.

    The frequencies are those of the rows in which both features were observed; 0 log 0 = 0.
    """
    cards = np.diff(offsets)
    out = np.zeros((len(cards), len(cards)))
    base = target.astype(np.int64)
    for i in range(len(cards)):
        a = _column(features, i)
        for j in range(i + 1, len(cards)):
            pair = (a, _column(features, j))
            n = _tabulate(base, pair, (cards[i], cards[j]), n_classes, weights)
            out[i, j] = out[j, i] = _information(n)
    return out


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
        _tabulate(nothing, [columns[v] for v in f], [cards[v] for v in f], 1, weights).ravel()
        for f in families
    ]


def _tabulate(
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


def _column(features: Values | Sparse, i: int) -> Values:
    return features[:, i] if isinstance(features, np.ndarray) else features.column(i)


def _information(n: Floats) -> float:
    """Return Σ p(c, a, b) log2 [p(c, a, b) p(c) / (p(c, a) p(c, b))] of a table of counts."""
    given = n.sum(axis=(1, 2), keepdims=True)
    product = n.sum(axis=1, keepdims=True) * n.sum(axis=2, keepdims=True)
    ratio = np.divide(n * given, product, out=np.ones_like(n), where=n > 0)
    return max(0.0, float((n * np.log2(ratio)).sum() / max(n.sum(), np.finfo(float).tiny)))
