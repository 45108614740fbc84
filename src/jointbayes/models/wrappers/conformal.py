r"""Conformal: sets of label vectors that hold the true one as often as promised.

Split conformal prediction (Vovk, Gammerman & Shafer 2005; Papadopoulos et al. 2002) with the score
s(x, y) = −log P(y | x). Of m rows that the model has not learned from, the threshold

(1)  τ = the ⌈(m + 1)(1 − α)⌉-th smallest score, ∞ if that is more than m,

makes the set of a new row

(2)  C(x) = {y : s(x, y) ≤ τ} ,

and P(Y ∈ C(X)) ≥ 1 − α whatever the model, if the m rows and the new one are exchangeable: the rank
of the new score among all m + 1 is then at most ⌈(m + 1)(1 − α)⌉ with at least that probability.
What else can be promised of the same rows, on average over labels, is in `risk`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, Self

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_attributes, check_counts, check_shape, check_that
from jointbayes.datasets.dataset import Dataset
from jointbayes.errors import DataError
from jointbayes.estimator.ranges import Range, check_parameters, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.models.wrappers.label_sets import LIMIT, LabelSets, scores_of
from jointbayes.models.wrappers.risk import (
    BETWEEN_SETS,
    RISKS,
    entry_scores,
    entry_weights,
    risk_threshold,
)
from jointbayes.models.wrappers.wrapper import INHERITED, Wrapper
from jointbayes.seeds import generator_of

__all__ = ["Conformal", "conformal_threshold"]

ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)

_SHARE = Range("a number above 0 and below 1", lambda v: number(0, 1, "(]").holds(v) and v < 1)


class Conformal(Wrapper):
    """A model that answers with sets of label vectors, of which 1 − alpha hold the true one.

    The estimator learns from some of the rows, and the others say how improbable a true label
    vector may be. The promise holds on average over rows like these, whatever the estimator; a
    better one has smaller sets. `predict`, `predict_proba` and `posterior` are the estimator's.

    Parameters
    ----------
    estimator
        One of our models; None for `CTBN`.
    alpha
        How often the true label vector may be outside; it can be set anew after `fit`.
    held_out
        The share of rows to calibrate on, each of which counts once, whatever its weight.
    risk
        What ``alpha`` bounds: "vector", how often the true label vector is outside the set;
        "hamming", the expected share of labels whose true value no vector of the set has; "f1", by
        how much the best F1 with the truth of what lies between ``inner()`` and ``outer()`` is
        expected to be short of 1; "false_negatives", the expected share of relevant labels
        that ``outer()`` lacks. It matters to `fit` and `calibrate`.
    loss, empty, unknown, n_jobs
        As of the other models; None for what the estimator says. Rows are held out among those all
        of whose labels are known: the promise is for rows like these.
    random_state
        Which rows are held out.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    estimator_
        The estimator, fitted to the rows that are not held out.
    scores_
        The scores −log P(y | x) of the rows held out, in order.
    entry_scores_, entry_weights_
        For the other risks: from which score on each label's true value is possible, and by what
        the loss of its row falls then.
    threshold_
        The largest score inside a set.

    Examples
    --------
    Two labels that exclude each other on rows that do not tell which it is:

    >>> from jointbayes import LabelPowerset
    >>> X, Y = [[0.0]] * 60, [[0, 1], [1, 0]] * 30
    >>> model = Conformal(LabelPowerset(), alpha=0.2).fit(X, Y)
    >>> sets = model.predict_sets(X[:1])
    >>> sets.size().tolist(), sorted(sets.vectors(0).tolist())
    ([2], [[0, 1], [1, 0]])
    >>> sets.covers([[1, 1]]).tolist(), sets.inner().tolist(), sets.outer().tolist()
    ([False], [[0, 0]], [[1, 1]])
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "alpha": _SHARE,
        "held_out": _SHARE,
        "risk": named(*RISKS),
        **INHERITED,
    }
    _asked: ClassVar[tuple[str, ...]] = ("loss", "empty", "alpha")

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        estimator: Any = None,
        alpha: float = 0.1,
        held_out: float = 0.3,
        *,
        risk: str = "vector",
        loss: Any = None,
        empty: str | None = None,
        unknown: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.held_out = held_out
        self.risk = risk
        self.loss = loss
        self.empty = empty
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def threshold_(self) -> float:
        """The largest score inside a set."""
        if hasattr(self, "entry_scores_"):
            return risk_threshold(self.entry_scores_, self.entry_weights_, self.alpha)
        return conformal_threshold(self.scores_, self.alpha)

    def _learn(self, rows: Labelled) -> None:
        model, known = self._wrapped(), np.flatnonzero((rows.codes >= 0).all(axis=1))
        n = len(known)
        if n < 2:
            raise DataError(
                f"Conformal learns from some rows and calibrates on others all of whose labels are "
                f"known, and of these there is n_samples={n}; give at least 2"
            )
        m = min(max(round(n * self.held_out), 1), n - 1)
        order = generator_of(self.random_state).permutation(n)
        held = known[np.sort(order[:m])]
        kept = np.setdiff1d(np.arange(len(rows)), held)
        self._take(model, rows.take(kept))
        self._judge(rows.X[held], rows.codes[held])

    def _check_learned(self) -> None:
        super()._check_learned()
        check_attributes(self, scores_=np.ndarray)
        scores = self.scores_
        right = scores.ndim == 1 and len(scores) > 0 and scores.dtype == np.float64
        check_that(right and bool((scores[1:] >= scores[:-1]).all()), "its scores_ are not sorted")
        check_that(not np.isnan(scores).any(), "its scores_ hold a NaN")

        if hasattr(self, "entry_scores_"):
            shape = (len(scores), len(self.space_))
            check_counts("entry_weights_", self.entry_weights_, shape)
            check_shape("entry_scores_", self.entry_scores_, shape)
            check_that(not np.isnan(self.entry_scores_).any(), "its entry_scores_ hold a NaN")

    def _judge(self, X: Any, codes: Labels) -> None:
        post = self._condition(X)
        self.scores_ = np.sort(scores_of(post, codes))
        for name in ("entry_scores_", "entry_weights_"):
            if hasattr(self, name):
                delattr(self, name)
        if self.risk == "vector":
            return
        if self.risk in BETWEEN_SETS and not post.space.binary:
            raise DataError(
                f"Conformal: risk={self.risk!r} is of binary labels, and some label is not one; "
                "take risk='hamming', or say what is positive by jb.labels.binarize"
            )
        self.entry_scores_ = entry_scores(post, codes)
        self.entry_weights_ = entry_weights(codes, self.risk, self.entry_scores_)

    def calibrate(self, X: Any, Y: Any = None) -> Self:
        """Choose the threshold again, by other rows that the estimator has not learned from.

        A label value that was not there in `fit` has the score ∞.
        """
        if Y is None and isinstance(X, Dataset):
            X, Y = X.X, X.Y
        columns = self._known_columns(X)
        codes = self.space_.encode(Y, unseen="mark")
        if len(codes) != columns.shape[0] or not len(codes):
            raise DataError(
                f"calibrate: X has {columns.shape[0]} rows and Y has {len(codes)}; give one label "
                "vector for each row, and at least one"
            )
        self._judge(columns, codes)
        return self

    def predict_sets(self, X: Any, limit: int = LIMIT) -> LabelSets:
        """Return the set of label vectors of each row; see `LabelSets` for ``limit``."""
        check_parameters(self, self._asked)
        posterior = self.posterior(X)
        return LabelSets(posterior, np.full(len(posterior), self.threshold_), limit)

    def coverage(
        self, X: Any, Y: Any, alphas: Sequence[float] = ALPHAS
    ) -> list[tuple[float, float, float]]:
        """Return (alpha, share of rows covered, mean size of sets) for each alpha.

        ``jb.plots.coverage_curves`` and ``size_curves`` draw it.
        """
        own, posterior, found = self.alpha, self.posterior(X), []
        try:
            for alpha in alphas:
                self.alpha = alpha
                check_parameters(self, ("alpha",))
                sets = LabelSets(posterior, np.full(len(posterior), self.threshold_))
                found.append((alpha, float(sets.covers(Y).mean()), float(sets.size().mean())))
        finally:
            self.alpha = own
        return found


def conformal_threshold(scores: Floats, alpha: float) -> float:
    """Return (1) of sorted scores.

    >>> conformal_threshold(np.arange(1.0, 10.0), 0.1), conformal_threshold(np.ones(8), 0.1)
    (9.0, inf)
    """
    # As it is written: 1 − 0.1 in binary is a little more than 0.9, and would be rounded up.
    rank = ceil((len(scores) + 1) * (1 - Fraction(repr(float(alpha)))))
    if rank > len(scores):
        return float("inf")
    return float(scores[rank - 1])
