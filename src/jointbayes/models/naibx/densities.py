r"""The log-densities of columns in groups of rows, as matrix products.

Every factor is, up to a constant, linear or quadratic in the row, so that one product serves all
groups, which are labels and sizes:

    Gaussian     −(x − μ)²/2σ² − log σ      x·μ/σ² − x²·1/2σ² + constant
    Bernoulli    θ = n/N                    x·log θ/(1 − θ) + log(1 − θ)
    multinomial  θ = n/total                x·log θ
    categorical  θ = n/N                    x·log θ, x the indicators of k values
    Poisson      λ = Σx/N                   x·log λ − λ − log x!, the last the same in all groups

with σ² = M₂/(N − 1), at least 1e-9 of the variance over all rows. What is added to counts, so that
no θ is 0, was added before (`jointbayes.models.naibx.smoothing`). A group that was never seen with
a column of numbers has the column's distribution over all rows. The factor of a missing cell is
left out, and so is a column that never varied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.models.naibx.columns import CELLS
from jointbayes.models.naibx.moments import Moments, Sums, split_missing

__all__ = ["Linear", "Normal", "bernoulli", "indicators", "multinomial", "normal", "poisson"]

FLOOR = 1e-9
"""Least variance of a column within a label, as a share of its variance over all rows."""

FAR = 1e7
"""Squared distance from the origin, in variances, beyond which x² and μ² would cancel."""

KEPT = 1 << 21
"""Means up to which what follows from them is kept for the next rows."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Log-densities of g groups that are linear in the row: (p, g) slopes and constants."""

    slope: Floats
    constant: Floats

    def log_density(self, X: Any) -> Floats:
        """Return (n, g) log-densities of rows, dense or CSR, without their missing cells."""
        gaps, X = split_missing(X)
        out = X @ self.slope + self.constant.sum(axis=0)
        return np.asarray(out if gaps is None else out - gaps @ self.constant)

    def cells(self, X: Floats, group: int) -> Floats:
        """Return (n, p) what each cell adds in a group; NaN where it is missing."""
        return np.asarray(X * self.slope[:, group] + self.constant[:, group])


@dataclass(frozen=True, eq=False)
class Normal:
    """Log-densities of g groups that are quadratic in the row: (p, g) means and precisions."""

    mean: Floats
    precision: Floats

    def log_density(self, X: Any) -> Floats:
        """Return (n, g) log-densities of rows, dense or CSR, without their missing cells."""
        gaps, X = split_missing(X)
        square = X.multiply(X).tocsr() if hasattr(X, "tocsr") else X * X
        slope, constant, far = self._kept if self.mean.size <= KEPT else self._terms()
        out = X @ slope - square @ (self.precision / 2)
        out += constant.sum(axis=0)
        if gaps is not None:
            out -= gaps @ constant
        step = max(1, CELLS // X.shape[1]) if len(far) else len(out)
        for start in range(0, len(out) if len(far) else 0, step):
            part = slice(start, start + step)
            known = None if gaps is None else 1 - _dense(gaps[part])
            out[part, far] = self._from_differences(_dense(X[part]), known, far)
        return np.asarray(out)

    def cells(self, X: Floats, group: int) -> Floats:
        """Return (n, p) what each cell adds in a group; NaN where it is missing."""
        square = (X - self.mean[:, group]) ** 2
        return np.asarray(self._log_scale[:, group] - square * self.precision[:, group] / 2)

    def _from_differences(self, X: Floats, known: Floats | None, groups: Labels) -> Floats:
        """Return the log-densities of groups far from the origin."""
        out = np.empty((len(X), len(groups)))
        for k, g in enumerate(groups):
            square, scale = (X - self.mean[:, g]) ** 2, self._log_scale[:, g]
            if known is not None:
                square *= known
            constant = scale.sum() if known is None else known @ scale
            out[:, k] = constant - square @ self.precision[:, g] / 2
        return out

    def _terms(self) -> tuple[Floats, Floats, Labels]:
        """Return slopes and constants, and the groups for which x² and μ² would cancel."""
        length = self.mean**2 * self.precision
        far = np.flatnonzero((length > FAR).any(axis=0))
        return self.mean * self.precision, self._log_scale - length / 2, far

    _kept = cached_property(_terms)

    @cached_property
    def _log_scale(self) -> Floats:
        used = self.precision > 0
        return np.log(self.precision, out=np.zeros_like(self.precision), where=used) / 2


def normal(moments: Moments, every: Moments) -> Normal:
    """Return the Gaussian densities of groups, given the moments of ``every`` row."""
    whole = _variance(every)
    seen = moments.n > 0
    variance = np.maximum(_variance(moments), FLOOR * whole)
    variance = np.where(seen, variance, whole)
    precision = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance > 0)
    return Normal(np.where(seen, moments.mean, every.mean).T, precision.T)


def _variance(moments: Moments) -> Floats:
    return np.divide(moments.m2, moments.n - 1, out=np.zeros_like(moments.m2), where=moments.n > 1)


def bernoulli(sums: Sums) -> Linear:
    """Return the log-probabilities of indicators in groups."""
    yes, no = np.log(sums.x / sums.n), np.log((sums.n - sums.x) / sums.n)
    return Linear((yes - no).T, no.T)


def indicators(sums: Sums, values: NDArray[np.intp]) -> Linear:
    """Return those of indicators, some of which share one distribution of more than 2 values."""
    shared, among = np.log(sums.x / sums.n).T, (values > 2)[:, None]
    alone = bernoulli(sums)
    return Linear(np.where(among, shared, alone.slope), np.where(among, 0.0, alone.constant))


def poisson(sums: Sums) -> Linear:
    """Return the log-probabilities of counts in groups, without what all groups share."""
    rate = sums.x / sums.n
    return Linear(np.log(rate).T, -rate.T)


def multinomial(sums: Sums) -> Linear:
    """Return the log-probabilities of words in groups."""
    slope = np.log(sums.x / sums.x.sum(axis=1, keepdims=True)).T
    return Linear(slope, np.zeros_like(slope))


def _dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)
