"""Learned: what a fitted model is inside, a frozen object that scores coded rows.

An estimator turns tables and labels into codes and back; everything between is what it learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from jointbayes.codes import CodeArray, Codes
from jointbayes.inference import Scorer, condition, contributions

__all__ = ["Arc", "Learned", "Member", "OneNetwork"]

Table = NDArray[np.float64]
Arc = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Member:
    """One additive part of a model: log P(c, x) = ``log_prior`` + the sum of ``terms``.

    Parameters
    ----------
    name
        What to call it, followed by the name of the feature ``of``.
    of
        The feature that tells the members of an ensemble apart, if one does.
    log_prior
        (C,) log P(c).
    terms
        (n, p, C) what each feature adds.
    weight
        (n,) its share in the ensemble, row by row.
    """

    name: str
    of: int | None
    log_prior: Table
    terms: Table
    weight: Table


class Learned(Protocol):
    """What every model can do once it has learned; variable 0 is the class, 1 … p the features."""

    @property
    def arcs(self) -> Sequence[Arc]:
        """All (parent, child) pairs, each once."""

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Table:
        """Return (n, C), log P(c, x) or log P(c | x), up to a constant for each row."""

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the additive parts, for (n, p) codes: one if the model is a single network."""


@dataclass(frozen=True, eq=False)
class OneNetwork:
    """A model that is one network."""

    scorer: Scorer

    @property
    def arcs(self) -> Sequence[Arc]:
        """The arcs of the network."""
        return self.scorer.network.dag.arcs

    def log_scores(self, codes: Codes, n_jobs: int | None = None) -> Table:
        """Return (n, C), log P(c, x)."""
        return condition(self.scorer, codes, n_jobs)

    def members(self, x: CodeArray) -> Sequence[Member]:
        """Return the network alone."""
        terms = contributions(self.scorer, x)
        return (Member("network", None, self.scorer.log_prior, terms, np.ones(len(x))),)
