r"""Calibration: what is given 70% should happen 70% of the time.

Probabilities are sorted into bins; in each, the mean probability stands beside the frequency of
what it was given to. The calibration error is their weighted mean distance,

.. math:: \sum_b \frac{n_b}{N} \, | \text{frequency}_b - \text{confidence}_b |           (1)

Bins are closed on the right; empty ones are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats
from jointbayes.errors import ParameterError
from jointbayes.metrics.known import over_known
from jointbayes.metrics.targets import Beliefs, read_beliefs, weights_of_rows
from jointbayes.posterior import Posterior

__all__ = [
    "Reliability",
    "calibration_error",
    "joint_calibration_error",
    "joint_reliability",
    "label_reliability",
    "pool_curves",
    "reliability",
]

Bins = Literal["width", "quantile"]


@dataclass(frozen=True, eq=False)
class Reliability:
    """The points of a reliability curve, one per bin that holds anything.

    Parameters
    ----------
    lower, upper
        Edges of the bins, (lower, upper]; the first bin holds its lower edge too.
    confidence
        Mean probability in the bin.
    frequency
        How often what it was given to happened.
    weight
        How many probabilities, by weight.

    >>> curve = reliability([[1], [0], [1]], [[0.9], [0.9], [0.3]])
    >>> curve.frequency.tolist(), curve.weight.tolist(), round(curve.worst, 6)
    ([1.0, 0.5], [1.0, 2.0], 0.7)
    """

    lower: Floats
    upper: Floats
    confidence: Floats
    frequency: Floats
    weight: Floats

    @property
    def error(self) -> float:
        """Mean distance of frequency and confidence (1)."""
        mean = np.average(np.abs(self.frequency - self.confidence), weights=self.weight)
        return min(float(mean), self.worst)  # rounding may lift a mean above the largest

    @property
    def worst(self) -> float:
        """Largest distance of frequency and confidence in any bin."""
        return float(np.abs(self.frequency - self.confidence).max())


def pool_curves(curves: Sequence[Reliability]) -> Reliability:
    """Return the curve of all probabilities that made some curves with the same bins.

    >>> one, other = (reliability([[y]], [[0.8]]) for y in (0, 1))
    >>> pool_curves([one, other]).frequency.tolist()
    [0.5]
    """
    edges = np.concatenate([np.stack([c.lower, c.upper], axis=1) for c in curves])
    bins, place = np.unique(edges, axis=0, return_inverse=True)
    weight = np.concatenate([curve.weight for curve in curves])
    total = np.bincount(place.ravel(), weight).astype(np.float64)
    confidence, frequency = (
        np.bincount(place.ravel(), weight * np.concatenate(values)) / total
        for values in ([c.confidence for c in curves], [c.frequency for c in curves])
    )
    return Reliability(bins[:, 0], bins[:, 1], confidence, frequency, total)


def reliability(
    Y_true: Any,
    proba: Any,
    *,
    n_bins: int = 10,
    bins: Bins = "width",
    classes: Any = None,
    sample_weight: Any = None,
) -> Reliability:
    """Return the reliability curve of all labels together.

    Parameters
    ----------
    Y_true, proba, classes, sample_weight
        As in :func:`jointbayes.metrics.targets.read_beliefs`; many-valued class variables enter
        with the probabilities of all their values.
    n_bins
        Number of bins.
    bins
        Of equal ``"width"`` or between ``"quantile"`` s of the probabilities.

    Examples
    --------
    What was given 0.8 happened three times of four.

    >>> curve = reliability([[1], [1], [1], [0]], [[0.8]] * 4)
    >>> curve.confidence.tolist(), curve.frequency.tolist(), round(curve.error, 6)
    ([0.8], [0.75], 0.05)
    """
    beliefs = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    return _curve_of(beliefs, n_bins, bins)


def label_reliability(
    Y_true: Any,
    proba: Any,
    *,
    n_bins: int = 10,
    bins: Bins = "width",
    classes: Any = None,
    sample_weight: Any = None,
) -> tuple[Reliability, ...]:
    """Return one reliability curve per class variable.

    >>> curves = label_reliability([[1, 0], [1, 0]], [[1, 0.5], [1, 0.5]])
    >>> [curve.error for curve in curves]
    [0.0, 0.5]
    """
    whole = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    space = whole.space
    columns = [
        type(space)((name,), (values,), space.single)
        for name, values in zip(space.names, space.classes, strict=True)
    ]
    return tuple(
        _curve_of(Beliefs(one, whole.true[:, [j]], (p,), whole.weight), n_bins, bins)
        for j, (one, p) in enumerate(zip(columns, whole.marginals, strict=True))
    )


def joint_reliability(
    Y_true: Any,
    posterior: Posterior,
    *,
    n_bins: int = 10,
    bins: Bins = "width",
    sample_weight: Any = None,
) -> Reliability:
    """Return the reliability curve of the most probable label vectors: P(map) against being right.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> post = Independent([np.log([[0.2, 0.8]] * 2)] * 2, learn_labels([[0, 1]]))
    >>> curve = joint_reliability([[1, 1], [0, 1]], post)
    >>> curve.confidence.round(4).tolist(), curve.frequency.tolist()
    ([0.64], [0.5])
    """
    codes = posterior.space.encode(Y_true)
    best, log_p = posterior.top_k(1)
    hit = (posterior.space.encode(best[:, 0]) == codes).all(axis=1)
    weight = weights_of_rows(sample_weight, len(codes))
    kept = weight > 0
    return _curve(np.exp(log_p[kept, 0]), hit[kept], weight[kept], n_bins, bins)


@over_known("rows")
def calibration_error(
    Y_true: Any,
    proba: Any,
    *,
    n_bins: int = 10,
    bins: Bins = "width",
    classes: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the expected calibration error (1) of all labels together.

    >>> calibration_error([[1], [0]], [[0.5], [0.5]])
    0.0
    """
    beliefs = read_beliefs(Y_true, proba, classes=classes, sample_weight=sample_weight)
    return _curve_of(beliefs, n_bins, bins).error


