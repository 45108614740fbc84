r"""Chow-Liu multinet: one tree of features for each label (Sun 2017, Sec. 2.3, Algorithm 3).

.. math:: I(X_i; X_j \mid c) = \sum_{x_i, x_j} P(x_i, x_j \mid c)
          \log_2 \frac{P(x_i, x_j \mid c)}{P(x_i \mid c) P(x_j \mid c)}                   (13)
.. math:: P(c, x) = P(c) \prod_i P_c(x_i \mid \mathrm{pa}_c(x_i))                          (11)

where the parents under label c are those of the spanning tree of largest weight (13). The network
of a label is a TAN on the rows of that label alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.checks import check_log_probabilities, check_that
from jointbayes.codes import Cards, CodeArray, Codes
from jointbayes.counts import PairCounts
from jointbayes.estimator.explanation import Member
from jointbayes.inference import Scorer, compile_network, condition, contributions
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import Rows, dependence, pairs_or_rows, tables
from jointbayes.models.one_class.learned import Arc
from jointbayes.models.one_class.tan import tree_below_class
from jointbayes.network import families_of
from jointbayes.network.parameters import estimate, log_m_estimate
from jointbayes.structure import maximum_spanning_tree

__all__ = ["ChowLiuMultinet", "Multinet", "learn_multinet"]


@dataclass(frozen=True, eq=False)
class Multinet:
    """A prior and, for each label, a network over the features whose class has that value only."""

    log_prior: Floats
    scorers: tuple[Scorer, ...]

    def _check_stored(self) -> None:
        check_log_probabilities("log_prior", self.log_prior, (len(self.scorers),))
        alike = {scorer.network.cards for scorer in self.scorers}
        one_class = all(s.network.n_targets == s.network.cards[0] == 1 for s in self.scorers)
        check_that(len(alike) == 1 and one_class, "the labels' networks do not agree")

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return (len(self.log_prior), *self.scorers[0].feature_cards)

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of all labels' networks, each once."""
        arcs = {arc for scorer in self.scorers for arc in scorer.network.dag.arcs}
        return tuple(sorted(arcs, key=lambda arc: arc[::-1]))

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), the logarithm of Eq. 11."""
        columns = [condition(scorer, codes, n_jobs) for scorer in self.scorers]
        return np.hstack(columns) + self.log_prior

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the multinet alone: its joint is one product for each label."""
        terms = np.concatenate([contributions(scorer, x) for scorer in self.scorers], axis=2)
        return (Member("multinet", None, self.log_prior, terms, np.ones(len(x))),)


def learn_multinet(known: PairCounts | Rows, smoothing: float = 1.0) -> Multinet:
    """Return one Chow-Liu tree per label.

    Examples
    --------
    Under label 0 the third feature copies the first, under label 1 the second:

    >>> from jointbayes.counts import count_pairs
    >>> x = np.random.default_rng(0).integers(0, 2, (400, 3))
    >>> y = np.arange(400) % 2
    >>> x[:, 2] = np.where(y == 0, x[:, 0], x[:, 1])
    >>> learned = learn_multinet(count_pairs(Codes.of(x, targets=y)))
    >>> [scorer.network.dag.parents[3] for scorer in learned.scorers]
    [(0, 1), (0, 2)]
    """
    n_c = tables(known, [(0,)])[(0,)]
    scorers = []
    for label in range(len(n_c)):
        own = _only(known, label)
        dag = tree_below_class(maximum_spanning_tree(dependence(own)))  # (13)
        network = estimate(dag, tables(own, families_of(dag)), smoothing=smoothing)
        scorers.append(compile_network(network))
    return Multinet(log_m_estimate(n_c, 0, smoothing), tuple(scorers))


def _only(known: PairCounts | Rows, label: int) -> PairCounts | Rows:
    """Return what is known of the rows of one label, which becomes the only one."""
    if isinstance(known, PairCounts):
        one = slice(label, label + 1)
        return PairCounts(known.n_c[one], known.n_cxx[one], known.cards)
    rows = known.codes.targets[:, 0] == label
    part = known.codes[rows]
    codes = Codes(part.features, part.feature_cards, 0 * part.targets, (1,))
    return Rows(codes, None if known.weights is None else known.weights[rows])


class ChowLiuMultinet(NetworkClassifier):
    """The Bayesian multinet with one Chow-Liu tree for each label.

    Parameters
    ----------
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    learn_multinet : The networks alone.

    Examples
    --------
    The label is the parity of two bits, which naive Bayes cannot see:

    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> ChowLiuMultinet().fit(X, ["even", "odd", "odd", "even"] * 5).predict([["a", "b"]]).tolist()
    ['odd']
    """

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts | Rows:
        return pairs_or_rows(codes, weights, self.n_jobs)

    def _deduce(self, known: PairCounts | Rows) -> Multinet:
        return learn_multinet(known, self.smoothing)
