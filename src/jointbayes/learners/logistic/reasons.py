r"""What every column adds to the log-odds of our logistic regressions.

(1)  log P(v | x) = b_v + Σ_j w_vj (x_j − m_j) + what is the same for every value v

with m_j the mean in training, so that b is said of the average row. Columns beyond those of the
design (the labels before in a chain, those of neighbours, first opinions) speak for other labels.
A value that did not occur beside others has a probability that no column moves, so that against it
the logarithm of the sum over the values that did is left, which is not a sum over columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.design.attribution import add_up_by_column
from jointbayes.design.design import Design
from jointbayes.errors import ParameterError
from jointbayes.estimator.flips import Terms
from jointbayes.inference.logs import log_sum
from jointbayes.learners.logistic.batch import Logistics
from jointbayes.learners.wrapped import Outcome

__all__ = ["logistic_terms", "our_logistics"]


def our_logistics(model: Any, found: Any) -> Logistics:
    """Return the classifiers of a model if they are our own regressions; else refuse to explain."""
    if isinstance(found, Logistics):
        return found
    raise ParameterError(
        f"{type(model).__name__}: explain adds up what our logistic regressions say, and "
        f"estimator={model.estimator!r} is another; give None or a BatchedLogistic"
    )


def logistic_terms(
    found: Logistics,
    design: Design,
    matrix: Any,
    targets: Sequence[int],
    chosen: Labels | None = None,
) -> Terms:
    """Return the terms of a label, from the regression that holds in each row.

    Parameters
    ----------
    found
        The regressions.
    design
        What made the first columns of the matrix.
    matrix
        (n, m) what the regressions see, dense or CSR; further columns speak for other labels.
    targets
        The regressions of the label: one, or one for each value of another label. How far one is
        from the average of all, before any column, is said by that label.
    chosen
        (n,) which of these holds in each row; None where there is one.
    """
    n = matrix.shape[0]
    chosen = np.zeros(n, dtype=np.intp) if chosen is None else chosen
    lines = [_lines(found, target) for target in targets]
    slopes, levels = (np.stack(part) for part in zip(*lines, strict=True))
    parts = _centred(found, matrix)[:, None, :] * slopes[chosen]
    weights = np.array([found.outcomes[target].n for target in targets])
    usual = weights / weights.sum() @ levels
    width = len(design.columns)
    rest = np.zeros(parts.shape[:2])
    for place, target in enumerate(targets):
        at = np.flatnonzero(chosen == place)
        rest[at] = _rest(found.outcomes[target], levels[place] + parts[at].sum(axis=2))
    return Terms(
        base=np.broadcast_to(usual, rest.shape),
        others=levels[chosen] - usual + parts[:, :, width:].sum(axis=2),
        features=add_up_by_column(design, matrix[:, :width], parts[:, :, :width]),
        rest=rest,
    )


def _centred(found: Logistics, matrix: Any) -> Floats:
    scaled = found.scaling.apply(matrix)  # a sparse one was not shifted
    if hasattr(matrix, "tocsr"):
        return np.asarray(scaled.toarray() - found.scaling.shift)
    return np.asarray(scaled)


def _lines(found: Logistics, target: int) -> tuple[Floats, Floats]:
    """Return (k, m) w and (k,) b of (1), for values that did not occur as well."""
    outcome = found.outcomes[target]
    end = sum(each.width for each in found.outcomes[: target + 1])
    W = found.W[:, end - outcome.width : end]
    slopes, levels = np.zeros((outcome.card, len(W) - 1)), np.zeros(outcome.card)
    if outcome.width:
        told = outcome.values[-outcome.width :]  # the first of two values has no line of its own
        slopes[told], levels[told] = W[:-1].T, W[-1]
    if 0 < len(outcome.values) < outcome.card:
        spread = outcome.spread(np.zeros((1, len(outcome.values))))[0]
        unseen = _unseen(outcome)
        levels[unseen] = spread[unseen] - spread[outcome.values[0]]
    return slopes, levels


def _rest(outcome: Outcome, scores: Floats) -> Floats:
    """Return what is added to the scores of values that did not occur beside others."""
    rest = np.zeros_like(scores)
    if outcome.width and len(outcome.values) < outcome.card:
        rest[:, _unseen(outcome)] = log_sum(scores[:, outcome.values], axis=1)[:, None]
    return rest


def _unseen(outcome: Outcome) -> Labels:
    return np.setdiff1d(np.arange(outcome.card), outcome.values)
