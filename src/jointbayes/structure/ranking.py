"""Parents by rank: each node may hang on the k strongest of the nodes ranked before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jointbayes.structure.trees import DECIMALS

__all__ = ["ranked_parents"]


def ranked_parents(relevance: ArrayLike, dependence: ArrayLike, k: int) -> list[tuple[int, ...]]:
    """Return the parents of every node: of those more relevant, the k it depends on most.

    Weights are compared after rounding to 1e-10; ties go to the lower node (Sahami 1996).

    Parameters
    ----------
    relevance
        (n,) by which nodes are ranked, largest first.
    dependence
        (n, n) by which parents are chosen; the diagonal is not read.
    k
        How many parents a node may have; it has fewer where fewer are ranked before it.

    Returns
    -------
    list
        One increasing tuple per node.

    Examples
    --------
    Node 1 is ranked first, so it has no parent; node 0 is last and may choose:

    >>> ranked_parents([0.1, 0.3, 0.2], [[0, 1, 2], [1, 0, 3], [2, 3, 0]], k=1)
    [(2,), (), (1,)]
    """
    ranked = np.argsort(-np.round(np.asarray(relevance), DECIMALS), kind="stable")
    weight = np.round(np.asarray(dependence), DECIMALS)
    parents: list[tuple[int, ...]] = [()] * len(ranked)
    for place, node in enumerate(ranked):
        before = np.sort(ranked[:place])  # of equal weights the lower node
        best = before[np.argsort(-weight[node, before], kind="stable")[:k]]
        parents[node] = tuple(np.sort(best).tolist())
    return parents
