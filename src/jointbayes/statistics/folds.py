r"""Two classifiers on the folds of one data set: their training rows overlap, so folds are alike.

The variance of a mean over k folds that share training rows is larger than that of k independent
ones. With d the differences of the folds, s² their variance (n − 1), and n₂/n₁ the test rows for
each training row, Nadeau and Bengio (2003, Machine Learning 52) correct Student's t to

.. math:: t = \bar d \,\Big/ \sqrt{\Bigl(\frac1k + \frac{n_2}{n_1}\Bigr) s^2}              (1)

with k − 1 degrees of freedom. Where the losses of all n rows are known, each held out once, their
variance s² over the rows says more than that of a few folds; with the same correction, in which a
fold has n₂ = n/k rows,

.. math:: t = \bar d \,\Big/ \sqrt{\Bigl(1 + \frac{k}{k - 1}\Bigr) \frac{s^2}{n}}          (2)

with n − 1 degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from jointbayes.errors import DataError, ParameterError
from jointbayes.statistics.pairs import Pair, Significance, benjamini_hochberg, paired_scores
from jointbayes.statistics.ranks import DECIMALS

__all__ = ["corrected_row_t", "corrected_t", "fold_pairs"]


def corrected_t(first: Any, second: Any, *, test_share: float) -> Significance:
    """Test whether two classifiers differ on the folds of one data set, two-sided, by (1).

    Equal scores throughout give t = 0 and p = 1; a constant difference gives an infinite t.

    Parameters
    ----------
    first, second
        Scores on the same folds.
    test_share
        Test rows for each training row, n₂/n₁: 1/9 for ten folds.

    Examples
    --------
    Folds that share half of their training rows say less than Student's t takes them to say.

    >>> from jointbayes.statistics import paired_t
    >>> first, second = [0.84, 0.83, 0.85], [0.80, 0.80, 0.80]
    >>> round(paired_t(first, second).p_value, 3)
    0.02
    >>> round(corrected_t(first, second, test_share=1 / 2).p_value, 3)
    0.048
    """
    if not (np.isfinite(test_share) and test_share > 0):
        raise ParameterError(f"test_share must be larger than 0; found {test_share!r}")
    a, b = paired_scores(first, second)
    if len(a) < 2:
        raise DataError(f"a test over folds needs two of them at least; found {len(a)}")
    d = np.round(a - b, DECIMALS)
    if np.ptp(d) == 0:
        sign = float(np.sign(d[0]))
        return Significance(sign * np.inf if sign else 0.0, 0.0 if sign else 1.0)
    t = float(d.mean() / np.sqrt((1 / len(d) + test_share) * d.var(ddof=1)))  # (1)
    return Significance(t, float(2 * stats.t.sf(abs(t), len(d) - 1)))


def corrected_row_t(first: Any, second: Any, *, folds: int) -> Significance:
    """Test whether two classifiers differ on the rows of one data set, two-sided, by (2).

    Parameters
    ----------
    first, second
        Losses, or scores, of the same rows, each of which was held out once.
    folds
        In how many folds.

    Examples
    --------
    Wrong on every second of 60 rows, and on every third:

    >>> first, second = [0, 1, 0, 1, 0, 1] * 10, [0, 0, 1, 0, 0, 1] * 10
    >>> round(corrected_row_t(first, second, folds=5).p_value, 3)
    0.219
    >>> round(corrected_row_t(first * 5, second * 5, folds=5).p_value, 3)
    0.006
    """
    if folds < 2:
        raise ParameterError(f"folds must be 2 at least; found {folds!r}")
    a, b = paired_scores(first, second)
    if len(a) < 2:
        raise DataError(f"a test over rows needs two of them at least; found {len(a)}")
    d = np.round(a - b, DECIMALS)
    if np.ptp(d) == 0:
        sign = float(np.sign(d[0]))
        return Significance(sign * np.inf if sign else 0.0, 0.0 if sign else 1.0)
    spread = np.sqrt((1 + folds / (folds - 1)) * d.var(ddof=1) / len(d))
    t = float(d.mean() / spread)  # (2)
    return Significance(t, float(2 * stats.t.sf(abs(t), len(d) - 1)))


def fold_pairs(scores: Mapping[str, Sequence[float]], *, test_share: float) -> tuple[Pair, ...]:
    """Test every pair of classifiers by `corrected_t`, with Benjamini-Hochberg adjustment.

    >>> scores = {"A": [0.9, 0.91, 0.92], "B": [0.9, 0.91, 0.92], "C": [0.5, 0.52, 0.5]}
    >>> [(p.first, p.second, round(p.adjusted, 3)) for p in fold_pairs(scores, test_share=0.5)]
    [('A', 'B', 1.0), ('A', 'C', 0.002), ('B', 'C', 0.002)]
    """
    pairs = list(combinations(scores, 2))
    tests = [corrected_t(scores[a], scores[b], test_share=test_share) for a, b in pairs]
    adjusted = benjamini_hochberg([test.p_value for test in tests])
    return tuple(
        Pair(a, b, test.statistic, test.p_value, float(q))
        for (a, b), test, q in zip(pairs, tests, adjusted, strict=True)
    )
