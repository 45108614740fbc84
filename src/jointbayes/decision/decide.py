"""Decisions: from a posterior to the labels that cost least, and what they cost.

A decision looks at nothing but the posterior, so each model serves each loss::

    labels(x) = argmin_ŷ  Σ_y P(y | x) · loss(y, ŷ)

How each loss is minimised, exactly where that can be done, is in
:mod:`jointbayes.decision.criteria`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.decision.criteria import Criterion, criterion_of
from jointbayes.decision.obeying import minimize_obeying
from jointbayes.losses import Loss
from jointbayes.posterior import Posterior

__all__ = ["decide", "expected_loss", "least"]


def decide(posterior: Posterior, loss: Loss, empty: str = "auto") -> NDArray[Any]:
    """Return the (n, d) label vectors of least expected loss.

    Parameters
    ----------
    posterior
        What is known about the labels of each row.
    loss
        "subset" (any wrong label costs 1), "hamming" (the share of wrong labels), "f1" or
        "jaccard" (1 − the index between the sets of relevant labels; binary labels only), or a
        loss of ``jb.losses``.
    empty
        "allow", "forbid" where a row must have a relevant label, or "auto": allow if the labels
        that the model learned from did.

    Examples
    --------
    One of three labels is relevant. The likeliest set is wrong as a whole least often; each label
    by itself is more often absent than not; all three together surely share one with the truth.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Listed
    >>> space = learn_labels([[0, 0, 0], [1, 1, 1]])
    >>> post = Listed(np.eye(3, dtype=int), np.log([[0.4, 0.3, 0.3]]), space)
    >>> {loss: decide(post, loss).tolist() for loss in ("subset", "hamming", "f1")}
    {'subset': [[1, 0, 0]], 'hamming': [[0, 0, 0]], 'f1': [[1, 1, 1]]}
    """
    criterion = criterion_of(loss, posterior.space)
    return posterior.space.decode(least(posterior, criterion, empty))


def least(posterior: Posterior, criterion: Criterion, empty: str) -> Labels:
    """Return the (n, d) codes of least expected loss."""
    resolved = posterior._resolved(empty)
    codes = criterion.minimize(posterior, resolved)
    # What is best of all and obeys the rules is best of all that do.
    obeys = [automaton.obeys(codes) for automaton in posterior.obeyed]
    rows = np.flatnonzero(~np.all(obeys, axis=0)) if obeys else np.empty(0, np.intp)
    if len(rows):
        codes = codes.copy()
        codes[rows] = minimize_obeying(posterior[rows], criterion, resolved)
    return codes


def expected_loss(posterior: Posterior, Y: Any, loss: Loss) -> Floats:
    """Return the expected loss (n,) of answering ``Y``, one label vector for each row.

    Where ``posterior.exactness`` calls a loss approximate, it is estimated from samples.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Listed
    >>> post = Listed(np.eye(2, dtype=int), np.log([[0.5, 0.5]]), learn_labels([[0, 0], [1, 1]]))
    >>> [float(expected_loss(post, [[1, 1]], loss)[0]) for loss in ("subset", "hamming", "f1")]
    [1.0, 0.5, 0.333...]
    """
    criterion = criterion_of(loss, posterior.space)
    return criterion.expected(posterior, posterior._encode(Y)[:, None])[:, 0]
