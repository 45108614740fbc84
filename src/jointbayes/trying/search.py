r"""try_models: a baseline, a yardstick and the likely models on the same folds.

The likely models are those of `Auto`, corrected and judged as there. Their pool is held to rows
that its weights have not seen either: those for a fold are learned from the other folds,

(1)  P(y | x) = Σ_m w_m^{(−f)} P_m(y | x),   x in fold f .

What is recommended learns all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from jointbayes.arrays import Labels
from jointbayes.datasets.pair import rows_and_labels
from jointbayes.errors import DataError, ParameterError
from jointbayes.estimator.cautions import warn_of
from jointbayes.estimator.ranges import check_parameters
from jointbayes.estimator.reading import Labelled, read_labelled
from jointbayes.labels import learn_labels
from jointbayes.losses import NAMES
from jointbayes.metrics.targets import kind_of
from jointbayes.models.auto.auto import Auto
from jointbayes.models.auto.keeping import POOL, Kept, pool_record
from jointbayes.models.auto.trying import Budget, Judge, LeftOut, Trial, try_candidates
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.inner_folds import deal_folds, with_others
from jointbayes.models.trust.pooling import prune
from jointbayes.posterior import Posterior, mix
from jointbayes.seeds import seed_of
from jointbayes.trying.entrants import (
    YARDSTICKS,
    Entrant,
    enter_baseline,
    enter_yardstick,
)
from jointbayes.trying.measuring import METRIC_OF, compare_entrants, row_losses
from jointbayes.trying.tryout import Tryout
from jointbayes.validation import Comparison
from jointbayes.validation.progress import ProgressKind, progress_bar

__all__ = ["try_models"]

MANY_FOLDS, FEW_FOLDS, MANY_ROWS = 5, 3, 1000
"""Folds of small tables and of others: tests are over rows, so that many rows need few folds."""


def try_models(
    X: Any,
    Y: Any = None,
    *,
    loss: str = "subset",
    cv: int | None = None,
    time_limit: float | None = 60.0,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressKind = "auto",
) -> Tryout:
    """Try the likely models on a table, and say what to use.

    Parameters
    ----------
    X, Y
        Rows and labels, as `fit` takes them, or a `Dataset` in place of both.
    loss
        What answers are to minimize, and models are ranked by: "subset", "hamming", "f1" or
        "jaccard".
    cv
        How many folds; everybody is measured on the same ones. None: 5, and 3 from 1,000 rows on.
    time_limit
        Seconds it should take at most; None for as many as it needs. Models that do not fit in are
        left out and named; what is left then depends on the machine.
    random_state
        Seed of the folds and of the models.
    n_jobs
        Threads; None for every core.
    progress
        ``"auto"``: a bar on a terminal if it takes long, ``"bar"`` or ``"none"``.

    Returns
    -------
    Tryout
        The leaderboard, what is recommended and why, and that model, fitted to all rows.

    Examples
    --------
    Two labels, the second of which the first decides:

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(150, 2))
    >>> a = (X[:, 0] > 0).astype(int)
    >>> Y = np.column_stack([a, a ^ (X[:, 1] > 1)])
    >>> found = try_models(X, Y, cv=3)
    >>> found.place("baseline").score < 0.5 < found.place(found.recommended).score
    True
    >>> found.model.predict([[1.0, 0.0], [-1.0, 0.0]]).tolist()
    [[1, 1], [0, 0]]
    """
    start = perf_counter()
    _check_loss(loss)
    X, Y, name = rows_and_labels(X, Y)
    folds_asked = cv if cv is not None else MANY_FOLDS if _length(X) < MANY_ROWS else FEW_FOLDS
    auto = Auto(loss, folds_asked, time_limit, random_state=random_state, n_jobs=n_jobs)
    check_parameters(auto, owner="try_models")
    rows = read_labelled(auto, X, Y, None, learn_labels, reset=True)
    warn_of(rows)
    _check_rows(rows, loss)
    folds = deal_folds(rows.codes, auto.cv, seed_of(random_state))
    judge = Judge(loss, "auto", HeldOut(folds, rows.codes))
    with progress_bar(progress) as show:
        race = _Race(auto, rows, judge, show)
        race.run(Budget(time_limit, start))
        found = compare_entrants(race.entrants, rows, judge.held, name, loss)
        best, kept = _choose(race, found, METRIC_OF[loss])
        show(f"{best} on all rows", race.steps, race.steps + 1)
        auto.set_params(
            models=[race.trials[i].candidate.name for i in np.flatnonzero(kept.weights)]
        )
        auto._keep(race.trials, race.left_out, kept, rows)
        auto._adopt(rows.space)
    return Tryout(
        dataset=name,
        rows=len(rows),
        features=int(rows.X.shape[1]),
        label_names=rows.space.names,
        loss=loss,
        comparison=found,
        kinds={entrant.name: entrant.kind for entrant in race.entrants},
        seconds={entrant.name: entrant.seconds for entrant in race.entrants},
        losses={e.name: row_losses(e, judge.held, loss) for e in race.entrants},
        left_out=tuple((one.name, one.why) for one in race.left_out),
        recommended=best,
        model=auto,
        total_seconds=perf_counter() - start,
    )


class _Race:
    """Who takes part, one after the other."""

    def __init__(self, auto: Auto, rows: Labelled, judge: Judge, show: Callable[..., None]):
        self.rows, self.judge, self.show = rows, judge, show
        self.seed = seed_of(auto.random_state)
        self.settings = {"random_state": self.seed % (1 << 32), "n_jobs": auto.n_jobs}
        self.candidates = auto._candidates(rows, self.seed)
        self.entrants: list[Entrant] = []
        self.left_out: list[LeftOut] = []
        self.trials: list[Trial] = []
        self.begun, self.steps = 0, 1 + len(YARDSTICKS) + len(self.candidates)

    def run(self, budget: Budget) -> None:
        """Let everybody answer, as far as time allows."""
        rows, held = self.rows, self.judge.held
        self._begins("baseline")
        self.entrants.append(enter_baseline(rows, held, self._decide))
        for name in YARDSTICKS:
            self._begins(name)
            found = enter_yardstick(name, rows, held, budget, self.settings)
            if isinstance(found, Entrant):
                self.entrants.append(found)
            else:
                self.left_out.append(found)
        self.trials, left_out = try_candidates(
            self.candidates, rows, self.judge, budget, self._begins
        )
        self.left_out += left_out
        if not self.trials:
            reasons = "; ".join(f"{one.name}: {one.why}" for one in left_out)
            raise DataError(f"no model can learn these rows; {reasons}")
        for trial in self.trials:
            self._enter(trial.candidate.name, "model", trial.posteriors, trial.seconds)
        pooled, members = cross_fitted(self.trials, held)
        if len(members) > 1:
            self._enter(POOL, "pool", pooled, sum(self.trials[m].seconds for m in members))

    def _enter(self, name: str, kind: Any, posteriors: Sequence[Posterior], spent: float) -> None:
        answers = tuple(self._decide(post) for post in posteriors)
        self.entrants.append(Entrant(name, kind, tuple(posteriors), answers, spent))

    def _decide(self, posterior: Posterior) -> Labels:
        return self.rows.space.encode(posterior.decide(self.judge.loss, self.judge.empty))

    def _begins(self, name: str) -> None:
        self.show(name, self.begun, self.steps + 1)
        self.begun += 1


def cross_fitted(trials: Sequence[Trial], held: HeldOut) -> tuple[list[Posterior], set[int]]:
    """Return the pool (1) for each fold, and which of the trials are in any of them."""
    log_p = np.stack([trial.log_p for trial in trials], axis=1)
    members = set[int]()
    pooled: list[Posterior] = []
    for i, (_, others) in enumerate(with_others(held.folds)):
        weights = prune(log_p[others])
        chosen = np.flatnonzero(weights).tolist()
        members |= {*chosen}
        parts = [trials[m].posteriors[i] for m in chosen]
        pooled.append(mix(parts, weights[chosen].tolist()) if len(parts) > 1 else parts[0])
    return pooled, members


def _choose(race: _Race, found: Comparison, metric: str) -> tuple[str, Kept]:
    """Return the best of our own, and how it is made; joint log-loss decides between equals."""
    means = found.table(metric)[found.datasets[0]]
    log_loss = {e.name: -float(race.judge.held.log_p(e.posteriors).mean()) for e in race.entrants}
    own = [e.name for e in race.entrants if e.kind in ("model", "pool")]
    names = [trial.candidate.name for trial in race.trials]
    weights = prune(np.stack([trial.log_p for trial in race.trials], axis=1))
    members = np.flatnonzero(weights)
    if len(members) < 2:
        own = [name for name in own if name != POOL]
    best = min(own, key=lambda name: (-round(means[name] or 0.0, 12), log_loss[name]))
    if best != POOL:
        return best, Kept(best, np.eye(len(names))[names.index(best)], None)
    score = 1 - (means[POOL] or 0.0), log_loss[POOL]
    return POOL, Kept(POOL, weights, pool_record(score, [race.trials[i] for i in members]))


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _check_loss(loss: Any) -> None:
    if not isinstance(loss, str) or loss not in NAMES:
        raise ParameterError(
            f"loss={loss!r} is not one that models are ranked by here; choose one of "
            f"{', '.join(NAMES)}, or take Auto(loss=…), which takes any"
        )


def _check_rows(rows: Labelled, loss: str) -> None:
    if loss in ("f1", "jaccard") and kind_of(rows.space) != "multilabel":
        raise DataError(
            f"loss={loss!r} is of sets of labels, and these are {kind_of(rows.space)}; take "
            "'subset' or 'hamming', or say which value means yes (labels.binarize)"
        )
    if len(rows) < 4:
        raise DataError(f"{len(rows)} rows are too few to hold any out; give four at least")
