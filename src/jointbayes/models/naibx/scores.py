r"""The scores of labels and sizes (Mossina & Rachelson 2017, Eq. 9), of what was counted.

As in the paper, or with `Belief`: how far features and labels are believed where they count the
same evidence many times,

(1)  log P(y) + t Σ_i log p(x_i | y) + log P(M = m | y) + u Σ_{y' picked} log P(y' | y),
(2)  log P(M = m | x) = log P(m) + t_M Σ_i log p(x_i | m) + constant,

the densities smoothed by κ average rows (`jointbayes.models.naibx.smoothing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.checks import check_that
from jointbayes.inference.logs import log_normalize
from jointbayes.models.naibx import densities
from jointbayes.models.naibx.columns import Columns
from jointbayes.models.naibx.densities import Linear, Normal
from jointbayes.models.naibx.moments import Moments, Sums
from jointbayes.models.naibx.sizes import SizeModel
from jointbayes.models.naibx.smoothing import add_average_rows, add_to_cells
from jointbayes.models.naibx.tables import Tables

__all__ = ["Belief", "NaiBXScores"]


@dataclass(frozen=True)
class Belief:
    """How far what was counted is believed; these defaults are the paper's.

    Parameters
    ----------
    features, sizes
        t and t_M of (1) and (2).
    labels
        u of (1).
    average_rows
        κ; 0 for the paper's smoothing.
    """

    features: float = 1.0
    sizes: float = 1.0
    labels: float = 1.0
    average_rows: float = 0.0

    def _check_stored(self) -> None:
        legal = all(0 < t < np.inf for t in (self.features, self.sizes))
        sound = legal and all(0 <= x < np.inf for x in (self.labels, self.average_rows))
        check_that(sound, "a belief is not a number from 0 on")


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
    belief
        How far that is believed; then sizes never seen share the vote of one row. None as in the
        paper, and no vote.

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
    belief: Belief | None = None

    def check_labels(self, q: int, p: int, sizes: SizeModel | None) -> None:
        """Refuse what came from a file unless it is of q labels and p columns."""
        t = self.tables
        check_that(len(t.n_y) == q and len(self.columns.names) == p, "tables are of other labels")
        check_that(0 < self.smoothing < np.inf, "smoothing is not a number above 0")
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
    def believed(self) -> Belief:
        """How far what was counted is believed."""
        return Belief() if self.belief is None else self.belief

    @cached_property
    def by_size(self) -> Floats:
        """(q + 1, q) log P(M = m | y)."""
        n = self.tables.n_ym + self.smoothing
        return np.log(n / (self.tables.n_y + self.smoothing * self.n_sizes)[:, None]).T

    @cached_property
    def together(self) -> Floats:
        """(q, q) u log P(y' | y), y' first; no label comes twice (Eq. 11)."""
        t, q = self.tables, len(self.tables.n_y)
        p = (t.n_yy + self.smoothing) / (t.n_y + self.smoothing * max(q - 1, 1))[:, None]
        log_p: Floats = self.believed.labels * np.log(p)
        np.fill_diagonal(log_p, -np.inf)
        return log_p.T

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
        kind, rows = self.columns.widths[i][0], self.believed.average_rows
        every = self.tables.by_size[i].pooled()
        if isinstance(groups, Moments) and isinstance(every, Moments):
            joined = add_average_rows(groups, every, rows) if rows else groups
            assert isinstance(joined, Moments)
            return densities.normal(joined, every)
        assert isinstance(groups, Sums)
        assert isinstance(every, Sums)
        values = self.columns.values_of_one
        smoothed = add_to_cells(every if rows else groups, kind, self.smoothing, values)
        if rows:
            joined = add_average_rows(groups, smoothed, rows)
            assert isinstance(joined, Sums)
            smoothed = joined
        if kind == "indicators":
            return densities.indicators(smoothed, values)
        return {
            "bernoulli": densities.bernoulli,
            "multinomial": densities.multinomial,
            "poisson": densities.poisson,
        }[kind](smoothed)

    @cached_property
    def _prior(self) -> Floats:
        """Log-weights of all labels, then of the sizes that were seen."""
        t = self.tables
        return np.log(np.concatenate([t.n_y, t.n_m[self.sizes_seen]]) + self.smoothing)

    def evidence(self, X: Any) -> Floats:
        """Return (n, q + s) log p(x | group) of rows in all labels, then in the s sizes seen."""
        found, start = np.zeros((X.shape[0], len(self._prior))), 0
        for block in self.columns.blocks(X):
            part = found[start : start + block.indicators.shape[0]]
            for density, (_, x) in zip(self.densities, block.parts, strict=True):
                if x.shape[1]:
                    part += density.log_density(x)
            start += len(part)
        return found

    def score(self, evidence: Floats) -> tuple[Floats, Floats]:
        """Return (n, q) log P(y) p(x | y)^t, and the (n, q + 1) log P(M = m | x) of (2)."""
        t, q = self.tables, len(self.tables.n_y)
        base = self._prior[:q] + self.believed.features * evidence[:, :q]
        of_sizes = self._prior[q:] + self.believed.sizes * evidence[:, q:]
        sizes = np.full((len(evidence), q + 1), -np.inf)  # a size never seen gets no vote
        sizes[:, self.sizes_seen] = log_normalize(of_sizes)
        if self.belief is not None:
            n = t.n_m.sum()
            sizes = np.logaddexp(sizes + np.log(n / (n + 1)), -np.log((n + 1) * (q + 1)))
        return base, sizes


def _arrays(part: Moments | Sums) -> tuple[Floats, ...]:
    return (part.n, part.mean, part.m2) if isinstance(part, Moments) else (part.n, part.x)
