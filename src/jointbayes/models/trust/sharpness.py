r"""Sharpness: how much the features of a row are to be believed, as rows held out advise.

A model that takes features as independent counts the same evidence many times over, and is far too
sure of itself. One exponent takes that back, and leaves what is known of labels alone:

(1)  P(y | x) ∝ P(y) P(x | y)^t

A context that few rows or none have, such as labels that are seldom together, says something of
every feature nevertheless, by what was added to its counts. So κ rows like the average one join
each context of a feature, in place of rows of evenly spread values. Both numbers are those of
largest joint likelihood of rows held out, in three folds: three further fits, of two thirds of the
rows each, and some thirty looks at 1,500 rows or fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.arrays import Floats, Labels
from jointbayes.climbing import climb
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows, with_others
from jointbayes.posterior import Posterior

__all__ = ["EXPONENTS", "SHARPNESS", "Sharpness", "learn_sharpness", "needs_all_rows"]

SHARPNESS = ("paper", "cross_fitted")
"""What users may ask for: t = 1 and κ = 0, or the most likely ones."""

FOLDS, ASKED = 3, 500
"""Folds, and rows of each that are asked, at most."""

EXPONENTS = tuple(np.geomspace(0.003, 3.0, 21).tolist())
"""What t may be."""

AVERAGE_ROWS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)
"""What κ may be."""


@dataclass(frozen=True)
class Sharpness:
    """How much features are to be believed; these defaults are the papers'.

    Parameters
    ----------
    exponent
        t of (1).
    average_rows
        κ; 0 for the paper's smoothing.
    """

    exponent: float = 1.0
    average_rows: float = 0.0


def learn_sharpness(
    model: Any,
    rows: Labelled,
    told: Labels | None = None,
    average_rows: tuple[float, ...] = AVERAGE_ROWS,
) -> Sharpness:
    """Return t of (1) and κ; the paper's where no others are better, or no row can be held out.

    Parameters
    ----------
    model
        Whose clones learn two thirds of the rows; ``_sharpened(sharpness)`` of a fitted one is that
        model with another sharpness, and ``_affordable(n)`` how many of n rows it can be asked.
    rows
        Labelled rows.
    told
        (n, d) the labels that rows held out are judged by, −1 where one is not known; all of them
        unless told.
    average_rows
        What κ may be.
    """
    truth = rows.codes if told is None else told
    folds = deal_folds(rows.codes, FOLDS, seed=0)
    if len(folds) < 2:
        return Sharpness()
    judged = []
    plain = clone(model).set_params(sharpness="paper")
    for fold, others in with_others(folds):
        fitted = learn_rows(plain, rows.take(others))
        most = fitted._affordable(ASKED)
        some = fold[:: max(1, len(fold) // most)][:most]
        log_p = _log_p(fitted.posterior(rows.X[some]), truth[some])
        some = some[np.isfinite(log_p)]  # what is impossible is so for every exponent
        weights = np.ones(len(some)) if rows.weights is None else rows.weights[some]
        judged.append((fitted, rows.X[some], truth[some], weights))

    def cost(sharpness: Sharpness) -> float:
        total = 0.0
        for fitted, X, codes, weights in judged:
            total -= float(weights @ _log_p(fitted._sharpened(sharpness).posterior(X), codes))
        return total

    found: dict[float, tuple[float, Sharpness]] = {}

    def cost_with(average_rows: float) -> float:
        start = min(found.values(), key=lambda one: one[0])[1].exponent if found else 0.1
        base = Sharpness(average_rows=average_rows)
        t = climb(EXPONENTS, start, lambda t: cost(replace(base, exponent=t)))
        best = replace(base, exponent=t)
        found[average_rows] = cost(best), best
        return found[average_rows][0]

    least, best = found[climb(average_rows, 1.0, cost_with)]
    return best if least < cost(Sharpness()) else Sharpness()


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
