r"""A cascade of any classifiers: the size of the label set first, then labels one by one.

(1)  P(S | x) = P(M = |S| | x) × Σ_orders ∏_k p(y_k | x, |S|, {y_1 … y_{k−1}})

(Mossina & Rachelson 2017, Sec. 3.4). The steps are asked for when they are needed, for many rows
and sets at once: `jointbayes.inference.set_steps`. What follows from (1) is told in `sets_by_size`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best
from jointbayes.inference.set_steps import (
    Step,
    asked_of,
    grow,
    pick_by_steps,
    sum_orders,
    sum_orders_of_all,
    walk,
)
from jointbayes.labels import LabelSpace
from jointbayes.posterior.known import Known
from jointbayes.posterior.sets_by_size import ORDERS, SetsBySize

__all__ = ["SteppedCascade"]

TABULATED = 12
"""Most labels of which all sets are listed."""

ASKED = 1 << 11
"""Most steps that a row is asked for where all sets are listed."""

SUMMED = 6
"""Most labels of a set whose orders are summed where sets are not listed."""


@dataclass(frozen=True, eq=False, repr=False)
class SteppedCascade(SetsBySize):
    """Sets of binary labels, by size and then label by label, each step asked for.

    Parameters
    ----------
    log_size
        (n, d + 1) log P(M = m | x), normalised.
    step
        Log-probabilities of the next label, given rows, the sizes of their sets and what is picked.
    rows
        The rows of which this is the posterior, as the step numbers them.
    sizes
        The sizes that are possible in any row.
    space
        Names and values of the labels.
    width
        Of the beam, where sets are too many to list.
    known
        The labels that are known; None if none is.

    Examples
    --------
    One label of three, or two. Of two, the orders add up to 0.5 × 0.6 + 0.3 × 5/7 = 0.5143:

    >>> from jointbayes.labels import learn_labels
    >>> def step(rows, sizes, picked):
    ...     p = np.where(picked == 1, 0.0, [[0.5, 0.3, 0.2]])
    ...     with np.errstate(divide="ignore"):
    ...         return np.log(p / p.sum(axis=1, keepdims=True))
    >>> size = np.array([[-np.inf, np.log(0.4), np.log(0.6), -np.inf]])
    >>> space = learn_labels([[0, 0, 0], [1, 1, 1]])
    >>> post = SteppedCascade(size, step, np.arange(1), np.array([1, 2]), space)
    >>> np.exp(post.log_prob([[1, 1, 0]])).round(4).tolist(), post.map().tolist()
    ([0.3086], [[1, 1, 0]])
    >>> post.exactness["map"]
    'exact'
    """

    log_size: Floats
    step: Step
    rows: Labels
    sizes: Labels
    space: LabelSpace
    width: int = 8
    known: Known | None = None

    @cached_property
    def _asked(self) -> int:
        return asked_of(self.sizes, len(self.space))

    @property
    def _listed(self) -> bool:
        return len(self.space) <= TABULATED and self._asked <= ASKED

    @property
    def _summed(self) -> int:
        return TABULATED if self._listed else SUMMED

    @property
    def _cells(self) -> int:
        d = len(self.space)
        return (4 << d) + d * self._asked

    def pick(self, size: Labels) -> Labels:
        """Return the (n, d) sets of given sizes that the greedy Algorithm 2 picks."""
        return pick_by_steps(self.step, self.rows, size, len(self.space))

    def _widened(self, at: Labels, m: int, width: int) -> Best:
        return grow(self.step, self.rows[at], m, len(self.space), width)

    def _picked(
        self, row: Labels, m: Labels, known: Labels, rng: np.random.Generator
    ) -> tuple[Labels, Floats]:
        return walk(self.step, self.rows[row], m, known, rng)

    def _of_orders(self, row: Labels, codes: Labels) -> Floats:
        return sum_orders(self.step, self.rows[row], codes, self._summed, ORDERS)

    def _weigh_all(self) -> Floats:
        return sum_orders_of_all(self.step, self.rows, self.log_size)

    def _of_rows(self, index: Rows) -> dict[str, Any]:
        return {"rows": self.rows[index]}
