r"""Explanation: why this label and not the next best one, feature by feature.

The log-odds of the answer a against the runner-up b is told as a sum. A network's joint is a
product, so for one class variable it is

.. math:: \log\frac{P(a \mid x)}{P(b \mid x)} = \log\frac{P(a)}{P(b)}
          + \sum_i \log\frac{P(x_i \mid pa(x_i), a)}{P(x_i \mid pa(x_i), b)}              (1)

The average of several networks is not a product. Its explanation is the average of theirs, and the
rest, which no single feature can be blamed for, is told as ``remainder``. With several class
variables each is weighed against its flip: see `jointbayes.estimator.flips`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.doors import Shown
from jointbayes.errors import ParameterError
from jointbayes.inference.logs import log_normalize
from jointbayes.posterior import Independent

__all__ = ["Explanation", "Member", "explain_scores", "values_of"]


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
        (n,) what is said before any feature is seen, ``others`` included.
    contributions
        (n, p) the part of each feature, with its parents; positive speaks for the answer.
    remainder
        (n,) what no feature can be blamed for: zero for a single network and for labels on which no
        other depends; the price of averaging for an ensemble, and where other labels depend on this
        one, how much better they fit the answer.
    label_names
        One name per class variable.
    values
        (n, p) what each row holds, as it was given.
    others
        (n,) the part of ``base`` that the other labels say, by being as they are answered and not
        as they are on average; for `IBLR` and `StackedRelevance`, the labels of neighbours and the
        first opinions.
    probability
        (n,) P(answer | x), of all labels together.
    runner_up_probability
        (n,) P(runner-up | x), the other labels being as they are answered.
    marginal
        (n,) P(answer | x) of this label, whatever the others are.
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
    >>> why.probability.round(2), why.importance().round(2)
    (array([0.92]), array([1.95, 0.51]))
    """

    name: str
    feature_names: tuple[str, ...]
    answer: NDArray[Any]
    runner_up: NDArray[Any]
    log_odds: Floats
    base: Floats
    contributions: Floats
    remainder: Floats
    label_names: tuple[str, ...]
    values: NDArray[Any]
    others: Floats
    probability: Floats
    runner_up_probability: Floats
    marginal: Floats
    members: tuple[Explanation, ...] = ()

    @property
    def additive(self) -> bool:
        """Whether base and contributions are all there is to the answer."""
        return not self.members

    def importance(self, label: str | None = None) -> Floats:
        """Return (p,) how loudly each feature speaks: its mean absolute contribution.

        The mean is over all rows, and over all labels unless one is named.
        """
        parts = np.abs(self.contributions)
        if label is None or parts.ndim == 2:
            self._place_of(label)
            return np.asarray(parts.reshape(-1, parts.shape[-1]).mean(axis=0))
        return np.asarray(parts[:, self._place_of(label)].mean(axis=0))

    def _place_of(self, label: str | None) -> int:
        if label is None:
            return 0
        if label not in self.label_names:
            known = ", ".join(self.label_names[:8])
            raise ParameterError(
                f"importance(label={label!r}): there is no such label; choose from {known}"
            )
        return self.label_names.index(label)

    def __len__(self) -> int:
        return len(self.answer)

    def __repr__(self) -> str:
        parts = [f"{len(self):,} row{'' if len(self) == 1 else 's'}"]
        if self.answer.ndim > 1:
            parts.append(f"{len(self.label_names):,} labels")
        parts.append(f"{len(self.feature_names):,} features")
        return f"Explanation of {self.name}: {', '.join(parts)}"


def values_of(X: Any) -> NDArray[Any]:
    """Return (n, p) what the rows of a Table or a sparse matrix hold, as it was given.

    >>> from jointbayes.table import Table
    >>> values_of(Table.of([["a", 1.5], [None, 2.5]])).tolist()
    [['a', 1.5], [None, 2.5]]
    """
    if hasattr(X, "tocsr"):
        return np.asarray(X.toarray())
    held = np.empty(X.shape, dtype=object)
    for j, column in enumerate(X.columns):
        held[:, j] = column.decoded()
    return held


def explain_scores(
    name: str,
    feature_names: tuple[str, ...],
    X: Any,
    members: Sequence[Member],
    posterior: Independent,
) -> Explanation:
    """Explain the two best labels of a posterior by the terms of the members that made it."""
    labels, log_p = posterior.top_k(2)
    best, next_best = (posterior.space.encode(labels[:, j, 0])[:, 0] for j in (0, -1))
    row, values = np.arange(len(best)), values_of(X)

    def explanation(
        called: str,
        base: Floats,
        parts: Floats,
        log_p: Floats,
        of_members: tuple[Explanation, ...] = (),
    ) -> Explanation:
        log_odds, told = log_p[:, 0] - log_p[:, 1], base + parts.sum(axis=1)
        return Explanation(
            name=called,
            feature_names=feature_names,
            answer=labels[:, 0, 0],
            runner_up=labels[:, -1, 0],
            log_odds=log_odds if of_members else told,
            base=base,
            contributions=parts,
            remainder=log_odds - told if of_members else 0 * base,
            label_names=posterior.space.names,
            values=values,
            others=0 * base,
            probability=np.exp(log_p[:, 0]),
            runner_up_probability=np.exp(log_p[:, 1]),
            marginal=np.exp(log_p[:, 0]),
            members=of_members,
        )

    def explain(member: Member) -> Explanation:
        base = member.log_prior[best] - member.log_prior[next_best]
        parts = member.terms[row, :, best] - member.terms[row, :, next_best]
        called = member.name if member.of is None else f"{member.name} {feature_names[member.of]}"
        own = log_normalize(member.log_prior + member.terms.sum(axis=1))
        return explanation(called, base, parts, np.stack([own[row, best], own[row, next_best]], 1))

    parts = tuple(explain(member) for member in members)
    share = np.stack([member.weight for member in members])
    base = np.einsum("mn,mn->n", share, [part.base for part in parts])
    contributions = np.einsum("mn,mnp->np", share, [part.contributions for part in parts])
    return explanation(
        name, base, contributions, log_p[:, [0, -1]], parts if len(members) > 1 else ()
    )
