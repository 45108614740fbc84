"""Keep the Markov boundary of the labels: all other features add nothing to it (Gasse 2015)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from jointbayes.independence import Procedure
from jointbayes.independence.boundary import find_boundary, joint_boundary
from jointbayes.independence.procedure import Method, Search
from jointbayes.independence.reading import read_rows
from jointbayes.seeds import seed_of
from jointbayes.select.selector import ColumnSelector

__all__ = ["MarkovBoundary"]


class MarkovBoundary(ColumnSelector):
    """Select a Markov boundary of one label, or of several together.

    IAMB finds the boundary of each label; that of several is their union, from which features are
    dropped that are independent of all labels given the others (Theorem 3.6).

    Parameters
    ----------
    alpha
        The p-value up to which a feature counts as dependent.
    n_permutations
        Of the semi-parametric test; None for the mean over all there are.
    test
        ``"semiparametric"``, as the paper has it, ``"permutation"``, ``"g2"``, ``"chi2"``,
        ``"shrinkage"``, all on numbers cut at their medians, or ``"fisher_z"`` on numbers as they
        are; see `jointbayes.independence.Procedure`.
    search
        ``"iamb"`` or ``"inter_iamb"``, which shrinks the boundary after every feature it adds.
    random_state
        Seed or numpy generator.
    n_jobs
        Threads, as in scikit-learn; the answer does not depend on them.

    Attributes
    ----------
    boundary_
        What was found, and every test of its last step.
    boundaries_
        The boundary of each label and all its tests.
    substitutes_
        For each member of a label's boundary that has equals, the features that would do as well:
        the boundary is then not unique.

    Examples
    --------
    The first feature causes the label, the second is noise, the third repeats the first:

    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.integers(0, 2, (2, 1000))
    >>> y = x ^ (rng.random(1000) < 0.1)
    >>> selector = MarkovBoundary(random_state=0).fit(np.stack([x, noise, x], axis=1), y)
    >>> selector.get_support().tolist(), selector.substitutes_
    ([True, False, False], {0: (2,)})
    """

    def __init__(
        self,
        *,
        alpha: float = 1e-3,
        n_permutations: int | None = 100,
        test: Method = "semiparametric",
        search: Search = "iamb",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.alpha = alpha
        self.n_permutations = n_permutations
        self.test = test
        self.search = search
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Find the boundary of the labels ``y``, (n,) or (n, d), among the columns of ``X``."""
        how = Procedure(
            self.alpha,
            self.test,
            self.n_permutations,
            seed=seed_of(self.random_state),
            n_jobs=self.n_jobs,
            search=self.search,
        )
        table = self._meet(X, y)
        rows, space = read_rows(table, y, how.method, self.n_jobs)
        self.boundaries_ = tuple(find_boundary(rows, j, how) for j in range(len(space)))
        self.boundary_ = self.boundaries_[0]
        if len(space) > 1:
            self.boundary_ = joint_boundary(rows, range(len(space)), self.boundaries_, how)
        equals = [b.substitutes.items() for b in self.boundaries_]
        self.substitutes_ = {
            j: others for found in equals for j, others in found if j in self.boundary_.features
        }
        return self

    def _selected(self) -> NDArray[np.intp]:
        return np.asarray(self.boundary_.features, dtype=np.intp)
