r"""How many label vectors of a tree have a score of at most a threshold, counted without a list.

What a vector scores above the best one is a sum over labels: what the value of a label, given that
of its parent, loses against the best one there, with all that hangs on it. In steps of

(1)  w = (threshold − score of the best vector) / levels

every loss is a whole number of steps once it is rounded, and a counter over the tree tells how many
vectors lose k steps, N_j(a)[k] = Σ_b shifted by the loss of b of the convolution of N_c(b) over the
children c. Rounded down, no vector of the set loses more than ``levels`` steps: that is a bound
above. Rounded up, nothing but vectors of the set loses as little: that is one below. A value that
loses nothing is not rounded, so that the bounds differ only by as many steps as a vector has labels
that are not the likeliest.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.models.wrappers.tree_sets import maxima, parents_first
from jointbayes.posterior import Tree

__all__ = ["LEVELS", "count_within"]

LEVELS = 1 << 11
"""Steps that a loss is rounded to."""

FEW = 16
"""Entries up to which adding shifted counts is faster than a convolution."""

EXACT = 2.0**53
"""Counts up to which floats hold whole numbers."""

ROUNDING = 1e-9
"""By how much larger counts may be off, relatively."""


def count_within(tree: Tree, level: Floats, levels: int = LEVELS) -> tuple[Floats, Floats]:
    """Return bounds (n,) below and above how many vectors have a score of at most ``level`` (n,).

    Sixty coins, of which any two may show what is less likely: 1 + 60 + 60 · 59 / 2.

    >>> from jointbayes.labels import LabelSpace
    >>> space = LabelSpace(tuple(f"y{j}" for j in range(60)), (np.array([0, 1]),) * 60)
    >>> coins = Tree((-1,) * 60, [np.log([[[0.6, 0.4]]])] * 60, space)
    >>> two = -58 * np.log([0.6]) - 2 * np.log(0.4)
    >>> [bound.tolist() for bound in count_within(coins, two + 0.1)]
    [[1831.0], [1831.0]]
    """
    order = parents_first(tree.parents)
    best, gain = maxima(tree, order)
    with np.errstate(invalid="ignore"):  # nothing is lost or won below what is impossible
        # What a value loses, by (row, value of the parent, value).
        loss = [most[:, :, None] - each for most, each in zip(best, gain, strict=True)]
    roots = [best[j][:, 0] for j in order if tree.parents[j] < 0]
    room = np.asarray(level) + np.sum(roots, axis=0)
    below, above = np.zeros(len(tree)), np.zeros(len(tree))
    for row in np.flatnonzero(room >= 0):
        own = [each[row] for each in loss]
        step = max(room[row], np.finfo(float).tiny) / levels
        # By a hair's breadth, so that what is rounding alone does not count as a step.
        up = [np.ceil(each / step - ROUNDING) for each in own]
        down = [np.floor(each / step + ROUNDING) for each in own]
        below[row], above[row] = (_count(tree, order, steps, levels) for steps in (up, down))
    large = above >= EXACT
    below[large] = np.floor(below[large] * (1 - ROUNDING))
    above[large] = np.ceil(above[large] * (1 + ROUNDING))
    return below, above


def _count(tree: Tree, order: list[int], steps: list[Floats], levels: int) -> float:
    """Return how many vectors lose no more than ``levels`` steps."""
    whole = [np.fmin(each, levels + 1).astype(np.intp) for each in steps]
    nothing = np.zeros(levels + 1)
    nothing[0] = 1.0
    total = nothing
    inside: dict[int, list[Floats]] = {}  # by label and its value, of all that hangs on it
    for j in reversed(order):
        lost, parent = whole[j], tree.parents[j]
        counts = inside.pop(j, [nothing] * lost.shape[1])
        mine = [_shifted_sum(counts, own, levels) for own in lost]
        if parent < 0:
            total = _convolved(total, mine[0])
        else:
            before = inside.get(parent, [nothing] * len(mine))
            inside[parent] = [_convolved(a, b) for a, b in zip(before, mine, strict=True)]
    return float(total.sum())


def _shifted_sum(counts: list[Floats], lost: Labels, levels: int) -> Floats:
    out = np.zeros(levels + 1)
    for count, k in zip(counts, lost, strict=True):
        if k <= levels:
            out[k:] += count[: levels + 1 - k]
    return out


def _convolved(a: Floats, b: Floats) -> Floats:
    """Return the counts of sums of steps, up to as many as there are levels."""
    if np.count_nonzero(a) < np.count_nonzero(b):
        a, b = b, a
    filled = np.flatnonzero(b)
    if len(filled) > FEW:
        return np.convolve(a, b)[: len(a)]
    out = np.zeros(len(a))
    for k in filled:
        out[k:] += b[k] * a[: len(a) - k]
    return out
