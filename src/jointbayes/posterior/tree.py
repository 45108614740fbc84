"""A directed tree (or forest) over the labels: P(y | x) = ∏_j P(y_j | y_parent(j), x).

The tree is its own plan of elimination, and its tables are the conditionals that a pass of sums
would find, so nothing has to be normalised. The k best vectors come from the leaves upwards:

    list_j(a) = k best of P(b | a) · (b, joined with the lists of the children of j given b)   (1)

for each value a of the parent, vectors and all, so that equal ones are told apart. A query takes
O(d) steps over whole columns of rows; the k best copy O(d²) codes a row on a chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.errors import DataError
from jointbayes.inference.graphs.execute import (
    log_total,
    maximize,
    propagate,
    sample_vectors,
    sum_product,
)
from jointbayes.inference.graphs.plan import Plan, plan_tree
from jointbayes.inference.graphs.sizes import count_relevant
from jointbayes.inference.lists import Best, join_all, select, stack
from jointbayes.labels import LabelSpace
from jointbayes.posterior.posterior import Posterior

__all__ = ["Tree"]


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Posterior):
    """Labels on a directed tree or forest, with the tables of each row.

    Parameters
    ----------
    parents
        The parent of each label; −1 is a root.
    log_p
        One (n, k_parent, k_j) array of log P(y_j | y_parent) per label; k_parent = 1 for a root.
    space
        Names and values of the class variables.

    Examples
    --------
    The second label tends to repeat the first, a coin: neither marginal shows it.

    >>> from jointbayes.labels import learn_labels
    >>> coin, repeat = np.log([[[0.5, 0.5]]]), np.log([[[0.9, 0.1], [0.1, 0.9]]])
    >>> post = Tree((-1, 0), [coin, repeat], learn_labels([[0, 0], [1, 1]]))
    >>> [p.round(2).tolist() for p in post.marginals()], np.exp(post.top_k(2)[1]).round(2).tolist()
    ([[[0.5, 0.5]], [[0.5, 0.5]]], [[0.45, 0.45]])
    >>> post.given({"y1": 1}).marginals()[0].round(2).tolist()
    [[0.1, 0.9]]
    """

    parents: tuple[int, ...]
    log_p: Sequence[Floats]
    space: LabelSpace

    def __post_init__(self) -> None:
        cards = self.space.cards
        above = [1 if p < 0 else cards[p] for p in self.parents]
        shapes, n = [p.shape for p in self.log_p], len(self)
        if shapes != [(n, a, k) for a, k in zip(above, cards, strict=True)]:
            raise DataError(
                f"log_p has shapes {shapes}; the tree needs (n, k_parent, k) with (k_parent, k) = "
                f"{list(zip(above, cards, strict=True))}"
            )
        _ = self._plan

    @cached_property
    def _plan(self) -> Plan:
        return _plan_of(self.parents, self.space.cards)

    @cached_property
    def _tables(self) -> list[Floats]:
        """The tables as a plan has them: (k_j, k_parent, n), without k_parent for a root."""
        turned = [np.ascontiguousarray(p.T) for p in self.log_p]
        return [t[:, 0] if p < 0 else t for t, p in zip(turned, self.parents, strict=True)]

    @property
    def _conditionals(self) -> dict[int, Floats]:
        return {j: np.exp(table) for j, table in enumerate(self._tables)}

    def __len__(self) -> int:
        return len(self.log_p[0])

    def _log_prob(self, codes: Labels) -> Floats:
        log_p, rows = np.zeros(codes.shape[:2]), np.arange(len(self))[:, None]
        for j, parent in enumerate(self.parents):
            above = 0 if parent < 0 else codes[:, :, parent]
            log_p += self.log_p[j][rows, above, codes[:, :, j]]
        return log_p

    def _marginals(self) -> list[Floats]:
        return propagate(self._plan, self._conditionals)

    def _sizes(self) -> Floats:
        return count_relevant(self._plan, self._conditionals)

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        u = rng.random((len(self.space), size, len(self)))
        return sample_vectors(self._plan, self._conditionals, u)

    def _evidence(self, known: Labels) -> Floats:
        return log_total(self._plan, self._agreeing(known))

    def _given(self, known: Labels) -> Tree:
        return self._normalized(self._agreeing(known))

    def _power(self, t: float) -> Tree:
        return self._normalized([t * table for table in self._tables])

    def _normalized(self, tables: list[Floats]) -> Tree:
        """Return the tree of any tables over labels and their parents, as conditionals."""
        _, conditionals = sum_product(self._plan, tables)
        with np.errstate(divide="ignore"):
            log_p = [np.log(conditionals[j]).reshape(p.T.shape).T for j, p in enumerate(self.log_p)]
        return Tree(self.parents, log_p, self.space)

    def _agreeing(self, known: Labels) -> list[Floats]:
        tables = []
        for table, c in zip(self._tables, known.T, strict=True):
            values = np.arange(len(table)).reshape(-1, *[1] * (table.ndim - 1))
            tables.append(np.where((c < 0) | (c == values), table, -np.inf))
        return tables

    def _mode(self) -> Labels:
        return maximize(self._plan, self._tables)[0]

    def _best(self, k: int) -> Best:
        width = max(self.space.cards) ** 2 * k * len(self.space)
        return stack(part._best_upwards(k) for part in self._blocks(width))

    def _best_upwards(self, k: int) -> Best:
        lists: dict[int, Best] = {}
        below: dict[int, list[int]] = {}
        for step in self._plan.steps:
            j, children = step.variable, step.children
            own = np.tile(np.arange(self.space.cards[j]), len(self))[:, None, None]
            labels = [[j], *(below[c] for c in children)]
            joined = [(own, np.zeros((len(own), 1))), *(lists.pop(c) for c in children)]
            below[j] = sorted(label for group in labels for label in group)
            lists[j] = _from_above(join_all(joined, labels, k), self.log_p[j], k)
        roots = self._plan.roots
        return join_all([lists[j] for j in roots], [below[j] for j in roots], k)

    def _rows(self, index: Rows) -> Tree:
        return Tree(self.parents, [p[index] for p in self.log_p], self.space)


@lru_cache(maxsize=256)
def _plan_of(parents: tuple[int, ...], cards: tuple[int, ...]) -> Plan:
    return plan_tree(parents, cards)


def _from_above(best: Best, log_p: Floats, k: int) -> Best:
    """Return, for each value of the parent, the k best of equation (1)."""
    n, above, card = log_p.shape
    codes, values = best  # rows are (row, value of the label)
    m, size = codes.shape[1:]
    every = np.broadcast_to(codes.reshape(n, 1, card * m, size), (n, above, card * m, size))
    weighed = log_p[:, :, :, None] + values.reshape(n, 1, card, m)
    return select(every.reshape(n * above, card * m, size), weighed.reshape(n * above, card * m), k)
