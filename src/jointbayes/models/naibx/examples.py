r"""What the levels of a cascade learn from (Mossina & Rachelson 2017, Sec. 3.5).

The classifier of level k says which label is picked next once k − 1 are. Of a row with m labels it
may learn

(1)  m · C(m − 1, k − 1)

examples: any of its labels, after any k − 1 of the others. They grow fast, so beyond ``most`` for a
row, orders in which the labels are picked are drawn, the same for all rows with the same labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.counts.cost import MAX_BYTES
from jointbayes.errors import CostError

__all__ = ["Examples", "check_affordable", "count_pairs", "examples_of"]


@dataclass(frozen=True, eq=False)
class Examples:
    """The examples of one level, row by row.

    Parameters
    ----------
    row
        (e,) the row of each.
    picked
        (e, q) the labels that are picked already.
    label
        (e,) the one that comes next.
    share
        (e,) one over how many examples the row has.
    """

    row: Labels
    picked: NDArray[np.int8]
    label: Labels
    share: Floats

    @property
    def one_of_each_row(self) -> Labels:
        """An example of each row, the next one each time, so that all kinds have their turn."""
        first = np.flatnonzero(np.diff(self.row, prepend=-1))
        count = np.diff(first, append=len(self.row))
        return np.asarray(first + np.arange(len(first)) % count)


def examples_of(has: Mask, level: int, most: int | None, seed: int) -> Examples:
    """Return what level 1, 2, … learns from rows that have (n, q) labels.

    Examples
    --------
    At level 2 a row with the labels 0 and 2 says that 2 comes after 0, and 0 after 2:

    >>> found = examples_of(np.array([[True, False, True], [False, True, False]]), 2, None, 0)
    >>> found.row.tolist(), found.picked.tolist(), found.label.tolist(), found.share.tolist()
    ([0, 0], [[0, 0, 1], [1, 0, 0]], [0, 2], [0.5, 0.5])
    """
    sets, which = np.unique(has, axis=0, return_inverse=True)
    which = which.ravel()
    pairs = [_pairs(np.flatnonzero(labels), level, most, seed) for labels in sets]
    count = np.array([len(label) for _, label in pairs], dtype=np.intp)
    start, own = np.cumsum(count) - count, count[which]
    row = np.repeat(np.arange(len(has)), own)
    place = np.arange(len(row)) - np.repeat(np.cumsum(own) - own, own) + start[which[row]]
    before = np.concatenate([before for before, _ in pairs])
    picked = np.zeros((len(row), has.shape[1]), dtype=np.int8)  # as many as examples times labels
    np.put_along_axis(picked, before[place], 1, axis=1)
    label = np.concatenate([label for _, label in pairs])[place]
    return Examples(row, picked, label, 1 / own[row])


def _pairs(members: Labels, level: int, most: int | None, seed: int) -> tuple[Labels, Labels]:
    """Return (e, level − 1) labels that are picked, and the (e,) next, of one set of labels."""
    if len(members) < level:
        return np.empty((0, level - 1), dtype=np.intp), np.empty(0, dtype=np.intp)
    if most is not None and count_pairs(len(members), level) > most:
        rng = np.random.default_rng([seed, level, *members.tolist()])
        orders = rng.permuted(np.tile(members, (most, 1)), axis=1)[:, :level]
        return orders[:, :-1], orders[:, -1]
    chosen = np.array(list(combinations(members.tolist(), level)), dtype=np.intp)
    turns = np.stack([np.roll(np.arange(level), -j - 1) for j in range(level)])
    orders = chosen[:, turns].reshape(-1, level)  # each member of each subset is last once
    return orders[:, :-1], orders[:, -1]


def count_pairs(m: int, level: int) -> int:
    """Return (1).

    >>> count_pairs(4, 2), count_pairs(30, 15)
    (12, 2326762800)
    """
    return m * comb(m - 1, level - 1)


def check_affordable(has: Mask, most: int | None, width: int) -> None:
    """Refuse more examples at a level than memory is asked for, each of so many numbers."""
    sizes, rows = np.unique(has.sum(axis=1), return_counts=True)
    for level in range(1, int(sizes.max(initial=0)) + 1):
        counts = [count_pairs(m, level) if m >= level else 0 for m in sizes.tolist()]
        held = [min(c, most or c) for c in counts]
        total = sum(c * n for c, n in zip(held, rows.tolist(), strict=True))
        if 8 * total * width > MAX_BYTES:
            raise CostError(
                f"ClassifierCascade: level {level} learns from {total:,} examples of {width:,} "
                f"numbers, {8 * total * width / 2**20:,.0f} MiB (limit {MAX_BYTES / 2**20:,.0f} "
                "MiB); give fewer examples= for each row"
            )
