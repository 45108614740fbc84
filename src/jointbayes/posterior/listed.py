"""An explicit table: the label vectors that have any probability, and how much on each row."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.errors import DataError
from jointbayes.inference.lists import Best
from jointbayes.inference.logs import log_normalize, log_sum
from jointbayes.inference.sampling import draw_codes
from jointbayes.labels import LabelSpace
from jointbayes.posterior.posterior import Posterior

__all__ = ["Listed"]


@dataclass(frozen=True, eq=False, repr=False)
class Listed(Posterior):
    """Log-probabilities of a list of label vectors; all other vectors have probability 0.

    Parameters
    ----------
    vectors
        The (m, d) codes of distinct label vectors, shared by all rows.
    log_p
        Their (n, m) log-probabilities, normalised over the vectors.
    space
        Names and values of the class variables.

    Examples
    --------
    Sets that were never listed come last, with probability 0.

    >>> from jointbayes.labels import learn_labels
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> post = Listed(np.array([[0, 0], [1, 1]]), np.log([[0.25, 0.75]]), space)
    >>> best, log_p = post.top_k(3)
    >>> best.tolist(), np.exp(log_p).round(2).tolist()
    ([[[1, 1], [0, 0], [0, 1]]], [[0.75, 0.25, 0.0]])
    >>> post.given({"y0": 0}).marginals()[1].tolist()
    [[1.0, 0.0]]
    """

    vectors: Labels
    log_p: Floats
    space: LabelSpace

    def __post_init__(self) -> None:
        m, d = self._width, len(self.space)
        if m == 0 or self.vectors.shape != (m, d) or self.log_p.shape[1:] != (m,):
            raise DataError(
                f"a table over {d} labels needs (m, {d}) vectors and (n, m) log-probabilities; "
                f"found {self.vectors.shape} and {self.log_p.shape}"
            )
        if self._ascending():
            return
        order = np.lexsort(self.vectors.T[::-1])  # sorted, so that ties go to the lower vector
        vectors = self.vectors[order]
        if (vectors[1:] == vectors[:-1]).all(axis=1).any():
            raise DataError("the vectors of a table must be distinct; add up those that are equal")
        object.__setattr__(self, "vectors", vectors)
        object.__setattr__(self, "log_p", self.log_p[:, order])

    def _ascending(self) -> bool:
        """Tell whether the vectors are distinct and in order already, as most are."""
        if prod(self.space.cards) > 1 << 62:
            return False
        number = np.zeros(self._width, dtype=np.int64)
        for card, codes in zip(self.space.cards, self.vectors.T, strict=True):
            number *= card
            number += codes
        return bool((number[1:] > number[:-1]).all())

    @property
    def _width(self) -> int:
        return len(self.vectors)

    def __len__(self) -> int:
        return len(self.log_p)

    def _log_prob(self, codes: Labels) -> Floats:
        padded = np.pad(self.log_p, ((0, 0), (0, 1)), constant_values=-np.inf)
        return np.take_along_axis(padded, self._find(codes), axis=1)

    def _find(self, codes: Labels) -> Labels:
        """Return the place of each vector in the list, or the length of the list."""
        place = np.zeros(codes.shape[:-1], dtype=np.intp)
        listed = np.zeros(self._width, dtype=np.intp)
        lost = np.zeros(codes.shape[:-1], dtype=bool)
        # Prefixes are numbered anew at each label, so that no key exceeds m × k.
        for j, card in enumerate(self.space.cards):
            prefixes, listed = np.unique(listed * card + self.vectors[:, j], return_inverse=True)
            key = place * card + codes[..., j]
            place = np.minimum(np.searchsorted(prefixes, key), len(prefixes) - 1)
            lost |= prefixes[place] != key
        return np.where(lost, self._width, place)

    def _best(self, k: int) -> Best:
        order = (
            self.log_p.argmax(axis=1)[:, None]
            if k == 1
            else np.argsort(-self.log_p, axis=1, kind="stable")[:, :k]
        )
        return self.vectors[order], np.take_along_axis(self.log_p, order, axis=1)

    def _marginals(self) -> list[Floats]:
        p = np.exp(self.log_p)
        return [
            p @ (self.vectors[:, j, None] == np.arange(card)).astype(np.float64)
            for j, card in enumerate(self.space.cards)
        ]

    def _sizes(self) -> Floats:
        p, size = np.exp(self.log_p), self.vectors.sum(axis=1)
        by_size = [p[:, size == s] @ self.vectors[size == s] for s in range(len(self.space) + 1)]
        return np.stack(by_size, axis=2)

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        p, u = np.exp(self.log_p), rng.random((size, len(self)))
        drawn = [
            draw_codes(p, one) for one in u
        ]  # one sample at a time: (n, m) cells, not (size, n, m)
        return self.vectors[np.array(drawn, dtype=np.intp).reshape(size, len(self))]

    def _evidence(self, known: Labels) -> Floats:
        total: Floats = log_sum(self._agreeing(known), axis=1)
        return total

    def _given(self, known: Labels) -> Listed:
        return Listed(self.vectors, log_normalize(self._agreeing(known)), self.space)

    def _agreeing(self, known: Labels) -> Floats:
        agrees = np.ones(self.log_p.shape, dtype=bool)
        for j in np.flatnonzero((known >= 0).any(axis=0)):
            agrees &= (known[:, j, None] < 0) | (known[:, j, None] == self.vectors[:, j])
        return np.where(agrees, self.log_p, -np.inf)

    def _rows(self, index: Rows) -> Listed:
        return Listed(self.vectors, self.log_p[index], self.space)

    def _power(self, t: float) -> Listed:
        return Listed(self.vectors, log_normalize(t * self.log_p), self.space)

    def _every(self) -> tuple[Labels, Floats]:
        return self.vectors, self.log_p

    def _support(self) -> tuple[Labels, Floats] | None:
        return self._every()
