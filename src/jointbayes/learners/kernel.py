r"""Kernel ridge regression on classes, as sure as rows left out, one by one, advise.

A row is φ(x), what a kernel k says of its likeness to landmarks (`jointbayes.learners.likeness`),
the training rows if they are few (Williams & Seeger 2001). The scores of classes and their
probabilities are

(1)  F(x) = f + φ(x) (G + λ)⁻¹ Σ_i w_i φ_i (t_i − f),   G = Σ_i w_i φ_i φ_iᵀ
(2)  P(c | x) ∝ exp(τ F_c(x))

with t_i the indicator of the class of row i and f the frequencies of classes. What F says of row i
without it needs no further fit: with h_i = φ_iᵀ (G + λ)⁻¹ φ_i it is

(3)  (F(x_i) − f − h_i (t_i − f)) / (1 − h_i) + f

and the width of the kernel, λ and τ are those of largest likelihood of all rows by (3), found
uphill. Of a row of weight 2 one of two copies is left out. Some of the landmarks are enough to find
the width.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from jointbayes.arrays import Floats, Labels
from jointbayes.budgets import BLOCK_CELLS
from jointbayes.checks import check_attributes, check_shape, check_that
from jointbayes.climbing import climb
from jointbayes.errors import DataError
from jointbayes.estimator.ranges import Range, check_parameters, integer
from jointbayes.inference.logs import log_normalize, log_sum
from jointbayes.learners.likeness import RowScale, distinct_rows, learn_row_scale, likeness
from jointbayes.seeds import generator_of
from jointbayes.table.wording import shown

__all__ = ["KernelClassifier"]

WIDTHS, PENALTIES = [4.0**e for e in range(-3, 3)], [4.0**e for e in range(-6, 4)]
"""What v, as a multiple of its unit, and λ may be."""

SURENESS = (0.5, 200.0)
"""Between which τ is looked for."""

NEGLIGIBLE = 1e-9
"""Directions of the landmarks that are this much smaller than the largest are left out."""

FEWER = 400
"""Landmarks with which the width is found."""


class KernelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Classes by likeness to training rows: smooth where trees have steps.

    One decomposition of a matrix of landmarks serves all classes, penalties and rows left out, so
    that label vectors may well be the classes. No class has probability 0. Texts, sparse or not,
    are compared by direction.

    Parameters
    ----------
    n_landmarks
        How many rows others are compared with, at most.
    random_state
        Seed or numpy generator, which draws them where there are more rows.

    Attributes
    ----------
    classes_
        The classes.
    width_, penalty_, sureness_
        v, λ and τ.
    scale_, landmarks_, coefficients_
        How rows are read, those that others are compared with, and (m, k) what each says of the
        classes.

    Examples
    --------
    A ring around a spot, which no line tells apart:

    >>> angle = np.linspace(0, 6, 60)
    >>> ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> model = KernelClassifier().fit(np.vstack([ring, ring / 4]), np.repeat([0, 1], 60))
    >>> model.predict([[0.0, 0.1], [0.9, 0.4]]).tolist()
    [1, 0]
    """

    _ranges: ClassVar[Mapping[str, Range]] = {"n_landmarks": integer(1)}

    def __init__(self, *, n_landmarks: int = 1000, random_state: Any = None):
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelClassifier:
        """Learn (n,) classes of (n, p) numbers, with weights (n,); a weight of 2 is a row twice."""
        check_parameters(self)
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_classification_targets(y)
        w = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        X, y, w = X[w > 0], np.asarray(y)[w > 0], w[w > 0]
        self.classes_, target = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"y has one class, {shown(self.classes_[0])}; a classifier needs two")
        self.scale_ = learn_row_scale(X, w)
        rows = _Compared(self.scale_.apply(X), target, len(self.classes_), w)
        self.landmarks_ = self._draw(rows.read)
        fewer = self.landmarks_[:: -(-self.landmarks_.shape[0] // FEWER)]
        self.width_ = self._find_width(rows, fewer)
        self._learn(rows.beside(self.landmarks_, self.width_))
        return self

    def _draw(self, read: Any) -> Any:
        distinct = distinct_rows(read)
        if distinct.shape[0] > self.n_landmarks:
            rng = generator_of(self.random_state)
            distinct = distinct[np.sort(rng.permutation(distinct.shape[0])[: self.n_landmarks])]
        return distinct

    def _find_width(self, rows: _Compared, landmarks: Any) -> float:
        def cost(v: float) -> float:
            beside = rows.beside(landmarks, v)
            return -beside.best(beside.directions()).likelihood

        unit = self.scale_.unit
        return climb([unit * times for times in WIDTHS], unit, cost)

    def _learn(self, rows: _Weighed) -> None:
        directions = rows.directions()
        found = rows.best(directions)
        self.penalty_, self.sureness_ = found.penalty, found.sureness
        self.frequency_ = rows.frequency
        self.coefficients_ = rows.basis @ rows.solution(directions, found.penalty)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_stored(self) -> None:
        if not hasattr(self, "coefficients_"):
            return
        arrays = "classes_ coefficients_ frequency_".split()
        check_attributes(self, **dict.fromkeys(arrays, np.ndarray), n_features_in_=int)
        check_attributes(self, scale_=RowScale, width_=float, sureness_=float)
        p, k, m = self.n_features_in_, len(self.classes_), self.landmarks_.shape[0]
        check_shape("factor", self.scale_.columns.factor, (p,))
        texts = self.scale_.compared == "directions"
        check_that(sparse.issparse(self.landmarks_) == texts, "landmarks_ are of another kind")
        check_that(self.landmarks_.shape == (m, p), "landmarks_ have other columns")
        check_shape("coefficients_", self.coefficients_, (m, k))
        check_shape("frequency_", self.frequency_, (k,))
        check_that(self.sureness_ > 0 and self.width_ > 0, "sureness_ or width_ is not above 0")

    def predict_proba(self, X: Any) -> Floats:
        """Return the (n, k) probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        step = max(1, BLOCK_CELLS // self.landmarks_.shape[0])
        parts = []
        for start in range(0, X.shape[0], step):
            read = self.scale_.apply(X[start : start + step])
            alike = likeness(read, self.landmarks_, self.width_)
            scores = alike @ self.coefficients_ + self.frequency_
            parts.append(np.exp(log_normalize(self.sureness_ * scores)))
        return np.concatenate(parts)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of largest probability."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


class _Directions(NamedTuple):
    """The eigenvalues g and eigenvectors of G, and Σ w φ (t − f) and φ along these."""

    g: Floats
    vectors: Floats
    targets: Floats
    rows: Floats


class _Choice(NamedTuple):
    """How likely rows left out are with a penalty and the sureness that suits it."""

    likelihood: float
    penalty: float
    sureness: float


class _Compared(NamedTuple):
    """(n, p) rows as they are compared, (n,) classes, how many there are, and (n,) weights."""

    read: Any
    target: Labels
    n_classes: int
    weights: Floats

    def beside(self, landmarks: Any, v: float) -> _Weighed:
        """Return what landmarks say of the rows."""
        size, E = np.linalg.eigh(likeness(landmarks, landmarks, v))
        kept = size > NEGLIGIBLE * size[-1]
        basis = E[:, kept] / np.sqrt(size[kept])
        phi = likeness(self.read, landmarks, v) @ basis
        return _Weighed(phi, self.target, self.n_classes, self.weights, basis)


class _Weighed(NamedTuple):
    """(n, r) φ, classes and weights as above, and (m, r) what likenesses are multiplied by."""

    phi: Floats
    target: Labels
    n_classes: int
    weights: Floats
    basis: Floats

    @property
    def frequency(self) -> Floats:
        counts = np.bincount(self.target, self.weights, self.n_classes)
        return np.asarray(counts / counts.sum())

    def centred(self) -> Floats:
        """Return (n, k) t − f."""
        out = np.tile(-self.frequency, (len(self.target), 1))
        out[np.arange(len(self.target)), self.target] += 1.0
        return out

    def directions(self) -> _Directions:
        weighted = self.phi * self.weights[:, None]
        g, Q = np.linalg.eigh(weighted.T @ self.phi)
        return _Directions(np.maximum(g, 0.0), Q, Q.T @ (weighted.T @ self.centred()), self.phi @ Q)

    def solution(self, found: _Directions, penalty: float) -> Floats:
        """Return (r, k) what φ is multiplied by in (1)."""
        return np.asarray(found.vectors @ (found.targets / (found.g + penalty)[:, None]))

    def best(self, found: _Directions) -> _Choice:
        """Return the penalty with which rows left out are likeliest."""
        tried = cache(lambda penalty: self.left_out(found, penalty))
        return tried(climb(PENALTIES, 1.0, lambda penalty: -tried(penalty).likelihood))

    def left_out(self, found: _Directions, penalty: float) -> _Choice:
        """Return the best sureness, and how likely all rows are, each by (3)."""
        shrunk = found.g + penalty
        fitted = found.rows @ (found.targets / shrunk[:, None])
        h = np.minimum(self.weights, 1.0) * ((found.rows * found.rows) @ (1 / shrunk))
        own = self.centred() * h[:, None]
        scores = (fitted - own) / np.maximum(1 - h, NEGLIGIBLE)[:, None] + self.frequency
        true = scores[np.arange(len(scores)), self.target]

        def cost(log_sureness: float) -> float:
            t = np.exp(log_sureness)
            return float(self.weights @ (log_sum(t * scores, axis=1) - t * true))

        low, high = np.log(SURENESS)
        best = minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 0.02})
        return _Choice(-float(best.fun), penalty, float(np.exp(best.x)))
