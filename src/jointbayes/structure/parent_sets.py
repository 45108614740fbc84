r"""The bridge: which class variables each feature depends on (Corani et al. 2014, Eq. 6).

Features are independent given the classes, so every feature looks for its own parents,

    Pa(F_j) = argmax over subsets of the classes of BDeu(F_j, Pa),

and no choice can close a cycle. All subsets up to a size are tried, or proven worse by how many
configurations and values occur in them, which says much at a few thousand rows from six parents on
(the bound of de Campos & Ji acts from about eleven). What was proven is part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jointbayes import _kernels
from jointbayes.codes import Codes, offsets
from jointbayes.counts import SingleCounts, count_singles
from jointbayes.errors import DataError, ParameterError
from jointbayes.threads import n_threads

__all__ = ["Bridge", "best_parent_sets", "learn_bridge"]

BUDGET = 5_000_000  # cells of all tables of one feature that "auto" may fill exhaustively
BY_BITS = 5  # classes of a set up to which rows are bits: many times as fast
ADDED = 1 << 24  # label vectors of all larger sets, where there are too many to try every set
SMALLEST = 3  # parents that "auto" tries exhaustively at any cost


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
        How many sets were scored, or proven worse by a bound.
    n_classes
        How many class variables there are.

    Examples
    --------
    >>> found = Bridge(((0, 1), ()), np.array([-7.5, -3.0]), 2, candidates=8, n_classes=2)
    >>> found.parents[0], found.proof
    ((0, 1), 'best of all subsets')
    """

    parents: tuple[tuple[int, ...], ...]
    scores: NDArray[np.float64]
    exhaustive: int
    candidates: int
    n_classes: int

    @property
    def proof(self) -> str:
        """What the search has proven, in words.

        >>> Bridge(((0, 1),), np.array([-7.5]), exhaustive=3, candidates=41, n_classes=20).proof
        'best of all subsets of up to 3 classes'
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
    vectors, place = np.unique(y, axis=0, return_inverse=True)
    codes = Codes.of(x, targets=place.reshape(-1), target_cards=(len(vectors),))
    cards = tuple(int(k) + 1 for k in y.max(axis=0, initial=0))
    limit = y.shape[1] if max_parents is None else max_parents
    return list(learn_bridge(vectors, cards, count_singles(codes), ess, limit).parents)


def learn_bridge(
    vectors: NDArray[Any],
    class_cards: tuple[int, ...],
    counts: SingleCounts,
    ess: float = 5.0,
    max_parents: int | str = "auto",
    n_jobs: int | None = None,
) -> Bridge:
    """Find the best parents of each feature from its counts by distinct label vector.

    With ``max_parents="auto"`` all sets are tried up to the largest size at which their tables have
    at most five million parent configurations (every subset of 14 binary classes, four parents of
    53; three at any cost), and sets of more than five classes times the label vectors there are do
    not exceed 2^24, unless every subset can be tried; the winner then grows while one more parent
    helps. An integer is a hard limit, up to which everything is tried.

    The first feature is the second class, the other is a constant; a row is a distinct vector:

    >>> vectors = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> codes = Codes.of([[0, 0], [1, 0], [0, 0], [1, 0]] * 9, targets=[0, 1, 2, 3] * 9)
    >>> learn_bridge(vectors, (2, 2), count_singles(codes)).parents
    ((1,), ())
    """
    d = len(class_cards)
    if not ess > 0 or not np.isfinite(ess):
        raise ParameterError(f"ess is {ess}; an equivalent sample size is a number larger than 0")
    exhaustive, limit = _sizes(class_cards, max_parents, len(vectors))
    sets, scores, tried = _kernels.best_parents(
        np.asfortranarray(vectors, dtype=np.uint32),
        np.asarray(class_cards, dtype=np.int64),
        counts.n_c,
        np.ascontiguousarray(counts.n_cx),
        offsets(counts.cards),
        float(ess),
        exhaustive,
        limit,
        n_threads(n_jobs),
    )
    parents = tuple(tuple(int(p) for p in row if p >= 0) for row in sets)
    return Bridge(parents, scores, exhaustive, int(tried.sum()), d)


def _sizes(cards: tuple[int, ...], max_parents: int | str, vectors: int) -> tuple[int, int]:
    """Return the size up to which to search exhaustively, and that up to which to grow."""
    d = len(cards)
    if max_parents != "auto":
        if not isinstance(max_parents, (int, np.integer)) or max_parents < 0:
            raise ParameterError(
                f"max_parents is {max_parents!r}; give 'auto' or a whole number of at least 0"
            )
        return min(int(max_parents), d), min(int(max_parents), d)
    # configurations[k] of all sets of k parents: the elementary symmetric polynomials of the cards
    configurations = [1] + [0] * d
    for card in cards:
        for k in range(d, 0, -1):
            configurations[k] += configurations[k - 1] * card
    affordable = np.cumsum(np.array(configurations, dtype=object)) <= BUDGET
    if not affordable.all():  # large sets are added up vector by vector
        sets = [comb(d, k) if k > BY_BITS else 0 for k in range(d + 1)]
        affordable &= np.cumsum(np.array(sets, dtype=object)) * vectors <= ADDED
    return min(d, max(SMALLEST, int(affordable.sum()) - 1)), d


def _codes(values: ArrayLike, what: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or array.dtype.kind not in "iub" or (array.size and array.min() < 0):
        raise DataError(f"{what} have to be a table of codes 0, 1, 2, …; encode them first")
    return array.astype(np.int64)
