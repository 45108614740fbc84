r"""What is added to the counts of a group of rows before its densities are taken of them.

The paper adds s to every count (Eqs. 10, 11), as if rows of evenly spread values had joined:

(1)  θ = (n + s) / (N + 2s).

A label that few rows have is far from all rows by that alone: among a thousand words, almost all of
them absent, each is as good as present in s of N + 2s rows. Rows like the average row join instead,
κ of them,

(2)  θ = (n + κ f) / (N + κ),   f = (n_all + s) / (N_all + 2s),

so that a label of few rows is like all rows where these few do not tell; means and variances of
numbers are pooled with those of κ such rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.models.naibx.moments import Moments, Sums

__all__ = ["add_average_rows", "add_to_cells"]


def add_to_cells(sums: Sums, kind: str, smoothing: float, values: NDArray[np.intp]) -> Sums:
    """Return counts with (1); ``values`` are how many each indicator's column has.

    >>> added = add_to_cells(Sums(np.array([[3.0]]), np.array([[2.0]])), "bernoulli", 1.0, None)
    >>> added.x.tolist(), added.n.tolist()
    ([[3.0]], [[5.0]])
    """
    rows = {"multinomial": 0.0, "poisson": smoothing, "bernoulli": 2 * smoothing}
    more = smoothing * np.maximum(values, 2) if kind == "indicators" else rows[kind]
    return Sums(sums.n + more, sums.x + smoothing)


def add_average_rows(
    groups: Moments | Sums, average: Moments | Sums, rows: float
) -> Moments | Sums:
    """Return groups that so many rows like the average one have joined, (2); it is one group.

    >>> groups, average = Sums(np.array([[2.0]]), np.array([[2.0]])), Sums(np.eye(1) * 8, np.eye(1))
    >>> joined = add_average_rows(groups, average, 4.0)
    >>> joined.x.tolist(), joined.n.tolist()
    ([[2.5]], [[6.0]])
    """
    n = average.n
    share: Floats = np.divide(rows, n, out=np.zeros_like(n), where=n > 0)
    if isinstance(average, Sums):
        assert isinstance(groups, Sums)
        return groups + Sums(share * n, share * average.x)
    assert isinstance(groups, Moments)
    return groups + Moments(share * n, average.mean, share * average.m2)
