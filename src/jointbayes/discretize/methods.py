r"""Where to cut a number: four functions of its histogram.

A number x gets the code *how many cuts lie below it*, so the intervals are (a, b]. With N rows S,
cut into S1 and S2, in which k, k1 and k2 classes are present:

(1)  Ent(S)   = − Σ_c p(c) log2 p(c)
(2)  Gain(T)  = Ent(S) − |S1|/N · Ent(S1) − |S2|/N · Ent(S2)
(3)  Δ(T)     = log2(3^k − 2) − [k Ent(S) − k1 Ent(S1) − k2 Ent(S2)]
(4)  the cut T of largest gain is made if  Gain(T) > log2(N − 1)/N + Δ(T)/N

and both sides are cut again (Fayyad & Irani, "Multi-interval discretization of continuous-valued
attributes for classification learning", IJCAI 1993).
"""

from __future__ import annotations

import numpy as np

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.discretize.histogram import Histogram

__all__ = ["cut_mdl", "cut_quantile", "cut_width", "midpoints"]


def cut_mdl(histogram: Histogram) -> Floats:
    """Return the cuts of (4), midway between neighbouring values; ties go to the lowest."""
    at = _kernels.mdl_cuts(
        histogram.indptr, histogram.classes, histogram.counts, histogram.n_classes
    )
    if not len(at):
        return np.zeros(0)
    return midpoints(histogram.values[at], histogram.values[at + 1])


def cut_quantile(histogram: Histogram, bins: int) -> Floats:
    """Return the values at which 1/bins, 2/bins, … of the weight is reached (``inverted_cdf``).

    Equal ones are merged, and none is at the largest value: nothing would lie above it. A column of
    two values is cut between them, however rare one is.
    """
    if len(histogram) < 3:
        return histogram.values[:-1]
    reached = np.cumsum(histogram.weights) * bins
    # One part in 10^12 is rounding: weights of 0.1 cut as weights of 1 do.
    wanted = np.arange(1, bins) * (reached[-1] / bins) * (1 - 1e-12)
    cuts: Floats = histogram.values[np.unique(np.searchsorted(reached, wanted))]
    below: Floats = cuts[cuts < histogram.values[-1]]
    return below


def cut_width(histogram: Histogram, bins: int) -> Floats:
    """Return the ends of ``bins`` intervals of equal width over the finite values."""
    finite = histogram.values[np.isfinite(histogram.values)]
    if len(finite) < 2:
        return midpoints(histogram.values[:-1], histogram.values[1:])
    share = np.arange(1, bins) / bins
    cuts: Floats = np.unique(finite[0] * (1 - share) + finite[-1] * share)  # cannot overflow
    inside: Floats = cuts[(cuts >= finite[0]) & (cuts < finite[-1])]
    return inside


def midpoints(low: Floats, high: Floats) -> Floats:
    """Return numbers m with low ≤ m < high, midway if there is such a number.

    >>> midpoints(np.array([1.0, -np.inf, 1e308, 5.0]), np.array([2.0, np.inf, 1.5e308, np.inf]))
    array([1.50e+000, 0.00e+000, 1.25e+308, 5.00e+000])
    """
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    middle = np.where(np.isnan(middle), 0.0, middle)  # −∞ and ∞
    return np.where((low <= middle) & (middle < high), middle, low)
