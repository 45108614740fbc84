r"""Label-driven learning: reconsider a row among the labels that are still in doubt (Sun 2017).

1. A *generalist*, any model with one class variable, answers. The labels it cannot rule out are

   .. math:: Ω' = \{c : P_G(c \mid x) / P_G(\hat c \mid x) \ge δ\}                             (14)

   If there is but one, the answer stands.
2. The *refined generalist* learns its structure anew from what the labels of Ω′ say: `refine`.
3. For each label of Ω′ an *expert* grows a tree for this very row: `experts`. Around KDB it may
   have k parents instead: `dependent_experts`.
4. The posteriors of 2 and 3, normalised over Ω′, are averaged (Algorithm 4), or mixed with the
   share of 2 that is likeliest on rows held out (``combine="auto"``).
5. What the labels outside Ω′ had is theirs no more, as in the paper (``rest="zero"``), or stays
   theirs (``"keep"``), and the labels of Ω′ share :math:`P_G(Ω' \mid x)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Mask
from jointbayes.checks import check_that
from jointbayes.codes import Cards, CodeArray, Codes
from jointbayes.estimator.explanation import Member
from jointbayes.inference.logs import log_normalize, log_sum
from jointbayes.models.label_driven.dependent_experts import DependentExperts
from jointbayes.models.label_driven.experts import Experts
from jointbayes.models.label_driven.refine import Refiner, label_sets
from jointbayes.models.one_class.learned import Arc, Learned
from jointbayes.structure.trees import DECIMALS

__all__ = ["COMBINED", "RESTS", "LabelDrivenNetworks", "surviving"]

COMBINED = {"average": 0.5, "refined": 1.0, "experts": 0.0}
"""The share of the refined generalist in the answer; the experts have the rest."""

RESTS = ("zero", "keep")
"""What labels that did not survive may have."""


def surviving(log_posterior: Floats, delta: float) -> Mask:
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
class LabelDrivenNetworks:
    """The stages above, ready for rows.

    Parameters
    ----------
    generalist
        What answers first.
    refiner
        How its structure is learned from fewer labels; None: its posterior is renormalised.
    experts
        The networks for single rows and labels.
    delta
        The threshold of Eq. 14.
    combine
        "average", "refined" (the paper's TAN-IE), "experts" (its IBMC-CL), or "auto".
    rest
        "zero" or "keep": see 5 above.
    learned_share
        The share of the refined generalist if ``combine`` is "auto".
    """

    generalist: Learned
    refiner: Refiner | None
    experts: Experts | DependentExperts
    delta: float
    combine: str
    rest: str = "zero"
    learned_share: float = 0.5

    def _check_stored(self) -> None:
        tables = [self.experts.tables] + ([self.refiner.pairs] if self.refiner else [])
        found = {(len(t.log_prior), *t.cards) for t in tables} | {self.generalist.variable_cards}
        check_that(len(found) == 1, "the stages are not of the same columns")
        known = self.combine in {*COMBINED, "auto"} and self.rest in RESTS
        check_that(0 <= self.delta <= 1 and known, "delta, combine or rest is wrong")
        check_that(0 <= self.learned_share <= 1, "learned_share is not a share")

    @property
    def share(self) -> float:
        """The share of the refined generalist in rows that are reconsidered."""
        return COMBINED.get(self.combine, self.learned_share)

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return self.generalist.variable_cards

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of the generalist."""
        return self.generalist.arcs

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c | x)."""
        scores = log_normalize(self.generalist.log_scores(codes, n_jobs))
        again, kept = self.doubtful(scores)
        if not len(again):
            return scores
        part, w = codes[again], self.share
        if w == 0:
            found = self.specialised(part, kept, n_jobs)
        elif w == 1:
            found = self.refined(part, kept, scores[again], n_jobs)
        else:
            one, two = self.opinions(part, kept, scores[again], n_jobs)
            found = np.logaddexp(one + np.log(2 * w), two + np.log(2 - 2 * w)) - np.log(2)
        if self.rest == "keep":
            before = scores[again]
            total = log_sum(np.where(kept, before, -np.inf), axis=1)
            found = np.where(kept, found + total[:, None], before)
        scores[again] = found
        return scores

    def doubtful(self, scores: Floats) -> tuple[NDArray[np.intp], Mask]:
        """Return the rows with more than one surviving label, and those labels."""
        kept = surviving(scores, self.delta)
        again = np.flatnonzero(kept.sum(axis=1) > 1)
        return again, kept[again]

    def opinions(
        self, codes: Codes, kept: Mask, scores: Floats, n_jobs: int | None = None
    ) -> tuple[Floats, Floats]:
        """Return what the refined generalist and the experts say, each over the ``kept`` labels."""
        return self.refined(codes, kept, scores, n_jobs), self.specialised(codes, kept, n_jobs)

    def refined(
        self, codes: Codes, kept: Mask, scores: Floats, n_jobs: int | None = None
    ) -> Floats:
        """Return (n, C), log P(c | x) of the refined generalist, over the ``kept`` labels."""
        if self.refiner is None:
            return log_normalize(np.where(kept, scores, -np.inf))
        return log_normalize(self.refiner.log_joint(codes, kept, n_jobs))

    def specialised(self, codes: Codes, kept: Mask, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c | x) of the experts as one multinet, over the ``kept`` labels."""
        return log_normalize(self.experts.log_joint(codes, kept, n_jobs))

    def _codes(self, x: CodeArray) -> Codes:
        cards = self.experts.tables.cards
        return Codes(np.asfortranarray(x), cards, np.empty((len(x), 0), np.uint8), ())

    def row_arcs(self, x: CodeArray) -> list[dict[str | int, Sequence[Arc]]]:
        """Return the arcs of each row: the generalist's, or the refined one's and each expert's.

        An expert goes by the code of its label.
        """
        again, kept = self.doubtful(self.generalist.log_scores(self._codes(x)))
        found: list[dict[str | int, Sequence[Arc]]]
        found = [{"generalist": self.generalist.arcs} for _ in x]
        for row, labels in zip(again.tolist(), kept, strict=True):
            own = found[row] = {}
            if self.share > 0 and self.refiner is not None:
                own["refined generalist"] = self.refiner.over(np.flatnonzero(labels)).arcs
            if self.share < 1:
                own |= self.experts.row_arcs(x[row], labels)
        return found

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the generalist, the refined generalist and the experts, by their share in rows."""
        prior = self.experts.tables.log_prior
        again, kept = self.doubtful(self.generalist.log_scores(self._codes(x)))
        doubt = np.zeros(len(x))
        doubt[again] = 1.0
        of_refined = self.share
        share = 1 - doubt if self.refiner else 1 - doubt + of_refined * doubt
        out = [
            replace(member, name=f"generalist {member.name}", weight=member.weight * share)
            for member in self.generalist.members(x)
        ]
        if self.refiner:
            terms = np.zeros((*x.shape, len(prior)))
            for labels, part in label_sets(kept):
                (member,) = self.refiner.over(labels).members(x[again[part]])
                terms[again[part]] = member.terms
            out.append(Member("refined generalist", None, prior, terms, of_refined * doubt))
        terms = np.zeros((*x.shape, len(prior)))
        terms[again] = self.experts.terms(x[again], kept)
        return [*out, Member("experts", None, prior, terms, (1 - of_refined) * doubt)]
