"""Proper scores: what the probabilities given to the truth are worth.

    log-loss  −log P(true)                     label by label or of the whole vector, in nats
    Brier     Σ_v (P(v) − [v is true])²        over the values of a label or over all label vectors

For a binary label the Brier score is halved, (P(relevant) − [relevant])², as everybody writes it.
A probability of zero given to what happened costs infinity; scikit-learn writes 36.04 there.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.errors import CostError
from jointbayes.metrics.known import over_known
from jointbayes.metrics.targets import read_beliefs, weights_of_rows
from jointbayes.posterior import Posterior

__all__ = [
    "brier_score",
    "brier_scores",
    "cll_loss",
    "joint_brier_score",
    "joint_log_loss",
    "log_loss",
    "log_losses",
]


# Label vectors that the joint Brier score enumerates for each row.
MAX_VECTORS = 1 << 16


def log_losses(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> Floats:
    """Return (d,) the mean log-loss of every class variable.

    >>> log_losses([[0, 1]], [[0.5, 0.25]]).round(4).tolist()
    [0.6931, 1.3863]
    """
    beliefs = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    given = _given_to_truth(beliefs.true, beliefs.marginals)
    with np.errstate(divide="ignore"):
        return np.average(-np.log(given), weights=beliefs.weight, axis=0)


@over_known("entries")
def log_loss(Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None) -> float:
    """Return the mean log-loss, averaged over class variables.

    >>> round(log_loss(["a", "b"], [[0.5, 0.5], [0.5, 0.5]]), 4)
    0.6931
    """
    return float(log_losses(Y_true, proba, classes=classes, sample_weight=sample_weight).mean())


def brier_scores(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> Floats:
    """Return (d,) the mean Brier score of every class variable.

    >>> brier_scores([[0, 1]], [[0.5, 0.25]]).tolist()
    [0.25, 0.5625]
    """
    beliefs = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    columns = zip(beliefs.true.T, beliefs.marginals, strict=True)
    squares = [((p - (t[:, None] == np.arange(p.shape[1]))) ** 2).sum(axis=1) for t, p in columns]
    halved = np.where(np.equal(beliefs.space.cards, 2), 0.5, 1.0)
    return np.average(np.stack(squares, axis=1) * halved, weights=beliefs.weight, axis=0)


@over_known("entries")
def brier_score(
    Y_true: Any, proba: Any, *, classes: Any = None, sample_weight: Any = None
) -> float:
    """Return the mean Brier score, averaged over class variables.

    >>> brier_score(["a", "c", "b"], [[1, 0, 0], [0, 0, 1], [1, 0, 0]])
    0.6666666666666666
    """
    return float(brier_scores(Y_true, proba, classes=classes, sample_weight=sample_weight).mean())


@over_known("rows")
def cll_loss(Y_true: Any, posterior: Posterior, *, sample_weight: Any = None) -> float:
    """Return Σ −log P(y | x) over the rows, the CLL-loss of Batal et al. 2013.

    The paper prints the mean over folds of these sums.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> half = Independent([np.log([[0.5, 0.5]] * 3)] * 2, learn_labels([[0, 1]]))
    >>> bool(np.isclose(cll_loss([[0, 1], [1, 1], [0, 0]], half), 6 * np.log(2)))
    True
    """
    loss, weight = _joint_log_losses(Y_true, posterior, sample_weight)
    return float(loss @ weight)


@over_known("rows")
def joint_log_loss(Y_true: Any, posterior: Posterior, *, sample_weight: Any = None) -> float:
    """Return the mean of −log P(y | x), y the whole label vector.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> half = Independent([np.log([[0.5, 0.5]] * 3)] * 2, learn_labels([[0, 1]]))
    >>> bool(np.isclose(joint_log_loss([[0, 1], [1, 1], [0, 0]], half), 2 * np.log(2)))
    True
    """
    loss, weight = _joint_log_losses(Y_true, posterior, sample_weight)
    return float(np.average(loss, weights=weight))


@over_known("rows")
def joint_brier_score(Y_true: Any, posterior: Posterior, *, sample_weight: Any = None) -> float:
    """Return the mean of Σ_y (P(y | x) − [y is true])² = 1 − 2 P(true | x) + Σ_y P(y | x)².

    All label vectors are enumerated; where there are more than 65,536 that is refused.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> sure = Independent([np.log([[0.5, 0.5]])] * 2, learn_labels([[0, 1]]))
    >>> joint_brier_score([[0, 1]], sure)
    0.75
    """
    vectors = prod(posterior.space.cards)
    if vectors > MAX_VECTORS:
        raise CostError(
            f"the joint Brier score adds over {vectors:,} label vectors for each row, above "
            f"{MAX_VECTORS:,}; use joint_log_loss, which needs the true one only"
        )
    loss, weight = _joint_log_losses(Y_true, posterior, sample_weight)
    _, log_p = posterior[np.flatnonzero(weights_of_rows(sample_weight, len(posterior)))].top_k(
        vectors
    )
    return float(np.average(1 - 2 * np.exp(-loss) + np.exp(2 * log_p).sum(axis=1), weights=weight))


def _given_to_truth(true: NDArray[np.intp], marginals: tuple[Floats, ...]) -> Floats:
    rows = np.arange(len(true))
    return np.stack([p[rows, column] for p, column in zip(marginals, true.T, strict=True)], axis=1)


def _joint_log_losses(
    Y_true: Any, posterior: Posterior, sample_weight: Any
) -> tuple[Floats, Floats]:
    """Return −log P(y | x) and the weight of the rows that have one above 0."""
    loss = -posterior.log_prob(Y_true)
    weight = weights_of_rows(sample_weight, len(loss))
    return loss[weight > 0], weight[weight > 0]
