r"""How far NaiBX believes what it has counted, as rows held out advise.

Columns are taken as independent, and so are the labels that were picked before: both count the same
evidence many times, labels and sizes each in their own measure. And a label that few rows have is
known by few rows. The four numbers of `jointbayes.models.naibx.scores.Belief` are those of largest
likelihood of rows held out in three folds, found one at a time: for each κ that is tried, the
exponents t of labels and t_M of sizes, whose likelihoods are two terms of a sum,

(1)  log P(S | x) = log P(M = |S| | x) + log P(S | x, |S|);

then u, and t again with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.arrays import Floats, Labels
from jointbayes.climbing import climb
from jointbayes.estimator.reading import Labelled
from jointbayes.models.naibx.labels import is_one_class
from jointbayes.models.naibx.scores import Belief, NaiBXScores
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows, with_others
from jointbayes.models.trust.sharpness import EXPONENTS
from jointbayes.posterior import Cascade

__all__ = ["learn_belief"]

FOLDS, ASKED = 3, 250
"""Folds, and rows of each that are asked, at most."""

AVERAGE_ROWS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""What κ may be."""

LABELS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What u may be."""


@dataclass(frozen=True, eq=False)
class Fold:
    """A model, some rows that it has not seen, and their log-densities for one κ.

    Parameters
    ----------
    model
        Fitted to the other folds.
    learned
        What it has counted, with this κ.
    evidence
        As `NaiBXScores.evidence` returns it.
    codes, weights
        The labels of the rows, and their weights.
    """

    model: Any
    learned: NaiBXScores
    evidence: Floats
    codes: Labels
    weights: Floats

    def labels_lost(self, belief: Belief) -> float:
        """Return the negative sum of the second term of (1), or of all if there is one term."""
        post = self.model._from_evidence(replace(self.learned, belief=belief), self.evidence)
        log_p = post._log_prob(self.codes[:, None])[:, 0]
        if isinstance(post, Cascade):
            log_p = log_p - self._of_true_sizes(post.log_size)
        return -float(self.weights @ log_p)

    def sizes_lost(self, belief: Belief) -> float:
        """Return the negative sum of the first term of (1)."""
        _, log_size = replace(self.learned, belief=belief).score(self.evidence)
        return -float(self.weights @ self._of_true_sizes(log_size))

    def _of_true_sizes(self, log_size: Floats) -> Floats:
        return np.asarray(log_size[np.arange(len(self.codes)), self.codes.sum(axis=1)])


def learn_belief(model: Any, rows: Labelled) -> Belief:
    """Return the belief of largest likelihood; the paper's if no row can be held out.

    Parameters
    ----------
    model
        Whose clones learn two thirds of the rows.
    rows
        Labelled rows.
    """
    folds = deal_folds(rows.codes, FOLDS, seed=0)
    if len(folds) < 2:
        return Belief()
    plain, fitted = clone(model).set_params(sharpness="paper", size="bayes"), []
    for fold, others in with_others(folds):
        some = fold[:: max(1, len(fold) // ASKED)][:ASKED]
        fitted.append((learn_rows(plain, rows.take(others)), rows.take(some)))
    own_size = (
        isinstance(model.size, str) and model.size == "bayes" and not is_one_class(rows.space)
    )
    tried: dict[float, tuple[float, Belief, Sequence[Fold]]] = {}

    def lost_with(average_rows: float) -> float:
        near = max(tried.values(), key=lambda one: -one[0])[1] if tried else Belief(0.1, 0.1)
        held = [_fold(*one, average_rows) for one in fitted]
        found = replace(near, average_rows=average_rows)
        found, lost = _best(found, "features", EXPONENTS, lambda b: _sum(Fold.labels_lost, held, b))
        if own_size:
            found, more = _best(found, "sizes", EXPONENTS, lambda b: _sum(Fold.sizes_lost, held, b))
            lost += more
        tried[average_rows] = lost, found, held
        return lost

    _, found, held = tried[climb(AVERAGE_ROWS, 10.0, lost_with)]
    for number, values in (("labels", LABELS), ("features", EXPONENTS)):
        found, _ = _best(found, number, values, lambda b: _sum(Fold.labels_lost, held, b))
    return found


def _best(
    belief: Belief, number: str, values: Sequence[float], lost: Callable[[Belief], float]
) -> tuple[Belief, float]:
    """Return the belief with the best value of one number, and what it loses."""

    def changed(value: float) -> Belief:
        change: Any = {number: value}
        return replace(belief, **change)

    found = changed(climb(values, getattr(belief, number), lambda value: lost(changed(value))))
    return found, lost(found)


def _fold(model: Any, rows: Labelled, average_rows: float) -> Fold:
    learned = replace(model.learned_, belief=Belief(average_rows=average_rows))
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    return Fold(model, learned, learned.evidence(rows.X), rows.codes, weights)


def _sum(part: Callable[[Fold, Belief], float], held: Sequence[Fold], belief: Belief) -> float:
    return sum(part(fold, belief) for fold in held)
