"""Independent labels: P(y | x) = ∏_j P(y_j | x). One class variable is the case d = 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.errors import DataError
from jointbayes.inference.graphs.sizes import all_but_one
from jointbayes.inference.lists import Best, join_all, select, stack
from jointbayes.inference.logs import log_normalize
from jointbayes.inference.sampling import draw_codes
from jointbayes.labels import LabelSpace
from jointbayes.posterior.posterior import Posterior

__all__ = ["Independent"]


@dataclass(frozen=True, eq=False, repr=False)
class Independent(Posterior):
    """Labels that are independent given the row, each with its own log-probabilities.

    Parameters
    ----------
    log_p
        One (n, k_j) array of normalised log-probabilities per class variable.
    space
        Names and values of the class variables.

    Examples
    --------
    The best vector takes the mode of each label; the second best pays the smallest ratio.

    >>> from jointbayes.labels import learn_labels
    >>> space = learn_labels([["a", "no"], ["b", "yes"], ["c", "no"]])
    >>> post = Independent([np.log([[0.2, 0.5, 0.3]]), np.log([[0.1, 0.9]])], space)
    >>> best, log_p = post.top_k(2)
    >>> best.tolist(), np.exp(log_p).round(3).tolist()
    ([[['b', 'yes'], ['c', 'yes']]], [[0.45, 0.27]])
    >>> post.given({"y0": "c"}).map().tolist()
    [['c', 'yes']]
    """

    log_p: Sequence[Floats]
    space: LabelSpace

    def __post_init__(self) -> None:
        shapes, n = [p.shape for p in self.log_p], len(self)
        if shapes != [(n, card) for card in self.space.cards]:
            raise DataError(
                f"log_p has shapes {shapes}; the labels need one (n, k) array each with k = "
                f"{', '.join(map(str, self.space.cards))}"
            )

    def __len__(self) -> int:
        return len(self.log_p[0])

    def _log_prob(self, codes: Labels) -> Floats:
        log_p, rows = np.zeros(codes.shape[:2]), np.arange(len(self))[:, None]
        for j, p in enumerate(self.log_p):
            log_p += p[rows, codes[:, :, j]]
        return log_p

    def _mode(self) -> Labels:
        return np.array([p.argmax(axis=1) for p in self.log_p]).T

    def _best(self, k: int) -> Best:
        if k == 1:
            codes = self._mode()[:, None]
            return codes, self._log_prob(codes)
        return stack(part._several(k) for part in self._blocks(4 * k * len(self.space)))

    def _several(self, k: int) -> Best:
        # Sums of distances from the mode are equal where labels tie; sums of logarithms may not be.
        lists = [_values(p - p.max(axis=1, keepdims=True), k) for p in self.log_p]
        codes, _ = join_all(lists, [[j] for j in range(len(lists))], k)
        return codes, np.minimum.accumulate(self._log_prob(codes), axis=1)

    def _marginals(self) -> list[Floats]:
        return [np.exp(p) for p in self.log_p]

    def _sizes(self) -> Floats:
        p = [q.T for q in self._marginals()]
        others = all_but_one(p, np.ones((1, len(self))))
        joint = [rest * q[1] for rest, q in zip(others, p, strict=True)]
        return np.pad(np.stack(joint, axis=1).T, ((0, 0), (0, 0), (1, 0)))

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        u = rng.random((len(self.log_p), size, len(self)))
        return np.stack(
            [draw_codes(p, u_j) for p, u_j in zip(self._marginals(), u, strict=True)], axis=2
        )

    def _evidence(self, known: Labels) -> Floats:
        total, rows = np.zeros(len(self)), np.arange(len(self))
        for p, c in zip(self.log_p, known.T, strict=True):
            total += np.where(c < 0, 0.0, p[rows, c])
        return total

    def _given(self, known: Labels) -> Independent:
        log_p = [
            np.where((c < 0)[:, None], p, np.where(np.arange(p.shape[1]) == c[:, None], 0, -np.inf))
            for p, c in zip(self.log_p, known.T, strict=True)
        ]
        return Independent(log_p, self.space)

    def _power(self, t: float) -> Independent:
        return Independent([log_normalize(t * p) for p in self.log_p], self.space)

    def _rows(self, index: Rows) -> Independent:
        return Independent([p[index] for p in self.log_p], self.space)


def _values(log_p: Floats, k: int) -> Best:
    codes = np.tile(np.arange(log_p.shape[1])[:, None], (len(log_p), 1, 1))
    return select(codes, log_p, k)
