"""The best parents of each feature among the class variables by BDeu, by definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from jointbayes._kernels.arguments import FLOATS, INT64, array, takes
from jointbayes.arrays import Values

__all__ = ["best_parents"]

TIE = 1e-9  # BDeu is score-equivalent: exact ties differ by rounding


@takes(
    vectors=array("uint32", axes=2, order="F"),
    cards=INT64,
    rows=FLOATS,
    counts=array("float64", axes=2),
    offsets=INT64,
)
def best_parents(  # noqa: PLR0913, PLR0917  plain arrays for the compiled kernel
    vectors: Values,
    cards: Values,
    rows: Values,  # noqa: ARG001  the compiled kernel's, which counts rows
    counts: Values,
    offsets: Values,
    ess: float,
    exhaustive: int,
    limit: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
    """Return the parents (−1 beyond them), the score and the number of candidates of each feature.

    ``counts`` (U, V) holds the values of all features, feature j from ``offsets[j]`` on, by label
    vector; ``vectors`` (U, d) are the distinct vectors, ``rows`` (U,) their rows, observed or not.
    All sets up to the size ``exhaustive`` are tried; ties go to the smaller set, then the earlier
    one. A winner of that size grows, one parent at a time, up to the size ``limit``.
    """
    n_features, n_parents = len(offsets) - 1, vectors.shape[1]
    sets = np.full((n_features, limit), -1, dtype=np.int32)
    scores = np.empty(n_features)
    tried = np.zeros(n_features, dtype=np.int64)
    for i in range(n_features):
        block = counts[:, offsets[i] : offsets[i + 1]]

        def score(chosen: Sequence[int], block: Values = block) -> float:
            return _bdeu(block, vectors[:, list(chosen)], cards[list(chosen)], ess)

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


def _bdeu(counts: Values, parents: Values, cards: Values, ess: float) -> float:
    """Return Corani et al. (2014), Eq. (5): the score of one feature given its parents."""
    q, k = prod(int(c) for c in cards), counts.shape[1]
    joint = np.zeros(len(counts), dtype=np.int64)
    for column, card in zip(parents.T, cards, strict=True):
        joint = joint * card + column
    n = np.zeros((q, k))
    np.add.at(n, joint, counts)
    a, b = ess / q, ess / q / k
    whole = gammaln(a) - gammaln(a + n.sum(axis=1))
    return float(whole.sum() + (gammaln(b + n) - gammaln(b)).sum())
