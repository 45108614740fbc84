"""Decisions: from a posterior to the labels that cost least, and what they cost.

A decision looks at nothing but the posterior, so each model serves each loss::

    labels(x) = argmin_ŷ  Σ_y P(y | x) · loss(y, ŷ)

How each loss is minimised, exactly where that can be done, is in
:mod:`jointbayes.decision.minimize`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.decision.minimize import (
    LOSSES,
    check_binary,
    expected_f1,
    expected_jaccard,
    minimize,
)
from jointbayes.errors import ParameterError
from jointbayes.posterior import Posterior

__all__ = ["decide", "expected_loss"]


def decide(posterior: Posterior, loss: str, empty: str = "allow") -> NDArray[Any]:
    """Return the (n, d) label vectors of least expected loss.

    Parameters
    ----------
    posterior
        What is known about the labels of each row.
    loss
        "subset" (any wrong label costs 1), "hamming" (the share of wrong labels), "f1" or
        "jaccard" (1 − the index between the sets of relevant labels; binary labels only).
    empty
        "allow", or "forbid" where a row must have a relevant label.

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
    return posterior.space.decode(minimize(posterior, loss, empty))


def expected_loss(posterior: Posterior, Y: Any, loss: str) -> Floats:
    """Return the expected loss (n,) of answering ``Y``, one label vector for each row.

    Where ``posterior.exactness`` calls a loss approximate, it is estimated from samples.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Listed
    >>> post = Listed(np.eye(2, dtype=int), np.log([[0.5, 0.5]]), learn_labels([[0, 0], [1, 1]]))
    >>> [float(expected_loss(post, [[1, 1]], loss)[0]) for loss in ("subset", "hamming", "f1")]
    [1.0, 0.5, 0.333...]
    """
    if loss not in LOSSES:
        raise ParameterError(f"loss={loss!r}: choose one of {', '.join(LOSSES)}")
    codes = posterior._encode(Y)
    if loss == "subset":
        return -np.expm1(posterior._log_prob(codes[:, None])[:, 0])
    if loss == "hamming":
        rows = np.arange(len(posterior))
        right = [p[rows, c] for p, c in zip(posterior._marginals(), codes.T, strict=True)]
        share: Floats = np.mean(right, axis=0)
        return 1 - share
    check_binary(posterior, loss)
    if loss == "f1":
        return 1 - expected_f1(posterior, codes)
    return 1 - expected_jaccard(posterior, codes[:, None])[:, 0]
