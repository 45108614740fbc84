r"""What is known of columns in groups of rows, as statistics that add: Sums and Moments.

A row may be in several groups (one for each of its labels) or in one (that of its size), with a
weight. Of two sets of rows, sums add up; means and squared deviations are merged as Chan, Golub &
LeVeque (1983) do,

(1)  n = n_a + n_b,   δ = μ_b − μ_a,
     μ = μ_a + δ n_b / n,   M₂ = M₂_a + M₂_b + δ² n_a n_b / n,

which holds no difference of large squares. Within a batch deviations are taken from the group's own
mean, in a second pass. A missing cell (NaN) is left out: every cell has its own n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.checks import check_counts, check_finite

__all__ = ["Groups", "Moments", "Sums", "add_up", "measure", "split_missing"]

Groups = Any
"""(groups, n) CSR matrix with the weight of each row in each of its groups."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Weights of the rows where a column is known, and sums of its values: (groups, p) each."""

    n: Floats
    x: Floats

    def _check_stored(self) -> None:
        check_counts("n", self.n, (None, None))
        check_counts("x", self.x, self.n.shape)

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.n + other.n, self.x + other.x)

    def scaled(self, factor: float) -> Sums:
        """Return the statistics of the same rows with ``factor`` times their weight."""
        return Sums(factor * self.n, factor * self.x)

    def placed(self, where: NDArray[np.intp], groups: int) -> Sums:
        """Return a table of more groups: these ones at ``where``, the others without rows."""
        return Sums(*_placed((self.n, self.x), where, groups))

    def pooled(self) -> Sums:
        """Return one group of all, (1, p); no row may be in two of them."""
        return Sums(self.n.sum(axis=0, keepdims=True), self.x.sum(axis=0, keepdims=True))


@dataclass(frozen=True, eq=False)
class Moments:
    """Weights, means and sums of squared deviations from them: (groups, p) each.

    Examples
    --------
    Two batches of one group, far from zero; the variance of all four numbers is 5/3:

    >>> from scipy.sparse import csr_array
    >>> both = csr_array(np.ones((1, 2)))
    >>> a, b = (measure(np.array(x) + 1e9, both) for x in ([[1.0], [2.0]], [[3.0], [4.0]]))
    >>> ((a + b).m2 / 3).round(12).tolist()
    [[1.666666666667]]
    """

    n: Floats
    mean: Floats
    m2: Floats

    def _check_stored(self) -> None:
        check_counts("n", self.n, (None, None))
        check_counts("m2", self.m2, self.n.shape)
        check_finite("mean", self.mean, self.n.shape)

    def __add__(self, other: Moments) -> Moments:
        n, delta = self.n + other.n, other.mean - self.mean
        share = np.divide(other.n, n, out=np.zeros_like(n), where=n > 0)
        m2 = self.m2 + other.m2 + delta**2 * self.n * share
        return Moments(n, self.mean + delta * share, m2)  # (1)

    def scaled(self, factor: float) -> Moments:
        """Return the statistics of the same rows with ``factor`` times their weight."""
        return Moments(factor * self.n, self.mean, factor * self.m2)

    def placed(self, where: NDArray[np.intp], groups: int) -> Moments:
        """Return a table of more groups: these ones at ``where``, the others without rows."""
        return Moments(*_placed((self.n, self.mean, self.m2), where, groups))

    def pooled(self) -> Moments:
        """Return one group of all, (1, p); no row may be in two of them."""
        n = self.n.sum(axis=0)
        mean = (self.n * self.mean).sum(axis=0) / np.maximum(n, np.finfo(float).tiny)
        m2 = (self.m2 + self.n * (self.mean - mean) ** 2).sum(axis=0)
        return Moments(n[None], mean[None], m2[None])

    def moved(self, factor: Floats, shift: Floats) -> Moments:
        """Return the moments of ``factor`` x + ``shift``."""
        return Moments(self.n, factor * self.mean + shift, factor**2 * self.m2)


def add_up(X: Any, groups: Groups) -> Sums:
    """Return the sums of columns, dense or CSR, in every group.

    >>> from scipy.sparse import csr_array
    >>> sums = add_up(np.array([[1.0, 0.0], [np.nan, 1.0]]), csr_array([[1, 1], [0, 2]]))
    >>> sums.n.tolist(), sums.x.tolist()
    ([[1.0, 2.0], [0.0, 2.0]], [[1.0, 1.0], [0.0, 2.0]])
    """
    n = np.repeat(np.asarray(groups.sum(axis=1), dtype=np.float64)[:, None], X.shape[1], axis=1)
    missing, X = split_missing(X)
    if missing is not None:
        n -= _dense(groups @ missing)
    return Sums(n, _dense(groups @ X))


def measure(X: Any, groups: Groups) -> Moments:
    """Return the moments of columns, dense or CSR, in every group."""
    missing, X = split_missing(X)
    n, mean, m2 = np.zeros((3, groups.shape[0], X.shape[1]))
    one = _measure_sparse if hasattr(X, "tocsr") else _measure_dense
    for g in np.flatnonzero(np.diff(groups.indptr)):
        part = slice(groups.indptr[g], groups.indptr[g + 1])
        rows, w = groups.indices[part], groups.data[part].astype(np.float64)
        gaps = None if missing is None else missing[rows]
        n[g] = w.sum() - (0.0 if gaps is None else w @ gaps)
        mean[g], m2[g] = one(X[rows], gaps, w, n[g])
    return Moments(n, mean, m2)


def _measure_dense(X: Floats, gaps: Floats | None, w: Floats, n: Floats) -> tuple[Floats, Floats]:
    mean = _divided(w @ X, n)
    X -= mean  # the rows were copied
    if gaps is not None:
        X *= 1 - gaps
    X *= X
    return mean, w @ X


def _measure_sparse(X: Any, gaps: Any, w: Floats, n: Floats) -> tuple[Floats, Floats]:
    del gaps  # are not among the entries, and not in n
    mean, stored = _divided(w @ X, n), w @ _pattern(X)
    X.data -= mean[X.indices]
    X.data *= X.data
    return mean, w @ X + np.maximum(n - stored, 0.0) * mean**2


def split_missing(X: Any) -> tuple[Any, Any]:
    """Return where cells are missing, as 0 and 1 (None if nowhere), and X with 0 in their place.

    >>> split_missing(np.array([[1.0, np.nan]]))[0].tolist(), split_missing(np.eye(2))[0]
    ([[0.0, 1.0]], None)
    """
    missing = np.isnan(X.data if hasattr(X, "tocsr") else X)
    if not missing.any():
        return None, X
    if not hasattr(X, "tocsr"):
        return missing.astype(np.float64), np.where(missing, 0.0, X)
    gaps, rest = X.copy(), X.copy()
    gaps.data, rest.data = missing * 1.0, np.where(missing, 0.0, X.data)
    gaps.eliminate_zeros()
    rest.eliminate_zeros()
    return gaps, rest


def _pattern(X: Any) -> Any:
    ones = X.copy()
    ones.data = np.ones_like(ones.data)
    return ones


def _divided(sums: Floats, n: Floats) -> Floats:
    return np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product, np.float64)


def _placed(tables: tuple[Floats, ...], where: NDArray[np.intp], groups: int) -> list[Floats]:
    out = [np.zeros((groups, *table.shape[1:])) for table in tables]
    for new, table in zip(out, tables, strict=True):
        new[where] = table
    return out
