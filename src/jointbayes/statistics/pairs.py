"""Two classifiers: signed ranks, wins and losses, paired t; and the price of many pairs.

Wilcoxon's signed-rank test ranks the absolute differences, zeros left out, and adds the ranks of
the positive ones: W. If neither classifier were better, each rank r_i would enter W with
probability 1/2, so that W has the distribution of a sum of independent coin tosses,

    P(W = w) = [z^w] ∏ (1 + z^{r_i}) / 2,   E W = Σ r_i / 2,   Var W = Σ r_i² / 4,             (1)

tied (half) ranks included: the exact test multiplies the polynomials out, where scipy's table holds
without ties only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy import stats

from jointbayes.arrays import Floats
from jointbayes.errors import DataError, ParameterError
from jointbayes.statistics.ranks import DECIMALS, Better, score_table

__all__ = [
    "Pair",
    "Significance",
    "WinDrawLoss",
    "benjamini_hochberg",
    "paired_scores",
    "paired_t",
    "sign_test",
    "wilcoxon",
    "wilcoxon_pairs",
    "win_draw_loss",
]

Alternative = Literal["two-sided", "greater", "less"]

# Differences for which "auto" is exact; the polynomial of 100 has 10,101 terms.
EXACT_UP_TO = 100


@dataclass(frozen=True)
class Significance:
    """A test's statistic and the probability of one at least as extreme by chance.

    >>> sign_test(WinDrawLoss(2, 0, 0))
    Significance(statistic=2.0, p_value=0.25)
    """

    statistic: float
    p_value: float


@dataclass(frozen=True)
class Pair:
    """Two classifiers and their test, before and after the correction for many pairs.

    Parameters
    ----------
    first, second
        Classifiers.
    statistic, p_value
        Of this pair alone.
    adjusted
        The smallest false discovery rate at which this pair is still called different.

    >>> wilcoxon_pairs({"A": [2, 2], "B": [1, 1]})
    (Pair(first='A', second='B', statistic=0.0, p_value=0.5, adjusted=0.5),)
    """

    first: str
    second: str
    statistic: float
    p_value: float
    adjusted: float


@dataclass(frozen=True)
class WinDrawLoss:
    """On how many data sets the first of two classifiers wins, draws and loses.

    >>> str(WinDrawLoss(27, 9, 4))
    '27/9/4'
    """

    wins: int
    draws: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"


def wilcoxon(
    first: Any,
    second: Any,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "normal"] = "auto",
) -> Significance:
    """Test whether paired scores differ, by signed ranks.

    Parameters
    ----------
    first, second
        Scores on the same data sets.
    alternative
        What chance is weighed against; ``"greater"``: the first scores are higher.
    method
        ``"exact"`` evaluates (1), ``"normal"`` its limit without continuity correction, ``"auto"``
        is exact up to 100 differences.

    Examples
    --------
    Eight of eight differences have one sign: p = 2 / 2^8.

    >>> wilcoxon([1, 2, 3, 4, 5, 6, 7, 8], [0] * 8)
    Significance(statistic=0.0, p_value=0.0078125)
    >>> wilcoxon([1, 2], [1, 2]).p_value
    1.0
    """
    _choice("alternative", alternative, ("two-sided", "greater", "less"))
    _choice("method", method, ("auto", "exact", "normal"))
    a, b = paired_scores(first, second)
    d = np.round(a - b, DECIMALS)
    d = d[d != 0]
    r = stats.rankdata(np.abs(d))
    positive = float(r[d > 0].sum())
    negative = float(r.sum()) - positive
    exact = method == "exact" or (method == "auto" and len(d) <= EXACT_UP_TO)
    tail = _exact_tail if exact else _normal_tail
    if alternative == "two-sided":
        statistic = min(positive, negative)
        return Significance(statistic, min(1.0, 2 * tail(r, max(positive, negative))))
    return Significance(positive, tail(r, positive if alternative == "greater" else negative))


def _exact_tail(r: Floats, w: float) -> float:
    """Return P(W ≥ w) by (1), in doubled ranks, which are whole numbers."""
    p = np.ones(1)
    for step in np.round(2 * r).astype(int):
        longer = np.zeros(len(p) + step)
        longer[: len(p)] = p
        longer[step:] += p
        p = longer / 2
    return float(min(1.0, p[round(2 * w) :].sum()))


def _normal_tail(r: Floats, w: float) -> float:
    if not len(r):
        return 1.0
    return float(stats.norm.sf((w - r.sum() / 2) / np.sqrt((r**2).sum() / 4)))


def benjamini_hochberg(p_values: Any) -> Floats:
    """Adjust p-values so that calling those ≤ α keeps the false discovery rate at α.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(p_values, dtype=float)
    if not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"p-values lie between 0 and 1; found {p.tolist()}")
    adjusted: Floats = stats.false_discovery_control(p, method="bh") if p.size else p
    return adjusted


