r"""Why trees and chains of labels give each label its value.

With ŷ the answer and y′ the same but for label i, and c the labels that depend on it,

(1)  log P(ŷ | x) / P(y′ | x) = log P(ŷ_i | x, pa_i) / P(y′_i | x, pa_i)
                               + Σ_c log P(ŷ_c | x, pa_c) / P(ŷ_c | x, pa′_c).

The first term is a sum over the features and the labels before; the second is not, and is told as
the remainder: how much better the labels that depend on this one fit the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.design.design import Design
from jointbayes.design.label_columns import beside, label_columns
from jointbayes.estimator.explanation import Explanation
from jointbayes.estimator.flips import Asked, Terms, explain_flips
from jointbayes.learners.logistic.batch import Logistics
from jointbayes.learners.logistic.reasons import logistic_terms
from jointbayes.posterior import Chain, Tree

__all__ = ["explain_alone", "explain_chain", "explain_tree"]


def explain_alone(asked: Asked, found: Logistics, design: Design, matrix: Any) -> Explanation:
    """Explain labels on which no other depends: the regression of each sees the same columns."""
    return explain_flips(asked, lambda i: logistic_terms(found, design, matrix, [i]))


def explain_tree(
    asked: Asked,
    found: Logistics,
    design: Design,
    places: Sequence[tuple[int, int]],
    parents: Labels,
) -> Explanation:
    """Explain a tree of labels.

    Parameters
    ----------
    asked
        The answer, from a `Tree`.
    found
        The regressions.
    design
        Of the columns.
    places
        The label of each regression, and the value of its parent for which it holds.
    parents
        (d,) the parent of each label, −1 for none.
    """
    matrix, answer, row = design.matrix(asked.X), asked.answer, np.arange(len(asked.answer))
    assert isinstance(asked.posterior, Tree)  # what a tree of labels makes
    tables = asked.posterior.log_p

    def terms(i: int) -> Terms:
        targets = [target for target, (label, _) in enumerate(places) if label == i]
        chosen = answer[:, parents[i]] if parents[i] >= 0 else None
        own = logistic_terms(found, design, matrix, targets, chosen)
        below = np.zeros_like(own.rest)
        for child in np.flatnonzero(parents == i).tolist():
            below += tables[child][row, :, answer[:, child]]
        return own.further(below)

    return explain_flips(asked, terms)


def explain_chain(
    asked: Asked, found: Logistics, design: Design, order: Sequence[int]
) -> Explanation:
    """Explain a chain of labels.

    Parameters
    ----------
    asked
        The answer, from a `Chain`.
    found
        The regressions on the columns of the design and the labels, in the order of the chain.
    design
        Of the columns.
    order
        The label at each place of the chain.
    """
    assert isinstance(asked.posterior, Chain)  # what a chain of labels makes
    step = asked.posterior.conditional
    cards = [asked.posterior.space.cards[j] for j in order]
    answer, row = asked.answer[:, list(order)], np.arange(len(asked.answer))
    matrix = beside(design.matrix(asked.X), label_columns(answer, cards))

    def later(place: int, value: int) -> Floats:
        """Return (n,) the log-probability of all labels after a place, if it had that value."""
        y, total = answer.copy(), np.zeros(len(answer))
        y[:, place] = value
        for after in range(place + 1, len(cards)):
            total += step(after, row, y[:, :after])[row, y[:, after]]
        return total

    def terms(i: int) -> Terms:
        place = list(order).index(i)
        own = logistic_terms(found, design, matrix, [place])
        return own.further(np.stack([later(place, v) for v in range(cards[place])], axis=1))

    return explain_flips(asked, terms)
