"""Where the numbers of a plan stand when its tables lie one after the other, as for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from jointbayes.arrays import Ints
from jointbayes.inference.graphs.axes import Scope, spread
from jointbayes.inference.graphs.step import Step

__all__ = ["Layout", "lay_out"]


class Layout(NamedTuple):
    """The steps of a plan as plain arrays: see `jointbayes._kernels.maxima`."""

    variables: Ints
    cards: Ints
    sizes: Ints
    parts: Ints
    sources: Ints
    begins: Ints
    separators: Ints
    strides: Ints


def lay_out(cards: Sequence[int], scopes: Sequence[Scope], steps: Sequence[Step]) -> Layout:
    """Return where cells stand: those of tables over ``scopes``, then those of the messages.

    Two variables in one table: the first one's message has cells 4 and 5.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> plan = plan_factors([(0, 1)], (2, 2))
    >>> lay_out(plan.cards, plan.scopes, plan.steps).sources.tolist()
    [0, 1, 2, 3, 4, 5]
    """
    ends = np.cumsum([0, *(prod(cards[v] for v in scope) for scope in scopes)])
    sizes = [prod(cards[v] for v in step.separator) for step in steps]
    said = ends[-1] + np.cumsum([0, *sizes])
    place = {step.variable: (said[s], step.separator) for s, step in enumerate(steps)}
    sources, separators, strides = [], list[int](), list[int]()
    for step in steps:
        parts = [(ends[i], scopes[i]) for i in step.tables]
        parts += [place[child] for child in step.children]
        shape = [cards[v] for v in step.clique]
        where = np.empty((prod(shape), len(parts)), dtype=np.int64)
        for k, (first, own) in enumerate(parts):
            of_part = tuple(cards[v] for v in own)
            number = first + np.arange(prod(of_part), dtype=np.float64).reshape(*of_part, 1)
            wide = np.broadcast_to(spread(number, own, step.clique)[..., 0], shape)
            where[:, k] = wide.ravel()
        sources.append(where.ravel())
        separators += step.separator
        behind = [
            prod(cards[v] for v in step.separator[i + 1 :]) for i in range(len(step.separator))
        ]
        strides += behind
    whole = [
        [step.variable for step in steps],
        [cards[step.variable] for step in steps],
        sizes,
        [len(step.tables) + len(step.children) for step in steps],
        np.concatenate(sources),
        np.cumsum([0, *(len(step.separator) for step in steps)]),
        separators,
        strides,
    ]
    return Layout(*(np.asarray(each, dtype=np.int64) for each in whole))
