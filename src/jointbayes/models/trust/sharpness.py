r"""Sharpness: how much the features of a row are to be believed, as rows held out advise.

A model that takes features as independent counts the same evidence many times over, and is far too
sure of itself. One exponent takes that back, and leaves what is known of labels alone:

(1)  P(y | x) ∝ P(y) P(x | y)^t

It is the one of largest joint likelihood of rows held out, in three folds: three further fits, of
two thirds of the rows each, and some twelve looks at 1,500 rows or fewer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.base import clone

from jointbayes.arrays import Floats, Labels
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows, with_others
from jointbayes.posterior import Posterior

__all__ = ["SHARPNESS", "learn_sharpness", "needs_all_rows"]

SHARPNESS = ("paper", "cross_fitted")
"""What users may ask for: t = 1, or (1)."""

FOLDS, ASKED = 3, 500
"""Folds, and rows of each that are asked, at most."""

LEAST, MOST = 0.003, 3.0
"""Between which t is looked for."""


def learn_sharpness(model: Any, rows: Labelled, told: Labels | None = None) -> float:
    """Return t of (1); 1 where no other is better, or no row can be held out.

    Parameters
    ----------
    model
        Whose clones learn two thirds of the rows; ``_sharpened(t)`` of a fitted one is that model
        with another exponent.
    rows
        Labelled rows.
    told
        (n, d) the labels that rows held out are judged by, −1 where one is not known; all of them
        unless told.
    """
    truth = rows.codes if told is None else told
    folds = deal_folds(rows.codes, FOLDS, seed=0)
    if len(folds) < 2:
        return 1.0
    judged = []
    plain = clone(model).set_params(sharpness="paper")
    for fold, others in with_others(folds):
        fitted = learn_rows(plain, rows.take(others))
        some = fold[:: max(1, len(fold) // ASKED)][:ASKED]
        log_p = _log_p(fitted.posterior(rows.X[some]), truth[some])
        some = some[np.isfinite(log_p)]  # what is impossible is so for every exponent
        weights = np.ones(len(some)) if rows.weights is None else rows.weights[some]
        judged.append((fitted, rows.X[some], truth[some], weights))

    def cost(log_t: float) -> float:
        total = 0.0
        for fitted, X, codes, weights in judged:
            post = fitted._sharpened(float(np.exp(log_t))).posterior(X)
            total -= float(weights @ _log_p(post, codes))
        return total

    bounds = np.log(LEAST), np.log(MOST)
    found = minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 0.05})
    return float(np.exp(found.x)) if found.fun < cost(0.0) else 1.0


def _log_p(post: Posterior, codes: Labels) -> Floats:
    """Return (n,) log P of the labels of each row that are known."""
    whole = not codes.size or codes.min() >= 0
    return post._log_prob(codes[:, None])[:, 0] if whole else post._evidence(codes)


def needs_all_rows(model: Any, verb: str) -> None:
    """Refuse to learn in parts what holds rows out."""
    if model.sharpness != "paper":
        raise ParameterError(
            f"{type(model).__name__}: sharpness={model.sharpness!r} holds rows out, so it needs "
            f"them all at once; use fit, or sharpness='paper' with {verb}"
        )