@over_known("rows")
def joint_calibration_error(
    Y_true: Any,
    posterior: Posterior,
    *,
    n_bins: int = 10,
    bins: Bins = "width",
    sample_weight: Any = None,
) -> float:
    """Return the calibration error (1) of the most probable label vectors.

    >>> from jointbayes.labels import learn_labels
    >>> from jointbayes.posterior import Independent
    >>> post = Independent([np.log([[0.2, 0.8]] * 2)] * 2, learn_labels([[0, 1]]))
    >>> round(joint_calibration_error([[1, 1], [0, 1]], post), 4)
    0.14
    """
    arguments = {"n_bins": n_bins, "bins": bins, "sample_weight": sample_weight}
    return joint_reliability(Y_true, posterior, **arguments).error


def _curve_of(beliefs: Beliefs, n_bins: int, bins: Bins) -> Reliability:
    happened, p = beliefs.items()
    weight = np.broadcast_to(beliefs.weight[:, None], p.shape)
    return _curve(p.ravel(), happened.ravel(), weight.ravel(), n_bins, bins)


def _curve(
    p: Floats, happened: NDArray[Any], weight: Floats, n_bins: int, bins: Bins
) -> Reliability:
    if n_bins < 1:
        raise ParameterError(f"n_bins must be at least 1; found {n_bins!r}")
    if bins not in ("width", "quantile"):
        raise ParameterError(f"bins must be 'width' or 'quantile'; found {bins!r}")
    edges = np.linspace(0, 1, n_bins + 1)
    if bins == "quantile":
        edges = _weighted_quantiles(p, weight, edges)
    where = np.searchsorted(edges[1:-1], p)
    total: Floats = np.bincount(where, weight, n_bins).astype(np.float64)
    full = total > 0
    confidence = np.bincount(where, weight * p, n_bins)[full] / total[full]
    frequency = np.bincount(where, weight * happened, n_bins)[full] / total[full]
    return Reliability(edges[:-1][full], edges[1:][full], confidence, frequency, total[full])


def _weighted_quantiles(p: Floats, weight: Floats, shares: Floats) -> Floats:
    """Return the least values that reach the shares of the whole weight."""
    order = np.argsort(p)
    # Rounded, so that 0.1 + 0.2 of the weight reach three tenths.
    reached = np.round(np.cumsum(weight[order]) / weight.sum(), 12)
    quantiles: Floats = p[order][np.searchsorted(reached, np.round(shares, 12))]
    return quantiles
