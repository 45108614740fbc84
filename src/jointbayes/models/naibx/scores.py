r"""The scores of labels and sizes as matrix products (Mossina & Rachelson 2017, Eq. 9).

Every factor is, up to a constant, linear or quadratic in the row, so that one product serves all
labels and sizes:

    Gaussian     −(x − μ)²/2σ² − log σ      x·μ/σ² − x²·1/2σ² + constant
    Bernoulli    θ = (n + s)/(N + 2s)       x·log θ/(1 − θ) + log(1 − θ)
    multinomial  θ = (n + s)/(total + sV)   x·log θ
    categorical  θ = (n + s)/(N + sk)       x·log θ, x the indicators of k values
    Poisson      λ = (Σx + s)/(N + s)       x·log λ − λ − log x!, the last the same in all groups

with σ² = M₂/(N − 1), at least 1e-9 of the variance over all rows. A label or size that was never
seen with a column has the column's distribution over all rows. The factor of a missing cell is left
out, and so is a column that never varied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_that
from jointbayes.inference.logs import log_normalize
from jointbayes.models.naibx.columns import CELLS, Columns
from jointbayes.models.naibx.moments import Moments, Sums, split_missing
from jointbayes.models.naibx.sizes import SizeModel
from jointbayes.models.naibx.tables import Tables

__all__ = ["NaiBXScores"]


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


def bernoulli(sums: Sums, smoothing: float) -> Linear:
    """Return the log-probabilities of indicators in groups."""
    total = sums.n + 2 * smoothing
    yes, no = np.log((sums.x + smoothing) / total), np.log((sums.n - sums.x + smoothing) / total)
    return Linear((yes - no).T, no.T)


def indicators(sums: Sums, smoothing: float, values: NDArray[np.intp]) -> Linear:
    """Return those of indicators, some of which share one distribution of more than 2 values."""
    alone = bernoulli(sums, smoothing)
    shared = np.log((sums.x + smoothing) / (sums.n + smoothing * values)).T
    among = (values > 2)[:, None]
    return Linear(np.where(among, shared, alone.slope), np.where(among, 0.0, alone.constant))


def poisson(sums: Sums, smoothing: float) -> Linear:
    """Return the log-probabilities of counts in groups, without what all groups share."""
    rate = (sums.x + smoothing) / (sums.n + smoothing)
    return Linear(np.log(rate).T, -rate.T)


def multinomial(sums: Sums, smoothing: float) -> Linear:
    """Return the log-probabilities of words in groups."""
    words = sums.x.shape[1]
    total = sums.x.sum(axis=1, keepdims=True) + smoothing * words
    slope = np.log((sums.x + smoothing) / total).T
    return Linear(slope, np.zeros_like(slope))


@dataclass(frozen=True, eq=False)
class NaiBXScores:
    """Columns and tables, and the probabilities that follow from them.

    Parameters
    ----------
    columns
        The kind of every column.
    tables
        What was counted.
    smoothing
        Added to every count.
    n_sizes
        How many sizes a set may have: all from 0 to q, or one where there is one class variable.
    sharpness
        The exponent of what features say; then sizes never seen share the vote of one row. None
        for the paper's 1, and no vote.

    Examples
    --------
    Eqs. 10 and 11: 4 labels, the first on 5 rows, 2 of which have the second as well.

    >>> n_y, n_yy = np.array([5.0, 2, 0, 0]), np.zeros((4, 4))
    >>> n_yy[0, 1] = n_yy[1, 0] = 2
    >>> tables = Tables(n_y, np.zeros(5), n_yy, np.zeros((4, 5)), (), ())
    >>> np.exp(NaiBXScores(None, tables, 1.0, 5).together[:, 0]).round(6).tolist()
    [0.0, 0.375, 0.125, 0.125]
    """

    columns: Columns
    tables: Tables
    smoothing: float
    n_sizes: int
    sharpness: float | None = None

    def check_labels(self, q: int, p: int, sizes: SizeModel | None) -> None:
        """Refuse what came from a file unless it is of q labels and p columns."""
        t = self.tables
        check_that(len(t.n_y) == q and len(self.columns.names) == p, "tables are of other labels")
        for number in (self.smoothing, self.exponent):
            check_that(0 < number < np.inf, "smoothing or sharpness is not a number above 0")
        check_that(self.n_sizes in (1, q + 1), "n_sizes is not how many sizes there are")
        for part, (kind, width) in zip(t.by_label, self.columns.widths, strict=True):
            same = isinstance(part, Moments) == (kind == "gaussian") and part.n.shape[1] == width
            check_that(same, "tables are of other columns")
        flags = [s[i] for s in (t.by_label, t.by_size) for i in (1, 3)]
        sound = all(isinstance(s, Sums) and (s.x <= s.n * (1 + 1e-9)).all() for s in flags)
        check_that(sound, "an indicator is set more often than it was seen")
        if sizes is not None:
            sizes.check_sizes(q, p)

    @property
    def exponent(self) -> float:
        """What the log-densities of features are multiplied by."""
        return 1.0 if self.sharpness is None else self.sharpness

    @cached_property
    def by_size(self) -> Floats:
        """(q + 1, q) log P(M = m | y)."""
        n = self.tables.n_ym + self.smoothing
        return np.log(n / (self.tables.n_y + self.smoothing * self.n_sizes)[:, None]).T

    @cached_property
    def together(self) -> Floats:
        """(q, q) log P(y' | y), y' first; no label comes twice (Eq. 11)."""
        t, q = self.tables, len(self.tables.n_y)
        p = (t.n_yy + self.smoothing) / (t.n_y + self.smoothing * max(q - 1, 1))[:, None]
        np.fill_diagonal(p, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(p).T

    @cached_property
    def sizes_seen(self) -> NDArray[np.intp]:
        """The sizes of which there were rows."""
        return np.flatnonzero(self.tables.n_m > 0)

    @cached_property
    def densities(self) -> list[Normal | Linear]:
        """Of all labels, then of the sizes that were seen."""
        found = []
        for i, (by_label, by_size) in enumerate(
            zip(self.tables.by_label, self.tables.by_size, strict=True)
        ):
            groups = [
                np.concatenate([a, b[self.sizes_seen]])
                for a, b in zip(_arrays(by_label), _arrays(by_size), strict=True)
            ]
            found.append(self._density(i, type(by_size)(*groups)))
        return found

    @cached_property
    def overall(self) -> list[Normal | Linear]:
        """Of all rows, as one group."""
        return [self._density(i, part.pooled()) for i, part in enumerate(self.tables.by_size)]

    def _density(self, i: int, groups: Moments | Sums) -> Normal | Linear:
        """Return the densities of groups of rows in the columns of block i."""
        if isinstance(groups, Moments):
            every = self.tables.by_size[i].pooled()
            assert isinstance(every, Moments)
            return normal(groups, every)
        kind = self.columns.widths[i][0]
        if kind == "indicators":
            return indicators(groups, self.smoothing, self.columns.values_of_one)
        make = {"bernoulli": bernoulli, "multinomial": multinomial, "poisson": poisson}[kind]
        return make(groups, self.smoothing)

    @cached_property
    def _prior(self) -> Floats:
        """Log-weights of all labels, then of the sizes that were seen."""
        t = self.tables
        return np.log(np.concatenate([t.n_y, t.n_m[self.sizes_seen]]) + self.smoothing)

    def score(self, X: Any) -> tuple[Floats, Floats]:
        """Return (n, q) log P(y) p(x | y), and (n, q + 1) log P(M = m | x)."""
        t, q = self.tables, len(self.tables.n_y)
        scores, start = np.repeat(self._prior[None], X.shape[0], axis=0), 0
        for block in self.columns.blocks(X):
            part = scores[start : start + block.indicators.shape[0]]
            for density, (_, x) in zip(self.densities, block.parts, strict=True):
                if x.shape[1]:
                    part += self.exponent * density.log_density(x)
            start += len(part)
        sizes = np.full((len(scores), q + 1), -np.inf)  # a size never seen gets no vote
        sizes[:, self.sizes_seen] = log_normalize(scores[:, q:])
        if self.sharpness is not None:
            n = t.n_m.sum()
            sizes = np.logaddexp(sizes + np.log(n / (n + 1)), -np.log((n + 1) * (q + 1)))
        return scores[:, :q], sizes


def _dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


def _arrays(part: Moments | Sums) -> tuple[Floats, ...]:
    return (part.n, part.mean, part.m2) if isinstance(part, Moments) else (part.n, part.x)
