"""The distinct values of a numeric column and the weight of each class at each, by definition.

A histogram lists the distinct values of a column in increasing order; value i has the entries
``indptr[i]:indptr[i + 1]`` of ``classes`` (increasing) and ``counts`` (their weights, positive).
"""

from __future__ import annotations

import numpy as np

from jointbayes._kernels.arguments import FLOATS, INT32, INT64, array, maybe, takes
from jointbayes.arrays import Floats, Values

__all__ = ["histogram"]


@takes(
    x=FLOATS,
    rows=maybe(INT32),
    target=array("uint32"),
    weights=maybe(FLOATS),
    totals=FLOATS,
    sizes=INT64,
)
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
    counts = np.bincount(inverse, w[keep], len(cells)).astype(np.float64)
    starts = np.searchsorted(cells, np.arange(len(values) + 1) * n_classes)
    return values, starts.astype(np.int64), (cells % n_classes).astype(np.int32), counts
