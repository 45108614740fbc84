"""Cutting numeric columns by definition: the MDL criterion on histograms, and digitizing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import FLOATS, INT32, INT64, ONE_COLUMN, takes
from jointbayes.arrays import Floats, Values

__all__ = ["digitize", "mdl_cuts"]

TIE = 1e-10  # bits per row below which two cuts are equally good


@takes(
    indptr=INT64,
    classes=INT32,
    counts=FLOATS,
)
def mdl_cuts(indptr: Values, classes: Values, counts: Floats, n_classes: int) -> NDArray[np.int64]:
    """Return the positions i, increasing, after whose values Fayyad & Irani (1993) cut."""
    value = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    cuts: list[int] = []
    stack = [(0, len(indptr) - 1)]
    while stack:
        start, stop = stack.pop()
        part = slice(indptr[start], indptr[stop])
        best = _best_cut(value[part] - start, classes[part], counts[part], stop - start, n_classes)
        if best is not None:
            cuts.append(start + best)
            stack += [(start, start + best + 1), (start + best + 1, stop)]
    return np.array(sorted(cuts), dtype=np.int64)


def _best_cut(
    value: Values, classes: Values, counts: Floats, size: int, n_classes: int
) -> int | None:
    """Return the cut of least class entropy, the lowest of equals, if it pays for itself."""
    if len(np.unique(classes)) < 2 or size < 2:
        return None
    each = np.zeros(size)
    inside = np.zeros(size)  # |S1| Ent(S1) + |S2| Ent(S2)
    for c in np.unique(classes):
        n = np.bincount(value[classes == c], counts[classes == c], minlength=size)
        left_c = np.cumsum(n)
        inside -= _xlogx(left_c) + _xlogx(left_c[-1] - left_c)
        each += n
    left = np.cumsum(each)
    inside += _xlogx(left) + _xlogx(left[-1] - left)
    inside, total = inside[:-1], float(left[-1])
    best = int(np.argmax(inside <= inside.min() + TIE * total))
    sides = (value >= 0, value <= best, value > best)
    whole, lower, upper = (_sums(classes[side], counts[side], n_classes) for side in sides)
    return best if _pays(whole, lower, upper) else None


def _pays(whole: Floats, lower: Floats, upper: Floats) -> bool:
    """Return whether N · Gain exceeds the cost of the cut, log2(N − 1) + Δ.

    Δ = log2(3^k − 2) − [k Ent(S) − k1 Ent(S1) − k2 Ent(S2)], k the classes present.
    """
    (n, k, h), (n1, k1, h1), (n2, k2, h2) = map(_entropy, (whole, lower, upper))
    gain = n * h - n1 * h1 - n2 * h2
    delta = k * np.log2(3) + np.log1p(-2 * 3.0**-k) / np.log(2) - (k * h - k1 * h1 - k2 * h2)
    return bool(gain > np.log2(max(n - 1, 1)) + delta)


def _entropy(n_c: Floats) -> tuple[float, int, float]:
    n = float(n_c.sum())
    return n, int((n_c > 0).sum()), float((_xlogx(n) - _xlogx(n_c).sum()) / n)


def _sums(index: Values, weights: Floats, size: int) -> Floats:
    return np.bincount(index, weights, minlength=size).astype(np.float64)


def _xlogx(n: Any) -> Any:
    return n * np.log2(np.where(n > 0, n, 1))


@takes(
    x=FLOATS,
    cuts=FLOATS,
    out=ONE_COLUMN,
)
def digitize(x: Floats, cuts: Floats, missing: int, out: Values) -> None:
    """Write how many cuts lie below each number, ``missing`` for NaN: the intervals are (a, b]."""
    out[:] = np.where(np.isnan(x), missing, np.searchsorted(cuts, x))
