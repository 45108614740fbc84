r"""LKDB: a k-dependence network of its own for every row (Sun 2017, Sec. 2.2.3).

.. math:: I(x_i; C) = \sum_c P(x_i, c) \log_2 \frac{P(x_i, c)}{P(x_i) P(c)}                      (9)
.. math:: I(x_i; x_j \mid C) = \sum_c P(x_i, x_j, c) \log_2
          \frac{P(x_i, x_j \mid c)}{P(x_i \mid c) P(x_j \mid c)}                                (10)

1. Rank the features of the row by Eq. 9, largest first.
2. The parents of a feature are the class and the k features before it of largest Eq. 10.

What was not observed is left out. k = 0 is naive Bayes. Weights are compared to ten decimals, ties
go to the lower feature.

Cost: O(rows · features²) to count, O(features · (features + classes)) per row to predict with
k ≤ 1. Tables of more parents are counted when a row first asks for them, from the rows kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.arrays import Floats, Ints, Weights
from jointbayes.checks import check_contiguous, check_log_probabilities, check_shape, check_that
from jointbayes.codes import Cards, CodeArray, Codes, offsets
from jointbayes.counts import PairCounts, count_pairs
from jointbayes.errors import DataError
from jointbayes.estimator.explanation import Member
from jointbayes.estimator.ranges import Range, integer
from jointbayes.inference import in_blocks
from jointbayes.information import local_class_information, local_information
from jointbayes.models.label_driven.experts import PairTables, dense, pair_tables, ranks_of
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import Rows, tables
from jointbayes.models.one_class.learned import Arc, arcs_of_row
from jointbayes.network.parameters import log_m_estimate

__all__ = ["LKDB", "LocalNetworks", "learn_lkdb", "of_one_parent"]

Selection = NDArray[np.intp] | slice


@dataclass(frozen=True, eq=False)
class LocalNetworks:
    """Networks that are built when a row is met.

    Parameters
    ----------
    k
        How many other features a feature may depend on.
    value_ranks
        (V,) the order of Eq. 9.
    pair_ranks
        (V, V) the order of Eq. 10.
    log_prior
        (C,) log P(c).
    log_pair
        (V + 1, V + 1, C) log P(v | w, c); the last w stands for no parent, the last v for a feature
        that was not observed, which adds 0.
    cards
        Values of each feature.
    rows
        The training rows if k ≥ 2, and the m of their tables.
    """

    k: int
    value_ranks: NDArray[np.int32]
    pair_ranks: NDArray[np.int32]
    log_prior: Floats
    log_pair: Floats
    cards: Cards
    rows: tuple[Rows, float] | None

    def _check_stored(self) -> None:
        width, n_classes = sum(self.cards), len(self.log_prior)
        check_log_probabilities("log_prior", self.log_prior, (None,))
        check_log_probabilities("log_pair", self.log_pair, (width + 1, width + 1, n_classes))
        check_shape("value_ranks", self.value_ranks, (width,))
        check_shape("pair_ranks", self.pair_ranks, (width, width))
        check_contiguous(value_ranks=self.value_ranks, pair_ranks=self.pair_ranks)
        check_that(self.k >= 0 and (self.k > 1) == (self.rows is not None), "k and rows disagree")
        if self.rows is not None:
            check_that(self.rows[0].codes.cards == self.variable_cards, "rows have other values")
            check_that(0 <= self.rows[1] < np.inf, "the smoothing of rows is not a number")

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return (len(self.log_prior), *self.cards)

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs that all rows share: from the class to each feature."""
        return tuple((0, i + 1) for i in range(len(self.cards)))

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c, x) by each row's own network."""

        def score(x: CodeArray) -> Floats:
            total = np.repeat(self.log_prior[None], len(x), axis=0)
            for _, rows, term in self._terms(x):
                total[rows] += term
            return total

        if self.rows is not None:  # a table is counted once for all rows that ask for it
            return score(dense(codes))
        n_classes = len(self.log_prior)
        return in_blocks(score, codes, n_classes, n_jobs, cells=len(self.cards) * n_classes)

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return each row's network."""
        terms = np.zeros((*x.shape, len(self.log_prior)))
        for feature, rows, term in self._terms(x):
            terms[rows, feature] = term
        return (Member("network", None, self.log_prior, terms, np.ones(len(x))),)

    def parents(self, x: CodeArray) -> NDArray[np.int32]:
        """Return (n, p, k), the parents of each feature in each row; −1 where there are fewer."""
        k = min(self.k, x.shape[1])
        x = np.asfortranarray(x)
        return _kernels.local_parents(x, self._layout[1], self.value_ranks, self.pair_ranks, k, 1)

    def row_arcs(self, x: CodeArray) -> list[dict[str | int, list[Arc]]]:
        """Return the arcs of each row's network; what was not observed has none."""
        pairs = zip(self.parents(x), x < self._layout[0], strict=True)
        return [{"network": arcs_of_row(parents, seen)} for parents, seen in pairs]

    def _terms(self, x: CodeArray) -> Iterator[tuple[int, Selection, Floats]]:
        """Yield what a feature adds to log P(c, x), for some rows at a time."""
        parents = self.parents(x)
        if self.rows is not None:
            yield from self._counted(x, parents)
            return
        none, (cards, starts) = len(self.value_ranks), self._layout
        value = np.where(x < cards, x + starts[:-1], none)
        above = parents.max(axis=2, initial=-1)  # the only one, if any
        other = np.where(above < 0, none, np.take_along_axis(value, above, 1))
        terms = self.log_pair[value, other]
        for i in range(x.shape[1]):
            yield i, slice(None), terms[:, i]

    @cached_property
    def _layout(self) -> tuple[Ints, Ints]:
        """How many values each feature has, and where they start."""
        return np.array(self.cards, dtype=np.int64), offsets(self.cards)

    def _counted(
        self, x: CodeArray, parents: NDArray[np.int32]
    ) -> Iterator[tuple[int, Selection, Floats]]:
        """Group the rows by the parents of each feature, and count one table for each group."""
        assert self.rows is not None
        rows, smoothing = self.rows
        for i, k in enumerate(self.cards):
            seen = np.flatnonzero(x[:, i] < k)
            sets, which = np.unique(np.sort(parents[seen, i], axis=1), axis=0, return_inverse=True)
            for number, above in enumerate(sets):
                mine = seen[which.ravel() == number]
                features = (*(int(j) for j in above if j >= 0), i)
                family = (*(j + 1 for j in features), 0)
                table = log_m_estimate(tables(rows, [family])[family], -2, smoothing)
                yield i, mine, table[tuple(x[mine, j] for j in features)]


