r"""Scorer: a network with one class variable, laid out for gathering.

With everything observed that others depend on, the joint of class c and row x is a sum of
logarithms

.. math:: \log P(c, x) = \log P(c) + \sum_i \log P(x_i \mid \mathrm{pa}(x_i), c)         (1)

Term i is one row of a table with a column per class; its place is the mixed-radix number of the
codes of the parents and of :math:`x_i`. Every axis has one slot more for "not observed", and where
:math:`x_i` itself is not observed the row is zero: a leaf that was not seen drops out of the
product.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.checks import check_contiguous, check_that
from jointbayes.codes import Cards, CodeArray
from jointbayes.network import Network

__all__ = ["Factor", "Scorer", "compile_network"]

FEW_ROWS = 64
"""Rows up to which all features are looked at together, not one by one."""


@dataclass(frozen=True, eq=False)
class Factor:
    """log P(x_i | pa(x_i), c) as (cells, C), one cell per combination of ``features``, x_i last."""

    features: tuple[int, ...]
    widths: tuple[int, ...]
    table: Floats

    def _check_stored(self) -> None:
        laid_out = self.table.ndim == 2 and len(self.table) == prod(self.widths)
        legal = min((*self.features, *self.widths), default=-1) >= 0
        check_that(
            laid_out and legal and len(self.features) == len(self.widths), "a table is not laid out"
        )

    @classmethod
    def of(cls, features: tuple[int, ...], table: Floats) -> Factor:
        """Lay a table out that has one axis per feature and the class as last axis."""
        widths = tuple(size + 1 for size in table.shape[:-1])
        padded = np.zeros((*widths, table.shape[-1]))
        padded[tuple(slice(-1) for _ in features)] = table
        return cls(features, widths, padded.reshape(-1, table.shape[-1]))

    @property
    def log_table(self) -> Floats:
        """The table without the slots for what was not observed."""
        whole = self.table.reshape(*self.widths, -1)
        return whole[tuple(slice(-1) for _ in self.features)]

    def look_up(self, x: CodeArray) -> Floats:
        """Return (n, C), the term of every row of ``x``, (n, p) codes."""
        return np.take(self.table, self.index(x), axis=0, mode="clip")

    def index(self, x: CodeArray) -> NDArray[np.intp]:
        """Return the cell of every row of ``x``, (n, p) codes."""
        first, *rest = self.features
        cell = x[:, first].astype(np.intp)
        for feature, width in zip(rest, self.widths[1:], strict=True):
            cell *= width
            cell += x[:, feature]
        return cell


@dataclass(frozen=True, eq=False)
class Scorer:
    """The terms of Eq. 1, ready to be looked up.

    Parameters
    ----------
    network
        What was compiled.
    log_prior
        (C,) log P(c).
    factors
        One for each feature.
    inner
        The features that other features depend on: Eq. 1 holds for rows that have them all.
    cells
        The tables of all factors, one after the other.
    """

    network: Network
    log_prior: Floats
    factors: tuple[Factor, ...]
    inner: tuple[int, ...]
    cells: Floats

    def _check_stored(self) -> None:
        again = compile_network(self.network)
        pairs = zip(self.factors, again.factors, strict=True)
        check_that(
            self.inner == again.inner
            and np.array_equal(self.log_prior, again.log_prior)
            and np.array_equal(self.cells, again.cells)
            and all((f.features, f.widths) == (g.features, g.widths) for f, g in pairs)
            and all(map(np.array_equal, *([f.table for f in s.factors] for s in (self, again)))),
            "what is looked up is not what the network says",
        )
        check_contiguous(cells=self.cells, log_prior=self.log_prior)

    @property
    def feature_cards(self) -> Cards:
        """How many values each feature has."""
        return self.network.cards[1:]

    def add_up(self, x: CodeArray) -> Floats:
        """Return (n, C), log P(c, x) by Eq. 1, for (n, p) codes."""
        return _kernels.add_terms(x, self.log_prior, self.cells, *self._places)

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], ...]:
        """Where each factor's table starts, its features, and the strides of their codes."""
        sizes = [len(factor.table) for factor in self.factors]
        most = max(len(factor.features) for factor in self.factors)
        members, strides = np.zeros((2, len(sizes), most), dtype=np.int64)
        for t, factor in enumerate(self.factors):
            m = len(factor.features)
            members[t, :m] = factor.features
            strides[t, :m] = np.cumprod([1, *factor.widths[:0:-1]])[::-1]
        return np.cumsum([0, *sizes[:-1]], dtype=np.int64), members, strides

    @cached_property
    def _inner_codes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The features that others depend on, and the codes that say they were not observed."""
        cards = [self.feature_cards[feature] for feature in self.inner]
        return np.array(self.inner, dtype=np.int64), np.array(cards, dtype=np.int64)

    def incomplete(self, x: CodeArray) -> NDArray[np.bool_]:
        """Return (n,), whether the row misses a feature that others depend on."""
        if len(x) <= FEW_ROWS:
            features, unobserved = self._inner_codes
            return np.asarray((x[:, features] == unobserved).any(axis=1))
        out = np.zeros(len(x), dtype=bool)
        for feature in self.inner:
            out |= x[:, feature] == self.feature_cards[feature]
        return out


def compile_network(network: Network) -> Scorer:
    """Lay the tables of a network with one class variable out for gathering.

    >>> from jointbayes.graph import Dag
    >>> prior, copy = np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> scorer = compile_network(Network(Dag(((), (0,))), (2, 2), (prior, copy)))

    The codes of the feature are 0, 1 and 2; the last one means that it was not observed.

    >>> x = np.array([[0], [1], [2]], dtype=np.uint8)
    >>> np.exp(scorer.add_up(x)).round(2).tolist()
    [[0.45, 0.05], [0.05, 0.45], [0.5, 0.5]]
    """
    loose = [
        Factor.of(tuple(u - 1 for u in family if u > 0), network.by_class(v))
        for v, family in enumerate(network.families)
        if v > 0
    ]
    cells = np.concatenate([factor.table for factor in loose])
    parts = np.split(cells, np.cumsum([len(factor.table) for factor in loose])[:-1])
    factors = tuple(replace(f, table=part) for f, part in zip(loose, parts, strict=True))
    inner = sorted({feature for factor in factors for feature in factor.features[:-1]})
    return Scorer(network, network.log_tables[0], factors, tuple(inner), cells)
