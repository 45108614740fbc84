"""RAkEL: label powersets of random small groups of labels (Tsoumakas, Katakis & Vlahavas 2011).

Each group of k labels has a label powerset of its own. What the groups know of the dependence
between their labels serves to find each label's probability, the mean over the groups that hold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, islice
from math import comb
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Labels, Values
from jointbayes.checks import check_counts, check_indices, check_that
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, check_parameters, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.stored import check_design
from jointbayes.models.powersets.group_means import means_of
from jointbayes.models.powersets.powerset import UNSEEN, Powerset, learn_powersets, log_frequencies
from jointbayes.posterior import Independent
from jointbayes.seeds import generator_of

__all__ = ["RAkEL", "draw_groups"]

Groups = tuple[tuple[int, ...], ...]


class RAkEL(Classifier):
    """Label powersets of random groups of k labels, averaged label by label.

    The posterior takes labels as independent given the row, each with the mean probability of the
    groups that hold it. It leaves out all dependence between labels, also what the groups know of
    it; a label in no group has its frequency in training, whatever the row says.

    Parameters
    ----------
    estimator
        Any classifier with `predict_proba`, cloned for each group; None for `BatchedLogistic`.
    k
        Labels in a group.
    m
        How many groups, at most as many as there are; "disjoint" ones need d / k. "auto": ten or
        more, so many that every label is in two of them.
    groups
        "overlapping": drawn from all groups of k labels; "disjoint": a partition of the labels.
    voting
        How `predict` decides: "mean", by the posterior and the loss; "share": the value of each
        label that most of its groups answer; "any": a label is relevant if one of its groups says
        so, as in the software MEKA. Votes are no distribution.
    unseen
        What vectors of a group have that no training row had: "zero", or "back_off", a share of
        the probability, that of independent labels; how large a share, three more classifiers
        tell that learn two thirds of the rows each. No label has probability 0 then.
    categorical_features, loss, empty, unknown
        See `jointbayes.estimator.parameters`.
    random_state
        Seed for drawing groups.
    n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    groups_
        The labels of each group, by position.

    Examples
    --------
    >>> X, Y = [[0.0], [1.0]] * 10, [[0, 1, 1], [1, 0, 1]] * 10
    >>> model = RAkEL(k=2).fit(X, Y)
    >>> model.groups_, model.predict([[0.0], [1.0]]).tolist()
    (((0, 1), (0, 2), (1, 2)), [[0, 1, 1], [1, 0, 1]])
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "k": integer(1),
        "m": named("auto") | integer(1),
        "groups": named("overlapping", "disjoint"),
        "voting": named("mean", "share", "any"),
        "unseen": named(*UNSEEN),
    }
    _asked: ClassVar[tuple[str, ...]] = ("voting", "loss", "empty")

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        *,
        k: int = 3,
        m: int | str = "auto",
        groups: str = "overlapping",
        voting: str = "mean",
        unseen: str = "zero",
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.k = k
        self.m = m
        self.groups = groups
        self.voting = voting
        self.unseen = unseen
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner, codes, cards = (
            learner_of(self.estimator, self.n_jobs),
            rows.codes,
            rows.space.cards,
        )
        rng = generator_of(self.random_state)
        self.groups_ = draw_groups(len(cards), self.k, self.m, self.groups, rng)
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        view = learner.view(matrix, rows.weights)
        self.powersets_ = learn_powersets(learner, view, codes, cards, self.groups_, self.unseen)
        self.frequencies_ = [
            np.exp(log_frequencies(column, card, rows.weights))
            for column, card in zip(codes.T, cards, strict=True)
        ]
        for powerset in self.powersets_:
            warn_unless_converged(self, powerset.classifier)

    def _check_learned(self) -> None:
        width, cards = check_design(self, self.design_), self.space_.cards
        for group, powerset in zip(self.groups_, self.powersets_, strict=True):
            check_indices("groups_", group, len(cards))
            check_that(isinstance(powerset, Powerset), "a group has no powerset")
            powerset.check_labels([cards[j] for j in group], width)
        for frequency, card in zip(self.frequencies_, cards, strict=True):
            check_counts("frequencies_", frequency, (card,))

    def _condition(self, X: Any) -> Independent:
        matrix = self.design_.matrix(X)
        together = means_of(self.powersets_, self.groups_, self.space_.cards)
        if together is None:
            means = self._means_by_group(matrix)
        else:
            told = together.of(matrix)
            ends = np.cumsum(self.space_.cards)
            means = [told[:, b - k : b] for b, k in zip(ends, self.space_.cards, strict=True)]
        rows, asked = np.ones((matrix.shape[0], 1)), set().union(*self.groups_)
        means = [
            p if j in asked else rows * frequency
            for j, (p, frequency) in enumerate(zip(means, self.frequencies_, strict=True))
        ]
        with np.errstate(divide="ignore"):
            return Independent([np.log(p) for p in means], self.space_)

    def _means_by_group(self, matrix: Any) -> list[Floats]:
        found: list[list[Floats]] = [[] for _ in self.frequencies_]
        for group, powerset in zip(self.groups_, self.powersets_, strict=True):
            marginals = powerset.marginals(matrix, self.space_, group)
            for j, p in zip(group, marginals, strict=True):
                found[j].append(p)
        nobody = np.empty((0, 0))
        return [sum(p[1:], p[0]) / len(p) if p else nobody for p in found]

    def predict(self, X: Any) -> Values:
        """Return the labels of least expected ``loss``, or those that groups vote for."""
        check_parameters(self, self._asked)
        if self.voting == "mean":
            return super().predict(X)
        matrix = self.design_.matrix(self._known_columns(X))
        votes = [np.zeros((matrix.shape[0], card), dtype=np.intp) for card in self.space_.cards]
        for group, powerset in zip(self.groups_, self.powersets_, strict=True):
            space = self.space_.take(group)
            answer = space.encode(powerset.posterior(matrix, space).map())
            for j, codes in zip(group, answer.T, strict=True):
                votes[j] += codes[:, None] == np.arange(self.space_.cards[j])
        codes = [self._elected(j, cast) for j, cast in enumerate(votes)]
        return self._shaped(self.space_.decode(np.stack(codes, axis=1)))

    def _elected(self, label: int, votes: Labels) -> Labels:
        """Return the value of one label in each row; of equally many votes the larger wins."""
        if not votes.any():  # in no group: what is most frequent
            return np.full(len(votes), self.frequencies_[label].argmax(), dtype=np.intp)
        if self.voting == "any" and self.space_.binary_labels[label]:
            return np.asarray(votes[:, 1] > 0, dtype=np.intp)
        return np.asarray(votes.shape[1] - 1 - votes[:, ::-1].argmax(axis=1))


