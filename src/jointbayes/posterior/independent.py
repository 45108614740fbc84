"""Independent labels: P(y | x) = ∏_j P(y_j | x). One class variable is the case d = 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace
from jointbayes.posterior.best import Best, join_all, select
from jointbayes.posterior.protocol import Posterior, Rows
from jointbayes.posterior.sizes import all_but_one

__all__ = ["Independent"]

Labels = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
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
    >>> post = Independent(np.log([[[0.2, 0.5, 0.3]]]).tolist() + np.log([[[0.1, 0.9]]]).tolist(), space)
    >>> best, log_p = post.top_k(2)
    >>> best.tolist(), np.exp(log_p).round(3).tolist()
    ([[['b', 'yes'], ['c', 'yes']]], [[0.45, 0.27]])
    >>> post.given({"y0": "c"}).map().tolist()
    [['c', 'yes']]
    """

    log_p: Sequence[Floats]
    space: LabelSpace

    def __post_init__(self) -> None:
        object.__setattr__(self, "log_p", [np.asarray(p, dtype=np.float64) for p in self.log_p])
        shapes = [p.shape for p in self.log_p]
        if shapes != [(len(self), card) for card in self.space.cards]:
            raise DataError(
                f"log_p has shapes {shapes}; the labels need one (n, k) array each with k = "
                f"{list(self.space.cards)}"
            )

    def __len__(self) -> int:
        return len(self.log_p[0])

    def _log_prob(self, codes: Labels) -> Floats:
        terms = [np.take_along_axis(p, codes[:, :, j], axis=1) for j, p in enumerate(self.log_p)]
        return np.sum(terms, axis=0)

    def _best(self, k: int) -> Best:
        if k == 1:
            codes = np.stack([p.argmax(axis=1) for p in self.log_p], axis=1)[:, None]
            return codes, self._log_prob(codes)
        # Sums of distances from the mode are exact where labels tie, sums of logarithms are not.
        lists = [_sorted_values(p - p.max(axis=1, keepdims=True), k) for p in self.log_p]
        codes, _ = join_all(lists, k)
        return codes, self._log_prob(codes)

    def _marginals(self) -> list[Floats]:
        return [np.exp(p) for p in self.log_p]

    def _sizes(self) -> Floats:
        p = self._marginals()
        others = all_but_one(p, np.ones((len(self), 1)))
        joint = [rest * p_j[:, 1:] for rest, p_j in zip(others, p, strict=True)]
        return np.pad(np.stack(joint, axis=1), ((0, 0), (0, 0), (1, 0)))

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        columns = [draw(p, size, rng) for p in self._marginals()]
        return np.stack(columns, axis=2)

    def _given(self, known: Labels) -> Independent:
        log_p = [
            _know(p, c, name)
            for p, c, name in zip(self.log_p, known.T, self.space.names, strict=True)
        ]
        return Independent(log_p, self.space)

    def _rows(self, index: Rows) -> Independent:
        return Independent([p[index] for p in self.log_p], self.space)


def draw(p: Floats, size: int, rng: np.random.Generator) -> Labels:
    """Draw (size, n) codes from the rows of ``p`` (n, k) by inverting their cumulative sums."""
    steps = np.cumsum(p, axis=1)[:, :-1]
    u = (
        rng.random((size, len(p), 1)) * p.sum(axis=1)[:, None]
    )  # u < sum: a code of P = 0 is never drawn
    return (u >= steps).sum(axis=2)


def _sorted_values(log_p: Floats, k: int) -> Best:
    codes = np.tile(np.arange(log_p.shape[1])[:, None], (len(log_p), 1, 1))
    return select(codes, log_p, k)


def _know(log_p: Floats, codes: Labels, name: str) -> Floats:
    unknown = (codes < 0)[:, None]
    hit = np.arange(log_p.shape[1]) == codes[:, None]
    impossible = (hit & np.isneginf(log_p)).any(axis=1)
    if impossible.any():
        row = int(impossible.argmax())
        raise DataError(f"given: label {name!r} has probability 0 at the value given in row {row}")
    return np.where(unknown, log_p, np.where(hit, 0.0, -np.inf))
