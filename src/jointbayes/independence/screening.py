"""Many columns against one target at once: the form in which all searches ask."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from jointbayes import _kernels
from jointbayes.codes import CodeArray
from jointbayes.errors import CostError
from jointbayes.independence.correlations import LinearHypotheses
from jointbayes.independence.parametric import cell_test, chi_square_tail
from jointbayes.independence.procedure import Method, Procedure
from jointbayes.independence.result import Tests
from jointbayes.independence.shrinkage import shrunk_test
from jointbayes.independence.strata import Strata, as_codes
from jointbayes.information import entropy
from jointbayes.threads import n_threads

__all__ = ["Hypotheses", "confirmed", "screen"]

ENOUGH = 10  # permutations that reach the statistic settle its p-value
DOUBTFUL = (1e-7, 0.05)  # the semi-parametric p-values that more permutations can correct
MAX_CELLS = 1 << 28


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """That the target is independent of each column within the strata: one hypothesis for each.

    Parameters
    ----------
    columns
        (n, p) codes, column-major.
    target
        (n,) codes.
    strata
        What is conditioned on.
    """

    columns: CodeArray
    target: NDArray[np.uint32]
    strata: Strata

    def of(self, which: NDArray[np.int64]) -> Hypotheses:
        """Return the hypotheses of some of the columns."""
        return replace(self, columns=np.asfortranarray(self.columns[:, which]))

    def could_reject(self, how: Procedure, tests: Tests) -> bool:
        """Return whether G² of the first column could be significant at all.

        Of n rows in S strata no more than n − S can differ from another row of their stratum, and
        each is worth twice the smaller entropy on average.
        """
        spare = len(self.target) - self.strata.n_strata
        bits = min(entropy(self.columns[:, 0]), entropy(self.target))
        most = 2 * spare * bits * np.log(2)
        return bool(chi_square_tail(max(tests.dof[0], 1.0), most) <= how.alpha)


def screen(how: Procedure, hypotheses: Hypotheses | LinearHypotheses) -> Tests:
    """Test every column; tails that are in doubt are not confirmed yet.

    A copy of the target stands out among columns that have nothing to do with it:

    >>> rng = np.random.default_rng(0)
    >>> X = np.asfortranarray(rng.integers(0, 2, (200, 3), dtype=np.uint8))
    >>> hypotheses = Hypotheses(X, X[:, 1].astype(np.uint32), Strata.whole(200))
    >>> (screen(Procedure(seed=0), hypotheses).p_value < 1e-3).tolist()
    [False, True, False]
    """
    if isinstance(hypotheses, LinearHypotheses):
        return hypotheses.tests()
    if how.method in ("chi2", "shrinkage"):
        return _one_by_one(how.method, hypotheses)
    n_permutations = 0 if how.method == "g2" else how.n_permutations or 0
    g2, dof, mean, reached, drawn, log_p = _permute(how, hypotheses, n_permutations, 0)
    basis = np.full(g2.shape, "chi2", dtype="<U12")
    if how.method == "g2":
        return Tests("g2", g2, dof, chi_square_tail(dof, g2), basis, drawn.astype(np.int64))
    if how.method == "permutation":
        basis[:] = "permutations"
        share = (1 + reached) / (1 + drawn)
        return Tests("permutation", g2, dof, share, basis, drawn.astype(np.int64))
    p = chi_square_tail(mean, g2)
    if how.confirm:
        table = np.exp(log_p)
        basis[table > p] = "table"
        p = np.maximum(p, table)
    return Tests("semiparametric", g2, mean, p, basis, drawn.astype(np.int64))


def _one_by_one(method: Method, hypotheses: Hypotheses) -> Tests:
    """Test column after column, where there is no kernel for all of them."""
    target, n = as_codes(hypotheses.target, "the target"), len(hypotheses.target)
    found = []
    for column in hypotheses.columns.T:
        codes = as_codes(column, "a column")
        found.append(
            shrunk_test(codes, target, hypotheses.strata)
            if method == "shrinkage"
            else cell_test("chi2", codes, target, hypotheses.strata, np.ones(n))
        )
    statistic, dof, p = np.array([(t.statistic, t.dof, t.p_value) for t in found]).T
    basis = np.full(len(found), "chi2", dtype="<U12")
    return Tests(method, statistic, dof, p, basis, np.zeros(len(found), dtype=np.int64))


def confirmed(
    how: Procedure,
    hypotheses: Hypotheses | LinearHypotheses,
    tests: Tests,
    which: NDArray[np.int64],
) -> Tests:
    """Return the tests of a screen, those of the columns ``which`` confirmed where in doubt."""
    if isinstance(hypotheses, LinearHypotheses):
        return tests
    p = tests.p_value[which]
    doubtful = which[(p > DOUBTFUL[0]) & (p <= DOUBTFUL[1])]
    if how.method != "semiparametric" or not how.confirm or not len(doubtful):
        return tests
    _, _, _, reached, drawn, _ = _permute(how, hypotheses.of(doubtful), how.confirm, ENOUGH)
    share = np.where(reached == ENOUGH, reached / drawn, 0.0)
    p_value, basis, n = tests.p_value.copy(), tests.basis.copy(), tests.n_permutations.copy()
    basis[doubtful[share > p_value[doubtful]]] = "permutations"
    p_value[doubtful] = np.maximum(p_value[doubtful], share)
    n[doubtful] = np.maximum(n[doubtful], drawn.astype(np.int64))
    return replace(tests, p_value=p_value, basis=basis, n_permutations=n)


def _permute(how: Procedure, hypotheses: Hypotheses, n_permutations: int, enough: int) -> Any:
    """Return the six answers of the kernel, each for all columns."""
    widest, k_y = (
        int(codes.max(initial=0)) + 1 for codes in (hypotheses.columns, hypotheses.target)
    )
    if widest * k_y > MAX_CELLS:
        raise CostError(
            f"a column with {widest:,} values and a target with {k_y:,} make {widest * k_y:,} "
            f"cells (limit {MAX_CELLS:,}); cut one of them into fewer values"
        )
    strata = hypotheses.strata
    largest = int(np.diff(strata.starts).max(initial=1))
    answer = _kernels.permute_columns(
        hypotheses.columns,
        hypotheses.target,
        strata.order,
        strata.starts,
        n_permutations,
        enough,
        how.seed,
        _logarithms(1 << largest.bit_length()),
        n_threads(how.n_jobs),
    )
    return np.asarray(answer).T


@lru_cache(maxsize=32)
def _logarithms(size: int) -> NDArray[np.float64]:
    """Return log n! and n log n for n up to ``size``."""
    n = np.arange(size + 1, dtype=float)
    return np.stack([gammaln(n + 1), xlogy(n, n)])
