"""The penalty of every logistic regression, chosen by cross-validation along a path.

Penalties run from strong to weak. At each, every fold's regressions start from the solution at the
one before, and a target leaves the path once the log-likelihood of its held-out rows has fallen: as
a function of the penalty it has one peak, or near enough. Most targets see a few penalties. The
peak is that of the parabola through the likeliest penalty and its neighbours on the path. Folds are
held out in turn until enough rows have been.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Mask
from jointbayes.learners.logistic.basis import Basis
from jointbayes.learners.logistic.problem import Problem, log_likelihoods
from jointbayes.learners.logistic.solver import minimize_logistic

__all__ = ["PENALTIES", "choose_penalties"]

PENALTIES = tuple(float(c) for c in 10.0 ** np.arange(4, -2.5, -0.5))
"""From strong to weak, for columns of variance 1."""

ROUGH = 1.0
"""Tolerance of the solutions that only serve to choose: a thousandth of f, by `CAUTION`."""

ENOUGH = 8192
"""Rows held out, of all folds, beyond which more would hardly change what is chosen."""


def choose_penalties(
    problem: Problem, fold: NDArray[np.intp], penalties: Sequence[float] = PENALTIES
) -> Floats:
    """Return the (t,) penalties under which held-out rows are likeliest.

    Parameters
    ----------
    problem
        The targets; their penalties are not read.
    fold
        (n,) the fold in which each row is held out.
    penalties
        From strong to weak, by the same factor each.

    Examples
    --------
    One target follows the column, the other is noise, which a strong penalty silences:

    >>> from jointbayes.learners.logistic.basis import make_basis
    >>> rng = np.random.default_rng(0)
    >>> x, noise = rng.normal(size=(2, 200))
    >>> Y = np.stack([x > 0, noise > 0], axis=1).astype(float)
    >>> problem = Problem(make_basis(x[:, None]), Y, (1, 1), np.ones(2))
    >>> signal, silence = choose_penalties(problem, np.arange(200) % 5)
    >>> bool(signal < 1 < 1000 < silence)
    True
    """
    folds, sizes = np.unique(fold, return_counts=True)
    taken = 1 + int(np.searchsorted(np.cumsum(sizes), ENOUGH))
    parts = [_Part.of(problem, fold == k) for k in folds[:taken]]
    parts = [part for part in parts if part.kept.any()]
    scores = np.full((len(penalties), len(problem.widths)), -np.inf)
    rising = np.ones(len(problem.widths), dtype=bool)
    for i, penalty in enumerate(penalties):
        scores[i, rising] = 0.0
        for part in parts:
            scores[i, part.kept] += part.advance(penalty)
        rising = scores[i] >= scores[: i + 1].max(axis=0)  # a rough solution may not have moved
        parts = [part.only(rising) for part in parts]
        parts = [part for part in parts if part.kept.any()]
        if not parts:
            break
    return np.exp(_peaks(np.log(penalties), scores))


def _peaks(x: Floats, scores: Floats) -> Floats:
    """Return where each column of scores, at points x an even step apart, is highest.

    >>> x = np.array([3.0, 2.0, 1.0, 0.0])
    >>> _peaks(x, np.stack([-((x - 1.2) ** 2), -((x - 9.0) ** 2)], axis=1)).round(9).tolist()
    [1.2, 3.0]
    """
    top, columns = scores.argmax(axis=0), np.arange(scores.shape[1])
    inside = (top > 0) & (top < len(x) - 1)
    i, j = top[inside], columns[inside]
    rise, fall = scores[i, j] - scores[i - 1, j], scores[i, j] - scores[i + 1, j]
    peaks: Floats = x[top]
    peaks[inside] += (rise - fall) / (rise + fall) / 2 * (x[i + 1] - x[i])
    return peaks


@dataclass
class _Part:
    """One fold: what trains, what is held out, and how far its path has come."""

    kept: Mask  # the targets still on the path that have two values among the training rows
    train: Problem
    held: Basis
    truth: Floats
    W: Floats | None = None

    @classmethod
    def of(cls, problem: Problem, out: Mask) -> _Part:
        train, T = problem.basis.rows(~out), problem.targets[~out]
        varies = _per_target((T[:1] != T).any(axis=0), problem.widths)
        whole = replace(problem, basis=train, targets=T)
        truth = problem.targets[out][:, np.repeat(varies, problem.widths)]
        return cls(varies, whole.select(varies), problem.basis.rows(out), truth)

    def advance(self, penalty: float) -> Floats:
        """Go on to a weaker penalty; return the held-out log-likelihood of the targets kept."""
        problem = replace(self.train, penalty=np.full(len(self.train.widths), penalty))
        self.W = minimize_logistic(problem, self.W, tol=ROUGH).W
        return log_likelihoods(
            self.held.times(self.W), self.truth, problem.widths, self.held.weights
        )

    def only(self, rising: Mask) -> _Part:
        """Return the fold with those targets alone that are still on the path."""
        stays = rising[self.kept]
        if stays.all():
            return self
        columns = np.repeat(stays, self.train.widths)
        W = None if self.W is None else self.W[:, columns]
        return _Part(
            self.kept & rising, self.train.select(stays), self.held, self.truth[:, columns], W
        )


def _per_target(columns: Mask, widths: Iterable[int]) -> Mask:
    ends = np.cumsum(list(widths))
    return np.array([columns[end - w : end].any() for end, w in zip(ends, widths, strict=True)])
