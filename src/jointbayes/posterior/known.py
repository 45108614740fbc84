"""Known labels, for the kinds of posterior that cannot take them in and so remember them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace

__all__ = ["Known", "binary_marginals", "encode_known"]


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the labels of each row: (n, d) codes, −1 where a label is not known.

    Examples
    --------
    >>> first = Known(np.array([[1, -1, -1]]))
    >>> both = first.also(np.array([[-1, -1, 0]]))
    >>> both.codes.tolist(), both.agrees(np.array([[[1, 1, 0], [0, 1, 0]]])).tolist()
    ([[1, -1, 0]], [[True, False]])
    """

    codes: Labels

    def also(self, codes: Labels) -> Known:
        """Return what is known once more is; what was known before stays."""
        return Known(np.where(self.codes < 0, codes, self.codes))

    def agrees(self, codes: Labels) -> Mask:
        """Return whether vectors (n, m, d) have the values that are known: (n, m)."""
        known = self.codes[:, None]
        return np.asarray(((known < 0) | (known == codes)).all(axis=2))

    def rows(self, index: slice | Labels) -> Known:
        """Return what is known of some of the rows."""
        return Known(self.codes[index])

    def refuse_clash(self, codes: Labels, log_p: Floats) -> Floats:
        """Return ``log_p`` (n,), −inf where ``codes`` contradict what is known."""
        clash = (codes >= 0) & (self.codes >= 0) & (codes != self.codes)
        return np.where(clash.any(axis=1), -np.inf, log_p)


def binary_marginals(p: Floats, known: Known | None) -> list[Floats]:
    """Return (n, 2) marginals from the probabilities (n, d) of second values, which are rounded.

    What is known is certain to the last bit: a value that was ruled out is not asked about again.

    >>> told = binary_marginals(np.array([[0.25, 1 - 2**-53]]), Known(np.array([[-1, 1]])))
    >>> [one.tolist() for one in told]
    [[[0.75, 0.25]], [[0.0, 1.0]]]
    """
    p = p.clip(0.0, 1.0)
    if known is not None:
        p = np.where(known.codes < 0, p, known.codes)
    return [np.stack([1 - one, one], axis=1) for one in p.T]


def encode_known(space: LabelSpace, n: int, labels: Mapping[str, Any]) -> Labels:
    """Return (n, d) codes of labels by name, one value or one per row; −1 for those not named.

    >>> space = LabelSpace(("mood", "pace"), (np.array(["calm", "happy"]),) * 2)
    >>> encode_known(space, 2, {"pace": "happy"}).tolist()
    [[-1, 1], [-1, 1]]
    """
    known = np.full((n, len(space)), -1, dtype=np.intp)
    for name, value in labels.items():
        if name not in space.names:
            raise DataError(
                f"given: no label is called {name!r}; there are {', '.join(space.names)}"
            )
        values, j = np.asarray(value), space.names.index(name)
        if values.ndim and values.shape != (n,):
            raise DataError(
                f"given: label {name!r} has values of shape {values.shape}; "
                f"give one value or one for each of the {n} rows"
            )
        known[:, j] = space.take([j]).encode(np.broadcast_to(values, (n,)))[:, 0]
    return known