def draw_groups(d: int, k: int, m: int | str, how: str, rng: np.random.Generator) -> Groups:
    """Draw m distinct groups of k of d labels, or cut the labels into disjoint ones.

    ``m="auto"`` deals out all labels twice, and goes on until there are ten groups.

    >>> draw_groups(4, 3, 10, "overlapping", np.random.default_rng(0))
    ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    >>> sorted(sum(draw_groups(5, 2, 10, "disjoint", np.random.default_rng(0)), ()))
    [0, 1, 2, 3, 4]
    """
    k = min(k, d)
    if how == "disjoint":
        order = rng.permutation(d).tolist()
        return tuple(tuple(sorted(order[start : start + k])) for start in range(0, d, k))
    each = -(-d // k)
    least = max(10, 2 * each) if isinstance(m, str) else m
    if comb(d, k) <= least:
        return tuple(islice(combinations(range(d), k), least))
    drawn: dict[tuple[int, ...], None] = {}
    for _ in range(2 if isinstance(m, str) else 0):  # all labels in turn, twice
        order = rng.permutation(d)
        for start in range(0, d, k):
            chosen = np.take(order, range(start, start + k), mode="wrap")
            drawn[tuple(sorted(chosen.tolist()))] = None
    while len(drawn) < least:
        drawn[tuple(sorted(rng.choice(d, k, replace=False).tolist()))] = None
    return tuple(drawn)
