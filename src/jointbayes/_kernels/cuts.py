"""Numeric columns by definition: histograms by class, the MDL criterion on them, and digitizing.

A histogram lists the distinct values of a column in increasing order; value i has the entries
``indptr[i]:indptr[i + 1]`` of ``classes`` (increasing) and ``counts`` (their weights, positive).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Values

__all__ = ["digitize", "histogram", "mdl_cuts"]

TIE = 1e-10  # bits per row below which two cuts are equally good


def histogram(
    x: Floats,
    rows: Values | None,
    target: Values,
    weights: Floats | None,
    totals: Floats,
    sizes: Values,
) -> tuple[Floats, Values, Values, Floats]:
    """Return ``(values, indptr, classes, counts)`` of one column; NaN and weight 0 are left out.

    ``rows`` says in which rows the entries of a sparse column are; all others hold zero. ``totals``
    are the weights of the classes over all rows and ``sizes`` their rows of positive weight.
    """
    n_classes = len(totals)
    y = (target if rows is None else target[rows]).astype(np.int64)
    w = np.ones(len(x)) if weights is None else weights if rows is None else weights[rows]
    if rows is not None:
        # The integer sizes say which classes have zeros; the difference of weights only how many.
        absent = sizes - np.bincount(y[w > 0], minlength=n_classes) > 0
        zeros = (totals - np.bincount(y, w, minlength=n_classes))[absent]
        x = np.concatenate([x, np.zeros(len(zeros))])
        y = np.concatenate([y, np.flatnonzero(absent)])
        w = np.concatenate([w, zeros])
    keep = ~np.isnan(x) & (w > 0)
    values, row = np.unique(x[keep] + 0.0, return_inverse=True)  # −0.0 becomes 0.0
    cells, inverse = np.unique(row * n_classes + y[keep], return_inverse=True)
    counts = _sums(inverse, w[keep], len(cells))
    starts = np.searchsorted(cells, np.arange(len(values) + 1) * n_classes)
    return values, starts.astype(np.int64), (cells % n_classes).astype(np.int32), counts


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


def digitize(x: Floats, cuts: Floats, missing: int, out: Values) -> None:
    """Write how many cuts lie below each number, ``missing`` for NaN: the intervals are (a, b]."""
    out[:] = np.where(np.isnan(x), missing, np.searchsorted(cuts, x))
