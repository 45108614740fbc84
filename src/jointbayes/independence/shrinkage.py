r"""A test for small samples: the information of frequencies that are shrunk towards equal ones.

Of K cells with shares p̂ among n rows (Hausser & Strimmer 2009)

(1)  p = λ / K + (1 − λ) p̂,   λ = (1 − Σ p̂²) / ((n − 1) Σ (1/K − p̂)²)   within [0, 1],

has the least expected squared error. The cells are all value pairs of x and y in every stratum that
occurs, and the statistic is 2n times the information (in natural units) that p holds of x and y
given the strata,

(2)  G² = 2n Σ p log (p_xyz p_z / (p_xz p_yz)),   with S (k_x − 1)(k_y − 1) degrees of freedom.

Where cells are many and rows few, little is believed, so it rejects less often than its level says.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jointbayes.arrays import Floats, Ints
from jointbayes.errors import CostError
from jointbayes.independence.parametric import chi_square_tail
from jointbayes.independence.result import IndependenceTest
from jointbayes.independence.strata import Strata, as_codes, as_strata

__all__ = ["shrinkage_test", "shrunk_cells", "shrunk_test"]

MOST_CELLS = 1 << 24
"""Of one table."""


def shrinkage_test(x: ArrayLike, y: ArrayLike, z: ArrayLike | None = None) -> IndependenceTest:
    """Test x ⊥ y | z by the information (2) of shrunk frequencies (1).

    Parameters
    ----------
    x, y
        (n,) coded columns.
    z
        (n,) or (n, k) coded columns to condition on; None for none.

    Examples
    --------
    Ten rows are not believed as much as a hundred that say the same:

    >>> x, y = [0, 1] * 5, [0, 1] * 4 + [1, 0]
    >>> few, many = shrinkage_test(x, y), shrinkage_test(x * 10, y * 10)
    >>> many.statistic > 10 * few.statistic, many.p_value < 1e-6
    (True, True)
    """
    a = as_codes(x, "x")
    b = as_codes(y, "y", len(a))
    return shrunk_test(a, b, as_strata(z, len(a)))


def shrunk_test(x: Ints, y: Ints, strata: Strata) -> IndependenceTest:
    """Test coded columns, whose values all occur, within strata."""
    k_x, k_y = (int(codes.max(initial=0)) + 1 for codes in (x, y))
    cells = strata.n_strata * k_x * k_y
    if cells > MOST_CELLS:
        raise CostError(
            f"a table of {k_x:,} and {k_y:,} values in {strata.n_strata:,} strata has {cells:,} "
            f"cells (limit {MOST_CELLS:,}); condition on fewer columns or take another test"
        )
    at = (strata.codes * k_x + x) * k_y + y
    counts = np.bincount(at, minlength=cells).astype(float).reshape(-1, k_x, k_y)
    p = shrunk_cells(counts)
    alone = p.sum(axis=2, keepdims=True) * p.sum(axis=1, keepdims=True)
    together = p * p.sum(axis=(1, 2), keepdims=True)
    kept = p > 0
    ratio = np.log(together[kept] / alone[kept])
    statistic = max(0.0, 2 * len(x) * float((p[kept] * ratio).sum()))
    dof = float(strata.n_strata * (k_x - 1) * (k_y - 1))
    tail = float(chi_square_tail(dof, statistic))
    return IndependenceTest(statistic, dof, tail, "shrinkage", "chi2")


def shrunk_cells(counts: Floats) -> Floats:
    """Return the shares (1) of the cells of a table.

    >>> shrunk_cells(np.array([3.0, 1.0])).round(3).tolist()
    [0.5, 0.5]
    >>> shrunk_cells(np.array([300.0, 100.0])).round(3).tolist()
    [0.748, 0.252]
    """
    n = counts.sum()
    share, equal = counts / n, 1 / counts.size
    apart = (n - 1) * ((equal - share) ** 2).sum()
    weight = 1.0 if apart <= 0 else min(1.0, float((1 - (share**2).sum()) / apart))
    return np.asarray(weight * equal + (1 - weight) * share)
