"""Powerset: the label vectors that occur as the classes of one classifier.

A vector that never occurred has probability 0, unless the classifier is backed off to independent
labels (`jointbayes.models.trust.backing`), as far as rows held out in turn advise. Where there is
nothing to tell vectors apart (one of them, or no columns) they have their relative frequencies; of
a single label every value then has its smoothed frequency, (n + 1/k) / (N + 1).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.checks import check_indices, check_log_probabilities, check_shape, check_that
from jointbayes.labels import LabelSpace
from jointbayes.learners.stored import check_classifiers
from jointbayes.learners.wrapped import Classifiers, Learner
from jointbayes.models.trust.backing import Backing, learn_backing
from jointbayes.models.trust.held_out import HeldOut
from jointbayes.models.trust.inner_folds import deal_folds, with_others
from jointbayes.network import log_m_estimate
from jointbayes.posterior import Listed, Posterior

__all__ = ["UNSEEN", "Powerset", "learn_powerset", "learn_powersets", "log_frequencies"]

UNSEEN = ("zero", "back_off")
"""What label vectors that never occurred may have."""

VECTORS = 8
"""Label vectors that a group has, more or less: so many groups are learned at once as fit."""

Groups = Sequence[tuple[int, ...]]

FOLDS = 3
"""In which rows are held out, in turn, to learn how far to back off."""


@dataclass(frozen=True, eq=False)
class Powerset:
    """A classifier of label vectors.

    Parameters
    ----------
    vectors
        (m, d) label codes.
    classifier
        Tells them apart; None: nothing does.
    log_prior
        (m,) their log-probabilities where nothing does.
    backing
        What gives vectors that never occurred their probability; None: they have none.
    """

    vectors: Labels
    classifier: Classifiers | None
    log_prior: Floats | None = None
    backing: Backing | None = None

    def check_labels(self, cards: Sequence[int], width: int) -> None:
        """Refuse what came from a file unless it is of these labels and so many columns."""
        check_shape("vectors", self.vectors, (None, len(cards)))
        for codes, card in zip(self.vectors.T, cards, strict=True):
            check_indices("vectors", codes, card)
        check_that(len(self.vectors) > 0, "there are no label vectors")
        if self.classifier is not None:
            check_classifiers(self.classifier, [len(self.vectors)], width)
        else:
            check_that(self.log_prior is not None, "nothing tells label vectors apart")
        if self.log_prior is not None:
            check_log_probabilities("log_prior", self.log_prior, (len(self.vectors),))
        if self.backing is not None:
            self.backing.check_labels(cards)

    def posterior(self, matrix: Any, space: LabelSpace) -> Posterior:
        """Return the table of the vectors given each row, backed off if anything is behind it."""
        if self.classifier is None:
            listed = self._prior(matrix.shape[0], space)
        else:
            listed = Listed(self.vectors, self.classifier.log_proba(matrix)[0], space)
        return listed if self.backing is None else self.backing.of(listed)

    def marginals(self, matrix: Any, space: LabelSpace, group: Sequence[int]) -> list[Floats]:
        """Return what `posterior` says of each label by itself; the labels are some of a space."""
        if self.classifier is None or self.backing is not None:
            return self.posterior(matrix, space.take(group)).marginals()
        cards = [space.cards[j] for j in group]
        k = max(cards)
        p = np.exp(self.classifier.log_proba(matrix)[0]) @ self._shows(k)
        return [p[:, i * k : i * k + card] for i, card in enumerate(cards)]

    def _shows(self, k: int) -> Floats:
        """Return (m, d k) whether each vector has each of k values of each label, as 0 and 1."""
        if k not in self._shown:
            shows = self.vectors[:, :, None] == np.arange(k)
            self._shown[k] = shows.reshape(len(self.vectors), -1).astype(np.float64)
        return self._shown[k]

    @cached_property
    def _shown(self) -> dict[int, Floats]:
        return {}

    def on(self, view: Any, n: int, space: LabelSpace) -> Listed:
        """Return the table of the vectors given the n rows of a view of what was learned from."""
        if self.classifier is None:
            return self._prior(n, space)
        return Listed(self.vectors, self.classifier.on(view)[0], space)

    def _prior(self, n: int, space: LabelSpace) -> Listed:
        assert self.log_prior is not None
        return Listed(self.vectors, np.tile(self.log_prior, (n, 1)), space)


def learn_powerset(
    learner: Learner, view: Any, codes: Labels, cards: Sequence[int], unseen: str = "zero"
) -> Powerset:
    """Learn which of the (n, d) label vectors that occur belongs to a row.

    Vectors that do not occur are given probability "zero", or by "back_off": for that, three more
    classifiers learn two thirds of the rows each.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.learners.wrapped import EstimatorLearner
    >>> Y, X = np.array([[0, 0], [0, 0], [1, 1], [1, 1]]), np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> learner = EstimatorLearner(GaussianNB())
    >>> space = learn_labels(Y)
    >>> sets = learn_powerset(learner, learner.view(X), Y, (2, 2))
    >>> sets.posterior(X[2:3], space).map().tolist(), sets.vectors.tolist()
    ([[1, 1]], [[0, 0], [1, 1]])
    >>> backed = learn_powerset(learner, learner.view(X), Y, (2, 2), "back_off")
    >>> bool(np.isfinite(backed.posterior(X[:1], space).log_prob([[0, 1]])))
    True
    """
    powerset, settings = _learn(learner, view, codes, cards)
    if unseen == "zero":
        return powerset
    return replace(powerset, backing=_learn_backing(learner, view, codes, cards, settings))


def learn_powersets(
    learner: Learner, view: Any, codes: Labels, cards: Sequence[int], groups: Groups, unseen: str
) -> list[Powerset]:
    """Learn the powerset of each group of labels; regressions of several groups at once.

    >>> from jointbayes.learners.logistic.batch import LogisticLearner
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(40, 2)), rng.integers(0, 2, (40, 3))
    >>> learner = LogisticLearner(penalty=1.0)
    >>> found = learn_powersets(learner, learner.view(X), Y, (2, 2, 2), [(0, 1), (1, 2)], "zero")
    >>> alone = learn_powerset(learner, learner.view(X), Y[:, 1:], (2, 2))
    >>> bool(np.allclose(found[1].classifier.W, alone.classifier.W, atol=1e-3))
    True
    """
    if unseen != "zero" or not view.n_columns:
        return [
            learn_powerset(learner, view, codes[:, group], [cards[j] for j in group], unseen)
            for group in groups
        ]
    found: list[Powerset] = []
    step = max(1, BLOCK_CELLS // (len(codes) * VECTORS))
    for start in range(0, len(groups), step):
        part = groups[start : start + step]
        vectors, targets = zip(*(_vectors(codes[:, group]) for group in part), strict=True)
        sizes = [len(each) for each in vectors]
        target = np.stack(targets, axis=1)
        fitted, _ = _fit(learner, view, target, sizes)
        found += [
            Powerset(each, fitted.only(np.array([i])))
            if len(each) > 1
            else _learn_frequencies(
                each, targets[i], codes[:, group], [cards[j] for j in group], view.weights
            )
            for i, (each, group) in enumerate(zip(vectors, part, strict=True))
        ]
    return found


def _vectors(codes: Labels) -> tuple[Labels, Labels]:
    """Return the label vectors that occur, and which of them each row has."""
    vectors, place = np.unique(codes, axis=0, return_inverse=True)
    return vectors, place.ravel().astype(np.intp)


def _learn_backing(
    learner: Learner, view: Any, codes: Labels, cards: Sequence[int], settings: Floats | None
) -> Backing:
    """Learn two thirds of the rows at a time, and back off as the others advise."""
    folds, found = deal_folds(codes, FOLDS, seed=0), []
    held = HeldOut(folds, codes, view.weights)
    names = tuple(map(str, range(len(cards))))
    space = LabelSpace(names, tuple(map(np.arange, cards)))
    if len(folds) < 2:
        return Backing(0.5, 0.5, held.frequencies(cards))
    for rows, others in with_others(folds):
        part, _ = _learn(learner, view.rows(others), codes[others], cards, settings)
        found.append(part.on(view.rows(rows), len(rows), space))
    marginals = [post.marginals() for post in found]
    return learn_backing(held.log_p(found), marginals, held, space)


def _learn(
    learner: Learner,
    view: Any,
    codes: Labels,
    cards: Sequence[int],
    settings: Floats | None = None,
) -> tuple[Powerset, Floats | None]:
    """Return the powerset without anything behind it, and the settings of its classifier."""
    vectors, place = _vectors(codes)
    if len(vectors) == 1 or not view.n_columns:
        return _learn_frequencies(vectors, place, codes, cards, view.weights), settings
    fitted, settings = _fit(learner, view, place[:, None], [len(vectors)], settings)
    return Powerset(vectors, fitted), settings


def _fit(
    learner: Learner,
    view: Any,
    targets: Labels,
    cards: Sequence[int],
    settings: Floats | None = None,
) -> tuple[Any, Floats]:
    """Return classifiers of label vectors, and their settings."""
    with warnings.catch_warnings():
        # Label sets may well be as many as rows; they are classes all the same.
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        if settings is None:
            settings = learner.settings(view, targets, cards)
        return learner.fit(view, targets, cards, settings), settings


def _learn_frequencies(
    vectors: Labels, place: Labels, codes: Labels, cards: Sequence[int], weights: Weights
) -> Powerset:
    if len(cards) == 1:
        every = np.arange(cards[0])[:, None]
        return Powerset(every, None, log_frequencies(codes[:, 0], cards[0], weights))
    counts = np.bincount(place, weights)
    return Powerset(vectors, None, np.log(counts / counts.sum()))


def log_frequencies(codes: Labels, card: int, weights: Weights = None) -> Floats:
    """Return the logarithms of the smoothed frequencies (n + 1/k) / (N + 1) of a label's values.

    >>> np.exp(log_frequencies(np.array([0, 0, 0]), 2)).round(3).tolist()
    [0.875, 0.125]
    """
    counts = np.bincount(codes, weights, minlength=card).astype(np.float64)
    return log_m_estimate(counts, 0, smoothing=1.0)
