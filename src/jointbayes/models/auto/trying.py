"""Trying models on inner folds: one posterior per fold and model, corrected, judged by the loss.

Where time is limited, a model is left out whose first fold shows that its other folds, and the
learning of all rows by it and by the models before it, would take longer than is left. The first
model that can be learned is never left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from jointbayes.arrays import Floats
from jointbayes.errors import CostError, DataError, StructureError
from jointbayes.estimator.reading import Labelled
from jointbayes.models.auto.correction import Correction, learn_correction
from jointbayes.models.auto.portfolio import Candidate
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.inner_folds import learn_rows, with_others
from jointbayes.posterior import Independent, Posterior

__all__ = ["UNSUITED", "Budget", "Judge", "LeftOut", "Trial", "try_candidates"]


UNSUITED = (CostError, DataError, StructureError)
"""How a model says that rows are not for it; a wrong parameter is everybody's business."""


@dataclass(frozen=True)
class Budget:
    """Seconds from a moment on; None for as many as it takes."""

    limit: float | None
    start: float

    @classmethod
    def from_now(cls, limit: float | None = None) -> Budget:
        """Begin to count."""
        return cls(limit, perf_counter())

    def fits(self, seconds: float) -> bool:
        """Say whether so many seconds are left."""
        return self.limit is None or perf_counter() - self.start + seconds <= self.limit


@dataclass(frozen=True, eq=False)
class Judge:
    """What answers cost."""

    loss: Any
    empty: str
    held: HeldOut

    def losses(self, posteriors: Sequence[Posterior]) -> Floats:
        """Return (n,) the loss of the decision on each row.

        That is its expected loss where the truth is certain.
        """
        found = np.empty(len(self.held.codes))
        for rows, post in zip(self.held.folds, posteriors, strict=True):
            truth = self.held.codes[rows]
            each = zip(truth.T, post.space.cards, strict=True)
            log_p = [np.where(c[:, None] == np.arange(k), 0.0, -np.inf) for c, k in each]
            decided = post.decide(self.loss, self.empty)
            found[rows] = Independent(log_p, post.space).expected_loss(decided, self.loss)
        return found


@dataclass(frozen=True, eq=False)
class Trial:
    """A model that was tried.

    Parameters
    ----------
    candidate
        The model.
    correction
        Of its posteriors.
    posteriors
        Of the rows of each fold, corrected.
    log_p, losses
        (n,) of the rows held out.
    seconds
        All that it took.
    """

    candidate: Candidate
    correction: Correction
    posteriors: tuple[Posterior, ...]
    log_p: Floats
    losses: Floats
    seconds: float


@dataclass(frozen=True)
class LeftOut:
    """A model that was not tried, or not to the end, and why."""

    name: str
    why: str
    seconds: float = 0.0


def try_candidates(
    candidates: Sequence[Candidate],
    rows: Labelled,
    judge: Judge,
    budget: Budget,
    begins: Callable[[str], None] = lambda _: None,
) -> tuple[list[Trial], list[LeftOut]]:
    """Return what was tried, and what was left out; ``begins`` hears what is tried next."""
    trials: list[Trial] = []
    left_out: list[LeftOut] = []
    for candidate in candidates:
        begins(candidate.name)
        owed = sum(trial.seconds for trial in trials) / len(judge.held.folds)
        limited = budget if trials else Budget.from_now()
        if not limited.fits(owed):
            left_out.append(LeftOut(candidate.name, "left out: time_limit is used up"))
            continue
        found = _tried(candidate, rows, judge, _Left(limited, owed))
        if isinstance(found, Trial):
            trials.append(found)
        else:
            left_out.append(found)
    return trials, left_out


@dataclass(frozen=True)
class _Left:
    """Time that is left, of which some seconds are owed to the models tried before."""

    budget: Budget
    owed: float

    def fits(self, seconds: float, folds_to_go: int) -> bool:
        """Say whether there is time for so many folds, and one more for all rows."""
        return self.budget.fits(self.owed + seconds * (folds_to_go + 1))


def _tried(candidate: Candidate, rows: Labelled, judge: Judge, left: _Left) -> Trial | LeftOut:
    start, held, raw = perf_counter(), judge.held, []
    try:
        for i, (fold, others) in enumerate(with_others(held.folds)):
            with warnings.catch_warnings():
                # Of a model that is kept, learning all rows says so again.
                warnings.simplefilter("ignore", ConvergenceWarning)
                fitted = learn_rows(candidate.model, rows.take(others))
                raw.append(fitted.posterior(rows.X[fold]))
            spent = perf_counter() - start
            to_go = len(held.folds) - i - 1
            if not left.fits(spent / (i + 1), to_go):
                why = f"left out after {i + 1} of {len(held.folds)} folds: time_limit is too short"
                return LeftOut(candidate.name, why, spent)
        correction = learn_correction(raw, held, candidate.backing)
        posteriors = tuple(correction.of(post) for post in raw)
        log_p = held.log_p(posteriors)
        losses = judge.losses(posteriors)
    except UNSUITED as error:
        return LeftOut(candidate.name, f"cannot be learned: {error}", perf_counter() - start)
    seconds = perf_counter() - start
    return Trial(candidate, correction, posteriors, log_p, losses, seconds)
