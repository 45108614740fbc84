"""Conditional mutual information of all pairs of features, by definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import CODED, FLOATS, INT64, ONE_COLUMN, maybe, takes
from jointbayes._kernels.counting import Sparse, column_of, tabulate
from jointbayes.arrays import Floats, Values

__all__ = ["pair_information"]


@takes(features=CODED, target=ONE_COLUMN, offsets=INT64, weights=maybe(FLOATS))
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
        a = column_of(features, i)
        for j in range(i + 1, len(cards)):
            pair = (a, column_of(features, j))
            n = tabulate(base, pair, (cards[i], cards[j]), n_classes, weights)
            out[i, j] = out[j, i] = _information(n)
    return out


def _information(n: Floats) -> float:
    """Return Σ p(c, a, b) log2 [p(c, a, b) p(c) / (p(c, a) p(c, b))] of a table of counts."""
    given = n.sum(axis=(1, 2), keepdims=True)
    product = n.sum(axis=1, keepdims=True) * n.sum(axis=2, keepdims=True)
    ratio = np.divide(n * given, product, out=np.ones_like(n), where=n > 0)
    return max(0.0, float((n * np.log2(ratio)).sum() / max(n.sum(), np.finfo(float).tiny)))
