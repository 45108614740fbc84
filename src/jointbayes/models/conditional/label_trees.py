r"""Several label trees as one model: which classifiers they need, and their mixture.

Trees T are drawn in proportion to what they say of held-out rows (4 of `ctbn`),

(1)  P(T) ∝ exp Score(T),        P(y | x) = Σ_T P(T) ∏_i P(y_i | x, y_π(i)),

which is what Bayes' rule makes of equally likely trees. An arc that several trees have is one
classifier for each value of its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from jointbayes.arrays import Floats, Ints
from jointbayes.labels import LabelSpace
from jointbayes.posterior import Posterior, Tree, mix
from jointbayes.structure import draw_branchings, maximum_branching

__all__ = ["choose_trees", "fitted_places", "posterior_of_trees"]

Place = tuple[int, int, int]
"""A classifier of trees: label, its parent or −1, and the parent's value."""


def choose_trees(gains: Floats, n: int, seed: int) -> tuple[Ints, Floats]:
    """Return distinct trees, (m, d) parents, and their shares: the best one, or n drawn by (1).

    >>> trees, shares = choose_trees(np.array([[0, 1.0], [1.0, 0]]), 100, 0)
    >>> trees.tolist(), bool(np.isclose(shares.sum(), 1))
    ([[-1, -1], [-1, 0], [1, -1]], True)
    """
    if n == 1:
        return maximum_branching(gains)[None], np.ones(1)
    trees, counts = np.unique(draw_branchings(gains, n, seed), axis=0, return_counts=True)
    return trees, counts / n


def fitted_places(trees: Ints, cards: Sequence[int]) -> tuple[Place, ...]:
    """Return the classifiers that trees need, by parent, then by its value, then by label.

    >>> fitted_places(np.array([[-1, 0], [1, -1]]), [2, 2])
    ((0, -1, 0), (1, -1, 0), (1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, 1))
    """
    return _places_of(tuple(map(tuple, trees.tolist())), tuple(cards))


@lru_cache(maxsize=64)  # every row that is asked asks for them
def _places_of(trees: tuple[tuple[int, ...], ...], cards: tuple[int, ...]) -> tuple[Place, ...]:
    below: dict[int, set[int]] = {}
    for parents in trees:
        for i, j in enumerate(parents):
            below.setdefault(j, set()).add(i)
    return tuple(
        (i, j, v)
        for j in sorted(below)
        for v in range(1 if j < 0 else cards[j])
        for i in sorted(below[j])
    )


def posterior_of_trees(
    trees: Ints,
    shares: Floats,
    places: Iterable[Place],
    found: Iterable[Floats],
    space: LabelSpace,
) -> Posterior:
    """Return the mixture (1) of what the classifiers say of rows; one tree is itself."""
    tables: dict[tuple[int, int], list[Floats]] = {}
    for (i, j, _), log_p in zip(places, found, strict=True):
        tables.setdefault((i, j), []).append(log_p)
    stacked = {arc: _beside(by_value) for arc, by_value in tables.items()}
    parts = [
        Tree(tuple(parents), [stacked[i, j] for i, j in enumerate(parents)], space)
        for parents in trees.tolist()
    ]
    return parts[0] if len(parts) == 1 else mix(parts, shares.tolist())


def _beside(by_value: Sequence[Floats]) -> Floats:
    """Return (n, values of the parent, k) of as many (n, k): for one row in less than `stack`."""
    if len(by_value) == 1:
        return by_value[0][:, None]
    n, k = by_value[0].shape
    out = np.empty((n, len(by_value), k))
    for v, log_p in enumerate(by_value):
        out[:, v] = log_p
    return out
