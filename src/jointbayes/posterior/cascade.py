r"""Cascade: the size of the label set first, then labels one by one (Mossina & Rachelson 2017).

(1)  P(S | x) = P(M = |S| | x) × Σ_orders ∏_k p(y_k | x, |S|, y_1 … y_{k−1}),

    p(y | x, m, F) ∝ P(y) p(x | y) P(M = m | y) ∏_{y' ∈ F} P(y' | y),   y ∉ F.

Up to 16 labels all sets are listed; beyond, orders of sets of up to 10 labels are summed. What
follows from (1) is told in `sets_by_size`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best, stack
from jointbayes.inference.picking import log_prob_of_sets, pick_greedily, pick_randomly, widen
from jointbayes.labels import LabelSpace
from jointbayes.posterior import cascade_table as tables
from jointbayes.posterior.known import Known
from jointbayes.posterior.sets_by_size import ORDERS, SetsBySize

__all__ = ["Cascade"]

TABULATED = 16
"""Most labels of which all sets are listed."""

SUMMED = 10
"""Most labels of a set whose orders are summed where sets are not listed."""

CACHED = 1 << 16
"""Scores of so many rows and labels that they stay in the processor's cache."""


@dataclass(frozen=True, eq=False, repr=False)
class Cascade(SetsBySize):
    """Sets of binary labels, by size and then label by label.

    Parameters
    ----------
    log_size
        (n, d + 1) log P(M = m | x), normalised.
    base
        (n, d) log P(y) p(x | y), up to a constant for each row.
    by_size
        (d + 1, d) log P(M = m | y).
    together
        (d, d) log P(y' | y), y' first; −inf on the diagonal.
    space
        Names and values of the labels.
    width
        Of the beam, where sets are too many to list.
    known
        The labels that are known; None if none is.
    n_jobs
        Threads.

    Examples
    --------
    One label of three, or two. Of two, the orders add up to 0.5 × 0.6 + 0.3 × 5/7 = 0.5143:

    >>> from jointbayes.labels import learn_labels
    >>> space = learn_labels([[0, 0, 0], [1, 1, 1]])
    >>> size = np.array([[-np.inf, np.log(0.4), np.log(0.6), -np.inf]])
    >>> once = np.where(np.eye(3), -np.inf, 0.0)
    >>> post = Cascade(size, np.log([[0.5, 0.3, 0.2]]), np.zeros((4, 3)), once, space)
    >>> np.exp(post.log_prob([[1, 1, 0]])).round(4).tolist(), post.map().tolist()
    ([0.3086], [[1, 1, 0]])
    >>> post.exactness["map"]
    'exact'
    """

    log_size: Floats
    base: Floats
    by_size: Floats
    together: Floats
    space: LabelSpace
    width: int = 8
    known: Known | None = None
    n_jobs: int | None = 1

    @property
    def _listed(self) -> bool:
        return len(self.space) <= TABULATED

    @property
    def _summed(self) -> int:
        return TABULATED if self._listed else SUMMED

    @property
    def _cells(self) -> int:
        return tables.cells_of_row(self.base, self.by_size, self.together)

    def pick(self, size: Labels) -> Labels:
        """Return the (n, d) sets of given sizes that the greedy Algorithm 2 picks."""
        codes, step = np.empty(self.base.shape, dtype=np.intp), max(1, CACHED // len(self.space))
        for start in range(0, len(self), step):
            rows = slice(start, start + step)
            base = self.base[rows] + self.by_size[size[rows]]
            codes[rows] = pick_greedily(base, self.together, size[rows])
        return codes

    def _widened(self, at: Labels, m: int, width: int) -> Best:
        return widen(self.base[at] + self.by_size[m], self.together, m, width)

    def _picked(
        self, row: Labels, m: Labels, known: Labels, rng: np.random.Generator
    ) -> tuple[Labels, Floats]:
        return pick_randomly(self.base[row] + self.by_size[m], self.together, m, known, rng)

    def _of_orders(self, row: Labels, codes: Labels) -> Floats:
        base = self.base[row] + self.by_size[codes.sum(axis=1)]
        return log_prob_of_sets(base, self.together, codes, self._summed, ORDERS, self.n_jobs)

    def _weigh_all(self) -> Floats:
        return tables.weigh_all_sets(*self._tables())

    def _tables(self) -> tuple[Floats, Floats, Floats, Floats, int | None]:
        return self.log_size, self.base, self.by_size, self.together, self.n_jobs

    def _of_rows(self, index: Rows) -> dict[str, Any]:
        return {"base": self.base[index]}

    def _best(self, k: int) -> Best:
        if not self._listed or self.known is not None or k > 1:
            return super()._best(k)
        return stack(tables.best_sets(*part._tables()) for part in self._parts())

    def _marginals(self) -> list[Floats]:
        if not self._listed or self.known is not None:
            return super()._marginals()
        d = len(self.space)
        told = [tables.marginals_of_sets(*part._tables()) for part in self._parts()]
        return [np.concatenate([p[:, [j, d + j]] for p in told]) for j in range(d)]
