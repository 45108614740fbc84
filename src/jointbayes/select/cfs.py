r"""Correlation-based feature selection (Hall 1999), for one class variable or the union over many.

A subset of k features is good if they tell of the class and not of each other:

(1)  merit = k r̄_cf / √(k + k (k − 1) r̄_ff)

with the mean symmetric uncertainty r of the features with the class (cf) and among each other (ff).
Subsets are searched best first: expand the best unexpanded subset by every single feature, stop
after five expansions in a row that improved nothing, keep five open subsets. That is what Weka's
CfsSubsetEval with BestFirst does, its "locally predictive" afterthought included or not.

Corani et al. (2014, Sec. 3) run it once for each class and keep the union.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_first"]

Floats = NDArray[np.float64]
IMPROVEMENT = 1e-5


@dataclass(order=True)
class _Open:
    """A subset that waits for its expansion; the best one sorts first."""

    worse: float
    members: tuple[int, ...] = field(compare=False)


def best_first(with_class: Floats, among: Floats, stale: int = 5) -> tuple[int, ...]:
    """Return the subset of highest merit that a best-first search finds.

    Parameters
    ----------
    with_class
        (p,) symmetric uncertainty of each feature and the class.
    among
        (p, p) symmetric uncertainty of the features with each other.
    stale
        Expansions in a row without improvement after which to stop.

    Examples
    --------
    The second feature repeats the first, the third adds to it:

    >>> best_first(np.array([0.6, 0.5, 0.4]), np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1.0]]))
    (0, 2)
    """
    best: tuple[int, ...] = ()
    top, without_gain = 0.0, 0
    waiting, seen = [_Open(0.0, ())], {frozenset[int]()}
    while waiting and without_gain < stale:
        members = waiting.pop(0).members
        merits = _merits(members, with_class, among)
        fresh = [i for i in np.argsort(-merits, kind="stable") if np.isfinite(merits[i])]
        fresh = [int(i) for i in fresh if frozenset((*members, int(i))) not in seen]
        seen.update(frozenset((*members, i)) for i in fresh)
        # Only the best few can ever be expanded.
        waiting = sorted([*waiting, *(_Open(-merits[i], (*members, i)) for i in fresh[:stale])])
        waiting = waiting[:stale]
        without_gain += 1
        if fresh and merits[fresh[0]] > top + IMPROVEMENT:
            best, top, without_gain = (*members, fresh[0]), float(merits[fresh[0]]), 0
    return tuple(sorted(best))


def _merits(members: tuple[int, ...], with_class: Floats, among: Floats) -> Floats:
    """Return the merit (1) of the subset and each one feature more; −inf for its own members."""
    chosen = list(members)
    k = len(chosen) + 1
    told = with_class[chosen].sum() + with_class
    pairs = among[np.ix_(chosen, chosen)].sum() / 2 - among[chosen, chosen].sum() / 2
    shared = pairs + among[chosen].sum(axis=0)
    merits = np.asarray(told / np.sqrt(k + 2 * shared))
    merits[chosen] = -np.inf
    return merits
