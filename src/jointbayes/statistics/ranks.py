r"""Many classifiers on many data sets, by ranks: Friedman's test and Nemenyi's after it.

On each of N data sets the t classifiers are ranked, 1 the best, ties sharing the mean rank; R_j is
the average rank of classifier j. If all were alike,

.. math:: \chi^2 = \frac{12 N}{t(t+1)} \sum_j R_j^2 - 3 N (t+1)                           (1)

would have t − 1 degrees of freedom. Ties shrink the variance of ranks; dividing (1) by

.. math:: 1 - \sum_i \sum_{g} (g^3 - g) \,/\, (N t (t^2 - 1))                            (2)

(g the sizes of the tied groups on data set i) corrects for that. Two classifiers then differ where
their average ranks are apart by the critical difference

.. math:: CD = q_\alpha \sqrt{t (t+1) / (6N)}                                            (3)

with q_α the quantile of the studentized range over √2 (Demšar 2006, JMLR 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from jointbayes.arrays import Floats
from jointbayes.errors import DataError, ParameterError

__all__ = [
    "CriticalDifference",
    "Friedman",
    "ScoreTable",
    "critical_difference",
    "friedman",
    "nemenyi",
    "rank",
    "score_table",
]

Better = Literal["higher", "lower"]

# Scores that differ by less are ties: 0.3 and 0.1 + 0.2 are one accuracy.
DECIMALS = 10


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One score per data set (row) and classifier (column), and which way is better.

    Parameters
    ----------
    names
        Classifiers.
    values
        (N, t) finite scores.
    better
        Whether higher or lower scores are better.

    >>> rank(ScoreTable(("A", "B"), np.array([[0.1, 0.2]]), "lower")).tolist()
    [[1.0, 2.0]]
    """

    names: tuple[str, ...]
    values: Floats
    better: Better


@dataclass(frozen=True, eq=False)
class Friedman:
    """Friedman's statistic and what it was made of.

    Parameters
    ----------
    statistic, p_value, degrees_of_freedom
        χ² and the probability of one at least as large if all classifiers were alike.
    names, average_ranks
        Classifiers as given, and R_j of each.
    n_datasets
        N.

    >>> friedman([[1, 2, 3]] * 2).average_ranks
    (3.0, 2.0, 1.0)
    """

    statistic: float
    p_value: float
    degrees_of_freedom: int
    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    n_datasets: int


@dataclass(frozen=True, eq=False)
class CriticalDifference:
    """All that a critical-difference diagram draws.

    Parameters
    ----------
    names, average_ranks
        Classifiers from the best average rank to the worst.
    critical_difference
        Average ranks further apart than this differ at level ``alpha``.
    groups
        Bars of the diagram: (first, last) positions of the widest runs of classifiers within one
        critical difference; a classifier that differs from all others is in none.
    p_values
        (t, t) Nemenyi's p-value of each pair, 1 on the diagonal.
    alpha, n_datasets
        Level of the test and N.

    >>> nemenyi([[1, 2, 3]] * 2).groups
    ((0, 2),)
    """

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    critical_difference: float
    groups: tuple[tuple[int, int], ...]
    p_values: Floats
    alpha: float
    n_datasets: int

    def differ(self, first: str, second: str) -> bool:
        """Say whether two classifiers differ at level ``alpha``."""
        for name in (first, second):
            if name not in self.names:
                raise ParameterError(
                    f"classifier {name!r} is not in the table; it has {', '.join(self.names)}"
                )
        a, b = (self.average_ranks[self.names.index(name)] for name in (first, second))
        return abs(a - b) > self.critical_difference


def score_table(scores: Any, *, better: Better = "higher") -> ScoreTable:
    """Read scores: a mapping from classifier to scores, a frame, or an (N, t) array.

    >>> table = score_table({"TAN": [0.1, 0.3], "LTAN": [0.1, 0.2]}, better="lower")
    >>> table.names, table.values.tolist()
    (('TAN', 'LTAN'), [[0.1, 0.1], [0.3, 0.2]])
    """
    if isinstance(scores, ScoreTable):
        return scores
    if better not in ("higher", "lower"):
        raise ParameterError(f"better must be 'higher' or 'lower'; found {better!r}")
    try:
        names, values = _columns(scores)
    except (TypeError, ValueError) as error:
        raise DataError(
            "scores must be one column of numbers per classifier, all of the same length"
        ) from error
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise DataError(
            f"scores have the shape {values.shape}; give one row per data set and one column "
            "for each of two classifiers or more"
        )
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        i, j = wrong[0]
        raise DataError(
            f"the score of {names[j]!r} on data set {i} is {values[i, j]}; "
            "leave out data sets that some classifier could not finish"
        )
    return ScoreTable(names, values, better)


def _columns(scores: Any) -> tuple[tuple[str, ...], Floats]:
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        keys = list(scores) if isinstance(scores, Mapping) else list(scores.columns)
        columns = [np.asarray(scores[key], dtype=float) for key in keys]
        return tuple(str(key) for key in keys), np.stack(columns, axis=-1)
    values = np.asarray(scores, dtype=float)
    return tuple(f"classifier {j}" for j in range(values.shape[-1] if values.ndim else 0)), values