def learn_lkdb(known: PairCounts | Rows, k: int = 1, smoothing: float = 1.0) -> LocalNetworks:
    """Return what is needed to build a network for any row.

    Examples
    --------
    The class is the first feature and the second. Of which feature the first one depends on,
    each row has its own opinion:

    >>> a, b = np.random.default_rng(0).integers(0, 2, (2, 400))
    >>> local = learn_lkdb(count_pairs(Codes.of(np.stack([a, b, a & b], axis=1), targets=a & b)))
    >>> rows = np.array([[0, 1, 0], [1, 1, 1]], dtype=np.uint8)
    >>> local.parents(rows)[:, 0].tolist()
    [[2], [1]]
    """
    if k > 1 and not isinstance(known, Rows):
        raise DataError(f"counts of pairs do not tell the tables of k={k} parents; give Rows")
    pairs = known if isinstance(known, PairCounts) else count_pairs(known.codes, known.weights)
    own = pair_tables(pairs, smoothing)
    return LocalNetworks(
        k,
        ranks_of(local_class_information(pairs.singles)),
        ranks_of(local_information(pairs)),
        own.log_prior,
        of_one_parent(own),
        pairs.cards,
        (known, smoothing) if k > 1 and isinstance(known, Rows) else None,
    )


def of_one_parent(tables: PairTables) -> Floats:
    """Return the ``log_pair`` of `LocalNetworks`."""
    width = tables.log_single.shape[1]
    log_pair = np.zeros((width + 1, width + 1, len(tables.log_prior)))
    log_pair[:-1, :-1] = np.moveaxis(tables.log_pair, 0, -1)
    log_pair[:-1, -1] = tables.log_single.T
    return log_pair


class LKDB(NetworkClassifier):
    """The local k-dependence classifier: which features depend on which is decided row by row.

    Parameters
    ----------
    k
        How many other features a feature may depend on.
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    learn_lkdb : The structures alone.

    Notes
    -----
    ``edges_`` has the arcs that all rows share, those from the class. With k ≥ 2 the training rows
    are kept, since any three features may share a table.

    Examples
    --------
    The label is the parity of two bits:

    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> y = ["even", "odd", "odd", "even"] * 5
    >>> [LKDB(k).fit(X, y).score(X, y) for k in (0, 1)]
    [0.5, 1.0]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"k": integer(0)}

    def __init__(
        self,
        k: int = 1,
        *,
        smoothing: float = 1.0,
        discretizer: Any = "mdl",
        categorical_features: Any = "from_dtype",
        missing: str = "value",
        n_jobs: int | None = None,
    ):
        super().__init__(
            smoothing=smoothing,
            discretizer=discretizer,
            categorical_features=categorical_features,
            missing=missing,
            n_jobs=n_jobs,
        )
        self.k = k

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        return Rows(codes, weights) if self.k > 1 else count_pairs(codes, weights, self.n_jobs)

    def _deduce(self, known: PairCounts | Rows) -> LocalNetworks:
        return learn_lkdb(known, self.k, self.smoothing)
