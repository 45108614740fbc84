r"""How many labels are relevant: distributions of sizes, as arrays whose first axis is the size.

The size of a union of independent groups of labels is distributed as the convolution of theirs.
What the F-measure needs is P(Y_j = 1, |Y| = s) for every label j and size s: label j against *all
others*, and :func:`all_but_one` gives those others for every j at once by halving: O(d log d)
convolutions instead of d². Only sums of products of probabilities occur, so nothing cancels.

In a factor graph the counter runs along the plan. With conditionals P(y | s) of a variable given
its separator, the size of all below it is distributed as

.. math:: M(s) = \sum_y P(y \mid s) \; [y] * M_1(\cdot) * M_2(\cdot) * \dots            (1)

(the children's messages, convolved), and backwards each child gets the convolution of all the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.inference.graphs.axes import spread
from jointbayes.inference.graphs.execute import sum_to
from jointbayes.inference.graphs.plan import Plan, Step

__all__ = ["all_but_one", "convolve", "count_independent", "count_relevant"]


def convolve(a: Floats, b: Floats) -> Floats:
    """Return the distribution of the sum of two independent sizes.

    >>> convolve(np.array([0.5, 0.5]), np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    if len(a) < len(b):
        a, b = b, a
    out = np.zeros((len(a) + len(b) - 1, *np.broadcast_shapes(a.shape[1:], b.shape[1:])))
    for s, weight in enumerate(b):
        out[s : s + len(a)] += a * weight
    return out


def all_but_one(parts: Sequence[Floats], outside: Floats) -> list[Floats]:
    """Return, for each part, the convolution of ``outside`` with all the other parts.

    >>> coin = np.array([0.5, 0.5])
    >>> [rest.tolist() for rest in all_but_one([coin, coin, coin], np.ones(1))]
    [[0.25, 0.5, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]]
    """
    if len(parts) <= 1:
        return [outside] * len(parts)
    half = len(parts) // 2
    left, right = outside, outside
    for part in parts[half:]:
        left = convolve(left, part)
    for part in parts[:half]:
        right = convolve(right, part)
    return all_but_one(parts[:half], left) + all_but_one(parts[half:], right)


def count_relevant(plan: Plan, conditionals: Mapping[int, Floats], d: int | None = None) -> Floats:
    """Return P(Y_j = 1, |Y| = s) of the first d variables, which are binary, as (n, d, d + 1)."""
    d = len(plan.cards) if d is None else d
    below: dict[int, Floats] = {}
    for step in plan.steps:
        count = _own(plan, step, d)
        for message in _messages(plan, step, below):
            count = convolve(count, message)
        below[step.variable] = (conditionals[step.variable] * count).sum(axis=1)  # (1)
    outside = dict(
        zip(plan.roots, all_but_one([below[v] for v in plan.roots], np.ones((1, 1))), strict=True)
    )
    found: dict[int, Floats] = {}
    for step in reversed(plan.steps):
        v = step.variable
        here = convolve(_own(plan, step, d), outside[v][:, None] * conditionals[v])
        messages = _messages(plan, step, below)
        for child, rest in zip(step.children, all_but_one(messages, here), strict=True):
            outside[child] = sum_to(rest, step.clique, plan.steps[plan.at[child]].separator)
        if v >= d:
            continue
        relevant = here[:, 1]
        for message in messages:
            relevant = convolve(relevant, message[:, 1])
        found[v] = relevant.sum(axis=tuple(range(1, relevant.ndim - 1)))
    return np.stack([found[v] for v in range(d)]).transpose(2, 0, 1)


def count_independent(p: Floats) -> Floats:
    """Return P(Y_j = 1, |Y| = s) as (n, d, d + 1) of independent labels of probability (n, d).

    >>> count_independent(np.array([[0.5, 0.2]])).round(2).tolist()
    [[[0.0, 0.4, 0.1], [0.0, 0.1, 0.1]]]
    """
    own = [np.stack([1 - q, q]) for q in p.T]
    rest = all_but_one(own, np.ones((1, len(p))))
    relevant = [q * others for q, others in zip(p.T, rest, strict=True)]
    return np.pad(np.stack(relevant), ((0, 0), (1, 0), (0, 0))).transpose(2, 0, 1)


def _own(plan: Plan, step: Step, d: int) -> Floats:
    """Return the size of one variable given its value: axes (size, value, *separator, row)."""
    size = np.eye(2) if step.variable < d else np.ones((1, plan.cards[step.variable]))
    return size.reshape(*size.shape, *[1] * (len(step.separator) + 1))


def _messages(plan: Plan, step: Step, below: Mapping[int, Floats]) -> list[Floats]:
    return [
        spread(below[child], plan.steps[plan.at[child]].separator, step.clique)
        for child in step.children
    ]
