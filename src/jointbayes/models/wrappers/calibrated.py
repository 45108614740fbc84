r"""Calibrated: a joint distribution as sure as it may be.

One exponent makes the whole joint surer or less sure,

(1)  P_t(y | x) = P(y | x)^t / \sum_{y'} P(y' | x)^t ,

and it is chosen by what models of the other folds say of rows that they have not seen:

(2)  t = argmax \sum_i w_i log P_t(y_i | x_i) .

The sum is concave in t, since its second term is a log-sum of exponentials of t log P; so a search
along the line finds the one best exponent there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize_scalar

from jointbayes.arrays import Labels, Weights
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.checks import check_attributes, check_that
from jointbayes.estimator.ranges import Range, integer
from jointbayes.estimator.reading import Labelled
from jointbayes.inference.lists import count_vectors
from jointbayes.models.wrappers.wrapper import INHERITED, Wrapper, out_of_fold
from jointbayes.posterior import Listed, Posterior

__all__ = ["Calibrated", "Judged", "best_power"]

LEAST, MOST = 1e-9, 1e2
"""Between which the exponent is looked for."""

HELD = 4 * BLOCK_CELLS
"""Probabilities of all vectors of all rows of a fold that are held."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A posterior, the label vectors that came true, and how often each row counts."""

    posterior: Posterior
    codes: Labels
    weights: Weights = None

    def log_likelihood(self, t: float) -> float:
        """Return the sum of (2)."""
        log_p = self.posterior.power(t)._log_prob(self.codes[:, None])[:, 0]
        return float(log_p.sum() if self.weights is None else self.weights @ log_p)

    def possible(self) -> Judged:
        """Return the rows whose vector has a probability above 0, which no exponent changes."""
        kept = np.flatnonzero(self.posterior._log_prob(self.codes[:, None])[:, 0] > -np.inf)
        return self.take(kept)

    def take(self, rows: Labels) -> Judged:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Judged(self.posterior[rows], self.codes[rows], weights)

    def listed(self) -> list[Judged]:
        """Return the same in parts whose vectors are listed, once for all exponents.

        Where the posterior has powers of its own kind, or there is too much to hold, it stays.
        """
        n, d = self.codes.shape
        cells = n * count_vectors(self.posterior.space.cards)
        if not n or cells > HELD:
            return [self]
        parts = np.array_split(np.arange(n), min(n, 1 + cells * d // BLOCK_CELLS))
        first = self.posterior[parts[0]]._power(1.0)
        if not isinstance(first, Listed):
            return [self]
        made = [self.take(rows) for rows in parts]
        return [replace(part, posterior=part.posterior._power(1.0)) for part in made]


class Calibrated(Wrapper):
    """A model whose joint distribution is made as sure as it was right on rows left out.

    The posterior is that of the estimator, fitted to all rows, to the power of one exponent. Its
    most probable vectors stay the same, and their order; their probabilities change, and with them
    marginals and what losses other than "subset" decide. Rows whose label vector has probability 0
    out of fold do not matter for the exponent.

    Parameters
    ----------
    estimator
        One of our models; None for `CTBN`.
    cv
        How many folds the exponent is chosen by; they are drawn by a fixed seed.
    loss, empty, unknown, n_jobs
        As of the other models; None for what the estimator says. The exponent is chosen by rows all
        of whose labels are known; without any, it is 1.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    estimator_
        The estimator, fitted to all rows.
    power_
        The exponent, above 1 if the estimator is too modest and below 1 if it is too sure.

    Examples
    --------
    Naive Bayes counts a column that comes ten times as ten witnesses; most of that is taken back:

    >>> from jointbayes import NaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = np.repeat((y ^ (rng.random(500) < 0.2))[:, None], 10, axis=1)
    >>> model = Calibrated(NaiveBayes()).fit(X, y)
    >>> round(model.power_, 2), model.predict_proba(X[y == 1][:1]).round(1).tolist()
    (0.1, [[0.2, 0.8]])
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"cv": integer(2), **INHERITED}

    def __init__(
        self,
        estimator: Any = None,
        cv: int = 5,
        *,
        loss: Any = None,
        empty: str | None = None,
        unknown: str | None = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.cv = cv
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        model = self._wrapped()
        judged = []
        for test, post in out_of_fold(model, rows, self.cv):
            whole = np.flatnonzero((rows.codes[test] >= 0).all(axis=1))
            known = test[whole]
            weights = None if rows.weights is None else rows.weights[known]
            judged.append(Judged(post[whole], rows.codes[known], weights))
        self.power_ = best_power([part for part in judged if len(part.codes)])
        self._take(model, rows)

    def _check_learned(self) -> None:
        super()._check_learned()
        check_attributes(self, power_=Real)
        check_that(0 < self.power_ < np.inf, "its power_ is not a finite number above 0")

    def _condition(self, X: Any) -> Posterior:
        return super()._condition(X).power(self.power_)


def best_power(judged: Sequence[Judged]) -> float:
    """Return the exponent (2), between 1e-9 and 100; 1 where no other is better.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> sure = Independent([np.log([[0.01, 0.99]] * 4)], learn_labels([0, 1]))
    >>> t = best_power([Judged(sure, np.array([[1], [1], [0], [1]]))])
    >>> sure.power(t).marginals()[0][0].round(3).tolist()
    [0.25, 0.75]
    """
    possible = [part for whole in judged for part in whole.possible().listed()]

    def loss(log_t: float) -> float:
        return -sum(part.log_likelihood(float(np.exp(log_t))) for part in possible)

    found = minimize_scalar(
        loss, bounds=(np.log(LEAST), np.log(MOST)), method="bounded", options={"xatol": 1e-5}
    )
    return float(np.exp(found.x)) if found.fun < loss(0.0) else 1.0
