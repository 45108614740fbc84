r"""What Auto keeps: the pool of the models it tried, leaning towards one, or that one alone.

The pool is the mixture of the models with weights w of largest likelihood out of fold
(`jointbayes.models.trust.pooling`), which may leave a single one. It is likely, and not always best
for the loss: where the model of least loss, b, loses less than the pool, pools that lean towards it
are tried too,

(1)  w(α) = (1 − α) w + α e_b,   α = 1/4, 1/2, 3/4, 1,

and the one of least loss is kept if it is better than the pool by more than three standard errors
of the difference on the same rows: the best of many looks better than it is, and what is nearly as
good for the loss is better for all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Weights
from jointbayes.models.auto.trying import Judge, Trial
from jointbayes.models.trust.held_out import mean_and_error
from jointbayes.models.trust.pooling import prune
from jointbayes.posterior import mix

__all__ = ["POOL", "Kept", "Record", "keep", "measured", "pool_record", "record_of"]

POOL = "Pool"
"""What the leaderboard calls the mixture."""

CLEARLY = 3.0
"""Standard errors by which something else must be better than the pool."""

LEANS = (0.25, 0.5, 0.75)
"""What α of (1) may be, beside 1."""

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Kept:
    """What is best out of fold.

    Parameters
    ----------
    name
        Of a model, or `POOL`.
    weights
        (m,) of the models that were tried; 1 for a single one.
    pool
        The record of the pool, if there was one.
    """

    name: str
    weights: Floats
    pool: Record | None


def keep(trials: Sequence[Trial], judge: Judge) -> Kept:
    """Return the pool of models, or what is clearly better for the loss."""
    rows, models = judge.held.weights, range(len(trials))
    ranked = [measured(trial.losses, trial.log_p, rows) for trial in trials]
    best = min(models, key=lambda i: ranked[i])
    alone = _Pooled(np.eye(len(trials))[best], trials[best].losses, ranked[best])
    w = prune(np.stack([trial.log_p for trial in trials], axis=1), rows)
    if np.count_nonzero(w) < 2:
        likeliest = int(w.argmax())
        pool, found = _Pooled(w, trials[likeliest].losses, ranked[likeliest]), alone
    else:
        pool = found = _pooled(w, trials, judge)
        if alone.score < pool.score:
            leaning = [(1 - a) * w + a * alone.weights for a in LEANS]
            others = [_pooled(leant, trials, judge) for leant in leaning]
            found = min([pool, *others, alone], key=lambda one: one.score)
    worse, error = mean_and_error(pool.losses - found.losses, rows)
    kept = found if worse > CLEARLY * error else pool
    mixed = next((one for one in (kept, pool) if one.n_members > 1), None)
    record = None if mixed is None else pool_record(mixed.score, mixed.members(trials))
    return Kept(kept.name(trials), kept.weights, record)


@dataclass(frozen=True, eq=False)
class _Pooled:
    """A mixture of models, or one alone, and what it loses on rows held out."""

    weights: Floats
    losses: Floats
    score: tuple[float, float]

    @property
    def n_members(self) -> int:
        return int(np.count_nonzero(self.weights))

    def members(self, trials: Sequence[Trial]) -> list[Trial]:
        return [trials[i] for i in np.flatnonzero(self.weights).tolist()]

    def name(self, trials: Sequence[Trial]) -> str:
        return POOL if self.n_members > 1 else self.members(trials)[0].candidate.name


def _pooled(weights: Floats, trials: Sequence[Trial], judge: Judge) -> _Pooled:
    members = np.flatnonzero(weights).tolist()
    of_folds = zip(*(trials[i].posteriors for i in members), strict=True)
    mixed = [mix(parts, weights[members].tolist()) for parts in of_folds]
    losses = judge.losses(mixed)
    score = measured(losses, judge.held.log_p(mixed), judge.held.weights)
    return _Pooled(weights, losses, score)


def pool_record(score: tuple[float, float], members: Sequence[Trial]) -> Record:
    """Return the leaderboard's record of a pool of some loss and log-loss."""
    return record_of(POOL, score, sum(trial.seconds for trial in members))


def measured(losses: Floats, log_p: Floats, weights: Weights) -> tuple[float, float]:
    """Return the mean loss and the joint log-loss, by which models are ordered."""
    loss = float(np.average(losses, weights=weights))
    return round(loss, 12), -float(np.average(log_p, weights=weights))


def record_of(
    name: str,
    measured: tuple[float | None, float | None],
    seconds: float,
    power: float | None = None,
    weight: float = 0.0,
    note: str = "",
) -> Record:
    """Return a record of the leaderboard: a model, its loss and log-loss, and what else is told."""
    loss, log_loss = measured
    return {
        "model": name,
        "loss": loss,
        "log_loss": log_loss,
        "seconds": round(seconds, 3),
        "power": power,
        "weight": weight,
        "note": note,
    }
