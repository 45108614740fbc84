"""Losses: what an answer costs, given the truth, where a name does not say it all.

"subset", "hamming", "f1" and "jaccard" are names; the losses here have numbers of their own, and
are taken wherever a name is: ``predict`` (``loss=``), ``posterior.decide``, ``expected_loss``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.errors import ParameterError
from jointbayes.labels import LabelSpace

__all__ = ["NAMES", "FBeta", "Loss", "Weighted", "check_loss"]

NAMES = ("subset", "hamming", "f1", "jaccard")
"""The losses that go by name."""


@dataclass(frozen=True)
class FBeta:
    """1 − F_β between the sets of relevant labels; β > 1 minds a missing label more.

    ``F_β = (1 + β²) |y ∩ ŷ| / (β² |y| + |ŷ|)``, and 1 if both sets are empty. ``FBeta(1)`` is "f1".

    Examples
    --------
    One of two labels is relevant, the second one mostly. Whoever minds a missing label names both:

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Listed
    >>> space = learn_labels([[0, 0], [1, 1]])
    >>> post = Listed(np.eye(2, dtype=int), np.log([[0.2, 0.8]]), space)
    >>> [post.decide(FBeta(beta)).tolist() for beta in (0.5, 2)]
    [[[0, 1]], [[1, 1]]]
    """

    beta: float

    def __post_init__(self) -> None:
        if not _is_number(self.beta) or not 0 < self.beta < float("inf"):
            raise ParameterError(
                f"FBeta(beta={self.beta!r}): beta must be a finite number above 0; 1 is F1"
            )


@dataclass(frozen=True)
class Weighted:
    """The mean over labels of what a wrong label costs, each kind of mistake at its own price.

    Parameters
    ----------
    false_positive
        Price of a label that is named and not relevant: one number, or one for each label by name;
        labels that are not named cost 1.
    false_negative
        Price of a relevant label that is not named, likewise.

    Examples
    --------
    ``Weighted()`` is the Hamming loss. Where missing "fire" costs nine times as much as a false
    alarm, it is named as soon as it is likelier than one in ten:

    >>> from jointbayes.labels import LabelSpace
    >>> from jointbayes.posterior import Independent
    >>> space = LabelSpace(("fire", "fog"), (np.array([0, 1]),) * 2)
    >>> post = Independent([np.log([[0.8, 0.2]])] * 2, space)
    >>> post.decide(Weighted(false_negative={"fire": 9})).tolist()
    [[1, 0]]
    """

    false_positive: float | Mapping[str, float] = 1.0
    false_negative: float | Mapping[str, float] = 1.0

    def __post_init__(self) -> None:
        for which, prices in self._prices().items():
            named = prices if isinstance(prices, Mapping) else {"": prices}
            for name, price in named.items():
                if not _is_number(price) or not isfinite(price) or price < 0:
                    of = f" of label {name!r}" if name else ""
                    raise ParameterError(
                        f"Weighted({which}=…): the price{of} is {price!r}; give a finite number "
                        "that is not negative"
                    )

    def _prices(self) -> dict[str, float | Mapping[str, float]]:
        return {"false_positive": self.false_positive, "false_negative": self.false_negative}

    def by_label(self, space: LabelSpace) -> tuple[Floats, Floats]:
        """Return the prices (d,) of false positives and of false negatives.

        >>> from jointbayes.labels import LabelSpace
        >>> space = LabelSpace(("fire", "fog"), (np.array([0, 1]),) * 2)
        >>> [price.tolist() for price in Weighted(2, {"fog": 3}).by_label(space)]
        [[2.0, 2.0], [1.0, 3.0]]
        """
        both = []
        for which, prices in self._prices().items():
            if not isinstance(prices, Mapping):
                both.append(np.full(len(space), float(prices)))
                continue
            strange = [name for name in prices if name not in space.names]
            if strange:
                raise ParameterError(
                    f"Weighted({which}=…): no label is called {strange[0]!r}; there are "
                    f"{', '.join(space.names)}"
                )
            both.append(np.array([float(prices.get(name, 1.0)) for name in space.names]))
        return both[0], both[1]


Loss = str | FBeta | Weighted
"""A name of `NAMES`, or a loss with numbers of its own."""


def check_loss(loss: Any) -> None:
    """Refuse what is not a loss.

    >>> check_loss("accuracy")
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: loss='accuracy': choose subset, hamming, f1, jaccard, ...
    """
    if not (isinstance(loss, FBeta | Weighted) or (isinstance(loss, str) and loss in NAMES)):
        raise ParameterError(
            f"loss={loss!r}: choose {', '.join(NAMES)}, or jb.losses.FBeta(beta) or "
            "jb.losses.Weighted(false_positive, false_negative)"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
