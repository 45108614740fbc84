r"""ATAN: TAN's tree under every root in turn, averaged (Sun 2017, Sec. 2.2.2; Jiang et al. 2012).

.. math:: P(c \mid x) = \sum_r w_r \, P_r(c \mid x), \qquad w_r = 1/n                       (1)

All members share one spanning tree, so neighbouring roots differ in the direction of one arc. With
r a child of p in the tree of the first root, the joint under r follows from the joint under p:

.. math:: P_r(c, x) = P_p(c, x) \frac{P(x_r \mid c) \, P(x_p \mid x_r, c)}
                                     {P(x_p \mid c) \, P(x_r \mid x_p, c)}                   (2)

So n networks cost two look-ups per feature, not n. (With raw frequencies the factor would be 1:
the members differ by their smoothing alone.)

Cost: twice TAN's look-ups to predict, and one normalisation per member.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Ints, Weights
from jointbayes.checks import check_counts, check_log_probabilities, check_that
from jointbayes.codes import Cards, CodeArray, Codes
from jointbayes.counts import PairCounts
from jointbayes.estimator.explanation import Member
from jointbayes.inference import (
    Factor,
    Scorer,
    compile_network,
    contributions,
    in_blocks,
    log_mix,
    log_normalize,
    sum_out,
)
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import Rows, dependence, pairs_or_rows, tables
from jointbayes.models.one_class.learned import Arc
from jointbayes.models.one_class.tan import tree_below_class
from jointbayes.network import Family, Network, families_of
from jointbayes.network.parameters import estimate, log_m_estimate
from jointbayes.structure import maximum_spanning_tree, reroot

__all__ = ["ATAN", "Rerooted", "learn_rerooted"]


@dataclass(frozen=True, eq=False)
class Rerooted:
    """One tree of features under every root, and the weight of each.

    Parameters
    ----------
    parents
        (p,) the tree under the first feature, −1 for that root.
    first
        The member whose root is the first feature.
    own
        log P(x_i | c) of each feature.
    up
        log P(x_p | x_i, c) of each feature and its parent; of the root only log P(x_i | c).
    weights
        (p,) the shares of Eq. 1.
    """

    parents: NDArray[np.int64]
    first: Scorer
    own: tuple[Factor, ...]
    up: tuple[Factor, ...]
    weights: Floats

    def _check_stored(self) -> None:
        n_classes, *cards = self.variable_cards
        check_counts("weights", self.weights, (len(cards),))
        check_that(self.weights.sum() > 0, "no member has a weight")
        tree = self.first.network.dag == tree_below_class(self.parents)
        check_that(tree and self.parents[0] < 0, "parents is not the tree of the first member")
        above = [(i, int(p)) if p >= 0 else (i,) for i, p in enumerate(self.parents)]
        alone = [(i,) for i in range(len(cards))]
        for factor, scope in zip((*self.own, *self.up), (*alone, *above), strict=True):
            widths = tuple(cards[i] + 1 for i in scope)
            check_that((factor.features, factor.widths) == (scope, widths), "a table is misplaced")
            check_log_probabilities("a table", factor.table, (None, n_classes))

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return self.first.network.cards

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of all members: links of the tree in both directions."""
        links = [arc for arc in self.first.network.dag.arcs if arc[0] > 0]
        turned = [(child, parent) for parent, child in links]
        arcs = {*self.first.network.dag.arcs, *turned}
        return tuple(sorted(arcs, key=lambda arc: arc[::-1]))

    def network(self, root: int) -> Network:
        """Return the member with this root."""
        turned = reroot(self.parents, root)
        down = self.first.factors
        factors = [
            self.own[i] if p < 0 else down[i] if p == self.parents[i] else self.up[p]
            for i, p in enumerate(turned.tolist())
        ]
        log_tables = (self.first.log_prior, *(factor.log_table for factor in factors))
        return Network(tree_below_class(turned), self.first.network.cards, log_tables)

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), the logarithm of Eq. 1."""
        cards = np.asarray(self.first.feature_cards)

        def score(x: CodeArray) -> Floats:
            odd = (x == cards).any(axis=1)
            if not odd.any():
                return self._average(self._walk(x))
            out = np.empty((len(x), len(self.first.log_prior)))
            out[~odd] = self._average(self._walk(x[~odd]))
            members = [sum_out(self.network(root), x[odd]) for root in range(len(cards))]
            out[odd] = self._average(np.stack(members))
            return out

        n_classes = len(self.first.log_prior)
        return in_blocks(score, codes, n_classes, n_jobs, cells=len(cards) * n_classes)

    def _average(self, joints: Floats) -> Floats:
        """Return the logarithm of the mixture of normalised members, from (root, n, C)."""
        return log_mix(log_normalize(joints), self.weights)  # (1)

    def _walk(self, x: CodeArray) -> Floats:
        """Return (root, n, C), the joint under every root, from root to root by Eq. 2."""
        out = np.empty((len(self.parents), len(x), len(self.first.log_prior)))
        out[0] = self.first.add_up(x)
        roots, above, widths, starts, table = self._shifts
        cells = x.T[above] * widths[:, None]
        cells += x.T[roots]
        cells += starts[:, None]
        shifts = np.take(table, cells, axis=0, mode="clip")
        for r, p, shift in zip(roots.tolist(), above.tolist(), shifts, strict=True):
            np.add(out[p], shift, out=out[r])
        return out

    @cached_property
    def _shifts(self) -> tuple[Ints, Ints, Ints, Ints, Floats]:
        """The logarithm of the factor in Eq. 2 for each child, after that of its parent.

        The children, their parents, how many values each child has with "not observed", where its
        table starts, and the tables, one after the other.
        """
        roots = np.array([v - 1 for v in self.first.network.dag.order[2:]], dtype=np.int64)
        factors = []
        for r in roots.tolist():
            p = int(self.parents[r])
            gained = self.own[r].log_table + self.up[r].log_table.swapaxes(0, 1)
            lost = self.own[p].log_table[:, None] + self.first.factors[r].log_table
            factors.append(Factor.of((p, r), gained - lost))  # (2)
        widths = np.array([factor.widths[1] for factor in factors], dtype=np.int64)
        starts = np.cumsum([0, *(len(factor.table) for factor in factors)], dtype=np.int64)[:-1]
        none = np.empty((0, len(self.first.log_prior)))
        table = np.concatenate([none, *(factor.table for factor in factors)])
        return roots, self.parents[roots], widths, starts, table

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return one member per root."""
        out = []
        for root, weight in enumerate(self.weights):
            scorer = compile_network(self.network(root))
            terms, share = contributions(scorer, x), np.full(len(x), weight)
            out.append(Member("root", root, scorer.log_prior, terms, share))
        return out


