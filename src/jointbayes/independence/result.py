"""What a test of independence found, for one pair of variables or for many against one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats

__all__ = ["IndependenceTest", "Tests"]


@dataclass(frozen=True)
class IndependenceTest:
    """One test of whether two variables are independent given others.

    Parameters
    ----------
    statistic
        G², X² or, for Fisher's test, z.
    dof
        Degrees of freedom of the χ² it was compared with; a fraction where they were estimated.
    p_value
        How probable a statistic at least as large is if the variables are independent.
    method
        The test.
    basis
        What the p-value rests on: ``"chi2"``, ``"normal"``, the share of ``"permutations"``, or
        the probability of the observed ``"table"`` among all permuted ones.
    n_permutations
        How many were drawn.

    Examples
    --------
    >>> from jointbayes.independence import g2_test
    >>> found = g2_test([0, 0, 1, 1] * 5, [0, 0, 1, 1] * 5)
    >>> round(found.statistic, 2), found.dof, found.p_value < 1e-5, found.basis
    (27.73, 1.0, True, 'chi2')
    """

    statistic: float
    dof: float
    p_value: float
    method: str
    basis: str
    n_permutations: int = 0


@dataclass(frozen=True, eq=False)
class Tests:
    """Tests of many variables, as arrays of one shape; indexing gives one test, or some.

    >>> p, basis = np.array([0.003, 0.3]), np.array(["chi2", "table"])
    >>> two = Tests("g2", np.array([9.0, 1.0]), np.ones(2), p, basis, np.zeros(2, dtype=int))
    >>> two[0].p_value, two[0].basis, len(two)
    (0.003, 'chi2', 2)
    """

    method: str
    statistic: Floats
    dof: Floats
    p_value: Floats
    basis: NDArray[Any]
    n_permutations: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.p_value)

    def __getitem__(self, index: Any) -> IndependenceTest:
        return IndependenceTest(
            float(self.statistic[index]),
            float(self.dof[index]),
            float(self.p_value[index]),
            self.method,
            str(self.basis[index]),
            int(self.n_permutations[index]),
        )