def wilcoxon_pairs(
    scores: Any, *, method: Literal["auto", "exact", "normal"] = "auto"
) -> tuple[Pair, ...]:
    """Test every pair of classifiers by `wilcoxon`, two-sided, with Benjamini-Hochberg adjustment.

    Examples
    --------
    A beats both others on all of six data sets; B and C are alike.

    >>> pairs = wilcoxon_pairs({"A": [9] * 6, "B": [1, 2, 1, 2, 1, 2], "C": [2, 1] * 3})
    >>> [(p.first, p.second, round(p.p_value, 3), round(p.adjusted, 3)) for p in pairs]
    [('A', 'B', 0.031, 0.047), ('A', 'C', 0.031, 0.047), ('B', 'C', 1.0, 1.0)]
    """
    table = score_table(scores)
    pairs = list(combinations(range(len(table.names)), 2))
    columns = table.values.T
    tests = [wilcoxon(columns[i], columns[j], method=method) for i, j in pairs]
    adjusted = benjamini_hochberg([test.p_value for test in tests])
    return tuple(
        Pair(table.names[i], table.names[j], test.statistic, test.p_value, float(q))
        for (i, j), test, q in zip(pairs, tests, adjusted, strict=True)
    )


def win_draw_loss(
    first: Any, second: Any, *, better: Better = "higher", margin: float = 0.05
) -> WinDrawLoss:
    """Count wins, draws and losses; a difference below ``margin`` of the larger score is a draw.

    Examples
    --------
    A loss reduced from 0.20 to 0.19 is reduced by 5% exactly: a win.

    >>> str(win_draw_loss([0.19, 0.191, 0.5, 0], [0.20, 0.20, 0.4, 0], better="lower"))
    '1/2/1'
    """
    _choice("better", better, ("higher", "lower"))
    if not 0 <= margin < 1:
        raise ParameterError(f"margin must be at least 0 and below 1; found {margin!r}")
    a, b = paired_scores(first, second)
    gain = np.round(a - b if better == "higher" else b - a, DECIMALS)
    needed = margin * np.maximum(np.abs(a), np.abs(b))
    decided = (gain != 0) & (np.round(np.abs(gain) - needed, DECIMALS) >= 0)
    wins, losses = int((decided & (gain > 0)).sum()), int((decided & (gain < 0)).sum())
    return WinDrawLoss(wins, len(a) - wins - losses, losses)


def sign_test(record: WinDrawLoss, *, alternative: Alternative = "greater") -> Significance:
    """Test whether wins outnumber losses more than fair coins would; draws are left out.

    >>> round(sign_test(WinDrawLoss(22, 6, 12)).p_value, 4)
    0.0607
    >>> sign_test(WinDrawLoss(0, 40, 0)).p_value
    1.0
    """
    _choice("alternative", alternative, ("two-sided", "greater", "less"))
    decided = record.wins + record.losses
    if not decided:
        return Significance(0.0, 1.0)
    test = stats.binomtest(record.wins, decided, 0.5, alternative=alternative)
    return Significance(float(record.wins), float(test.pvalue))


def paired_t(first: Any, second: Any, *, alternative: Alternative = "two-sided") -> Significance:
    """Test whether the mean difference of paired scores is zero, by Student's t.

    Equal scores throughout give t = 0 and p = 1; a constant difference gives an infinite t.

    >>> test = paired_t([0.82, 0.80, 0.85], [0.80, 0.79, 0.81])
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (2.646, 0.118)
    """
    _choice("alternative", alternative, ("two-sided", "greater", "less"))
    a, b = paired_scores(first, second)
    if len(a) < 2:
        raise DataError(f"a paired t-test needs two pairs of scores at least; found {len(a)}")
    d = np.round(a - b, DECIMALS)
    if np.ptp(d) == 0:
        sign = float(np.sign(d[0]))
        one_sided = {"greater": sign < 0, "less": sign > 0, "two-sided": False}[alternative]
        return Significance(sign * np.inf if sign else 0.0, float(one_sided or sign == 0))
    test = stats.ttest_rel(a, b, alternative=alternative)
    return Significance(float(test.statistic), float(test.pvalue))


def paired_scores(first: Any, second: Any) -> tuple[Floats, Floats]:
    """Return two columns of finite scores of one length, or say what is wrong with them."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or a.shape != b.shape or not len(a):
        raise DataError(
            f"paired scores must be two columns of one length; found shapes {a.shape} and {b.shape}"
        )
    wrong = ~(np.isfinite(a) & np.isfinite(b))
    if wrong.any():
        raise DataError(
            f"pair {int(wrong.argmax())} holds a score that is not finite; leave such pairs out"
        )
    return a, b


def _choice(name: str, found: str, options: tuple[str, ...]) -> None:
    if found not in options:
        raise ParameterError(f"{name} must be one of {', '.join(options)}; found {found!r}")
