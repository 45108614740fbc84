"""How far a mean over folds may be off."""

from __future__ import annotations

from scipy import stats

from jointbayes.validation import Score

__all__ = ["t_interval", "within_shares"]

Ends = tuple[float | None, float | None]


def t_interval(score: Score) -> Ends:
    """Return the 95% t-interval of the mean; none from a single fold.

    >>> [round(end, 3) for end in t_interval(Score.of([0.5, 0.6, 0.7]))]
    [0.352, 0.848]
    """
    if score.spread is None:
        return None, None
    k = len(score.folds)
    half = float(stats.t.ppf(0.975, k - 1)) * score.spread / k**0.5
    return score.mean - half, score.mean + half


def within_shares(ends: Ends) -> Ends:
    """Cut an interval of a share to [0, 1].

    >>> within_shares((-0.1, 0.4))
    (0.0, 0.4)
    """
    low, high = ends
    return (None if low is None else max(low, 0.0)), (None if high is None else min(high, 1.0))
