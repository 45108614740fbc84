"""Rows held out: what models that have not seen them say of their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.posterior import Posterior

__all__ = ["HeldOut", "mean_and_error"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The rows of each fold, and what their labels are.

    Parameters
    ----------
    folds
        The row numbers of each.
    codes
        (n, d) labels of all rows.
    weights
        (n,) of the rows; None for equal ones.

    Examples
    --------
    >>> held = HeldOut([np.array([0]), np.array([1])], np.array([[1], [1]]))
    >>> [f.round(3).tolist() for f in held.frequencies((2,))]
    [[0.167, 0.833]]
    """

    folds: Sequence[Labels]
    codes: Labels
    weights: Weights = None

    def log_p(self, posteriors: Sequence[Posterior]) -> Floats:
        """Return (n,) log P of the labels of each row, given the posterior of each fold."""
        found = np.empty(len(self.codes))
        for rows, post in zip(self.folds, posteriors, strict=True):
            found[rows] = post._log_prob(self.codes[rows][:, None])[:, 0]
        return found

    def frequencies(self, cards: Sequence[int]) -> tuple[Floats, ...]:
        """Return the frequencies of the values of labels, with one row spread over them."""
        w = np.ones(len(self.codes)) if self.weights is None else self.weights
        each = zip(self.codes.T, cards, strict=True)
        return tuple((np.bincount(c, w, minlength=k) + 1 / k) / (w.sum() + 1) for c, k in each)


def mean_and_error(numbers: Floats, weights: Weights = None) -> tuple[float, float]:
    """Return the mean over rows, and its standard error; a row of weight 2 is two rows.

    >>> mean_and_error(np.array([0.0, 2.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    (1.0, 0.353...)
    """
    w = np.ones(len(numbers)) if weights is None else weights
    mean = float(np.average(numbers, weights=w))
    spread = float(np.average((numbers - mean) ** 2, weights=w))
    return mean, float(np.sqrt(spread / w.sum()))
