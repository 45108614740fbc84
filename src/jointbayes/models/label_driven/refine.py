r"""Refined generalists: a structure learned from some labels only (Sun 2017, Sec. 3.2).

.. math:: \tilde I(X_i; X_j \mid C) = \sum_{c \in Ω'} T_c(X_i; X_j)                           (16)

Each term T_c is computed once, so the weights for any set of labels are a sum of matrices. Rows
with the same surviving labels share a structure, and rows in which everything was observed need
no network at all: all trees are grown at once, and each row looks its terms up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jointbayes import _kernels
from jointbayes.arrays import Floats, Ints, Labels, Mask
from jointbayes.checks import check_finite, check_that
from jointbayes.codes import CodeArray, Codes
from jointbayes.counts import PairCounts
from jointbayes.inference import compile_network
from jointbayes.information import class_terms, label_terms
from jointbayes.models.label_driven.experts import FEW_TREES, PairTables, dense
from jointbayes.models.one_class.kdb import rank_parents
from jointbayes.models.one_class.knowledge import Rows, cards_of, tables
from jointbayes.models.one_class.learned import OneNetwork
from jointbayes.models.one_class.tan import tree_below_class
from jointbayes.network import families_of
from jointbayes.network.parameters import estimate
from jointbayes.structure import maximum_spanning_tree
from jointbayes.threads import n_threads

__all__ = ["Refiner", "label_sets", "learn_refiner"]

CELLS = 1 << 22
"""Of weight matrices that are held at a time."""

KEPT = 1 << 20
"""Nodes of all trees that are kept for the next rows."""


@dataclass(frozen=True, eq=False)
class Refiner:
    """What it takes to learn the generalist's structure from some labels only.

    Parameters
    ----------
    known
        The counts behind the tables.
    dependence
        (C, p, p) the terms of Eq. 16.
    relevance
        (C, p) the labels' terms of I(X_i; C).
    pairs
        What one feature says about another.
    smoothing
        The m of the m-estimates.
    k
        Parents of each feature for a k-dependence network; None for a tree.
    """

    known: PairCounts | Rows
    dependence: Floats
    relevance: Floats
    pairs: PairTables
    smoothing: float
    k: int | None

    def _check_stored(self) -> None:
        cards = (len(self.pairs.log_prior), *self.pairs.cards)
        n_classes, p = cards[0], len(self.pairs.cards)
        check_that(cards_of(self.known) == cards, "counts and tables are not of the same columns")
        check_finite("dependence", self.dependence, (n_classes, p, p))
        check_finite("relevance", self.relevance, (n_classes, p))
        check_that(0 <= self.smoothing < np.inf, "smoothing is not a number of at least 0")
        check_that(self.k is None or self.k >= 0, "k is below 0")

    def over(self, labels: Labels) -> OneNetwork:
        """Return the generalist whose structure comes from ``labels`` alone."""
        dependence = self.dependence[labels].sum(axis=0)  # (16)
        if self.k is None:
            dag = tree_below_class(maximum_spanning_tree(dependence))
        else:
            dag = rank_parents(self.relevance[labels].sum(axis=0), dependence, self.k)
        counts = tables(self.known, families_of(dag))
        return OneNetwork(compile_network(estimate(dag, counts, smoothing=self.smoothing)))

    def log_joint(self, codes: Codes, kept: Mask, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c, x) by the generalist of each row's ``kept`` labels, else −inf."""
        out = np.full(kept.shape, -np.inf)
        x = dense(codes)
        whole = np.full(len(x), self.k is None)
        whole &= (x < np.array(self.pairs.cards)).all(axis=1)
        self._look_up(x, kept & whole[:, None], out, n_jobs)
        rest = np.flatnonzero(~whole)
        for labels, part in label_sets(kept[rest]) if len(rest) else ():
            rows = rest[part]
            out[np.ix_(rows, labels)] = self.over(labels).log_scores(codes[rows], n_jobs)[:, labels]
        return out

    def _look_up(self, x: CodeArray, kept: Mask, out: Floats, n_jobs: int | None) -> None:
        """Fill in the rows that miss nothing, if the structure is a tree."""
        labels, rows = map(np.ascontiguousarray, np.nonzero(kept.T))
        if not len(rows):
            return
        first, which = _distinct(kept)
        log_likelihood = _kernels.tree_log_likelihood(
            x,
            self.pairs.start,
            rows,
            labels,
            which[rows],
            self._trees(kept[first]),
            self.pairs.log_pair,
            self.pairs.log_single,
            n_threads(n_jobs if len(rows) > FEW_TREES else 1),
        )
        out[rows, labels] = self.pairs.log_prior[labels] + log_likelihood

    def _trees(self, sets: Mask) -> Ints:
        """Return (sets, p), the tree of each set of labels."""
        names = [kept.tobytes() for kept in sets]
        new = [i for i, name in enumerate(names) if name not in self._grown]
        grown = dict(zip((names[i] for i in new), self._grow(sets[new]), strict=True))
        if (len(self._grown) + len(grown)) * len(self.pairs.cards) <= KEPT:
            self._grown.update(grown)
        return np.stack([grown[k] if k in grown else self._grown[k] for k in names])

    @cached_property
    def _grown(self) -> dict[bytes, Ints]:
        """The trees of sets of labels that rows had, for the next rows that have them."""
        return {}

    def _grow(self, sets: Mask) -> Iterator[Ints]:
        """Yield the tree of each set of labels."""
        step = max(1, CELLS // self.dependence[0].size)
        for part in (sets[start : start + step] for start in range(0, len(sets), step)):
            yield from maximum_spanning_tree(np.tensordot(part.astype(float), self.dependence, 1))


def learn_refiner(
    known: PairCounts | Rows, counts: PairCounts, pairs: PairTables, smoothing: float, k: int | None
) -> Refiner:
    """Compute every label's share in the information between features and with the class.

    With all labels surviving, the refined generalist is the generalist:

    >>> from jointbayes.counts import count_pairs
    >>> from jointbayes.models.label_driven.experts import pair_tables
    >>> from jointbayes.models.one_class.tan import learn_tan
    >>> x = np.random.default_rng(0).integers(0, 3, (50, 4))
    >>> counts = count_pairs(Codes.of(x[:, :3], targets=x[:, 3]))
    >>> refiner = learn_refiner(counts, counts, pair_tables(counts), 1.0, None)
    >>> refiner.over(np.arange(3)).scorer.network.dag == learn_tan(counts)
    True
    """
    return Refiner(known, label_terms(counts), class_terms(counts.singles), pairs, smoothing, k)


def label_sets(kept: Mask) -> Iterator[tuple[Labels, Labels]]:
    """Yield every distinct set of labels and the rows that have it.

    >>> kept = np.array([[True, False], [True, True], [True, False]])
    >>> [(labels.tolist(), rows.tolist()) for labels, rows in label_sets(kept)]
    [([0], [0, 2]), ([0, 1], [1])]
    """
    first, which = _distinct(kept)
    by_set = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(first)))
    for row, rows in zip(first, np.split(by_set, ends)[:-1], strict=True):
        yield np.flatnonzero(kept[row]), rows


def _distinct(kept: Mask) -> tuple[Labels, Labels]:
    """Return one row of every distinct set of labels, and the number of each row's set."""
    if len(kept) == 1:
        return np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
    packed = np.packbits(kept, axis=1)
    width = 8 * -(-packed.shape[1] // 8)
    words = np.zeros((len(kept), width), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    keys = words.view(np.uint64 if width == 8 else np.dtype((np.void, width)))[:, 0]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which
