r"""Explanation: why this label and not the next best one, feature by feature.

A network's joint is a product, so the log-odds of the answer a against the runner-up b is a sum:

.. math:: \log\frac{P(a \mid x)}{P(b \mid x)} = \log\frac{P(a)}{P(b)}
          + \sum_i \log\frac{P(x_i \mid pa(x_i), a)}{P(x_i \mid pa(x_i), b)}              (1)

The average of several networks is not a product. Its explanation is the average of theirs, and the
rest, which no single feature can be blamed for, is told as ``remainder``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.doors import Shown
from jointbayes.posterior import Independent

__all__ = ["Explanation", "Member", "explain_scores"]


@dataclass(frozen=True, eq=False)
class Member:
    """One additive part of a model: log P(c, x) = ``log_prior`` + the sum of ``terms``.

    Parameters
    ----------
    name
        What to call it, followed by the name of the feature ``of``.
    of
        The feature that tells the members of an ensemble apart, if one does.
    log_prior
        (C,) log P(c).
    terms
        (n, p, C) what each feature adds.
    weight
        (n,) its share in the ensemble, row by row.
    """

    name: str
    of: int | None
    log_prior: Floats
    terms: Floats
    weight: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """The answer of a model for some rows, and what each feature contributed to it.

    With several class variables every array has their axis after the rows', and a label's runner-up
    is its best other value while the other labels stay as they are answered.

    Parameters
    ----------
    name
        The model, or the member of an ensemble.
    feature_names
        One name per feature.
    answer, runner_up
        (n,) the most probable label of each row and the next one, equal if there is only one label.
    log_odds
        (n,) log P(answer | x) / P(runner-up | x), which is ``base + contributions + remainder``.
    base
        (n,) the part of the prior.
    contributions
        (n, p) the part of each feature, with its parents; positive speaks for the answer.
    remainder
        (n,) what is left over: zero for a single network, the price of averaging for an ensemble.
    members
        The explanations of the members, for the same two labels.

    Examples
    --------
    Both features speak for the answer, the first one, which never erred, more loudly:

    >>> from jointbayes import NaiveBayes
    >>> X = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"], ["b", "x"]]
    >>> why = NaiveBayes().fit(X, [0, 0, 0, 1, 1, 1]).explain([["b", "y"]])
    >>> why.answer, why.runner_up, why.contributions.round(2)
    (array([1]), array([0]), array([[1.95, 0.51]]))
    >>> bool(np.allclose(why.base + why.contributions.sum(axis=1), why.log_odds))
    True
    """

    name: str
    feature_names: tuple[str, ...]
    answer: NDArray[Any]
    runner_up: NDArray[Any]
    log_odds: Floats
    base: Floats
    contributions: Floats
    remainder: Floats
    members: tuple[Explanation, ...] = ()

    @property
    def additive(self) -> bool:
        """Whether base and contributions are all there is to the answer."""
        return not self.members

    def __len__(self) -> int:
        return len(self.answer)

    def __repr__(self) -> str:
        rows = f"{len(self):,} row{'' if len(self) == 1 else 's'}"
        return f"Explanation of {self.name}: {rows}, {len(self.feature_names):,} features"


def explain_scores(
    name: str, feature_names: tuple[str, ...], members: Sequence[Member], posterior: Independent
) -> Explanation:
    """Explain the two best labels of a posterior by the terms of the members that made it."""
    labels, log_p = posterior.top_k(2)
    best, next_best = (posterior.space.encode(labels[:, j, 0])[:, 0] for j in (0, -1))
    log_odds = log_p[:, 0] - log_p[:, -1]
    row = np.arange(len(best))

    def explain(member: Member) -> Explanation:
        base = member.log_prior[best] - member.log_prior[next_best]
        parts = member.terms[row, :, best] - member.terms[row, :, next_best]
        label = member.name if member.of is None else f"{member.name} {feature_names[member.of]}"
        total = base + parts.sum(axis=1)
        return Explanation(
            label, feature_names, labels[:, 0, 0], labels[:, -1, 0], total, base, parts, 0 * base
        )

    parts = [explain(member) for member in members]
    share = np.stack([member.weight for member in members])
    base = np.einsum("mn,mn->n", share, [part.base for part in parts])
    contributions = np.einsum("mn,mnp->np", share, [part.contributions for part in parts])
    alone = len(members) == 1
    return Explanation(
        name=name,
        feature_names=feature_names,
        answer=labels[:, 0, 0],
        runner_up=labels[:, -1, 0],
        log_odds=log_odds,
        base=base,
        contributions=contributions,
        remainder=0 * base if alone else log_odds - base - contributions.sum(axis=1),
        members=() if alone else tuple(parts),
    )