def learn_rerooted(known: PairCounts | Rows, smoothing: float = 1.0) -> Rerooted:
    """Return TAN's tree under every root, with equal weights.

    Examples
    --------
    >>> from jointbayes.counts import count_pairs
    >>> counts = count_pairs(Codes.of([[0, 0], [1, 1]], targets=[0, 1]))
    >>> learn_rerooted(counts).arcs
    ((0, 1), (2, 1), (0, 2), (1, 2))
    """
    parents = maximum_spanning_tree(dependence(known))
    dag = tree_below_class(parents)
    network = estimate(dag, tables(known, families_of(dag)), smoothing=smoothing)

    def factors(families: Sequence[Family]) -> tuple[Factor, ...]:
        counts = tables(known, families)
        return tuple(
            Factor.of(
                tuple(v - 1 for v in family[:-1]),
                log_m_estimate(counts[family], len(family) - 2, smoothing),
            )
            for family in families
        )

    own = factors([(i + 1, 0) for i in range(len(parents))])
    up = factors([(i + 1, int(p) + 1, 0) if p >= 0 else (i + 1, 0) for i, p in enumerate(parents)])
    shares = np.full(len(parents), 1 / len(parents))
    return Rerooted(parents, compile_network(network), own, up, shares)


class ATAN(NetworkClassifier):
    """The average of TANs with the same tree and every feature as root.

    Parameters
    ----------
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    learn_rerooted : The members alone.
    WATAN : The same with weights.

    Examples
    --------
    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> model = ATAN().fit(X, ["even", "odd", "odd", "even"] * 5)
    >>> model.predict([["a", "b"]]).tolist()
    ['odd']
    >>> model.edges_
    [('class', 'x0'), ('x1', 'x0'), ('class', 'x1'), ('x0', 'x1')]
    """

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        return pairs_or_rows(codes, weights, self.n_jobs)

    def _deduce(self, known: PairCounts | Rows) -> Rerooted:
        return learn_rerooted(known, self.smoothing)
