r"""The bridge: which class variables each feature depends on (Corani et al. 2014, Eq. 6).

Features are independent given the classes, so every feature looks for its own parents,

    Pa(F_j) = argmax over subsets of the classes of BDeu(F_j, Pa),

and no choice can close a cycle. All subsets up to a size are tried: there is no bound that cuts
anything at the sizes of real data (that of de Campos & Ji acts from about eleven binary parents
on), but a candidate costs less than a microsecond. What was proven is part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes import _kernels
from jointbayes.codes import offsets
from jointbayes.counts import SingleCounts
from jointbayes.errors import DataError, ParameterError

__all__ = ["Bridge", "best_parent_sets", "bridge_of_counts", "learn_bridge"]

BUDGET = 400_000  # candidate sets per feature that "auto" may try exhaustively
SMALLEST = 3  # parents that "auto" tries exhaustively at any cost
WIDEST = 14  # classes up to which "auto" tries every subset
TIE = 1e-9  # BDeu is score-equivalent: exact ties differ by rounding


@dataclass(frozen=True)
class Bridge:
    """The parents of every feature, and what is known about them.

    Parameters
    ----------
    parents
        One tuple of class indices per feature.
    scores
        (m,) the BDeu score of each feature given its parents.
    exhaustive
        No set of at most so many parents is better.
    candidates
        How many sets were scored.
    n_classes
        How many class variables there are.
    """

    parents: tuple[tuple[int, ...], ...]
    scores: NDArray[np.float64]
    exhaustive: int
    candidates: int
    n_classes: int

    @property
    def proof(self) -> str:
        """What the search has proven, in words.

        >>> learn_bridge(np.array([[0], [1]]), (2,), np.array([[0], [1]]), (2,)).proof
        'best of all subsets'
        """
        if self.exhaustive >= self.n_classes:
            return "best of all subsets"
        return f"best of all subsets of up to {self.exhaustive} classes"


def best_parent_sets(
    features: ArrayLike, classes: ArrayLike, ess: float = 5.0, max_parents: int | None = None
) -> list[tuple[int, ...]]:
    """Return, for each feature, the classes that score best as its parents.

    Parameters
    ----------
    features, classes
        (n, m) and (n, d) codes; a column has as many values as its largest code plus one.
    ess
        Equivalent sample size of the BDeu score.
    max_parents
        Largest set to consider; None for all subsets.

    Returns
    -------
    list of tuples
        Class indices, in increasing order. Ties go to the smaller set, then to the earlier one.

    Examples
    --------
    The first feature is the exclusive or of the first two classes, the second follows no class:

    >>> rng = np.random.default_rng(1)
    >>> classes = rng.integers(0, 2, (400, 3))
    >>> features = np.stack([classes[:, 0] ^ classes[:, 1], rng.integers(0, 2, 400)], axis=1)
    >>> best_parent_sets(features, classes)
    [(0, 1), ()]
    """
    x, y = _codes(features, "features"), _codes(classes, "classes")
    if len(x) != len(y):
        raise DataError(f"features have {len(x)} rows and classes {len(y)}; they have to agree")
    limit = y.shape[1] if max_parents is None else max_parents
    return list(learn_bridge(x, _cards(x), y, _cards(y), ess, limit).parents)


def learn_bridge(
    features: NDArray[Any],
    feature_cards: tuple[int, ...],
    classes: NDArray[Any],
    class_cards: tuple[int, ...],
    ess: float = 5.0,
    max_parents: int | str = "auto",
    n_jobs: int | None = None,
) -> Bridge:
    """Find the best parents of each feature; see :func:`best_parent_sets`.

    With ``max_parents="auto"`` all sets are tried up to the largest size of which there are at most
    400,000 (all subsets of up to 14 classes; at least 3 parents); the winner then grows while one
    more parent helps. An integer is a hard limit, up to which everything is tried.
    """
    d = len(class_cards)
    if not ess > 0 or not np.isfinite(ess):
        raise ParameterError(f"ess is {ess}; an equivalent sample size is a number larger than 0")
    exhaustive, limit = _sizes(d, max_parents)
    sets, scores, tried = _kernels.best_parents(
        np.asfortranarray(features, dtype=np.uint8),
        np.asarray(feature_cards, dtype=np.int64),
        np.asfortranarray(classes, dtype=np.uint8),
        np.asarray(class_cards, dtype=np.int64),
        float(ess),
        exhaustive,
        limit,
        _kernels.n_threads(n_jobs),
    )
    parents = tuple(tuple(int(p) for p in row if p >= 0) for row in sets)
    return Bridge(parents, scores, exhaustive, int(tried.sum()), d)


def bridge_of_counts(
    vectors: NDArray[Any],
    class_cards: tuple[int, ...],
    counts: SingleCounts,
    ess: float = 5.0,
    max_parents: int | str = "auto",
    n_jobs: int | None = None,
) -> Bridge:
    """Find the bridge from the counts of every feature by distinct label vector.

    Whole counts are turned back into rows, whose order does not matter; fractions are weighed.
    """
    whole = counts.n_cx == np.floor(counts.n_cx)
    if not whole.all() or (counts.n_c != np.floor(counts.n_c)).any():
        return _weighted_bridge(vectors, class_cards, counts, ess, max_parents)
    n = counts.n_c.astype(np.int64)
    features = np.empty((int(n.sum()), len(counts.cards)), dtype=np.uint8, order="F")
    for j, k in enumerate(counts.cards):
        block = counts.block(j).astype(np.int64)
        hidden = n - block.sum(axis=1)  # the code k: not observed
        times = np.column_stack([block, hidden]).ravel()
        features[:, j] = np.repeat(np.tile(np.arange(k + 1), len(n)), times)
    classes = np.repeat(vectors, n, axis=0)
    return learn_bridge(features, counts.cards, classes, class_cards, ess, max_parents, n_jobs)


def _weighted_bridge(
    vectors: NDArray[Any],
    class_cards: tuple[int, ...],
    counts: SingleCounts,
    ess: float,
    max_parents: int | str,
) -> Bridge:
    """Try set after set, all features at once: sums of weights are no sets of rows."""
    d, m = len(class_cards), len(counts.cards)
    exhaustive, _ = _sizes(d, max_parents)
    best: list[tuple[int, ...]] = [()] * m
    scores = np.full(m, -np.inf)
    sets = [s for size in range(exhaustive + 1) for s in combinations(range(d), size)]
    for chosen in sets:
        new = _score_all(vectors, class_cards, counts, ess, chosen)
        for j in np.flatnonzero(new > scores + TIE):
            best[j], scores[j] = chosen, new[j]
    return Bridge(tuple(best), scores, exhaustive, len(sets) * m, d)


def _score_all(
    vectors: NDArray[Any],
    class_cards: tuple[int, ...],
    counts: SingleCounts,
    ess: float,
    chosen: tuple[int, ...],
) -> NDArray[np.float64]:
    """Return (m,) the BDeu scores of all features given one set of parents."""
    from scipy.special import gammaln

    q = prod(class_cards[j] for j in chosen)
    joint = np.zeros(len(vectors), dtype=np.int64)
    for j in chosen:
        joint = joint * class_cards[j] + vectors[:, j]
    n = np.zeros((q, counts.n_cx.shape[1]))
    np.add.at(n, joint, counts.n_cx)
    start = offsets(counts.cards)[:-1]
    cell = ess / q / np.repeat(counts.cards, counts.cards)
    child = np.add.reduceat((gammaln(cell + n) - gammaln(cell)).sum(axis=0), start)
    totals = np.add.reduceat(n, start, axis=1)
    return np.asarray(child - (gammaln(ess / q + totals) - gammaln(ess / q)).sum(axis=0))


def _sizes(d: int, max_parents: int | str) -> tuple[int, int]:
    """Return the size up to which to search exhaustively, and that up to which to grow."""
    if max_parents != "auto":
        if not isinstance(max_parents, (int, np.integer)) or max_parents < 0:
            raise ParameterError(
                f"max_parents is {max_parents!r}; give 'auto' or a whole number of at least 0"
            )
        return min(int(max_parents), d), min(int(max_parents), d)
    if d <= WIDEST:
        return d, d
    size = SMALLEST
    while sum(comb(d, k) for k in range(size + 2)) <= BUDGET:
        size += 1
    return size, d


def _codes(values: ArrayLike, what: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or array.dtype.kind not in "iub" or (array.size and array.min() < 0):
        raise DataError(f"{what} have to be a table of codes 0, 1, 2, …; encode them first")
    if array.size and array.max() > 254:
        raise DataError(f"{what} hold the code {array.max()}; the search takes up to 255 values")
    return array.astype(np.int64)


def _cards(codes: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(k) + 1 for k in codes.max(axis=0, initial=0))
