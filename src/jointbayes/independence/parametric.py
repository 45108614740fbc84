r"""Tests against the distributions that hold for large samples: G², Pearson's X², Fisher's z.

In the stratum z let a value pair occur n_xyz times, and e_xyz = n_xz n_yz / n_z be its share if x
and y are independent:

(1)  G² = 2 Σ n_xyz log (n_xyz / e_xyz)
(2)  X² = Σ (n_xyz − e_xyz)² / e_xyz = Σ n_xyz² / e_xyz − n
(3)  degrees of freedom = Σ_z (k_xz − 1) (k_yz − 1)

where k_xz counts the values of x that occur in stratum z: cells that are empty because a whole row
or column is empty cannot vary. Both sums need the cells that occur only, so no table is built and
columns may have as many values as rows. For numbers, with r the correlation of what linear
regression on k columns z leaves of x and y (Fisher 1924):

(4)  z = √(n − k − 3) · artanh r   is standard normal under independence.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr

from jointbayes.arrays import Floats, Ints
from jointbayes.errors import DataError, ParameterError
from jointbayes.independence.result import IndependenceTest
from jointbayes.independence.strata import Strata, as_codes, as_strata

__all__ = [
    "cell_test",
    "chi2_test",
    "chi_square_tail",
    "columns_of_counts",
    "fisher_z_test",
    "g2_test",
]


def g2_test(x: ArrayLike, y: ArrayLike, z: ArrayLike | None = None) -> IndependenceTest:
    """Test x ⊥ y | z by the likelihood ratio (1), with the degrees of freedom (3).

    Parameters
    ----------
    x, y
        (n,) coded columns.
    z
        (n,) or (n, k) coded columns to condition on; None for none.

    Examples
    --------
    G² is 2 n times the information in natural units; here x and y are copies, so all of one bit:

    >>> x = [0, 1] * 50
    >>> test = g2_test(x, x)
    >>> round(test.statistic / (2 * 100 * float(np.log(2))), 12), test.dof, test.p_value < 1e-30
    (1.0, 1.0, True)

    Nothing is left once a third copy is known:

    >>> g2_test(x, x, z=x).p_value
    1.0
    """
    return _on_columns("g2", x, y, z)


def chi2_test(x: ArrayLike, y: ArrayLike, z: ArrayLike | None = None) -> IndependenceTest:
    """Test x ⊥ y | z by Pearson's X² (2), with the degrees of freedom (3).

    >>> round(chi2_test([0, 0, 1, 1] * 10, [0, 1, 1, 1] * 10).statistic, 6)
    13.333333
    """
    return _on_columns("chi2", x, y, z)


def _on_columns(method: Literal["g2", "chi2"], x: Any, y: Any, z: Any) -> IndependenceTest:
    a = as_codes(x, "x")
    b = as_codes(y, "y", len(a))
    return cell_test(method, a, b, as_strata(z, len(a)), np.ones(len(a)))


def cell_test(
    method: Literal["g2", "chi2"], x: Ints, y: Ints, strata: Strata, weights: Floats
) -> IndependenceTest:
    """Test coded columns whose rows count ``weights`` times."""
    xz, yz = strata.split(x), strata.split(y)
    xyz = xz.split(y)
    cell, row, column, whole = (
        np.bincount(s.codes, weights)[s.codes] for s in (xyz, xz, yz, strata)
    )
    ratio = cell * whole / (row * column)
    terms = 2 * np.log(ratio) if method == "g2" else ratio - 1
    statistic = max(0.0, float((weights * terms).sum()))
    k_x, k_y = (_values_in_strata(s, strata) for s in (xz, yz))
    dof = float(((k_x - 1) * (k_y - 1)).sum())
    return IndependenceTest(statistic, dof, float(chi_square_tail(dof, statistic)), method, "chi2")


def _values_in_strata(finer: Strata, strata: Strata) -> Ints:
    """Return how many parts of a finer partition each stratum has."""
    home = np.zeros(finer.n_strata, dtype=np.int64)
    home[finer.codes] = strata.codes
    return np.bincount(home, minlength=strata.n_strata)


def chi_square_tail(dof: Any, statistic: Any) -> Floats:
    """Return P(χ² ≥ statistic); with no degrees of freedom nothing can be found, so 1.

    >>> chi_square_tail([1, 0], [3.841458820694124, 0]).round(12).tolist()
    [0.05, 1.0]
    """
    d = np.asarray(dof, dtype=float)
    safe = np.where(d > 0, d, 1.0)
    return np.where(d > 0, chdtrc(safe, np.maximum(statistic, 0.0)), 1.0)


def columns_of_counts(counts: ArrayLike) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the cells that occur in a contingency table as codes of x, y, strata, and counts.

    Parameters
    ----------
    counts
        (…, k_x, k_y) whole numbers; all leading axes together are the strata.

    Examples
    --------
    >>> x, y, z, n = columns_of_counts([[3, 0], [1, 2]])
    >>> x.tolist(), y.tolist(), z.tolist(), n.tolist()
    ([0, 1, 1], [0, 0, 1], [0, 0, 0], [3, 1, 2])
    """
    n = np.asarray(counts)
    if n.ndim < 2:
        raise DataError(f"counts have the shape {n.shape}; x and y are the last two axes")
    if not (np.isfinite(n) & (n >= 0) & (n == np.floor(n))).all() or not n.sum():
        raise DataError("counts have to be whole numbers, none below 0 and not all 0")
    tables = n.reshape(-1, *n.shape[-2:])
    z, x, y = (index.astype(np.int64) for index in np.nonzero(tables))
    return x, y, z, tables[z, x, y].astype(np.int64)


