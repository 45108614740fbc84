r"""The six tables of NaiBX (Mossina & Rachelson 2017, Tables 1 and 2); those of two batches add.

N_m, N_y and N_yy' count rows of size m, rows with label y, rows with both; N_ym those of size m
among the rows with y (the paper's Algorithm 1 forgets to count them). What is known of the columns
is kept for every label and for every size. Rows without labels have size 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_counts, check_that
from jointbayes.errors import DataError
from jointbayes.models.naibx.columns import ColumnBlocks
from jointbayes.models.naibx.moments import Groups, Moments, Sums, add_up, measure

__all__ = ["Statistics", "Tables", "fading", "left_after", "tabulate"]

Statistics = tuple[Moments | Sums, ...]
"""What is known of each block of columns."""


@dataclass(frozen=True, eq=False)
class Tables:
    """Counts of q labels and of the sizes 0 … q, and what the columns are like in each.

    Parameters
    ----------
    n_y, n_m, n_yy, n_ym
        (q,), (q + 1,), (q, q) without diagonal, and (q, q + 1) weights of rows.
    by_label, by_size
        Of every block of columns, with one group for each label, and for each size.
    """

    n_y: Floats
    n_m: Floats
    n_yy: Floats
    n_ym: Floats
    by_label: Statistics
    by_size: Statistics

    def _check_stored(self) -> None:
        q = len(self.n_y)
        check_counts("n_y", self.n_y, (None,))
        check_counts("n_m", self.n_m, (q + 1,))
        check_counts("n_yy", self.n_yy, (q, q))
        check_counts("n_ym", self.n_ym, (q, q + 1))
        for a, b in zip(self.by_label, self.by_size, strict=True):
            same = type(a) is type(b) and (len(a.n), len(b.n)) == (q, q + 1)
            check_that(same and a.n.shape[1] == b.n.shape[1], "groups of labels and sizes differ")

    @property
    def n(self) -> float:
        """The weight of all rows."""
        return float(self.n_m.sum())

    def __add__(self, other: Tables) -> Tables:
        return Tables(
            self.n_y + other.n_y,
            self.n_m + other.n_m,
            self.n_yy + other.n_yy,
            self.n_ym + other.n_ym,
            tuple(a + b for a, b in zip(self.by_label, other.by_label, strict=True)),  # type: ignore[operator]  # of one kind
            tuple(a + b for a, b in zip(self.by_size, other.by_size, strict=True)),  # type: ignore[operator]
        )

    def scaled(self, factor: float) -> Tables:
        """Return the tables of the same rows with ``factor`` times their weight."""
        return Tables(
            factor * self.n_y,
            factor * self.n_m,
            factor * self.n_yy,
            factor * self.n_ym,
            tuple(part.scaled(factor) for part in self.by_label),
            tuple(part.scaled(factor) for part in self.by_size),
        )

    def check_finite(self, names: Sequence[str]) -> None:
        """Refuse numbers whose squares overflow; ``names`` are those of the Gaussian columns."""
        moments = self.by_size[0]
        assert isinstance(moments, Moments)
        wrong = ~np.isfinite(moments.m2).all(axis=0)
        if wrong.any():
            raise DataError(
                f"column {names[int(wrong.argmax())]!r} has numbers too far from those of the "
                "first batch to be squared; give it in another unit, or begin with such rows"
            )

    def moved(self, factor: Floats, shift: Floats) -> Tables:
        """Return the tables of the same rows, ``factor`` x + ``shift`` in every Gaussian column."""
        by_label, by_size = (
            tuple(p.moved(factor, shift) if isinstance(p, Moments) else p for p in parts)
            for parts in (self.by_label, self.by_size)
        )
        return replace(self, by_label=by_label, by_size=by_size)

    def grown(self, where: Labels, q: int) -> Tables:
        """Return tables of q labels, of which these are at ``where`` and the others never seen."""
        sizes = np.arange(len(self.n_m))
        n_y, n_m = np.zeros(q), np.zeros(q + 1)
        n_yy, n_ym = np.zeros((q, q)), np.zeros((q, q + 1))
        n_y[where], n_m[sizes] = self.n_y, self.n_m
        n_yy[np.ix_(where, where)], n_ym[np.ix_(where, sizes)] = self.n_yy, self.n_ym
        by_label = tuple(part.placed(where, q) for part in self.by_label)
        return Tables(
            n_y, n_m, n_yy, n_ym, by_label, tuple(s.placed(sizes, q + 1) for s in self.by_size)
        )


def tabulate(
    blocks: ColumnBlocks, members: NDArray[np.bool_], weights: Floats | None = None
) -> Tables:
    """Count some rows (their add_example): blocks of columns, and which labels each row has.

    >>> nothing = sparse.csr_array((3, 0))
    >>> rows = ColumnBlocks(np.array([[1.0], [2.0], [4.0]]), nothing, nothing, nothing)
    >>> tables = tabulate(rows, np.array([[1, 1], [1, 0], [1, 0]], dtype=bool))
    >>> tables.n_m.tolist(), tables.n_ym[0].tolist(), tables.n_yy[0].tolist()
    ([0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [0.0, 1.0])
    >>> tables.by_label[0].m2[0].round(6).tolist()
    [4.666667]
    """
    n, q = members.shape
    w = np.ones(n) if weights is None else weights
    row, label = np.nonzero(members)
    labels = sparse.csr_array((w[row], (label, row)), (q, n))
    m = members.sum(axis=1)
    sizes = sparse.csr_array((w, (m, np.arange(n))), (q + 1, n))
    unit = sparse.csr_array((np.ones(len(row)), (row, label)), (n, q))
    of_size = sparse.csr_array((np.ones(n), (np.arange(n), m)), (n, q + 1))
    n_yy = (labels @ unit).toarray()
    n_y = n_yy.diagonal().copy()
    np.fill_diagonal(n_yy, 0.0)
    n_m = np.bincount(m, w, minlength=q + 1).astype(np.float64)
    n_ym = (labels @ of_size).toarray()
    return Tables(n_y, n_m, n_yy, n_ym, _statistics(blocks, labels), _statistics(blocks, sizes))


def left_after(rows: float, half_life: float | None) -> float:
    """Return what is left of a row's weight once ``rows`` more have come; None: all of it.

    >>> left_after(20, 10), left_after(20, None)
    (0.25, 1.0)
    """
    return 1.0 if half_life is None else float(0.5 ** (rows / half_life))


def fading(weights: Floats | None, n: int, half_life: float | None) -> Floats | None:
    """Return the weights of n rows, less what they lost by those that came later.

    >>> fading(None, 3, 1).tolist()
    [0.25, 0.5, 1.0]
    """
    if half_life is None:
        return weights
    w = np.ones(n) if weights is None else weights
    later = w.sum() - np.cumsum(w)
    return np.asarray(w * 0.5 ** (later / half_life))


def _statistics(blocks: ColumnBlocks, groups: Groups) -> Statistics:
    return tuple(
        measure(X, groups) if kind == "gaussian" else add_up(X, groups) for kind, X in blocks.parts
    )
