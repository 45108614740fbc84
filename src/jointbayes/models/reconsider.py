r"""Label-driven learning: reconsider a row among the labels that are still in doubt (Sun 2017).

1. A *generalist*, any model with one class variable, answers. The labels it cannot rule out are

   .. math:: Ω' = \{c : P_G(c \mid x) / P_G(\hat c \mid x) \ge δ\}                             (14)

   If there is but one, the answer stands.
2. The *refined generalist* learns its structure anew from what the labels of Ω′ say:

   .. math:: \tilde I(X_i; X_j \mid C) = \sum_{c \in Ω'} T_c(X_i; X_j)                          (16)

   Each term T_c is computed once, so a structure for any Ω′ is a sum of matrices away.
3. For each label of Ω′ an *expert* grows a tree for this very row, see `experts`.
4. The posteriors of 2 and 3, normalised over Ω′, are averaged (Algorithm 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from jointbayes.codes import CodeArray, Codes
from jointbayes.counts import PairCounts
from jointbayes.inference import compile_network
from jointbayes.information import class_terms, label_terms
from jointbayes.models.experts import Experts
from jointbayes.models.kdb import rank_parents
from jointbayes.models.knowledge import Rows, tables
from jointbayes.models.learned import Arc, Learned, Member, OneNetwork
from jointbayes.models.tan import tree_below_class
from jointbayes.network import families_of
from jointbayes.parameters import estimate
from jointbayes.structure import maximum_spanning_tree
from jointbayes.structure.trees import DECIMALS

__all__ = ["COMBINATIONS", "LabelDrivenNetworks", "Refiner", "learn_refiner", "surviving"]

Table = NDArray[np.float64]
Mask = NDArray[np.bool_]
COMBINATIONS = {"average": (0.5, 0.5), "refined": (1.0, 0.0), "experts": (0.0, 1.0)}


def surviving(log_posterior: Table, delta: float) -> Mask:
    """Return (n, C), the labels of Eq. 14, from logarithms up to a constant for each row.

    Two rows of Nursery (Sun 2017, Tables 1 and 2): the first is decided, the second is not.

    >>> p = [[2.8394e-4, 1.7242e-5, 5.8891e-5, 1.2269e-3, 0.9984],
    ...      [3.9812e-4, 2.5073e-5, 5.3492e-7, 0.5051, 0.4945]]
    >>> surviving(np.log(p), delta=0.1).astype(int).tolist()
    [[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]]
    """
    ratio = np.exp(log_posterior - log_posterior.max(axis=1, keepdims=True))
    return np.asarray(np.round(ratio, DECIMALS) >= delta)


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
    k
        Parents of each feature for a k-dependence network; None for a tree.
    smoothing
        The m of the m-estimates.
    """

    known: PairCounts | Rows
    dependence: Table
    relevance: Table
    k: int | None
    smoothing: float

    def over(self, labels: NDArray[np.intp]) -> OneNetwork:
        """Return the generalist whose structure comes from ``labels`` alone."""
        dependence = self.dependence[labels].sum(axis=0)  # (16)
        if self.k is None:
            dag = tree_below_class(maximum_spanning_tree(dependence))
        else:
            dag = rank_parents(self.relevance[labels].sum(axis=0), dependence, self.k)
        counts = tables(self.known, families_of(dag))
        return OneNetwork(compile_network(estimate(dag, counts, smoothing=self.smoothing)))


def learn_refiner(
    known: PairCounts | Rows, pairs: PairCounts, k: int | None, smoothing: float
) -> Refiner:
    """Compute every label's share in the information between features and with the class.

    With all labels surviving, the refined generalist is the generalist:

    >>> from jointbayes.counts import count_pairs
    >>> from jointbayes.models.tan import learn_tan
    >>> x = np.random.default_rng(0).integers(0, 3, (50, 4))
    >>> counts = count_pairs(Codes.of(x[:, :3], targets=x[:, 3]))
    >>> refiner = learn_refiner(counts, counts, None, 1.0)
    >>> refiner.over(np.arange(3)).scorer.network.dag == learn_tan(counts)
    True
    """
    return Refiner(known, label_terms(pairs), class_terms(pairs.singles), k, smoothing)


