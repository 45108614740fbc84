r"""Kernel ridge regression on classes, as sure as rows left out, one by one, advise.

Columns are scaled to variance 1. With the kernel k(a, b) = exp(−|a − b|² / 2p), p the number of
columns that vary, a row is φ(x), what k says of its likeness to landmarks, the training rows if
they are few (Williams & Seeger 2001). The scores of classes and their probabilities are

(1)  F(x) = f + φ(x) (G + λ)⁻¹ Σ_i w_i φ_i (t_i − f),   G = Σ_i w_i φ_i φ_iᵀ
(2)  P(c | x) ∝ exp(τ F_c(x))

with t_i the indicator of the class of row i and f the frequencies of classes. What F says of row i
without it needs no further fit: with h_i = φ_iᵀ (G + λ)⁻¹ φ_i it is

(3)  (F(x_i) − f − h_i (t_i − f)) / (1 − h_i) + f

and λ and τ are those of largest likelihood of all rows by (3). Of a row of weight 2 one of two
copies is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from jointbayes.arrays import Floats, Labels
from jointbayes.checks import check_attributes, check_shape, check_that
from jointbayes.errors import DataError
from jointbayes.estimator.ranges import Range, check_parameters, integer
from jointbayes.inference.logs import log_normalize, log_sum
from jointbayes.seeds import generator_of

__all__ = ["KernelClassifier"]

PENALTIES = np.exp2(np.arange(-6.0, 8.0, 2.0))
"""What λ may be."""

SURENESS = (0.5, 200.0)
"""Between which τ is looked for."""

NEGLIGIBLE = 1e-9
"""Directions of the landmarks that are this much smaller than the largest are left out."""

BLOCK = 1 << 22
"""Likenesses that are held at a time when rows are asked."""


class KernelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Classes by likeness to training rows: smooth where trees have steps.

    One decomposition of a matrix of landmarks serves all classes, penalties and rows left out, so
    that label vectors may well be the classes. No class has probability 0.

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
    penalty_, sureness_
        λ and τ.
    landmarks_, coefficients_
        The rows that others are compared with, scaled, and (m, k) what each says of the classes.

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

    def __init__(self, *, n_landmarks: int = 600, random_state: Any = None):
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelClassifier:
        """Learn (n,) classes of (n, p) numbers, with weights (n,); a weight of 2 is a row twice."""
        check_parameters(self)
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        w = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        X, y, w = X[w > 0], np.asarray(y)[w > 0], w[w > 0]
        self.classes_, target = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"y has one class, {self.classes_[0]!r}; a classifier needs two")
        self.mean_ = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average((X - self.mean_) ** 2, axis=0, weights=w))
        varying = spread > 1e-9 * np.maximum(np.abs(self.mean_), 1e-300)
        self.scale_ = np.where(varying, 1 / np.where(varying, spread, 1.0), 0.0)
        Z = (X - self.mean_) * self.scale_
        self.landmarks_ = self._draw(Z)
        size, E = np.linalg.eigh(self._likeness(self.landmarks_))
        kept = size > NEGLIGIBLE * size[-1]
        B = E[:, kept] / np.sqrt(size[kept])
        self._learn(_Weighed(self._likeness(Z) @ B, target, len(self.classes_), w), B)
        return self

    def _draw(self, Z: Floats) -> Floats:
        distinct: Floats = np.unique(Z, axis=0)
        if len(distinct) > self.n_landmarks:
            rng = generator_of(self.random_state)
            distinct = distinct[np.sort(rng.permutation(len(distinct))[: self.n_landmarks])]
        return distinct

    def _likeness(self, Z: Floats) -> Floats:
        """Return (n, m) k of rows and landmarks."""
        L, p = self.landmarks_, max(int((self.scale_ > 0).sum()), 1)
        apart = (Z * Z).sum(axis=1)[:, None] + (L * L).sum(axis=1) - 2 * Z @ L.T
        return np.asarray(np.exp(-np.maximum(apart, 0.0) / (2 * p)))

    def _learn(self, rows: _Weighed, B: Floats) -> None:
        directions = rows.directions()
        found = max(rows.left_out(directions, penalty) for penalty in PENALTIES.tolist())
        self.penalty_, self.sureness_ = found.penalty, found.sureness
        self.frequency_ = rows.frequency
        self.coefficients_ = B @ rows.solution(directions, found.penalty)

    def _check_stored(self) -> None:
        if not hasattr(self, "coefficients_"):
            return
        arrays = "classes_ mean_ scale_ landmarks_ coefficients_ frequency_".split()
        check_attributes(self, **dict.fromkeys(arrays, np.ndarray), n_features_in_=int)
        p, k = self.n_features_in_, len(self.classes_)
        check_shape("mean_", self.mean_, (p,))
        check_shape("scale_", self.scale_, (p,))
        check_shape("landmarks_", self.landmarks_, (None, p))
        check_shape("coefficients_", self.coefficients_, (len(self.landmarks_), k))
        check_shape("frequency_", self.frequency_, (k,))
        check_that(isinstance(self.sureness_, float) and self.sureness_ > 0, "sureness_ is not")

    def predict_proba(self, X: Any) -> Floats:
        """Return the (n, k) probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        step = max(1, BLOCK // len(self.landmarks_))
        parts = []
        for start in range(0, len(X), step):
            Z = (X[start : start + step] - self.mean_) * self.scale_
            scores = self._likeness(Z) @ self.coefficients_ + self.frequency_
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


class _Weighed(NamedTuple):
    """(n, r) φ, (n,) classes, how many there are, and (n,) weights."""

    phi: Floats
    target: Labels
    n_classes: int
    weights: Floats

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
