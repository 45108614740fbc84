r"""Thresholded: answers of large macro-F1 or micro-F1 over all rows, from any posterior.

These averages are not means over rows, so no decision row by row minimises them:

(1)  F(ŷ) = 2 \sum_i w_i y_i ŷ_i / \sum_i w_i (y_i + ŷ_i)

over the rows of one label (macro-F1 is its mean over labels), or over all rows and labels at once
(micro-F1); 1 where there is nothing to name and nothing is named. But what is best in the long run
has a simple form: name label j where P(Y_j = 1 | x) > τ_j, with τ_j half of the best F of label j
for macro-F1, and one τ for all labels, half of the best F, for micro-F1 (Zhao, Edakunni, Pocock &
Brown 2013; Lipton, Elkan & Naryanaswamy 2014; Koyejo, Natarajan, Ravikumar & Dhillon 2015). As the
marginals of a model are not quite the true ones, the thresholds are those of largest F on rows that
were left out. To name label j above τ_j is the decision of `losses.Weighted` with the prices

(2)  τ_j for a label that is named and not relevant, 1 − τ_j for one that is relevant and not named,

so rules and forbidden empty sets are obeyed as by any other loss.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Labels, Values
from jointbayes.checks import check_attributes, check_shape, check_that
from jointbayes.discretize.methods import midpoints
from jointbayes.errors import DataWarning
from jointbayes.estimator.ranges import Range, integer, named
from jointbayes.estimator.reading import Labelled
from jointbayes.losses import Loss, Weighted, check_loss
from jointbayes.models.wrappers.wrapper import INHERITED, Wrapper, out_of_fold
from jointbayes.posterior import Posterior

__all__ = ["Thresholded", "best_threshold"]

METRICS = ("f1_macro", "f1_micro")


class Thresholded(Wrapper):
    """A model that names a label above a threshold, for macro-F1 or micro-F1 over all rows.

    The posterior is that of the estimator, fitted to all rows; `predict` alone changes. The
    thresholds are chosen by the marginals of rows left out. Whether they are used is told by rows
    that neither the model nor the thresholds have seen: those of each fold are answered by the
    thresholds of the other folds, and if the estimator's own decision, or the most probable
    vectors, score at least as well, they answer.

    Parameters
    ----------
    estimator
        One of our models; None for `CTBN`.
    metric
        "f1_macro", one threshold for each label, or "f1_micro", one for all.
    cv
        How many folds the thresholds are chosen by; they are drawn by a fixed seed.
    loss, empty, unknown, n_jobs
        As of the other models; None for what the estimator says. ``loss`` is what decides where
        thresholds do not. Labels that are not known are left out of both averages.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    estimator_
        The estimator, fitted to all rows.
    thresholds_
        (d,) above which probability each label is named; 1 for a label that is never named. None
        if some class variable is not a binary label: then there is nothing to name.
    scores_
        What each decision scored out of fold: "thresholds", and losses by name.
    decision_
        The loss that `predict` minimizes: a `jointbayes.losses.Weighted` that names labels above
        the thresholds, or what scored better.

    Examples
    --------
    A rare label, never likelier than not, that the most probable vectors do not name:

    >>> from jointbayes import BinaryRelevance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 1))
    >>> Y = (rng.random((500, 2)) < 1 / (1 + np.exp([2.5, 0] - X))).astype(int)
    >>> model = Thresholded(BinaryRelevance(), "f1_macro").fit(X, Y)
    >>> model.thresholds_.round(1).tolist(), {k: round(v, 2) for k, v in model.scores_.items()}
    ([0.1, 0.4], {'subset': 0.35, 'thresholds': 0.5})
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "metric": named(*METRICS),
        "cv": integer(2),
        **INHERITED,
    }

    def __init__(
        self,
        estimator: Any = None,
        metric: str = "f1_macro",
        cv: int = 5,
        *,
        loss: Any = None,
        empty: str | None = None,
        unknown: str | None = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.metric = metric
        self.cv = cv
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        model = self._wrapped()
        self._take(model, rows)
        fallback = self._told("loss")
        self.thresholds_, self.scores_, self.decision_ = None, {}, fallback
        if not rows.space.binary:
            warnings.warn(
                f"Thresholded: {self.metric} by thresholds is of binary labels, and some class "
                f"variable is not one, so loss={fallback!r} decides; say what is positive by "
                "jb.labels.binarize",
                DataWarning,
                stacklevel=3,
            )
            return
        weights = np.ones(len(rows)) if rows.weights is None else rows.weights
        folds = [
            _Fold(post, rows.codes[test], weights[test])
            for test, post in out_of_fold(model, rows, self.cv)
        ]
        names, empty = rows.space.names, self._told("empty")
        self.thresholds_ = _thresholds(folds, self.metric)
        fair = [
            _thresholds([other for other in folds if other is not fold], self.metric)
            for fold in folds
        ]
        tried: dict[str, Sequence[Loss]] = {
            fallback if isinstance(fallback, str) else repr(fallback): [fallback] * len(folds),
            "subset": ["subset"] * len(folds),
            "thresholds": [_prices(thresholds, names) for thresholds in fair],
        }
        self.scores_ = {
            name: _score(folds, losses, empty, self.metric) for name, losses in tried.items()
        }
        best = max(self.scores_, key=lambda name: self.scores_[name])  # the first of equal ones
        by_thresholds = best == "thresholds"
        self.decision_ = _prices(self.thresholds_, names) if by_thresholds else tried[best][0]

    def _check_learned(self) -> None:
        super()._check_learned()
        check_attributes(self, scores_=dict)
        check_loss(self.decision_)
        if isinstance(self.decision_, Weighted):
            self.decision_.by_label(self.space_)
        if self.thresholds_ is not None:
            check_shape("thresholds_", self.thresholds_, (len(self.space_),))
            inside = (self.thresholds_ >= 0) & (self.thresholds_ <= 1)
            check_that(bool(inside.all()), "its thresholds_ are not between 0 and 1")

    def predict_from(self, posterior: Posterior) -> Values:
        """Return what `predict` answers, given the posterior of the rows."""
        return self._shaped(posterior.decide(self.decision_, self._told("empty")))


def best_threshold(p: Floats, relevant: Labels, weights: Floats) -> float:
    """Return above which probability to name a label, so that (1) is largest.

    It lies midway between probabilities, in [0, 1]; of equally good ones the highest, and 1 where
    nothing is relevant.

    Parameters
    ----------
    p
        (m,) probabilities.
    relevant
        (m,) 1 if relevant, 0 if not, −1 if that is not known.
    weights
        (m,) how often each counts.

    Examples
    --------
    >>> best_threshold(np.array([0.1, 0.2, 0.4, 0.6]), np.array([0, 1, 0, 1]), np.ones(4))
    0.15...
    """
    kept = (relevant >= 0) & (weights > 0) & (p > 0)
    total = float(weights[relevant == 1].sum())
    order = np.flatnonzero(kept)[np.argsort(-p[kept], kind="stable")]
    if not total or not len(order):
        return 1.0
    values, w = p[order], weights[order]
    found, answered = np.cumsum(w * relevant[order]), np.cumsum(w)
    last = np.flatnonzero(np.append(values[1:] < values[:-1], True))  # equal ones go together
    best = last[np.argmax(found[last] / (answered[last] + total))]
    below = values[best + 1] if best + 1 < len(values) else 0.0
    return float(midpoints(np.atleast_1d(below), values[best : best + 1])[0])


@dataclass(frozen=True, eq=False)
class _Fold:
    """Rows left out: their posterior, labels (−1 not known) and weights."""

    posterior: Posterior
    codes: Labels
    weights: Floats

    def marginals(self) -> Floats:
        """Return the (n, d) probabilities of relevance."""
        return np.stack([p[:, 1] for p in self.posterior._marginals()], axis=1)


def _thresholds(folds: Sequence[_Fold], metric: str) -> Floats:
    """Return the (d,) thresholds of largest F, of each label or of all at once."""
    p = np.concatenate([fold.marginals() for fold in folds])
    codes = np.concatenate([fold.codes for fold in folds])
    weights = np.concatenate([fold.weights for fold in folds])
    d = codes.shape[1]
    if metric == "f1_micro":
        return np.full(d, best_threshold(p.ravel(), codes.ravel(), np.repeat(weights, d)))
    return np.array([best_threshold(p[:, j], codes[:, j], weights) for j in range(d)])


def _prices(thresholds: Floats, names: Sequence[str]) -> Weighted:
    """Return the loss (2)."""
    by_name = dict(zip(names, thresholds.tolist(), strict=True))
    return Weighted(by_name, {name: 1.0 - at for name, at in by_name.items()})


def _score(folds: Sequence[_Fold], losses: Sequence[Loss], empty: str, metric: str) -> float:
    """Return the F of answers to all folds, each by its loss, over the labels that are known."""
    found, both = np.zeros((2, folds[0].codes.shape[1]))
    for fold, loss in zip(folds, losses, strict=True):
        space = fold.posterior.space
        named = space.encode(fold.posterior.decide(loss, empty)) == 1
        relevant, known = fold.codes == 1, fold.codes >= 0
        found += fold.weights @ (named & relevant)
        both += fold.weights @ (1.0 * (named & known) + relevant)
    if metric == "f1_micro":
        found, both = found.sum(keepdims=True), both.sum(keepdims=True)
    return float(np.where(both > 0, 2 * found / np.where(both > 0, both, 1.0), 1.0).mean())
