"""A directed tree (or forest) over the labels: P(y | x) = ∏_j P(y_j | y_parent(j), x).

Everything is a pass over the tree. Downward from the roots: marginals, samples. Upward from the
leaves, where v(y) collects what the labels below v say once Y_v = y:

    evidence  m_c(a) = Σ_b P(b | a) v_c(b)             (1), v the product of m over its children
    k best    m_c(a) = k best of P(b | a) · v_c(b)     (2), v the k best joins of the lists
    sizes     m_c(a) = Σ_b P(b | a) v_c(b), convolved  (3), v a distribution of sizes

Roots hang on a virtual label with one value, so that a forest is a tree. Each pass is vectorised
over rows and values, O(d) steps (k best: with the vectors of the subtrees, O(d²) cells a row).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError, StructureError
from jointbayes.inference.best import Best, join_all, select
from jointbayes.inference.execute import draw
from jointbayes.inference.sizes import all_but_one, convolve
from jointbayes.labels import LabelSpace
from jointbayes.posterior.protocol import Posterior, Rows

__all__ = ["Tree"]

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]

ROOT = -1
OWN = np.eye(2)[:, :, None]
"""The size of one label given its value: axes (size, value, row)."""


@dataclass(frozen=True, eq=False)
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
        self._check_order()
        cards = self.space.cards
        above = [1 if p == ROOT else cards[p] for p in self.parents]
        shapes = [p.shape for p in self.log_p]
        if shapes != [(len(self), a, k) for a, k in zip(above, cards, strict=True)]:
            raise DataError(
                f"log_p has shapes {shapes}; the tree needs (n, k_parent, k) with (k_parent, k) = "
                f"{list(zip(above, cards, strict=True))}"
            )

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {v: [] for v in range(ROOT, len(self.parents))}
        for j, parent in enumerate(self.parents):
            found[parent].append(j)
        return found

    @cached_property
    def _order(self) -> list[int]:
        """Labels that can be reached from the roots, parents first."""
        order = list(self._children[ROOT])
        for v in order:
            order.extend(self._children[v])
        return order

    def _check_order(self) -> None:
        lost = set(range(len(self.parents))) - set(self._order)
        if lost:
            name = self.space.names[min(lost)]
            raise StructureError(f"label {name!r} is its own ancestor or hangs on one that is")

    def __len__(self) -> int:
        return len(self.log_p[0])

    def _log_prob(self, codes: Labels) -> Floats:
        log_p, rows = np.zeros(codes.shape[:2]), np.arange(len(self))[:, None]
        for j, parent in enumerate(self.parents):
            above = 0 if parent == ROOT else codes[:, :, parent]
            log_p += self.log_p[j][rows, above, codes[:, :, j]]
        return log_p

    def _marginals(self) -> list[Floats]:
        p = {ROOT: np.ones((len(self), 1))}
        for j in self._order:
            p[j] = np.einsum("na,nab->nb", p[self.parents[j]], np.exp(self.log_p[j]))
        return [p[j] for j in range(len(self.space))]

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        out = np.zeros((size, len(self), len(self.space) + 1), dtype=np.intp)  # the last is ROOT
        for j in self._order:
            p = np.exp(self.log_p[j])[np.arange(len(self)), out[:, :, self.parents[j]]]
            out[:, :, j] = draw(p, rng.random((size, len(self))))
        return out[:, :, :-1]

    def _evidence(self, known: Labels) -> Floats:
        _, messages = self._upward(known)
        total: Floats = np.sum([messages[j][:, 0] for j in self._children[ROOT]], axis=0)
        return total

    def _given(self, known: Labels) -> Tree:
        values, messages = self._upward(known)
        log_p = [
            p + values[j][:, None] - np.where(np.isneginf(m := messages[j]), 0, m)[:, :, None]
            for j, p in enumerate(self.log_p)
        ]
        return Tree(self.parents, log_p, self.space)

    def _upward(self, known: Labels) -> tuple[dict[int, Floats], dict[int, Floats]]:
        """Return log v_j(y) and log m_j(y_parent) of equation (1)."""
        values: dict[int, Floats] = {}
        messages: dict[int, Floats] = {}
        for j in reversed(self._order):
            excluded = (known[:, j, None] >= 0) & (
                known[:, j, None] != np.arange(self.space.cards[j])
            )
            value = np.where(excluded, -np.inf, 0.0)
            for c in self._children[j]:
                value = value + messages[c]
            values[j] = value
            messages[j] = np.logaddexp.reduce(self.log_p[j] + value[:, None], axis=2)
        return values, messages

    def _best(self, k: int) -> Best:
        lists: dict[int, Best] = {}
        below: dict[int, list[int]] = {}
        for j in reversed(self._order):
            value = np.tile(np.arange(self.space.cards[j]), len(self))[:, None, None]
            own = value, np.zeros((len(value), 1))
            children = self._children[j]
            labels = [[j], *(below[c] for c in children)]
            best = join_all([own, *(lists.pop(c) for c in children)], labels, k)
            below[j] = sorted(label for group in labels for label in group)
            lists[j] = _from_above(best, self.log_p[j], k)
        roots = self._children[ROOT]
        return join_all([lists[j] for j in roots], [below[j] for j in roots], k)

    def _sizes(self) -> Floats:
        inside, messages = self._count_inside()
        outside = {ROOT: np.ones((1, 1, len(self)))}
        joint: dict[int, Floats] = {}
        for v in [ROOT, *self._order]:
            if v != ROOT:
                joint[v] = convolve(inside[v][:, 1], outside[v][:, 1])
                outside[v] = convolve(OWN, outside[v])
            children = self._children[v]
            rest = all_but_one([messages[c] for c in children], outside[v])
            for c, other in zip(children, rest, strict=True):
                outside[c] = np.einsum("nab,san->sbn", np.exp(self.log_p[c]), other)
        return np.stack([joint[j] for j in range(len(self.space))], axis=1).T

    def _count_inside(self) -> tuple[dict[int, Floats], dict[int, Floats]]:
        """Return v_j and m_j of equation (3), each (size, value, n)."""
        inside: dict[int, Floats] = {}
        messages: dict[int, Floats] = {}
        for j in reversed(self._order):
            count = OWN
            for c in self._children[j]:
                count = convolve(count, messages[c])
            inside[j] = count
            messages[j] = np.einsum("nab,sbn->san", np.exp(self.log_p[j]), count)
        return inside, messages

    def _rows(self, index: Rows) -> Tree:
        return Tree(self.parents, [p[index] for p in self.log_p], self.space)


def _from_above(best: Best, log_p: Floats, k: int) -> Best:
    """Return, for each value of the parent, the k best of equation (2)."""
    n, above, card = log_p.shape
    codes, values = best  # rows are (row, value of the label)
    m, size = codes.shape[1:]
    every = np.broadcast_to(codes.reshape(n, 1, card * m, size), (n, above, card * m, size))
    weighed = log_p[:, :, :, None] + values.reshape(n, 1, card, m)
    return select(every.reshape(n * above, card * m, size), weighed.reshape(n * above, card * m), k)
