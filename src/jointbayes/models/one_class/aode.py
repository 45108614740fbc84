r"""AODE: the average of all one-dependence estimators (Webb, Boughton & Wang 2005).

Every feature is in turn the parent of all others, and the joints are added:

.. math:: P(c, x) \propto \sum_{p : n(x_p) \ge f} P(c, x_p) \prod_{i \ne p} P(x_i \mid c, x_p)  (1)
.. math:: P(c, x_p) = \frac{n(c, x_p) + m / (l \, k_p)}{N + m}                              (2)

with l classes, :math:`k_p` values of the parent and N rows in which it was observed. A feature that
was not observed is neither parent nor child. If no parent is left, the answer is naive Bayes.

Cost: O(rows · features²) to count, O(features² · classes) per row to predict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jointbayes import _kernels
from jointbayes.arrays import Floats, Weights
from jointbayes.checks import check_contiguous, check_log_probabilities, check_that
from jointbayes.codes import Cards, CodeArray, Codes, offsets
from jointbayes.counts import PairCounts, count_pairs
from jointbayes.estimator.explanation import Member
from jointbayes.estimator.ranges import Range, number
from jointbayes.inference import Scorer, compile_network, contributions, in_blocks, log_mix
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.one_class.knowledge import MAX_PAIR_BYTES, tables
from jointbayes.models.one_class.learned import Arc
from jointbayes.models.one_class.naive_bayes import learn_naive_bayes
from jointbayes.network import families_of
from jointbayes.network.parameters import estimate, log_m_estimate

__all__ = ["AODE", "Averaged", "learn_aode"]


@dataclass(frozen=True, eq=False)
class Averaged:
    """The tables of Eq. 1; value v of feature i stands at ``start[i] + v``, not observed last.

    Parameters
    ----------
    start
        (p,) where the values of each feature begin.
    log_joint
        (W, C) log P(c, x_p), −inf where x_p is no parent.
    log_child
        (W, W, C) log P(x_i | c, x_p), parent first; 0 where x_i was not observed or i = p.
    fallback
        Naive Bayes.
    origin
        The arguments of `learn_aode`, for files, which then need not hold the tables.
    """

    start: NDArray[np.intp]
    log_joint: Floats
    log_child: Floats
    fallback: Scorer
    origin: tuple[PairCounts, float, float] | None = None

    def _check_stored(self) -> None:
        cards, n_classes = self.fallback.feature_cards, len(self.fallback.log_prior)
        width = sum(cards) + len(cards)
        begin = offsets(cards)[:-1] + np.arange(len(cards))
        check_that(np.array_equal(self.start, begin), "start is not where values begin")
        check_log_probabilities("log_joint", self.log_joint, (width, n_classes))
        check_log_probabilities("log_child", self.log_child, (width, width, n_classes))
        check_contiguous(start=self.start, log_joint=self.log_joint, log_child=self.log_child)

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return self.fallback.network.cards

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of all members: any feature may be above any other."""
        p = len(self.start)
        pairs = [(i, j) for j in range(1, p + 1) for i in range(p + 1) if i != j]
        return tuple(pairs)

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), the logarithm of Eq. 1."""

        def score(x: CodeArray) -> Floats:
            joint = _kernels.parent_joints(
                np.asfortranarray(x), self.start, self.log_joint, self.log_child
            )
            total = log_mix(joint, np.ones(len(joint)))
            alone = np.isneginf(total[:, 0])
            if alone.any():
                total[alone] = self.fallback.add_up(x[alone])
            return total

        n_classes = self.log_joint.shape[1]
        return in_blocks(score, codes, n_classes, n_jobs, cells=len(self.start) * n_classes)

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return one member per parent, and naive Bayes for the rows that have none."""
        place = x + self.start
        prior = self.fallback.log_prior
        usable = np.isfinite(self.log_joint[place][:, :, 0])
        share = usable / np.maximum(usable.sum(axis=1, keepdims=True), 1)
        out = []
        for parent in range(place.shape[1]):
            terms = self.log_child[place[:, parent, None], place]
            joint = self.log_joint[place[:, parent]]
            terms[:, parent] = np.where(usable[:, parent, None], joint - prior, 0.0)
            out.append(Member("parent", parent, prior, terms, share[:, parent]))
        alone = (~usable.any(axis=1)).astype(np.float64)
        terms = contributions(self.fallback, x)
        return (*out, Member("naive Bayes", None, prior, terms, alone))


def learn_aode(counts: PairCounts, smoothing: float = 1.0, min_frequency: float = 1.0) -> Averaged:
    """Return the tables of Eq. 1 from counts of pairs.

    Examples
    --------
    Each member is a distribution: P(x_i | c, x_p) sums to one over the values of a child.

    >>> codes = Codes.of([[0, 1], [1, 0], [1, 1]], targets=[0, 1, 1])
    >>> learned = learn_aode(count_pairs(codes))
    >>> np.exp(learned.log_child[0, 3:5]).sum(axis=0).round(6).tolist()
    [1.0, 1.0]
    """
    p, first = len(counts.cards), offsets(counts.cards)
    start = first[:-1] + np.arange(p)
    width, n_classes = int(first[-1]) + p, len(counts.n_c)
    place = np.arange(first[-1]) + np.repeat(np.arange(p), counts.cards)
    n_joint = counts.singles.n_cx.T
    log_joint = np.full((width, n_classes), -np.inf)
    log_child = np.zeros((width, width, n_classes))
    for i, k in enumerate(counts.cards):
        values, own = slice(first[i], first[i + 1]), slice(start[i], start[i] + k)
        joint = log_m_estimate(n_joint[values].ravel(), 0, smoothing).reshape(k, -1)  # (2)
        usual = n_joint[values].sum(axis=1) >= min_frequency
        log_joint[own][usual] = joint[usual]
        child = log_m_estimate(counts.n_cxx[:, :, values], 2, smoothing)
        log_child[place, own] = np.moveaxis(child, 0, -1)
        log_child[own, own] = 0.0  # no feature is its own child
    dag = learn_naive_bayes(p)
    network = estimate(dag, tables(counts, families_of(dag)), smoothing=smoothing)
    origin = (counts, smoothing, min_frequency)
    return Averaged(start, log_joint, log_child, compile_network(network), origin)


class AODE(NetworkClassifier):
    """Averaged one-dependence estimators.

    Parameters
    ----------
    min_frequency
        How many rows must have a value before it may be a parent.
    smoothing, discretizer, categorical_features, missing, n_jobs
        As in `TAN`.

    See Also
    --------
    learn_aode : The tables alone.

    Examples
    --------
    The label is the parity of two bits, which naive Bayes cannot see:

    >>> X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]] * 5
    >>> AODE().fit(X, ["even", "odd", "odd", "even"] * 5).predict([["a", "b"]]).tolist()
    ['odd']
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"min_frequency": number(0)}

    def __init__(
        self,
        *,
        min_frequency: float = 1.0,
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
        self.min_frequency = min_frequency

    def _remember(self, codes: Codes, weights: Weights) -> PairCounts:
        return count_pairs(codes, weights, self.n_jobs, max_bytes=MAX_PAIR_BYTES)

    def _deduce(self, known: PairCounts) -> Averaged:
        return learn_aode(known, self.smoothing, self.min_frequency)
