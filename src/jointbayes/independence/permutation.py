r"""Tests by permutation: how large G² gets when the target is shuffled within strata.

The *exact* test asks how many of B permutations reach the observed statistic,

(1)  p = (1 + #{G²_b ≥ G²}) / (B + 1),

which is valid for any table, and never below 1 / (B + 1). The *semi-parametric* test (Tsamardinos
& Borboudakis 2010) reads small p-values off few permutations: it compares G² with the χ² that has
the permuted statistics' mean for its degrees of freedom,

(2)  p = P(χ²_d ≥ G²),   d = (1/B) Σ_b G²_b   (or the mean over all permutations, in closed form).

A χ² with the right mean still has too thin a tail for rare values: if one row of 1,000 carries x
and one carries y, and it is the same, (2) says 4e-7; the truth is 1e-3. So the tail is held to two
facts. The permutation p-value is never below the probability of the observed table alone, given
its totals. And where (2) lies between 1e-7 and 0.05, more permutations are drawn until ten reach
the statistic, whose share is then the p-value if it is the larger (Besag & Clifford 1991), or until
``confirm`` were drawn. So the size of the test is right down to 10 / ``confirm``; ``confirm=0`` is
the test of the paper.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes.codes import narrowest
from jointbayes.independence.parametric import cell_test, columns_of_counts
from jointbayes.independence.procedure import Method, Procedure
from jointbayes.independence.result import IndependenceTest
from jointbayes.independence.screening import Hypotheses, confirmed, screen
from jointbayes.independence.strata import Strata, as_codes, as_strata
from jointbayes.seeds import seed_of

__all__ = ["counts_test", "permutation_test"]


def permutation_test(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike | None = None,
    *,
    method: Literal["semiparametric", "permutation"] = "semiparametric",
    n_permutations: int | None = 100,
    confirm: int = 10_000,
    random_state: Any = None,
) -> IndependenceTest:
    """Test x ⊥ y | z by permutations of y within the strata of z.

    Parameters
    ----------
    x, y
        (n,) coded columns.
    z
        (n,) or (n, k) coded columns to condition on; None for none.
    method
        ``"semiparametric"`` (2) or ``"permutation"`` (1).
    n_permutations
        How many to draw; None for the mean over all of them in (2).
    confirm
        How many to draw at most where the semi-parametric tail is in doubt; 0 to trust it.
    random_state
        Seed or numpy generator.

    Returns
    -------
    IndependenceTest
        Its statistic is G², which is 2 n ln 2 times the conditional information in bits.

    Examples
    --------
    Two fair coins are independent, until their parity is known:

    >>> coin, other = np.tile([0, 0, 1, 1], 50), np.tile([0, 1, 0, 1], 50)
    >>> permutation_test(coin, other, random_state=0).p_value
    1.0
    >>> permutation_test(coin, other, z=coin ^ other, random_state=0).p_value < 1e-30
    True

    One row in a thousand carries x, one carries y, and it is the same: that has probability 1/1000.

    >>> rare = np.arange(1000) == 0
    >>> test = permutation_test(rare, rare, random_state=0)
    >>> round(test.p_value, 3), permutation_test(rare, rare, confirm=0).p_value < 1e-4
    (0.001, True)
    """
    a = as_codes(x, "x")
    b = as_codes(y, "y", len(a))
    how = Procedure(
        method=method,
        n_permutations=n_permutations,
        confirm=confirm,
        seed=seed_of(random_state),
        n_jobs=1,
    )
    return _one(how, a, b, as_strata(z, len(a)))


def counts_test(
    counts: ArrayLike,
    *,
    method: Method | Literal["chi2"] = "semiparametric",
    n_permutations: int | None = 100,
    confirm: int = 10_000,
    random_state: Any = None,
) -> IndependenceTest:
    """Test the last two axes of a contingency table within the strata of all other axes.

    The answer is that of the tests of columns on the rows behind the counts.

    >>> counts_test([[30, 10], [10, 30]], method="g2") == counts_test([[[30, 10], [10, 30]]],
    ...     method="g2")
    True
    >>> round(counts_test([[30, 10], [10, 30]], method="chi2").statistic, 12)
    20.0
    """
    x, y, z, n = columns_of_counts(counts)
    if method == "g2" or method == "chi2":  # noqa: PLR1714  mypy narrows this one
        strata = Strata.whole(len(x)).split(z)
        return cell_test(method, x, y, strata, n.astype(float))
    how = Procedure(
        method=method,
        n_permutations=n_permutations,
        confirm=confirm,
        seed=seed_of(random_state),
        n_jobs=1,
    )
    x, y, z = (np.repeat(column, n) for column in (x, y, z))
    return _one(how, x, y, Strata.whole(len(x)).split(z))


def _one(
    how: Procedure, x: NDArray[np.int64], y: NDArray[np.int64], strata: Strata
) -> IndependenceTest:
    columns = x.astype(narrowest(int(x.max())))[:, None]
    hypotheses = Hypotheses(columns, y.astype(np.uint32), strata)
    return confirmed(how, hypotheses, screen(how, hypotheses), np.array([0]))[0]
