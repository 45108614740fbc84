"""The best parents of each feature among the class variables by BDeu, by definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

__all__ = ["best_parents"]

Array = NDArray[Any]
TIE = 1e-9  # BDeu is score-equivalent: exact ties differ by rounding


def best_parents(
    children: Array,
    child_cards: Array,
    parents: Array,
    parent_cards: Array,
    ess: float,
    exhaustive: int,
    limit: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Return the parents (−1 beyond them), the score and the number of candidates of each child.

    All sets up to the size ``exhaustive`` are tried; ties go to the smaller set, then the earlier
    one. A winner of that size grows, one parent at a time, up to the size ``limit``. A row in which
    the child was not observed (its code is its number of values) does not count.
    """
    n_children, n_parents = children.shape[1], parents.shape[1]
    sets = np.full((n_children, limit), -1, dtype=np.int32)
    scores = np.empty(n_children)
    tried = np.zeros(n_children, dtype=np.int64)
    for i in range(n_children):
        seen = children[:, i] < child_cards[i]
        x, labels, k = children[seen, i], parents[seen], int(child_cards[i])

        def score(chosen: Sequence[int], x: Array = x, labels: Array = labels, k: int = k) -> float:
            return _bdeu(x, k, labels[:, list(chosen)], parent_cards[list(chosen)], ess)

        best: tuple[int, ...] = ()
        top = score(best)
        tried[i] += 1
        for size in range(1, exhaustive + 1):
            for chosen in combinations(range(n_parents), size):
                tried[i] += 1
                if (new := score(chosen)) > top + TIE:
                    best, top = chosen, new
        while exhaustive <= len(best) < limit:
            grown = [(score((*best, p)), -p) for p in range(n_parents) if p not in best]
            tried[i] += len(grown)
            new, last = max(grown, default=(-np.inf, 0))
            if new <= top + TIE:
                break
            best, top = (*best, -last), new
        sets[i, : len(best)] = sorted(best)
        scores[i] = top
    return sets, scores, tried


def _bdeu(x: Array, k: int, parents: Array, cards: Array, ess: float) -> float:
    """Return Corani et al. (2014), Eq. (5): the score of one node given its parents."""
    q = prod(int(c) for c in cards)
    joint = np.zeros(len(x), dtype=np.int64)
    for column, card in zip(parents.T, cards, strict=True):
        joint = joint * card + column
    n = np.bincount(joint * k + x, minlength=q * k).reshape(q, k)
    a, b = ess / q, ess / q / k
    whole = gammaln(a) - gammaln(a + n.sum(axis=1))
    return float(whole.sum() + (gammaln(b + n) - gammaln(b)).sum())
