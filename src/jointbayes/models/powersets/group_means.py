"""What many powersets of groups of labels say together: the mean of what each says of a label.

Their regressions see the same columns, so that one product of matrices has the scores of all
label vectors of all groups, and one more, with what vectors show, the means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from jointbayes.arrays import Floats, Ints
from jointbayes.learners.logistic.basis import Scaling
from jointbayes.learners.logistic.batch import Logistics
from jointbayes.models.powersets.powerset import Powerset
from jointbayes.threads import products

__all__ = ["GroupMeans", "means_of"]


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """The regressions of several groups as one.

    Parameters
    ----------
    logistics
        Of the label vectors of each group in turn.
    told
        (K,) which scores the linear predictors are; others, of the first of two vectors, are 0.
    starts, sizes
        (groups,) where the scores of each group begin, and how many there are.
    shares
        (scores, values) how much each vector adds to each value of each label.
    """

    logistics: Logistics
    told: Ints
    starts: Ints
    sizes: Ints
    shares: Floats

    def of(self, matrix: object) -> Floats:
        """Return the (n, values) mean probabilities of the values of all labels, side by side."""
        z = self.logistics.predictors(matrix)
        p = np.zeros((len(z), len(self.shares)))
        p[:, self.told] = z
        p -= np.repeat(np.maximum.reduceat(p, self.starts, axis=1), self.sizes, axis=1)
        np.exp(p, out=p)
        p /= np.repeat(np.add.reduceat(p, self.starts, axis=1), self.sizes, axis=1)
        with products(p.size * self.shares.shape[1]):
            return np.asarray(p @ self.shares)


_known: WeakKeyDictionary[Powerset, GroupMeans | None] = WeakKeyDictionary()


def means_of(
    powersets: Sequence[Powerset], groups: Sequence[Sequence[int]], cards: Sequence[int]
) -> GroupMeans | None:
    """Return the powersets of groups as one, which is done once; None if they are no such ones."""
    first = powersets[0]
    if first not in _known:  # which is in no other model
        _known[first] = _joined(powersets, groups, cards)
    return _known[first]


def _joined(
    powersets: Sequence[Powerset], groups: Sequence[Sequence[int]], cards: Sequence[int]
) -> GroupMeans | None:
    found = [p.classifier for p in powersets if p.backing is None]
    each = [c for c in found if isinstance(c, Logistics) and c.outcomes[0].width > 0]
    seen = [len(c.outcomes[0].values) == c.outcomes[0].card for c in each]
    like = [_alike(c.scaling, each[0].scaling) for c in each]
    if len(each) < len(powersets) or not all(seen) or not all(like):
        return None
    sizes = np.array([len(p.vectors) for p in powersets])
    starts = np.cumsum(sizes) - sizes
    told = [
        start + np.arange(1 if k == 2 else 0, k) for start, k in zip(starts, sizes, strict=True)
    ]
    before, often = np.cumsum([0, *cards]), np.zeros(len(cards))
    shares = np.zeros((int(sizes.sum()), int(before[-1])))
    for powerset, group, start in zip(powersets, groups, starts, strict=True):
        vector = start + np.arange(len(powerset.vectors))
        for j, codes in zip(group, powerset.vectors.T, strict=True):
            shares[vector, before[j] + codes] = 1.0
            often[j] += 1
    shares /= np.repeat(np.maximum(often, 1.0), cards)
    return GroupMeans(each[0].join(each[1:]), np.concatenate(told), starts, sizes, shares)


def _alike(a: Scaling, b: Scaling) -> bool:
    pairs = ((a.unit, b.unit), (a.mean, b.mean), (a.factor, b.factor))
    return a is b or all(np.array_equal(x, y) for x, y in pairs)
