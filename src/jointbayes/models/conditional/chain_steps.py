"""The conditionals of a chain: one batch of logistic regressions, or a given classifier each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.checks import check_that
from jointbayes.design.label_columns import beside, label_columns
from jointbayes.inference.logistic_steps import LogisticSteps
from jointbayes.inference.prefixes import Conditional
from jointbayes.labels import LabelSpace
from jointbayes.learners.known import TargetWeights, of_known_rows
from jointbayes.learners.logistic.basis import Scaling
from jointbayes.learners.logistic.batch import LogisticLearner, Logistics, log_softmax
from jointbayes.learners.stored import check_classifiers
from jointbayes.learners.wrapped import Learner, Outcome, Wrapped

__all__ = ["LogisticChain", "WrappedChain", "check_chain", "learn_chain", "learn_chains"]


CELLS = 2**22
"""Cells of a matrix that a given classifier sees at once."""


@dataclass(frozen=True, eq=False)
class LogisticChain:
    """Logistic regressions over the columns (x, y), those of later labels being 0."""

    logistics: Logistics
    cards: tuple[int, ...]
    enumerated: int = 1 << 16

    def conditional(self, matrix: Any, n_jobs: int | None = 1) -> Conditional:
        """Return the steps of the chain for the rows of a matrix."""
        found, slope = self.logistics, self._slope
        blank = np.zeros((matrix.shape[0], len(slope)))
        base = found.predictors(beside(matrix, blank))  # of vectors whose labels are all 0
        if self._links is not None and np.isfinite(base).all():
            return LogisticSteps(_odds(found.outcomes, base), self._links, n_jobs)
        ends = np.cumsum([outcome.width for outcome in found.outcomes])
        starts, _ = _starts(self.cards)

        def step(place: int, rows: Labels, before: Labels) -> Floats:
            outcome = found.outcomes[place]
            columns = slice(ends[place] - outcome.width, ends[place])
            z = base[rows, columns]
            if place:
                z = z + label_columns(before, self.cards[:place]) @ slope[: starts[place], columns]
            return outcome.spread(log_softmax(z))

        return step

    @cached_property
    def _slope(self) -> Floats:
        """What the columns of the labels add to each linear predictor."""
        scaling, n_labels = self.logistics.scaling, len(_starts(self.cards)[1])
        factor = (scaling.factor / scaling.unit)[-n_labels:, None]
        return np.asarray(factor * self.logistics.W[-1 - n_labels : -1])

    @cached_property
    def _links(self) -> Floats | None:
        """What a relevant label adds to the log-odds of each after it, if all are binary."""
        if set(self.cards) != {2} or not np.isfinite(self._slope).all():
            return None
        links = np.zeros((len(self.cards), len(self.cards)))
        links[:, [outcome.width > 0 for outcome in self.logistics.outcomes]] = self._slope
        return np.triu(links, 1)


@dataclass(frozen=True, eq=False)
class WrappedChain:
    """Given classifiers, each fitted to x and the labels before its own."""

    classifiers: tuple[Wrapped, ...]
    cards: tuple[int, ...]
    enumerated: int = 1 << 12

    def conditional(self, matrix: Any, n_jobs: int | None = 1) -> Conditional:
        """Return the steps of the chain for the rows of a matrix."""
        del n_jobs  # the classifiers have their own
        size = max(1, CELLS // (matrix.shape[1] + 1))

        def step(place: int, rows: Labels, before: Labels) -> Floats:
            parts = []
            for start in range(0, len(rows), size):
                part = slice(start, start + size)
                columns = label_columns(before[part], self.cards[:place])
                seen = beside(matrix[rows[part]], columns)
                parts.append(self.classifiers[place].log_proba(seen)[0])
            return np.concatenate([*parts, np.empty((0, self.cards[place]))])

        return step


def _odds(outcomes: Sequence[Outcome], base: Floats) -> Floats:
    """Return the odds of binary labels; one that never changed has the same on every row."""
    if base.shape[1] == len(outcomes):
        return base
    odds, column = np.empty((len(base), len(outcomes))), 0
    for place, outcome in enumerate(outcomes):
        if outcome.width:
            odds[:, place] = base[:, column]
        else:
            none, one = outcome.spread(np.zeros((1, 1)))[0]
            odds[:, place] = one - none
        column += outcome.width
    return odds


def learn_chain(
    learner: Learner,
    matrix: Any,
    codes: Labels,
    cards: Sequence[int],
    weights: Weights = None,
    entries: Floats | None = None,
) -> LogisticChain | WrappedChain:
    """Learn the conditionals (1) of labels in the order of their columns.

    Parameters
    ----------
    learner
        Makes the classifiers.
    matrix
        (n, p) numbers.
    codes
        (n, d) labels, in the order of the chain.
    cards
        How many values each has.
    weights
        (n,) how often each row counts; None for once.
    entries
        (n, d) how often each counts for each label, where that differs.
    """
    labels = label_columns(codes, cards)
    starts, places = _starts(cards)
    if isinstance(learner, LogisticLearner):
        view = learner.view(beside(matrix, labels), weights, fixed=labels.shape[1])
        free = np.ones((view.shape[1], len(cards)), dtype=bool)
        free[-1 - len(places) : -1] = places[:, None] < np.arange(len(cards))
        each = of_known_rows(learner, codes, entries)
        seen = view if entries is None else TargetWeights(view, entries)
        settings = each.settings(seen, codes, cards, free)
        return LogisticChain(each.fit(seen, codes, cards, settings, free), tuple(cards))
    fitted = []
    for place, card in enumerate(cards):
        own = weights if entries is None else entries[:, place]
        view = learner.view(beside(matrix, labels[:, : starts[place]]), own)
        y = codes[:, place : place + 1]
        fitted.append(learner.fit(view, y, [card], learner.settings(view, y, [card])))
    return WrappedChain(tuple(fitted), tuple(cards))


def learn_chains(
    learner: LogisticLearner,
    matrix: Any,
    codes: Labels,
    cards: Sequence[int],
    orders: Sequence[Sequence[int]],
    weights: Weights = None,
) -> list[LogisticChain]:
    """Learn chains of the same rows in several orders, all their regressions at once.

    They see the same columns, and differ in the labels that come before.

    >>> rng = np.random.default_rng(0)
    >>> X, Y, learner = rng.normal(size=(30, 2)), rng.integers(0, 2, (30, 3)), LogisticLearner(1.0)
    >>> one, other = learn_chains(learner, X, Y, (2, 2, 2), [(0, 1, 2), (2, 0, 1)])
    >>> alone = learn_chain(learner, X, Y[:, [2, 0, 1]], (2, 2, 2))
    >>> bool(np.allclose(other.logistics.W, alone.logistics.W, atol=1e-3))
    True
    """
    labels, d = label_columns(codes, cards), len(cards)
    _, places = _starts(cards)
    view = learner.view(beside(matrix, labels), weights, fixed=labels.shape[1])
    found: list[LogisticChain] = []
    step = max(1, BLOCK_CELLS // (len(codes) * max(d, len(places))))
    for begin in range(0, len(orders), step):
        part = orders[begin : begin + step]
        rank = [np.argsort(order) for order in part]  # where each label stands in a chain
        free = np.ones((view.shape[1], d * len(part)), dtype=bool)
        free[-1 - len(places) : -1] = np.hstack([at[places][:, None] < at for at in rank])
        targets, every = np.tile(codes, len(part)), tuple(cards) * len(part)
        settings = learner.settings(view, targets, every, free)
        fitted = learner.fit(view, targets, every, settings, free)
        for i, order in enumerate(part):
            own = fitted.only(np.arange(i * d, (i + 1) * d))
            columns = np.concatenate([np.flatnonzero(places == j) for j in order])
            found.append(LogisticChain(_reordered(own, order, columns), _taken(cards, order)))
    return found


def _taken(cards: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    return tuple(cards[j] for j in order)


def _reordered(found: Logistics, order: Sequence[int], columns: Labels) -> Logistics:
    """Return regressions with their targets, and the label columns they see, in another order."""
    ends = np.cumsum([outcome.width for outcome in found.outcomes])
    targets = np.concatenate([np.arange(ends[j] - found.outcomes[j].width, ends[j]) for j in order])

    def moved(rows: Floats, last: int) -> Floats:
        first = len(rows) - last - len(columns)
        return np.concatenate([rows[:first], rows[first + columns], rows[len(rows) - last :]])

    scaling = found.scaling
    return replace(
        found,
        scaling=Scaling(*(moved(each, 0) for each in (scaling.unit, scaling.mean, scaling.factor))),
        W=moved(found.W, 1)[:, targets],
        local=moved(found.local, 1)[:, targets],
        outcomes=tuple(found.outcomes[j] for j in order),
        penalty=found.penalty[list(order)],
        converged=found.converged[list(order)],
    )


def _starts(cards: Sequence[int]) -> tuple[Labels, Labels]:
    """Return where the columns of each label begin, and the label of each column."""
    widths = np.array([1 if card == 2 else card for card in cards])
    return np.cumsum(widths) - widths, np.repeat(np.arange(len(cards)), widths)


def check_chain(chain: Any, order: Any, space: LabelSpace, width: int) -> None:
    """Refuse a chain from a file, unless it is of these labels in that order."""
    check_that(sorted(order) == list(range(len(space))), "an order does not name each label once")
    same = chain.cards == tuple(space.cards[j] for j in order) and chain.enumerated >= 0
    check_that(same, "a chain is of other labels")
    if isinstance(chain, LogisticChain):
        check_classifiers(chain.logistics, chain.cards, width + len(_starts(chain.cards)[1]))
        return
    for classifier, card in zip(chain.classifiers, chain.cards, strict=True):
        check_classifiers(classifier, [card], width)