def fisher_z_test(x: ArrayLike, y: ArrayLike, z: ArrayLike | None = None) -> IndependenceTest:
    """Test x ⊥ y | z for numbers by their partial correlation (4).

    Right if the numbers are jointly normal: it sees linear dependence only.

    Parameters
    ----------
    x, y
        (n,) finite numbers.
    z
        (n,) or (n, k) finite numbers to condition on; None for none.

    Examples
    --------
    Two noisy readings of one number are dependent, but not once the number is known:

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=500)
    >>> x, y = truth + rng.normal(size=(2, 500))
    >>> fisher_z_test(x, y).p_value < 1e-9, fisher_z_test(x, y, truth).p_value > 0.05
    (True, True)
    """
    a, b = (_numbers(v, name) for v, name in ((x, "x"), (y, "y")))
    given = np.empty((len(a), 0)) if z is None else _numbers(z, "z").reshape(len(a), -1)
    if not len(a) == len(b) == len(given):
        raise DataError(f"x, y and z have {len(a)}, {len(b)} and {len(given)} rows; they differ")
    spare = len(a) - given.shape[1] - 3
    if spare <= 0:
        raise ParameterError(
            f"Fisher's test of {len(a)} rows given {given.shape[1]} columns has nothing left to "
            f"test with; give at least {given.shape[1] + 4} rows or condition on fewer columns"
        )
    base = np.column_stack([np.ones(len(a)), given])
    left = [_residual(base, v) for v in (a, b)]
    size = np.sqrt((left[0] @ left[0]) * (left[1] @ left[1]))
    r = float(left[0] @ left[1] / size) if size > 0 else 0.0
    # A perfect correlation has no finite z; the largest below 1 stands for it.
    statistic = float(np.sqrt(spare) * np.arctanh(np.clip(r, -1 + 2**-52, 1 - 2**-52)))
    return IndependenceTest(
        statistic, float(spare), float(2 * ndtr(-abs(statistic))), "fisher_z", "normal"
    )


def _numbers(values: Any, name: str) -> Floats:
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim not in (1, 2) or not np.isfinite(numbers).all():
        raise DataError(f"{name} has to be finite numbers in one column or a matrix")
    return numbers


def _residual(base: Floats, v: Floats) -> Floats:
    """Return what regression on ``base`` leaves of ``v``; zero where that is rounding only."""
    fit = np.linalg.lstsq(base, v, rcond=None)[0]
    left = v - base @ fit
    scale = np.abs(v).max(initial=0) or 1.0
    return np.asarray(np.where(np.abs(left) > 1e-12 * scale, left, 0.0))
