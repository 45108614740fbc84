"""Auto: tries the likely models on inner folds, and keeps or pools what is best for the loss.

Every model answers for rows that it has not seen: one posterior for each fold, corrected by one
exponent and, where it may call label vectors impossible, by a back-off (`correction`). Models are
ordered by the mean loss of their decisions, then by the joint log-loss, and what is kept
(`keeping`), a pool of them or one alone, learns all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Weights
from jointbayes.checks import check_attributes, check_that
from jointbayes.errors import DataError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.models.auto.correction import Correction
from jointbayes.models.auto.keeping import Kept, Record, keep, measured, record_of
from jointbayes.models.auto.portfolio import LIKELY, Candidate, given_models, likely_models
from jointbayes.models.auto.trying import UNSUITED, Budget, Judge, LeftOut, Trial, try_candidates
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows
from jointbayes.posterior import Posterior, mix
from jointbayes.seeds import seed_of

__all__ = ["Auto"]


class Auto(Classifier):
    """The model that tries others, and is the best of them or their pool.

    Parameters
    ----------
    loss
        What `predict` minimizes in expectation, and by which models are compared: "subset",
        "hamming", "f1", "jaccard", or a loss of `jointbayes.losses`.
    cv
        How many inner folds.
    time_limit
        Seconds that `fit` should take; None for as many as it needs. Models that do not fit in are
        left out, the first excepted; one that has begun a fold is not interrupted. What is kept
        then depends on the machine.
    models
        What to try: a list of models of this library, or of their names; None for a portfolio that
        depends on the labels, which "likely" stands for in a list. Networks and NaiBX of it are as
        sharp as rows held out advise, and LTAN rules no label out.
    categorical_features, empty, unknown
        See `jointbayes.estimator.parameters`.
    random_state
        Seed of the folds, and of the models of the portfolio.
    n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    best_
        The name of what is kept: a model, or "Pool".
    leaderboard_
        Records, what is kept first, then the best: ``model``; ``loss`` and ``log_loss``, the means
        over rows held out, log_loss of the joint; ``seconds``; ``power``, the exponent; ``weight``
        in what is kept; ``note``, which says why a model was left out. What was not measured is
        None.
    members_, weights_, corrections_
        What is kept: the models, fitted to all rows, their weights and corrections.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, (X[:, 0] > 0) ^ (X[:, 1] > 1)]).astype(int)
    >>> model = Auto(models=["BinaryRelevance", "CTBN"]).fit(X, Y)
    >>> model.best_, [record["model"] for record in model.leaderboard_][-1]
    ('CTBN', 'BinaryRelevance')
    >>> model.predict([[1.0, 0.0], [-1.0, 0.0]]).tolist()
    [[1, 1], [0, 0]]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "cv": integer(2),
        "time_limit": named(None) | number(0, ends="()"),
        "models": named(None)
        | Range("a list of models", lambda v: isinstance(v, list | tuple) and len(v) > 0),
    }

    _asked: ClassVar[tuple[str, ...]] = ()  # the loss and the empty set matter to what is kept

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        loss: Any = "subset",
        cv: int = 3,
        time_limit: float | None = None,
        *,
        models: Any = None,
        categorical_features: Any = "from_dtype",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.cv = cv
        self.time_limit = time_limit
        self.models = models
        self.categorical_features = categorical_features
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        budget, seed = Budget.from_now(self.time_limit), seed_of(self.random_state)
        candidates = self._candidates(rows, seed)
        if len(rows) < 2:
            self._learn_untried(candidates, rows)
            return
        held = HeldOut(deal_folds(rows.codes, self.cv, seed), rows.codes, rows.weights)
        judge = Judge(self.loss, self.empty, held)
        trials, left_out = try_candidates(candidates, rows, judge, budget)
        if not trials:
            raise DataError(f"no model can learn these rows; {_reasons(left_out)}")
        self._keep(trials, left_out, keep(trials, judge), rows)

    def _candidates(self, rows: Labelled, seed: int) -> Sequence[Candidate]:
        shared = {
            "categorical_features": self.categorical_features,
            "random_state": seed,
            "n_jobs": self.n_jobs,
        }
        found: list[Candidate] = []
        for given in (LIKELY,) if self.models is None else self.models:
            likely = isinstance(given, str) and given.casefold() == LIKELY
            found += likely_models(rows, shared) if likely else given_models([given])
        return found

    def _keep(
        self, trials: Sequence[Trial], left_out: Sequence[LeftOut], kept: Kept, rows: Labelled
    ) -> None:
        """Learn all rows by what is kept."""
        members = np.flatnonzero(kept.weights).tolist()
        self.members_ = [learn_rows(trials[i].candidate.model, rows) for i in members]
        self.corrections_ = [trials[i].correction for i in members]
        self.weights_ = kept.weights[members]
        self.best_ = kept.name
        self.leaderboard_ = _leaderboard(trials, left_out, kept, rows.weights)

    def _learn_untried(self, candidates: Sequence[Candidate], rows: Labelled) -> None:
        """Learn the first model that can: one row cannot be held out."""
        why: list[LeftOut] = []
        for candidate in candidates:
            try:
                member = learn_rows(candidate.model, rows)
            except UNSUITED as error:
                why.append(LeftOut(candidate.name, str(error)))
                continue
            self.members_, self.corrections_ = [member], [Correction()]
            self.weights_, self.best_ = np.ones(1), candidate.name
            note = "not compared: one row cannot be held out"
            self.leaderboard_ = [record_of(candidate.name, (None, None), 0.0, 1.0, 1.0, note)]
            return
        raise DataError(f"no model can learn these rows; {_reasons(why)}")

    def _check_learned(self) -> None:
        check_attributes(self, members_=list, corrections_=list, weights_=np.ndarray)
        n = len(self.members_)
        check_that(n == len(self.corrections_) == len(self.weights_) > 0, "members are missing")
        check_that(bool((self.weights_ > 0).all()), "a weight is not above 0")
        for member in self.members_:
            check_that(isinstance(member, Classifier), "a member is not a model")
            same = member.space_.cards == self.space_.cards
            check_that(same, "a member is a model of other labels")

    def _condition(self, X: Any) -> Posterior:
        each = zip(self.members_, self.corrections_, strict=True)
        parts = [correction.of(member.posterior(X)) for member, correction in each]
        return parts[0] if len(parts) == 1 else mix(parts, self.weights_.tolist())

    def _block_rows(self) -> int:
        rows: int = min(member._block_rows() for member in self.members_)
        return rows


def _leaderboard(
    trials: Sequence[Trial], left_out: Sequence[LeftOut], kept: Kept, weights: Weights
) -> list[Record]:
    """Return the records of all models, and of the pool, best first."""
    found = [] if kept.pool is None else [kept.pool]
    for trial, weight in zip(trials, kept.weights.tolist(), strict=True):
        score = measured(trial.losses, trial.log_p, weights)
        power = trial.correction.power
        found.append(record_of(trial.candidate.name, score, trial.seconds, power, weight))
    found.sort(key=lambda r: (r["model"] != kept.name, r["loss"], r["log_loss"]))
    nothing = (None, None)
    return found + [record_of(o.name, nothing, o.seconds, note=o.why) for o in left_out]


def _reasons(left_out: Sequence[LeftOut]) -> str:
    return "; ".join(f"{one.name}: {one.why}" for one in left_out)
