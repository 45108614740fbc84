r"""KDB: each feature may depend on k others (Sun 2017, Sec. 2.2.3; Sahami 1996).

1. Rank the features by :math:`I(X_i; C)`, largest first.
2. The parents of a feature are the class and the k features before it of largest
   :math:`I(X_j; X_i \mid C)`, or all of them while there are fewer.

k = 0 is naive Bayes. Weights are compared to ten decimals, ties go to the lower feature.

Cost: O(rows · features²) to count the pairs, a second pass for the tables when k > 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.codes import Cards, Codes
from jointbayes.counts import SingleCounts, count_singles
from jointbayes.counts.cost import MAX_BYTES
from jointbayes.errors import CostError
from jointbayes.estimator.ranges import Range, integer
from jointbayes.graph import Dag
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import (
    Knowledge,
    Rows,
    dependence,
    pairs_or_rows,
    relevance,
)
from jointbayes.models.one_class.learned import OneNetwork, network_of
from jointbayes.models.one_class.naive_bayes import learn_naive_bayes
from jointbayes.structure.trees import DECIMALS

__all__ = ["KDB", "fit_kdb", "learn_kdb", "rank_parents"]


def learn_kdb(known: Knowledge, k: int = 1) -> Dag:
    """Return the KDB graph of counted pairs, with at most k features among the parents.

    Examples
    --------
    The first feature gives the class away, so it is ranked first and the other hangs on it:

    >>> from jointbayes.counts import count_pairs
    >>> counts = count_pairs(Codes.of([[0, 0], [0, 1], [1, 1], [1, 0]], targets=[0, 0, 1, 1]))
    >>> learn_kdb(counts, k=1).parents
    ((), (0,), (0, 1))
    """
    if isinstance(known, SingleCounts):  # which tell of no dependence, and k = 0 asks for none
        return learn_naive_bayes(len(known.cards))
    return rank_parents(relevance(known), dependence(known), k)


def rank_parents(relevant: Floats, weight: Floats, k: int) -> Dag:
    """Return the graph of steps 1 and 2 from (p,) relevance and (p, p) dependence.

    >>> rank_parents(np.array([0.1, 0.3, 0.2]), np.ones((3, 3)), k=1).parents
    ((), (0, 2), (0,), (0, 2))
    """
    ranked = np.argsort(-np.round(relevant, DECIMALS), kind="stable")
    weight = np.round(weight, DECIMALS)
    parents: list[tuple[int, ...]] = [(0,)] * len(ranked)
    for place, i in enumerate(ranked):
        before = np.sort(ranked[:place])  # of equal weights the lower feature
        best = before[np.argsort(-weight[i, before], kind="stable")[:k]]
        parents[i] = (0, *(int(j) + 1 for j in np.sort(best)))
    return Dag(((), *parents))


class KDB(NetworkClassifier):
    """The k-dependence Bayesian classifier.

    Parameters
    ----------
    k
        How many other features a feature may depend on.
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    learn_kdb : The structure alone.

    Notes
    -----
    Tables of three or more features do not follow from counts of pairs, so with k ≥ 2 the model
    keeps the coded rows, for `partial_fit` to go on from; batch by batch only distinct ones.

    Examples
    --------
    The label is the parity of three bits: one must know all of them.

    >>> X = [[a, b, c] for a in "01" for b in "01" for c in "01"] * 5
    >>> y = [sum(map(int, row)) % 2 for row in X]
    >>> [KDB(k).fit(X, y).score(X, y) for k in (1, 2)]
    [0.5, 1.0]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"k": integer(0)}

    def __init__(
        self,
        k: int = 1,
        *,
        smoothing: float = 1.0,
        discretizer: Any = "mdl",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        n_jobs: int | None = None,
    ):
        super().__init__(
            smoothing=smoothing,
            discretizer=discretizer,
            categorical_features=categorical_features,
            missing=missing,
            n_jobs=n_jobs,
        )
        self.k = k

    def _remember(self, codes: Codes, weights: Weights) -> Knowledge:
        if self.k == 0:
            return count_singles(codes, weights, self.n_jobs)
        return Rows(codes, weights) if self.k > 1 else pairs_or_rows(codes, weights, self.n_jobs)

    def _deduce(self, known: Knowledge) -> OneNetwork:
        return fit_kdb(known, self.k, self.smoothing)


def fit_kdb(known: Knowledge, k: int, smoothing: float) -> OneNetwork:
    """Learn structure and parameters from what is known."""
    dag = learn_kdb(known, k)
    if isinstance(known, Rows):
        _afford(dag, known.codes.cards)
    return network_of(dag, known, smoothing)


def _afford(dag: Dag, cards: Cards) -> None:
    """Refuse tables that would not fit, before any is made."""
    # Counts, logarithms, and the layout for gathering, which has one slot more per feature.
    cells = sum(3 * prod(cards[v] + 1 for v in family) for family in dag.families)
    if 8 * cells > MAX_BYTES:
        raise CostError(
            f"KDB: tables with up to {max(map(len, dag.parents))} parents need "
            f"{8 * cells / 2**20:,.0f} MiB (limit {MAX_BYTES / 2**20:,.0f} MiB); "
            "use a smaller k, or fewer values for each feature"
        )
