r"""MMOC: maximum margin output coding (Zhang & Schneider 2012), a rival in Batal et al. 2013.

Label vectors y become codewords z = V'y, d numbers each linear in the labels, which regressions
predict from the row. A good code is *predictable* (regressions come near the codewords of training
rows) and *discriminative* (codewords of different label vectors are far apart). Both are asked of
the metric Q = VV' at once, as margins: with ŷ_i what ridge regression predicts of the labels of row
i, so that V'ŷ_i is what it predicts of the codeword,

(1)  min  ½ |Q|² + C/n Σ_i ξ_i   over Q positive semidefinite, subject to
     |V'(ŷ_i − y)|² − |V'(ŷ_i − y_i)|² ≥ |y_i − y|₁ − ξ_i   for all rows i and all y,

solved to a proven relative distance by cutting planes over y ∈ [0, 1]^q (`learners.coding.margin`).
The columns of V are the eigenvectors of Q, times the roots of their eigenvalues.

Decoding joins the codewords with a classifier for each label by itself, as in the authors' earlier
codes (Zhang & Schneider 2011): a Gaussian potential for each codeword, with the variance σ_k² of
its regression on rows left out, and the probability that logistic regression gives each label,

(2)  ŷ(x) = argmax_y  Σ_j log p_j(y_j | x) − λ Σ_k (v_k'y − v_k'ŷ(x))² / (2 σ_k²),

λ = 1 in Batal et al. It is the maximum of a concave quadratic over label vectors, found by listing
them or by a search with proof (`learners.coding.decoding`). The potentials are not a distribution
that (1) would have learned: there is no posterior.

Residuals of different codewords are correlated, which (2), ``residuals="independent"``, does not
see. With ``residuals="correlated"``, the default, one Gaussian with the covariance V'SV of all d
takes the place of the d, S being the covariance of the residuals of the labels. Its exponent is
that of the matrix V(V'SV)⁻¹V', and S⁻¹ if the code tells all label vectors apart: from then on the
code has no say. This reading, not the other, comes to the figures of Batal et al.

What C was, how many codewords were kept and which regressions predicted them is not said in Batal
et al.; here C = 1, all codewords of positive eigenvalue, and ridge regression, its penalty chosen
by leaving every row out in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from jointbayes.arrays import Floats, Values
from jointbayes.checks import check_attributes, check_finite, check_that
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import Labelled
from jointbayes.estimator.withheld import Withheld
from jointbayes.learners.coding.decoding import Decoded, decode_codewords
from jointbayes.learners.coding.indicators import indicators_of
from jointbayes.learners.coding.margin import learn_metric
from jointbayes.learners.coding.ridge import Ridge, learn_ridge
from jointbayes.learners.logistic.estimator import learner_of, warn_unless_converged
from jointbayes.learners.stored import check_classifiers, check_design

__all__ = ["MMOC", "decoding_matrix"]

EXACT = 1e-6
"""Added to the variance of every residual: a codeword that is always right would outshout all."""

_WHY = "it decodes codewords and is not probabilistic; ask predict, or take another model"


def decoding_matrix(metric: Floats, covariance: Floats, residuals: str) -> tuple[Floats, Floats]:
    """Return V, a codeword in each column, and W with (y − ŷ)'W(y − ŷ) the potentials of (2).

    >>> V, W = decoding_matrix(np.diag([4.0, 0.0]), np.diag([0.5, 0.5]), "independent")
    >>> V.tolist(), W.round(3).tolist()
    ([[2.0], [0.0]], [[2.0, 0.0], [0.0, 0.0]])
    """
    values, vectors = np.linalg.eigh(metric)
    kept = values > 1e-9 * max(float(values[-1]), 1e-300)
    axes = vectors[:, kept]
    spread = axes.T @ covariance @ axes + EXACT * np.eye(axes.shape[1])
    if residuals == "independent":
        spread = np.diag(np.diag(spread))
    return axes * np.sqrt(values[kept]), np.asarray(axes @ np.linalg.solve(spread, axes.T))


class MMOC(Classifier):
    """Maximum margin output coding: `predict` alone, as it is not probabilistic.

    Parameters
    ----------
    C
        The price of margins that are violated, in (1).
    balance
        The λ of (2): how much codewords count beside the labels' own classifiers.
    residuals
        "correlated", one Gaussian for all codewords, or "independent", one for each as in (2).
    tol
        How far (1) may be above its minimum, relative to its value.
    max_iter
        Most cutting planes.
    categorical_features, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    codewords_
        (q, d) the matrix V: a codeword in each column, a label in each row; a label of more than
        two values has a row for each of them.
    objective_, bound_
        What (1) came to, and a number that its minimum is proven not to be below.
    n_iter_
        Cutting planes that were used.

    Examples
    --------
    Labels that exclude each other, and a row that hardly tells which it is:

    >>> X, Y = [[0.0], [0.4], [0.6], [1.0]] * 10, [[0, 1], [0, 1], [1, 0], [1, 0]] * 10
    >>> model = MMOC(n_jobs=1).fit(X, Y)
    >>> model.predict([[0.1], [0.52]]).tolist()
    [[0, 1], [1, 0]]
    >>> hasattr(model, "predict_proba"), hasattr(model, "posterior")
    (False, False)
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "C": number(0, ends="()"),
        "balance": number(0),
        "residuals": named("independent", "correlated"),
        "tol": number(0, 1, "(]"),
        "max_iter": integer(1),
    }
    _asked: ClassVar[tuple[str, ...]] = ("balance", "residuals", "empty")

    posterior = Withheld(_WHY)
    predict_from = Withheld(_WHY)
    predict_proba = Withheld(_WHY)
    proba_from = Withheld(_WHY)

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        C: float = 1.0,
        *,
        balance: float = 1.0,
        residuals: str = "correlated",
        tol: float = 1e-3,
        max_iter: int = 500,
        categorical_features: Any = "from_dtype",
        empty: str = "auto",
        unknown: str = "refuse",
        n_jobs: int | None = None,
    ):
        self.C = C
        self.balance = balance
        self.residuals = residuals
        self.tol = tol
        self.max_iter = max_iter
        self.categorical_features = categorical_features
        self.empty = empty
        self.unknown = unknown
        self.n_jobs = n_jobs

    def _learn(self, rows: Labelled) -> None:
        learner, codes, cards = learner_of(None, self.n_jobs), rows.codes, rows.space.cards
        self.design_, matrix = learner.read(rows.X, self.categorical_features)
        view = learner.view(matrix, rows.weights)
        self.classifiers_ = learner.fit(view, codes, cards, learner.settings(view, codes, cards))
        warn_unless_converged(self, self.classifiers_)
        truth, weights = indicators_of(codes, cards), rows.weights
        regression = learn_ridge(matrix, truth, weights)
        found = learn_metric(
            regression.fitted,
            truth,
            self.C,
            weights=weights,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        share = np.ones(len(truth)) if weights is None else weights
        scatter = regression.left_out.T @ (regression.left_out * share[:, None])
        self.ridge_, self.metric_ = regression.ridge, found.matrix
        self.covariance_ = scatter / share.sum()
        self.codewords_, _ = decoding_matrix(self.metric_, self.covariance_, self.residuals)
        self.objective_, self.bound_, self.n_iter_ = found.objective, found.bound, found.n_iter

    def _check_learned(self) -> None:
        width = check_design(self, self.design_)
        check_classifiers(self.classifiers_, self.space_.cards, width)
        check_attributes(self, ridge_=Ridge, metric_=np.ndarray, covariance_=np.ndarray)
        q = sum(1 if k == 2 else k for k in self.space_.cards)
        check_that(self.ridge_.coefficients.shape == (width, q), "the ridge is of other labels")
        check_finite("metric_", self.metric_, (q, q))
        check_finite("covariance_", self.covariance_, (q, q))

    def _condition(self, X: Any) -> Any:  # noqa: ARG002  as in every model
        raise AttributeError(f"MMOC has no posterior: {_WHY}")

    def predict(self, X: Any) -> Values:
        """Return the label vectors (2), in the shape of the labels of ``fit``."""
        codes = self._decoded(X).codes
        return self._shaped(self.space_.decode(codes))

    def gap(self, X: Any) -> Floats:
        """Return (n,) by how much at most another label vector may be above that of `predict`.

        In units of (2), which are those of log-probabilities; 0 where the answer is proven, as it
        is for all rows where there are few label vectors.
        """
        return self._decoded(X).gap

    def _decoded(self, X: Any) -> Decoded:
        columns = self._known_columns(X)
        check_parameters(self, self._asked)
        matrix, cards = self.design_.matrix(columns), self.space_.cards
        _, W = decoding_matrix(self.metric_, self.covariance_, self.residuals)
        W = self.balance * W
        alone = [p[:, 1:] - p[:, :1] if p.shape[1] == 2 else p for p in
                 self.classifiers_.log_proba(matrix)]  # fmt: skip
        b = np.concatenate(alone, axis=1) + self.ridge_.predict(matrix) @ W
        legal = self.empty == "allow" or (self.empty == "auto" and self.space_.allows_empty)
        forbid = self.space_.binary and not self.space_.single and not legal
        return decode_codewords(W, b, cards, empty="forbid" if forbid else "allow")
