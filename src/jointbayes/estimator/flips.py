r"""Why each label has its value: against its flip, all other labels held at the answer.

With ŷ the answer and ŷ[i → v] the same but for the value v of label i, a model tells

(1)  log P(ŷ[i → v] | x) = base(v) + others(v) + Σ_j features_j(v) + rest(v) + what is the same for
     every v,

and the explanation is the difference of (1) between ŷ_i and the best other value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.errors import CostError
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.explanation import Explanation, values_of
from jointbayes.posterior import Posterior

__all__ = ["Asked", "Terms", "ask", "explain_flips"]

MOST_CELLS = 1 << 28
"""Most contributions that are held at once: 2 GiB."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of (1) for every value of one label: (n, k), those of features (n, k, p)."""

    base: Floats
    others: Floats
    features: Floats
    rest: Floats

    @property
    def total(self) -> Floats:
        """Their sum."""
        return np.asarray(self.base + self.others + self.features.sum(axis=2) + self.rest)

    def further(self, rest: Floats) -> Terms:
        """Return these terms with more that no feature can be blamed for."""
        return replace(self, rest=self.rest + rest)


@dataclass(frozen=True, eq=False)
class Asked:
    """A model's answer for some rows.

    Parameters
    ----------
    model
        Its name.
    feature_names
        One per column.
    X
        The rows: a Table or a CSR matrix.
    answer
        (n, d) codes.
    posterior
        What it is an answer from.
    """

    model: str
    feature_names: tuple[str, ...]
    X: Any
    answer: Labels
    posterior: Posterior


def ask(model: Classifier, X: Any) -> Asked:
    """Return a fitted model's answer for some rows, or refuse more rows than can be explained."""
    columns = model._known_columns(X)
    n, d, p = columns.shape[0], len(model.space_), columns.shape[1]
    if n * d * p > MOST_CELLS:
        raise CostError(
            f"explain: {n:,} rows of {d:,} labels and {p:,} features are more contributions than "
            f"fit into 2 GiB; give at most {max(1, MOST_CELLS // (d * p)):,} rows at a time"
        )
    answer = model.space_.encode(model.predict(X))
    names = getattr(columns, "names", [f"x{j}" for j in range(p)])
    names = tuple(getattr(model, "feature_names_in_", names))
    return Asked(type(model).__name__, names, columns, answer, model.posterior(X))


def explain_flips(asked: Asked, terms: Callable[[int], Terms]) -> Explanation:
    """Explain answers label by label: arrays have the axes (n, d, …), without d for one column.

    Parameters
    ----------
    asked
        The answer.
    terms
        Returns the terms (1) of a label.
    """
    space, answer = asked.posterior.space, asked.answer
    n, d = answer.shape
    flip, row = answer.copy(), np.arange(n)
    base, others, rest, odds, marginal = np.zeros((5, n, d))
    parts = np.zeros((n, d, len(asked.feature_names)))
    every = asked.posterior.marginals()
    for i in range(d):
        told, own = terms(i), answer[:, i]
        other = flip[:, i] = _best_other(told.total, own)
        base[:, i] = (told.base + told.others)[row, own] - (told.base + told.others)[row, other]
        others[:, i] = told.others[row, own] - told.others[row, other]
        parts[:, i] = told.features[row, own] - told.features[row, other]
        rest[:, i] = _difference(told.rest[row, own], told.rest[row, other])
        odds[:, i] = base[:, i] + parts[:, i].sum(axis=1) + rest[:, i]
        marginal[:, i] = every[i][row, own]
    log_p = asked.posterior.log_prob(space.decode(answer))
    at: Any = (slice(None), 0) if space.single else ()
    return Explanation(
        name=asked.model,
        feature_names=asked.feature_names,
        answer=space.decode(answer)[at],
        runner_up=space.decode(flip)[at],
        log_odds=odds[at],
        base=base[at],
        contributions=parts[at],
        remainder=rest[at],
        label_names=space.names,
        values=values_of(asked.X),
        others=others[at],
        probability=np.exp(log_p),
        runner_up_probability=np.exp(log_p[:, None] - odds)[at],
        marginal=marginal[at],
    )


def _best_other(total: Floats, own: Labels) -> Labels:
    """Return (n,) the likeliest value of each row other than its own; its own where it is alone."""
    if total.shape[1] == 1:
        return own
    ranked = np.maximum(total, np.finfo(np.float64).min)  # what is impossible, before its own
    ranked[np.arange(len(own)), own] = -np.inf
    return np.asarray(ranked.argmax(axis=1))


def _difference(a: Floats, b: Floats) -> Floats:
    """Return a − b, 0 where both are −∞: what is impossible either way tells nothing."""
    same = a == b
    return np.where(same, 0.0, np.where(same, 0.0, a) - np.where(same, 0.0, b))
