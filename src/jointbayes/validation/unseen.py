"""Labels that a model could not know: a value in the test rows that no training row has.

Such a value has probability 0. That is what metrics should be told, so marginals and posteriors are
widened from the labels a model knows to the labels of the whole data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.labels import LabelSpace
from jointbayes.posterior import Posterior

__all__ = ["WithUnseen", "places_of", "widen_marginals"]

Places = list[NDArray[np.intp]]


def places_of(known: Sequence[NDArray[Any]], space: LabelSpace) -> Places | None:
    """Return where each known class stands among those of ``space``; None if they are the same.

    >>> from jointbayes.labels import learn_labels
    >>> places_of([np.array(["a", "c"])], learn_labels(["a", "b", "c"]))
    [array([0, 2])]
    """
    pairs = list(zip(known, space.classes, strict=True))
    if all(len(few) == len(many) for few, many in pairs):
        return None
    index = [{value: k for k, value in enumerate(many.tolist())} for _, many in pairs]
    return [
        np.array([at[value] for value in few.tolist()])
        for (few, _), at in zip(pairs, index, strict=True)
    ]


def widen_marginals(marginals: Sequence[Floats], places: Places, space: LabelSpace) -> list[Floats]:
    """Return one (n, k_j) array per class variable of ``space``, 0 where a class was not known.

    >>> from jointbayes.labels import learn_labels
    >>> space = learn_labels(["a", "b", "c"])
    >>> widen_marginals([np.array([[0.25, 0.75]])], [np.array([0, 2])], space)
    [array([[0.25, 0.  , 0.75]])]
    """
    wide = [np.zeros((len(p), k)) for p, k in zip(marginals, space.cards, strict=True)]
    for out, p, at in zip(wide, marginals, places, strict=True):
        out[:, at] = p
    return wide


@dataclass(frozen=True, eq=False)
class WithUnseen:
    """A posterior over the labels of ``space``, of which its model knew some only.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> narrow = Independent([np.log([[0.5, 0.5]] * 2)], learn_labels(["a", "b"]))
    >>> np.exp(WithUnseen(narrow, learn_labels(["a", "b", "c"])).log_prob(["b", "c"])).tolist()
    [0.5, 0.0]
    """

    posterior: Posterior
    space: LabelSpace

    def __len__(self) -> int:
        return len(self.posterior)

    def __getitem__(self, index: Any) -> WithUnseen:
        return WithUnseen(self.posterior[index], self.space)

    def top_k(self, k: int) -> tuple[NDArray[Any], Floats]:
        """Return the best label vectors, all of known classes."""
        return self.posterior.top_k(k)

    def log_prob(self, Y: Any) -> Floats:
        """Return log P(Y = y | x), −∞ for a vector with a class that was not known."""
        codes = self.space.encode(Y)
        seen = np.ones(len(codes), dtype=bool)
        for known, values, column in zip(
            self.posterior.space.classes, self.space.classes, codes.T, strict=True
        ):
            seen &= np.isin(values, known)[column]
        log_p = np.full(len(codes), -np.inf)
        rows = np.flatnonzero(seen)
        if len(rows):
            log_p[rows] = self.posterior[rows].log_prob(self.space.decode(codes[rows]))
        return log_p
