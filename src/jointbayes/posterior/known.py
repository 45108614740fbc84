"""Known labels, for the kinds of posterior that cannot take them in and so remember them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask

__all__ = ["Known"]


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
