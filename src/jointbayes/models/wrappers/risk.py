r"""Risk control: how large sets have to be for their inner and outer labels to be wrong seldom.

With C_τ(x) the label vectors of score −log P(y | x) ≤ τ, a label value is *possible* if some vector
of the set has it. Three losses of a row fall as τ grows, from 1 at most to 0:

(1)  hamming:          the share of labels whose true value is not possible;
     f1:               1 − F1 of the truth and of what comes nearest to it label by label, which has
                       the true value of each label where that is possible;
     false_negatives:  the share of relevant labels that are not possible, 0 without any.

While d − t labels have not got their true value, and r of those that have are relevant, that F1 is
2r / (2r + d − t): it does not fall as t and r grow.

Value c of label j is possible from the score of the best vector that has it on,

(2)  τ_j(c) = min_{y: y_j = c} −log P(y | x) .

Conformal risk control (Angelopoulos, Bates, Fisch, Lei & Schuster, ICLR 2024, Theorem 1): for a
loss L_i(τ) that does not rise with τ, is continuous from the right, at most 1, and 0 in the end,
with m rows that are exchangeable with a new one,

(3)  τ = inf {t : (Σ_i L_i(t) + 1) / (m + 1) ≤ α}   makes   E L_new(τ) ≤ α .
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats, Labels, Mask
from jointbayes.models.wrappers.label_sets import scores_of
from jointbayes.posterior import Posterior

__all__ = ["BETWEEN_SETS", "RISKS", "entry_scores", "entry_weights", "risk_threshold"]

RISKS = ("vector", "hamming", "f1", "false_negatives")
BETWEEN_SETS = ("f1", "false_negatives")
"""Risks of labels that are relevant or not."""


def entry_scores(posterior: Posterior, codes: Labels) -> Floats:
    """Return (2) of the true value of each label: (n, d), ∞ for one that the model does not know.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> post = Independent([np.log([[0.25, 0.75]]), np.log([[0.5, 0.5]])], learn_labels([[0, 1]]))
    >>> np.exp(-entry_scores(post, np.array([[0, 1]]))).round(3).tolist()
    [[0.125, 0.375]]
    """
    found = np.full(codes.shape, np.inf)
    for j, column in enumerate(codes.T):
        known = np.full(codes.shape, -1, dtype=np.intp)
        known[:, j] = column
        rows = np.flatnonzero((column >= 0) & (posterior._evidence(known) > -np.inf))
        if len(rows):
            part = posterior[rows]
            after = part._given(known[rows])
            found[rows, j] = scores_of(part, after._mode()) - after.gap()
    return found


def entry_weights(codes: Labels, risk: str, scores: Floats) -> Floats:
    """Return by what the loss (1) of its row falls once the true value of each label is possible.

    Parameters
    ----------
    codes
        (n, d) the true values.
    risk
        Which loss.
    scores
        (n, d) from which score on they are possible, (2).

    Examples
    --------
    >>> codes, scores = np.array([[1, 0, 1, 0]]), np.array([[3.0, 1.0, 2.0, 2.5]])
    >>> entry_weights(codes, "false_negatives", scores).tolist()
    [[0.5, 0.0, 0.5, 0.0]]
    >>> entry_weights(codes, "f1", scores).round(3).tolist()
    [[0.333, 0.0, 0.5, 0.167]]
    """
    if risk == "hamming":
        return np.full(codes.shape, 1 / codes.shape[1])
    relevant = codes == 1
    if risk == "f1":
        return _falls_of_f1(relevant, scores)
    return np.asarray(relevant / np.maximum(relevant.sum(axis=1, keepdims=True), 1))


def _falls_of_f1(relevant: Mask, scores: Floats) -> Floats:
    """Return by what 1 − F1 falls with each label; of equal scores only the sum matters."""
    n, d = scores.shape
    order = np.argsort(scores, axis=1, kind="stable")
    found = 2.0 * np.cumsum(np.take_along_axis(relevant, order, axis=1), axis=1)
    wrong = np.arange(d)[::-1]
    f1 = np.where(found + wrong > 0, found, 1.0) / np.maximum(found + wrong, 1)
    falls = np.empty((n, d))
    np.put_along_axis(falls, order, np.diff(f1, axis=1, prepend=0.0), axis=1)
    return falls


def risk_threshold(scores: Floats, weights: Floats, alpha: float) -> float:
    """Return (3), of the scores (2) and what each adds to the loss (1).

    Parameters
    ----------
    scores, weights
        (m, d) of the rows to calibrate on.
    alpha
        The expected loss that is allowed.

    Examples
    --------
    One of nine rows may be wrong in its only label, (1 + 1) / (9 + 1) being 0.2:

    >>> risk_threshold(np.arange(1.0, 10.0)[:, None], np.ones((9, 1)), 0.2)
    8.0
    >>> risk_threshold(np.ones((3, 1)), np.ones((3, 1)), 0.2)
    inf
    """
    m, (values, place) = len(scores), np.unique(scores, return_inverse=True)
    added = np.bincount(place.ravel(), weights.ravel(), minlength=len(values))
    above = added.sum() - np.cumsum(added)  # Σ_i L_i at each of the values
    enough = np.flatnonzero((above + 1) / (m + 1) <= alpha + 1e-12)
    return float(values[enough[0]]) if len(enough) else float("inf")
