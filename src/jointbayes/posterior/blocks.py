"""Blocks: the posterior of so many rows that what is known of them all would not fit in memory.

It holds how the posterior of some rows is made, makes it for one block of rows after the other, and
puts the answers together. Every question makes the blocks anew; the best vectors and their gaps are
found together and kept, for they take longest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best, fill, stack
from jointbayes.labels import LabelSpace
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.product import least_exact

__all__ = ["Blocks"]


@dataclass(frozen=True, eq=False, repr=False)
class Blocks(Posterior):
    """Rows whose posteriors are made when they are asked, ``step`` at a time.

    Parameters
    ----------
    make
        Returns the posterior of the rows of some numbers.
    rows
        The numbers of all rows.
    space
        Names and values of the class variables.
    step
        Rows in a block.

    Examples
    --------
    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> space, p = learn_labels([[0, 0], [1, 1]]), np.array([[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    >>> make = lambda rows: Independent([np.log(p[rows]), np.log(p[rows])], space)
    >>> post = Blocks(make, np.arange(3), space, step=2)
    >>> post.map().tolist(), post[1:].given({"y0": 1}).map().tolist()
    ([[1, 1], [0, 0], [1, 1]], [[1, 0], [1, 1]])
    """

    make: Callable[[Labels], Posterior]
    rows: Labels
    space: LabelSpace
    step: int

    def __len__(self) -> int:
        return len(self.rows)

    def _parts(self) -> Iterator[tuple[slice, Posterior]]:
        for start in range(0, max(len(self), 1), self.step):
            span = slice(start, start + self.step)
            yield span, self._made(self.rows[span])

    def _made(self, rows: Labels) -> Posterior:
        return self.make(rows) if len(rows) else self.make(np.zeros(1, np.intp))._rows(slice(0, 0))

    def _log_prob(self, codes: Labels) -> Floats:
        return np.concatenate([part._log_prob(codes[span]) for span, part in self._parts()])

    def _best(self, k: int) -> Best:
        return stack(fill(part._best(k), self.space.cards, k) for _, part in self._parts())

    @cached_property
    def _modes(self) -> tuple[Labels, Floats]:
        found = [(part._mode(), part.gap()) for _, part in self._parts()]
        codes, gaps = zip(*found, strict=True)
        return np.concatenate(codes), np.concatenate(gaps)

    def _mode(self) -> Labels:
        return self._modes[0].copy()

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()`` in log-probability, row by row."""
        return self._modes[1].copy()

    def _leading(self, k: int) -> Labels:
        return np.concatenate([part._leading(k) for _, part in self._parts()])

    def _marginals(self) -> list[Floats]:
        found = [part._marginals() for _, part in self._parts()]
        return [np.concatenate(own) for own in zip(*found, strict=True)]

    def _sizes(self) -> Floats:
        return np.concatenate([part._sizes() for _, part in self._parts()])

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        return np.concatenate([part._sample(size, rng) for _, part in self._parts()], axis=1)

    def _evidence(self, known: Labels) -> Floats:
        return np.concatenate([part._evidence(known[span]) for span, part in self._parts()])

    def _given(self, known: Labels) -> Blocks:
        return self._after(lambda part, at: part._given(known[at]))

    def _power(self, t: float) -> Blocks:
        return self._after(lambda part, _: part._power(t))

    def _rows(self, index: Rows) -> Blocks:
        return replace(self, rows=self.rows[index])

    def _after(self, change: Callable[[Posterior, Labels], Posterior]) -> Blocks:
        """Return blocks that are changed as soon as they are made; rows are numbered anew."""
        if not len(self):
            return self
        make, numbers = self.make, self.rows
        return replace(
            self, make=lambda at: change(make(numbers[at]), at), rows=np.arange(len(numbers))
        )

    def _inexact(self) -> dict[str, str]:
        words = least_exact([self._made(self.rows[:0])])  # of no rows: what does not depend on them
        if words["map"] == "exact" and self.gap().any():
            words["map"] = "bounded"
        return words
