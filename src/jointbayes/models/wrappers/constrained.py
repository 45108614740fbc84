"""Constrained: a model whose answers obey rules."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from jointbayes.errors import DataWarning
from jointbayes.estimator.ranges import Range
from jointbayes.estimator.reading import Labelled
from jointbayes.models.wrappers.wrapper import INHERITED, Wrapper
from jointbayes.posterior import Posterior
from jointbayes.rules import Rule, compile_rules, count_broken

__all__ = ["Constrained"]


def _are_rules(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(rule, Rule) for rule in value)


class Constrained(Wrapper):
    """A model subject to rules: what breaks one has probability 0, whatever the row says.

    The posterior is that of the estimator, ``subject_to`` the rules. The estimator learns from all
    rows; those that break a rule are counted in a warning, since either they or the rule are wrong.

    Parameters
    ----------
    estimator
        One of our models; None for `CTBN`.
    rules
        A list of rules of `jointbayes.rules`; without any, the posterior is as it was.
    loss, empty, unknown, n_jobs
        As of the other models; None for what the estimator says. A rule is held against rows all of
        whose labels are known.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    estimator_
        The estimator, fitted to all rows.

    Examples
    --------
    Two labels of which one is always there, on rows that do not tell; each by itself is not
    probable:

    >>> from jointbayes import BinaryRelevance, rules
    >>> X, Y = [[0.0]] * 10, [[1, 0]] * 4 + [[0, 1]] * 6
    >>> model = Constrained(BinaryRelevance(), [rules.exactly(1, "y0", "y1")]).fit(X, Y)
    >>> model.predict(X[:1]).tolist(), model.posterior(X[:1]).log_prob([[1, 1]]).tolist()
    ([[0, 1]], [-inf])
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "rules": Range("a list of rules, made by jb.rules", _are_rules),
        **INHERITED,
    }

    def __init__(
        self,
        estimator: Any = None,
        rules: Sequence[Rule] = (),
        *,
        loss: Any = None,
        empty: str | None = None,
        unknown: str | None = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.rules = rules
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        model = self._wrapped()
        for rule in self.rules:
            known = np.flatnonzero((rows.codes >= 0).all(axis=1))
            broken = np.zeros(len(rows), dtype=bool)
            broken[known] = count_broken([rule], rows.codes[known], rows.space) > 0
            if broken.any():
                warnings.warn(
                    f"{int(broken.sum())} of {len(rows)} training rows break {rule}, the first of "
                    f"them row {int(broken.argmax())}; correct them, or leave the rule out",
                    DataWarning,
                    stacklevel=3,
                )
        self._take(model, rows)

    def _check_learned(self) -> None:
        super()._check_learned()
        if self.rules:
            compile_rules(self.rules, self.space_)

    def _condition(self, X: Any) -> Posterior:
        free = super()._condition(X)
        return free.subject_to(*self.rules) if self.rules else free

    def _block_rows(self) -> int:
        return 1 << 62  # all at once, so that a row in which nothing obeys has its own number