def rank(scores: Any, *, better: Better = "higher") -> Floats:
    """Return (N, t) ranks on each data set: 1 the best, ties share the mean rank.

    >>> rank([[0.9, 0.7, 0.7]]).tolist(), rank([[0.9, 0.7, 0.7]], better="lower").tolist()
    ([[1.0, 2.5, 2.5]], [[3.0, 1.5, 1.5]])
    """
    table = score_table(scores, better=better)
    sign = -1.0 if table.better == "higher" else 1.0
    ranks: Floats = stats.rankdata(sign * np.round(table.values, DECIMALS), axis=1)
    return ranks


def friedman(
    scores: Any, *, better: Better = "higher", ties: Literal["corrected", "plain"] = "corrected"
) -> Friedman:
    """Test whether all classifiers are alike, by (1), or corrected for ties by (2).

    Examples
    --------
    Three classifiers in the same order on four data sets: the largest statistic there is, N(t − 1).

    >>> test = friedman([[3, 2, 1]] * 4)
    >>> test.statistic, round(test.p_value, 4), test.average_ranks
    (8.0, 0.0183, (1.0, 2.0, 3.0))

    A tie says nothing; the plain statistic takes it for evidence of likeness.

    >>> scores = [[3, 2, 1], [3, 2, 1], [1, 1, 1]]
    >>> friedman(scores, ties="plain").statistic < friedman(scores).statistic
    True
    """
    if ties not in ("corrected", "plain"):
        raise ParameterError(f"ties must be 'corrected' or 'plain'; found {ties!r}")
    table = score_table(scores, better=better)
    ranks = rank(table)
    n, t = ranks.shape
    if t < 3:
        raise DataError("Friedman's test compares three classifiers or more; for two use wilcoxon")
    means = ranks.mean(axis=0)
    if np.ptp(ranks, axis=1).max() == 0:  # nothing but ties, where (2) is 0
        statistic = 0.0
    elif ties == "corrected":
        statistic = float(stats.friedmanchisquare(*ranks.T).statistic)
    else:
        statistic = float(12 * n / (t * (t + 1)) * (means**2).sum() - 3 * n * (t + 1))  # (1)
    p_value = float(stats.chi2.sf(statistic, t - 1))
    return Friedman(statistic, p_value, t - 1, table.names, tuple(means.tolist()), n)


def critical_difference(
    n_classifiers: int, n_datasets: int, *, alpha: float = 0.05, quantile: float | None = None
) -> float:
    """Return the difference of average ranks (3) beyond which two classifiers differ.

    Parameters
    ----------
    n_classifiers, n_datasets
        t and N.
    alpha
        Level of the test.
    quantile
        q_α where a printed table's is wanted (2.949 for seven classifiers); None computes it.

    Examples
    --------
    >>> round(critical_difference(7, 40), 4), round(critical_difference(7, 40, quantile=2.949), 4)
    (1.4242, 1.4245)
    """
    if n_classifiers < 2 or n_datasets < 1:
        raise ParameterError(
            "a critical difference needs two classifiers and one data set at least; "
            f"found {n_classifiers} and {n_datasets}"
        )
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must be between 0 and 1; found {alpha!r}")
    if quantile is None:
        quantile = float(stats.studentized_range.ppf(1 - alpha, n_classifiers, np.inf)) / 2**0.5
    return quantile * _spread(n_classifiers, n_datasets)


def _spread(t: int, n: int) -> float:
    return float(np.sqrt(t * (t + 1) / (6 * n)))


def nemenyi(
    scores: Any, *, better: Better = "higher", alpha: float = 0.05, quantile: float | None = None
) -> CriticalDifference:
    """Compare all pairs of classifiers by their average ranks.

    Examples
    --------
    The first is best on all of ten data sets; the other two take turns.

    >>> result = nemenyi({"A": [9] * 10, "B": [5, 1] * 5, "C": [1, 5] * 5})
    >>> result.names, result.groups
    (('A', 'B', 'C'), ((1, 2),))
    >>> result.differ("A", "B"), result.differ("B", "C")
    (True, False)
    """
    table = score_table(scores, better=better)
    ranks = rank(table)
    n, t = ranks.shape
    means = ranks.mean(axis=0)
    order = np.argsort(means, kind="stable")
    means = means[order]
    gaps = np.abs(means[:, None] - means)
    cd = critical_difference(t, n, alpha=alpha, quantile=quantile)
    distinct, where = np.unique(gaps, return_inverse=True)
    tails = stats.studentized_range.sf(distinct * 2**0.5 / _spread(t, n), t, np.inf)
    names = tuple(table.names[j] for j in order)
    p_values = np.clip(tails, 0.0, 1.0)[where.reshape(gaps.shape)]
    groups = _runs(means, cd)
    return CriticalDifference(names, tuple(means.tolist()), cd, groups, p_values, alpha, n)


def _runs(means: Floats, width: float) -> tuple[tuple[int, int], ...]:
    """Return the maximal runs of sorted ``means`` no wider than ``width``, two members or more."""
    last = np.searchsorted(means, means + width, side="right") - 1
    new = np.r_[True, last[1:] > last[:-1]]  # a run that ends where its predecessor does is in it
    return tuple((int(i), int(j)) for i, j in enumerate(last) if new[i] and j > i)