@dataclass(frozen=True, eq=False)
class LabelDrivenNetworks:
    """The stages above, ready for rows.

    Parameters
    ----------
    generalist
        What answers first.
    refiner
        How its structure is learned from fewer labels; None: its posterior is renormalised.
    experts
        The trees for single rows and labels.
    delta
        The threshold of Eq. 14.
    combine
        "average", "refined" (the paper's TAN-IE) or "experts" (its IBMC-CL).
    """

    generalist: Learned
    refiner: Refiner | None
    experts: Experts
    delta: float
    combine: str

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of the generalist."""
        return self.generalist.arcs

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Table:
        """Return (n, C), log P(c | x); −inf for labels that did not survive."""
        scores = self.generalist.log_scores(codes, n_jobs)
        again, kept = self.doubtful(scores)
        out = _normalised(scores)
        if not len(again):
            return out
        parts = []
        if self.combine != "experts":
            parts.append(self.refined(codes[again], kept, scores[again], n_jobs))
        if self.combine != "refined":
            parts.append(self.specialised(codes[again], kept, n_jobs))
        out[again] = parts[0] if len(parts) == 1 else np.logaddexp(*parts) - np.log(2)
        return out

    def doubtful(self, scores: Table) -> tuple[NDArray[np.intp], Mask]:
        """Return the rows with more than one surviving label, and those labels."""
        kept = surviving(scores, self.delta)
        again = np.flatnonzero(kept.sum(axis=1) > 1)
        return again, kept[again]

    def refined(self, codes: Codes, kept: Mask, scores: Table, n_jobs: int | None = None) -> Table:
        """Return (n, C), log P(c | x) of the refined generalist, over the ``kept`` labels."""
        if self.refiner is None:
            return _normalised(np.where(kept, scores, -np.inf))
        out = np.full(kept.shape, -np.inf)
        for labels, rows in _label_sets(kept):
            network = self.refiner.over(labels)
            cells = np.ix_(rows, labels)
            out[cells] = network.log_scores(codes[rows], n_jobs)[:, labels]
        return _normalised(out)

    def specialised(self, codes: Codes, kept: Mask, n_jobs: int | None = None) -> Table:
        """Return (n, C), log P(c | x) of the experts as one multinet, over the ``kept`` labels."""
        return _normalised(self.experts.log_joint(codes, kept, n_jobs))

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the generalist, the refined generalist and the experts, by their share in rows."""
        codes = Codes(np.asfortranarray(x), self.experts.tables.cards, _no_targets(len(x)), ())
        again, kept = self.doubtful(self.generalist.log_scores(codes))
        doubt = np.zeros(len(x))
        doubt[again] = 1.0
        of_refined, of_experts = COMBINATIONS[self.combine]
        share = 1 - doubt if self.refiner else 1 - doubt + of_refined * doubt
        out = [
            replace(member, name=f"generalist {member.name}", weight=member.weight * share)
            for member in self.generalist.members(x)
        ]
        prior = self.experts.tables.log_prior
        if self.refiner:
            terms = np.zeros((*x.shape, len(prior)))
            for labels, rows in _label_sets(kept):
                (member,) = self.refiner.over(labels).members(x[again[rows]])
                terms[again[rows]] = member.terms
            out.append(Member("refined generalist", None, prior, terms, of_refined * doubt))
        terms = np.zeros((*x.shape, len(prior)))
        terms[again] = self.experts.terms(x[again], kept)
        out.append(Member("experts", None, prior, terms, of_experts * doubt))
        return out


def _normalised(scores: Table) -> Table:
    return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))


def _label_sets(kept: Mask) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield every distinct set of labels and the rows that have it."""
    _, first, which = np.unique(
        np.packbits(kept, axis=1), axis=0, return_index=True, return_inverse=True
    )
    by_set = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(first)))
    for row, rows in zip(first, np.split(by_set, ends)[:-1], strict=True):
        yield np.flatnonzero(kept[row]), rows


def _no_targets(n: int) -> CodeArray:
    return np.empty((n, 0), dtype=np.uint8)
