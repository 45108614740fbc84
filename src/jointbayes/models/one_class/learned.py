"""Learned: what a fitted model is inside, a frozen object that scores coded rows.

An estimator turns tables and labels into codes and back; everything between is what it learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from jointbayes.arrays import Floats, Ints, Mask
from jointbayes.checks import check_that
from jointbayes.codes import Cards, CodeArray, Codes
from jointbayes.estimator.explanation import Member
from jointbayes.graph import Dag
from jointbayes.inference import Scorer, compile_network, condition, contributions
from jointbayes.models.one_class.knowledge import Knowledge, tables
from jointbayes.network import estimate, families_of

__all__ = ["Arc", "Learned", "OneNetwork", "arcs_of_row", "network_of"]

Arc = tuple[int, int]


class Learned(Protocol):
    """What every model can do once it has learned; variable 0 is the class, 1 … p the features."""

    @property
    def arcs(self) -> Sequence[Arc]:
        """All (parent, child) pairs, each once."""

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c, x) or log P(c | x), up to a constant for each row."""

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the additive parts, for (n, p) codes: one if the model is a single network."""


def arcs_of_row(parents: Ints, seen: Mask) -> list[Arc]:
    """Return the arcs of a network of one row, in which only features that were seen stand.

    ``parents`` is (p, k), −1 for fewer than k; the class is a parent of all.

    >>> arcs_of_row(np.array([[-1], [0], [0]]), np.array([True, True, False]))
    [(0, 1), (0, 2), (1, 2)]
    """
    own = ((i, above) for i, above in enumerate(parents.tolist()) if seen[i])
    return [(j + 1, i + 1) for i, above in own for j in (-1, *(j for j in above if j >= 0))]


def network_of(dag: Dag, known: Knowledge, smoothing: float) -> OneNetwork:
    """Estimate the parameters of a structure from what is known, and lay it out for scoring."""
    network = estimate(dag, tables(known, families_of(dag)), smoothing=smoothing)
    return OneNetwork(compile_network(network))


@dataclass(frozen=True, eq=False)
class OneNetwork:
    """A model that is one network."""

    scorer: Scorer

    def _check_stored(self) -> None:
        check_that(self.scorer.network.n_targets == 1, "there is more than one class variable")

    @property
    def variable_cards(self) -> Cards:
        """Values of the class and of each feature."""
        return self.scorer.network.cards

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of the network."""
        return self.scorer.network.dag.arcs

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Floats:
        """Return (n, C), log P(c, x)."""
        return condition(self.scorer, codes, n_jobs)

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the network alone."""
        terms = contributions(self.scorer, x)
        return (Member("network", None, self.scorer.log_prior, terms, np.ones(len(x))),)
