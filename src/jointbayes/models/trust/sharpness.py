r"""Sharpness: how much the features of a row are to be believed, as rows held out advise.

A model that takes features as independent counts the same evidence many times over, and is far too
sure of itself. One exponent takes that back, and leaves what is known of labels alone:

(1)  P(y | x) ∝ P(y) P(x | y)^t

A context that few rows or none have, such as labels that are seldom together, says something of
every feature nevertheless, by what was added to its counts. So κ rows like the average one join
each context of a feature, in place of rows of evenly spread values. Both numbers are those of
largest joint likelihood of rows held out, in three folds: three further fits, of two thirds of the
rows each, and some thirty looks at 1,500 rows or fewer.

Where features say little that can be believed, the likeliest t may leave every row the same label
or none. So t is raised until as many of these rows are answered rightly, and as many of their
labels, as by the paper's joint, but for a standard error; or until a fifth of the log-loss is
given up for it, and then it is the one that comes nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from jointbayes.arrays import Floats, Labels
from jointbayes.climbing import climb
from jointbayes.errors import ParameterError
from jointbayes.estimator.reading import Labelled
from jointbayes.models.trust.held_out import mean_and_error
from jointbayes.models.trust.inner_folds import deal_folds, learn_rows, with_others
from jointbayes.posterior import Posterior
from jointbayes.table import Table

__all__ = [
    "EXPONENTS",
    "SHARPNESS",
    "HeldFold",
    "Sharpness",
    "hold_out",
    "keep_answers",
    "learn_sharpness",
    "likeliest_sharpness",
    "needs_all_rows",
]

SHARPNESS = ("paper", "cross_fitted")
"""What users may ask for: t = 1 and κ = 0, or what rows held out advise."""

FOLDS, ASKED = 3, 500
"""Folds, and rows of each that are asked, at most."""

EXPONENTS = tuple(np.geomspace(0.003, 3.0, 21).tolist())
"""What t may be."""

AVERAGE_ROWS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)
"""What κ may be."""

ERRORS, GIVEN_UP = 1.0, 6 / 5
"""Standard errors that answers may be worse by, and what the log-loss may be multiplied by."""


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


PAPERS = Sharpness()
"""Features as papers believe them."""


@dataclass(frozen=True, eq=False)
class HeldFold:
    """A model, and some rows that it has not seen.

    Parameters
    ----------
    model
        Fitted to the other folds; ``_sharpened(sharpness)`` is that model with another sharpness.
    X, codes
        The rows, and their labels: −1 where one is not known.
    weights
        Of the rows.
    """

    model: Any
    X: Table
    codes: Labels
    weights: Floats

    def log_loss(self, sharpness: Sharpness) -> float:
        """Return the negative sum of log P of the labels that are known."""
        return -float(self.weights @ _log_p(self._posterior(sharpness), self.codes))

    def answers_lost(self, sharpness: Sharpness) -> Floats:
        """Return (n, 2): whether one of the known labels is answered wrongly, and how many are."""
        post = self._posterior(sharpness)
        answers = [post.decide(loss, self.model.empty) for loss in ("subset", "hamming")]
        known = self.codes >= 0
        subset, hamming = ((post.space.encode(one) != self.codes) & known for one in answers)
        return np.stack([subset.any(axis=1), hamming.sum(axis=1)], axis=1)

    @cached_property
    def lost_by_paper(self) -> Floats:
        """The same, by the paper's joint."""
        return self.answers_lost(PAPERS)

    def _posterior(self, sharpness: Sharpness) -> Posterior:
        told: Posterior = self.model._sharpened(sharpness).posterior(self.X)
        return told


def learn_sharpness(model: Any, rows: Labelled) -> Sharpness:
    """Return t of (1) and κ; the paper's where no others are better, or no row can be held out.

    Parameters
    ----------
    model
        As of `hold_out`.
    rows
        Labelled rows.
    """
    held = hold_out(model, rows, rows.codes)
    return keep_answers(held, likeliest_sharpness(held))


def hold_out(model: Any, rows: Labelled, told: Labels) -> list[HeldFold]:
    """Return three folds, with some rows of each; none if there is only one row.

    Parameters
    ----------
    model
        Whose clones learn two thirds of the rows; ``_affordable(n)`` of a fitted one is how many of
        n rows it can be asked.
    rows
        Labelled rows.
    told
        (n, d) the labels that rows held out are judged by, −1 where one is not known.
    """
    folds = deal_folds(rows.codes, FOLDS, seed=0)
    if len(folds) < 2:
        return []
    plain, held = clone(model).set_params(sharpness="paper"), []
    for fold, others in with_others(folds):
        fitted = learn_rows(plain, rows.take(others))
        most = fitted._affordable(ASKED)
        some = fold[:: max(1, len(fold) // most)][:most]
        log_p = _log_p(fitted.posterior(rows.X[some]), told[some])
        some = some[np.isfinite(log_p)]  # what is impossible is so for every exponent
        weights = np.ones(len(some)) if rows.weights is None else rows.weights[some]
        held.append(HeldFold(fitted, rows.X[some], told[some], weights))
    return held


def likeliest_sharpness(
    held: Sequence[HeldFold], average_rows: Sequence[float] = AVERAGE_ROWS
) -> Sharpness:
    """Return t and κ of largest likelihood; the paper's where no others are likelier."""
    if not held:
        return PAPERS
    found: dict[float, tuple[float, Sharpness]] = {}

    def cost_with(average_rows: float) -> float:
        start = min(found.values(), key=lambda one: one[0])[1].exponent if found else 0.1
        base = Sharpness(average_rows=average_rows)
        t = climb(EXPONENTS, start, lambda t: _log_loss(held, replace(base, exponent=t)))
        best = replace(base, exponent=t)
        found[average_rows] = _log_loss(held, best), best
        return found[average_rows][0]

    least, best = found[climb(average_rows, 1.0, cost_with)]
    return best if least < _log_loss(held, PAPERS) else PAPERS


def keep_answers(held: Sequence[HeldFold], likeliest: Sharpness) -> Sharpness:
    """Return the likeliest sharpness, t raised if need be so that answers are as good as before."""
    if likeliest == PAPERS:
        return likeliest
    most = GIVEN_UP * _log_loss(held, likeliest)
    found: list[tuple[float, Sharpness]] = []
    for t in EXPONENTS[EXPONENTS.index(likeliest.exponent) :]:
        sharper = replace(likeliest, exponent=t)
        if found and _log_loss(held, sharper) > most:
            break
        found.append((_answers_worse(held, sharper), sharper))
        if found[-1][0] <= ERRORS:
            break
    return min(found, key=lambda one: one[0])[1]


def _answers_worse(held: Sequence[HeldFold], sharpness: Sharpness) -> float:
    """Return by how many standard errors the worse of two losses is above that of the paper's."""
    more = np.concatenate([fold.answers_lost(sharpness) - fold.lost_by_paper for fold in held])
    weights = np.concatenate([fold.weights for fold in held])
    each = [mean_and_error(column, weights) for column in more.T]
    # Equal differences have no error, and are no chance.
    return max(m / error if error > 0 else np.inf if m > 0 else 0.0 for m, error in each)


def _log_loss(held: Sequence[HeldFold], sharpness: Sharpness) -> float:
    return sum(fold.log_loss(sharpness) for fold in held)


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
