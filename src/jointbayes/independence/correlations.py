r"""Numbers uncut: a label against columns by their partial correlations (Fisher 1924).

With r the correlation of what linear regression on k columns leaves of two others, of n rows,

(1)  z = √(n − k − 3) · artanh r   is standard normal if they are independent given the k.

A nominal variable is the indicators of its values, a number with missing cells the number and an
indicator of these. Several columns are independent of several others if each of the first is of
each of the others, given those of both that come before it; so

(2)  Σ z²   is χ² with as many degrees of freedom as there are pairs of columns,

pairs left out of which one follows from what is given. It is right where numbers are jointly
normal, and for many rows; of dependence it sees what is linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Ints
from jointbayes.independence.parametric import chi_square_tail
from jointbayes.independence.procedure import Procedure
from jointbayes.independence.result import Tests

__all__ = ["LinearHypotheses", "Numbers"]

ROUNDING = 1e-10
"""Share of a column's length below which what regression leaves of it is rounding only."""


@dataclass(frozen=True, eq=False)
class LinearHypotheses:
    """That the target is independent of each variable, given other columns: one for each variable.

    Parameters
    ----------
    columns
        (n, m) numbers, those of one variable side by side.
    widths
        How many of them each variable has.
    target
        (n, b) numbers.
    given
        (n, k) numbers.
    """

    columns: Floats
    widths: Ints
    target: Floats
    given: Floats

    def tests(self) -> Tests:
        """Test every variable (2); the statistic is the sum of squares.

        Two noisy readings of one number are dependent, but not once the number is known:

        >>> rng = np.random.default_rng(0)
        >>> truth = rng.normal(size=(500, 1))
        >>> x, y = truth + rng.normal(size=(2, 500, 1))
        >>> one, none = np.ones(1, dtype=int), np.empty((500, 0))
        >>> [LinearHypotheses(x, one, y, z).tests()[0].p_value < 0.001 for z in (none, truth)]
        [True, False]
        """
        squares, dof = np.zeros((2, len(self.widths)))
        starts = np.concatenate([[0], np.cumsum(self.widths)])
        for b in range(self.target.shape[1]):
            known = np.column_stack([self.given, self.target[:, :b]])
            goal = self.target[:, [b]]
            some = np.flatnonzero(self.widths > 0)
            z, could = _fisher(known, self.columns[:, starts[some]], goal)
            squares[some] += z**2
            dof[some] += could
            for v in np.flatnonzero(self.widths > 1):
                for at in range(starts[v] + 1, starts[v + 1]):
                    before = np.column_stack([known, self.columns[:, starts[v] : at]])
                    z, could = _fisher(before, self.columns[:, [at]], goal)
                    squares[v] += z[0] ** 2
                    dof[v] += could[0]
        basis = np.full(len(dof), "normal", dtype="<U12")
        p = chi_square_tail(dof, squares)
        return Tests("fisher_z", squares, dof, p, basis, np.zeros(len(dof), dtype=np.int64))

    def could_reject(self, how: Procedure, tests: Tests) -> bool:
        """Return whether the first test could be significant at all."""
        del how  # a perfect correlation is, at every level
        return bool(tests.dof[0] > 0)


def _fisher(known: Floats, columns: Floats, goal: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return z (1) of every column and the goal, and where there was anything to correlate."""
    base = np.column_stack([np.ones(len(goal)), known])
    u, s, _ = np.linalg.svd(base / _lengths(base), full_matrices=False)
    basis = u[:, s > ROUNDING * s[0]]
    spare = len(goal) - basis.shape[1] - 2
    left, aim = _left(basis, columns), _left(basis, goal)[:, 0]
    size = np.linalg.norm(left, axis=0) * np.linalg.norm(aim)
    could = (size > 0) & (spare > 0)
    r = np.divide(aim @ left, size, out=np.zeros(len(size)), where=could)
    # A perfect correlation has no finite z; the largest below 1 stands for it.
    z = np.sqrt(max(spare, 0)) * np.arctanh(np.clip(r, -1 + 2**-52, 1 - 2**-52))
    return z, could


def _lengths(columns: Floats) -> Floats:
    """Return the lengths of columns, 1 for a column of zeros."""
    lengths = np.linalg.norm(columns, axis=0)
    return np.where(lengths > 0, lengths, 1.0)


def _left(basis: Floats, columns: Floats) -> Floats:
    """Return what regression leaves of columns; zero where that is rounding only."""
    rest = columns - basis @ (basis.T @ columns)
    rest = rest - basis @ (basis.T @ rest)  # once more: the first pass leaves its own rounding
    kept = np.linalg.norm(rest, axis=0) > ROUNDING * np.linalg.norm(columns, axis=0)
    return np.asarray(np.where(kept, rest, 0.0))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Rows whose features and labels are numbers, one column or several for each.

    Parameters
    ----------
    features, owners
        (n, m) numbers, and which feature each column is of.
    targets, labels
        (n, b) numbers, and which label each column is of.
    n_features, n_targets
        How many features and labels there are; one without a column never varies.
    """

    features: Floats
    owners: Ints
    targets: Floats
    labels: Ints
    n_features: int
    n_targets: int

    def __len__(self) -> int:
        return len(self.targets)

    def of_features(self, which: Sequence[int]) -> tuple[Floats, Ints]:
        """Return the columns of some features, side by side, and how many each has."""
        return _chosen(self.features, self.owners, which)

    def of_labels(self, which: Sequence[int]) -> tuple[Floats, Ints]:
        """Return the columns of some labels, side by side, and how many each has."""
        return _chosen(self.targets, self.labels, which)


def _chosen(columns: Floats, owners: Ints, which: Sequence[int]) -> tuple[Floats, Ints]:
    order = np.argsort(owners, kind="stable")
    first, last = (np.searchsorted(owners[order], which, side) for side in ("left", "right"))
    places = [order[a:b] for a, b in zip(first, last, strict=True)]
    at = np.concatenate([np.empty(0, dtype=np.intp), *places])
    return columns[:, at], np.asarray(last - first, dtype=np.int64)
