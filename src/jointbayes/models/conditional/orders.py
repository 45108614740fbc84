"""The order in which a chain asks its labels: as given, drawn, or learned from a tree of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.errors import ParameterError
from jointbayes.labels import LabelSpace
from jointbayes.learners.wrapped import Learner
from jointbayes.models.conditional.edge_weights import edge_weights, hold_out
from jointbayes.structure import maximum_branching

__all__ = ["learn_order", "read_order"]


def learn_order(
    learner: Learner, view: Any, codes: Labels, cards: Sequence[int], seed: int
) -> tuple[int, ...]:
    """Return an order in which every label comes after its parent in the tree of `CTBN`."""
    if len(codes) < 2:
        return tuple(range(len(cards)))
    splits = [hold_out(len(codes), 0.3, seed)]
    paired, alone = edge_weights(learner, view, codes, cards, splits)
    parents = maximum_branching(paired - alone).tolist()
    order: list[int] = []
    while len(order) < len(cards):
        ready = [j for j, parent in enumerate(parents) if parent < 0 or parent in order]
        order += [j for j in ready if j not in order]
    return tuple(order)


def read_order(order: Any, space: LabelSpace, seed: int) -> tuple[int, ...]:
    """Return the positions of labels in the order that a user names or lets draw.

    >>> from jointbayes.labels import learn_labels
    >>> read_order(["y1", "y0"], learn_labels(np.eye(2, dtype=int)), seed=0)
    (1, 0)
    """
    d = len(space)
    if order is None:
        return tuple(range(d))
    if isinstance(order, str) and order == "random":
        return tuple(np.random.default_rng(seed).permutation(d).tolist())
    index = {name: j for j, name in enumerate(space.names)} | {j: j for j in range(d)}
    named = isinstance(order, Iterable) and not isinstance(order, str)
    given = [index.get(label) for label in order] if named else []
    if None in given or sorted(given) != list(range(d)):  # type: ignore[type-var]  # None is first
        raise ParameterError(
            f"ClassifierChain: order={order!r} does not name each of the {d} labels once; give "
            "None, 'random', 'learned' or a permutation of the labels by position or name"
        )
    return tuple(given)  # type: ignore[arg-type]  # see above
