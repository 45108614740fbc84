r"""Experts with k parents: around KDB, generalist and experts of one kind (Sun 2017, Sec. 6).

Experts of the paper are trees whatever the generalist is. Here the expert of a row and a label c is
what KDB (Sec. 2.2.3) makes of the terms of that row and that label alone:

1. Rank the features of the row by

   .. math:: I(x_i; c) = \log_2 \frac{P(x_i, c)}{P(x_i) P(c)}                                 (1)

   largest first: Eq. 9 without its average over labels, as Eq. 18 is Eq. 10 without it.
2. The parents of a feature are the class and the k features before it of largest Eq. 18.

What was not observed is left out, weights are compared to ten decimals, ties go to the lower
feature. With k = 0 an expert is naive Bayes. With k = 1 it is a tree as those of `experts` are, but
one in which each feature hangs on the heaviest before it in the ranking; those are the heaviest.

These are the networks of `LKDB`, one for each label, with other weights. Their tables of k ≥ 2
parents are counted when a row first asks for them, from the rows kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.checks import check_contiguous, check_shape, check_that
from jointbayes.codes import CodeArray, Codes
from jointbayes.counts import PairCounts
from jointbayes.errors import DataError
from jointbayes.information import pointwise_class_information
from jointbayes.models.label_driven.experts import (
    PairTables,
    expert_weights,
    pair_tables,
    ranks_of,
)
from jointbayes.models.one_class.knowledge import Rows
from jointbayes.models.one_class.learned import Arc
from jointbayes.models.one_class.lkdb import LocalNetworks, of_one_parent

__all__ = ["DependentExperts", "learn_dependent_experts"]


@dataclass(frozen=True, eq=False)
class DependentExperts:
    """What it takes to build a k-dependence network for any row and label.

    Parameters
    ----------
    tables
        What one feature says about another.
    k
        How many other features a feature may depend on.
    value_ranks
        (C, V) the order of Eq. 1.
    pair_ranks
        (C, V, V) the order of Eq. 18.
    rows
        The training rows if k ≥ 2, and the m of their tables.
    """

    tables: PairTables
    k: int
    value_ranks: NDArray[np.int32]
    pair_ranks: NDArray[np.int32]
    rows: tuple[Rows, float] | None

    def _check_stored(self) -> None:
        check_shape("value_ranks", self.value_ranks, self.tables.log_single.shape)
        check_shape("pair_ranks", self.pair_ranks, self.tables.log_pair.shape)
        check_contiguous(value_ranks=self.value_ranks, pair_ranks=self.pair_ranks)
        check_that(self.k >= 0 and (self.k > 1) == (self.rows is not None), "k and rows disagree")
        if self.rows is not None:
            cards = (len(self.tables.log_prior), *self.tables.cards)
            check_that(self.rows[0].codes.cards == cards, "rows have other values")
            check_that(0 <= self.rows[1] < np.inf, "the smoothing of rows is not a number")

    @cached_property
    def _networks(self) -> tuple[LocalNetworks, ...]:
        """The networks of each label."""
        t, log_pair = self.tables, of_one_parent(self.tables)
        return tuple(
            LocalNetworks(self.k, values, pairs, t.log_prior, log_pair, t.cards, self.rows)
            for values, pairs in zip(self.value_ranks, self.pair_ranks, strict=True)
        )

    def _wanted(self, wanted: Mask) -> Iterator[tuple[int, LocalNetworks, Labels]]:
        """Yield each label that any row wants, its networks, and these rows."""
        for label, (networks, of) in enumerate(zip(self._networks, wanted.T, strict=True)):
            if of.any():
                yield label, networks, np.flatnonzero(of)

    def log_joint(self, codes: Codes, wanted: Mask, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c, x) by the experts of the ``wanted`` labels, else −inf."""
        out = np.full(wanted.shape, -np.inf)
        for label, networks, rows in self._wanted(wanted):
            out[rows, label] = networks.log_scores(codes[rows], n_jobs)[:, label]
        return out

    def row_arcs(self, x: CodeArray, wanted: Mask) -> dict[str | int, Sequence[Arc]]:
        """Return the arcs of one row's networks, by the codes of the (C,) ``wanted`` labels."""
        return {
            label: networks.row_arcs(x[None])[0]["network"]
            for label, networks, _ in self._wanted(wanted[None])
        }

    def terms(self, x: CodeArray, wanted: Mask) -> Floats:
        """Return (n, p, C), what each feature adds to the experts of the ``wanted`` labels."""
        out = np.zeros((*x.shape, len(self.tables.log_prior)))
        for label, networks, rows in self._wanted(wanted):
            (member,) = networks.members(x[rows])
            out[rows, :, label] = member.terms[:, :, label]
        return out


def learn_dependent_experts(
    known: PairCounts | Rows,
    counts: PairCounts,
    k: int = 1,
    smoothing: float = 1.0,
    support: str = "any",
) -> DependentExperts:
    """Return the experts of all labels; their networks are built when rows are met.

    Examples
    --------
    In class 0 the third feature copies the first, in class 1 the second: each label's expert
    finds its own arc.

    >>> a, b, y = np.random.default_rng(0).integers(0, 2, (3, 200))
    >>> x = np.stack([a, b, np.where(y == 0, a, b)], axis=1)
    >>> from jointbayes.counts import count_pairs
    >>> counts = count_pairs(Codes.of(x, targets=y))
    >>> experts = learn_dependent_experts(counts, counts, k=1)
    >>> arcs = experts.row_arcs(np.array([0, 0, 0], dtype=np.uint8), np.array([True, True]))
    >>> [{tuple(sorted(arc)) for arc in arcs[c]} >= {(i, 3)} for c, i in ((0, 1), (1, 2))]
    [True, True]
    """
    if k > 1 and not isinstance(known, Rows):
        raise DataError(f"counts of pairs do not tell the tables of k={k} parents; give Rows")
    return DependentExperts(
        pair_tables(counts, smoothing),
        k,
        ranks_of(pointwise_class_information(counts.singles)),
        ranks_of(expert_weights(counts, smoothing, support)),
        (known, smoothing) if k > 1 and isinstance(known, Rows) else None,
    )
