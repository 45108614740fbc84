r"""Published against measured: what a difference means.

Both figures are means over folds, the published one over k, ours over rk, with r = 1 unless folds
were drawn more often. If folds were samples of their own, with standard deviation s, the difference
of the two means would have the variance s²/k + s²/(rk), and

.. math:: u = t_{k-1,\,0.975} \, s \sqrt{(1 + 1/r)/k}                                     (1)

would bound what chance explains at the 5% level. They are not: both means are of the *same rows*,
cut otherwise, and what makes folds differ most, which rows are tested, is in both. So the noise is

.. math:: \text{noise} = c \, u + \text{rounding},                                         (2)

with half a unit of the last printed digit and a share c that is measured: one data set is cut in
many ways, every pair of means plays published and measured, and c is what leaves 5 of 100 such
equal pairs outside, over all data sets and models tried (``benchmarks/noise_rule.py``, results in
``benchmarks/results/noise_rule.json``). It is one number for all: where a model hardly depends on
the cut fewer are outside, where it depends much, more.
A published figure of one split that was drawn by chance, k = 1, is one such sample, and ours are m
others: there (1) has t of m − 1 degrees of freedom and r = m, and c is 1.
Inside it the cell is *within noise*, outside *better* or *worse*. What was measured on other data
than the paper's, or on a single split, which has no folds to scatter, is *not judged*; nor is what
is outside and neither good nor bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from jointbayes.metrics.registry import METRICS
from jointbayes.reproduction.figures import Remark
from jointbayes.reproduction.planning import Question

__all__ = ["Cell", "Judgement", "Verdict", "judge", "noise", "usual_noise", "verdict_of"]

SAME_ROWS = 0.62
"""The c of (2), as measured; a test compares it with the results."""

Verdict = Literal["better", "within noise", "worse", "not judged", "failed", "no data", "left out"]


@dataclass(frozen=True)
class Judgement:
    """One model on one data set: every metric on every fold, or why there are none."""

    folds: dict[str, tuple[float, ...]]
    seconds: float = 0.0
    failure: str = ""
    absent: str = ""
    left_out: str = ""


@dataclass(frozen=True)
class Cell:
    """A printed figure, what was measured in answer, and what to think of it.

    ``noise`` is (2), ``seconds`` the time of all folds; ``measured`` is None where nothing was.
    ``dataset`` tells the figures of one ``source`` apart, if it has several; ``folds`` is what was
    measured on each, in the units of print. ``rival`` is whose figure it is, if that is the best of
    many and not of the algorithm.
    """

    table: str
    title: str
    source: str
    dataset: str
    algorithm: str
    metric: str
    published: float
    printed: str
    measured: float | None
    noise: float | None
    verdict: Verdict
    seconds: float
    note: str = ""
    folds: tuple[float, ...] = ()
    rival: str = ""

    @property
    def figure(self) -> tuple[str, str, str, str]:
        """Which printed figure it is about; two readings of one figure have this in common."""
        return self.table, self.source, self.rival or self.algorithm, self.metric

    @property
    def difference(self) -> float | None:
        """Measured minus published."""
        return None if self.measured is None else self.measured - self.published

    @property
    def digits(self) -> int:
        """Decimals of the printed figure."""
        return len(self.printed.partition(".")[2])


def usual_noise(folds: Sequence[float], repeats: int = 1) -> float | None:
    """Return (1), what chance would explain if folds were samples of their own; None for one.

    >>> round(usual_noise([0.1, 0.3]), 3)  # two folds say next to nothing
    1.797
    >>> round(usual_noise([0.1, 0.2, 0.1, 0.2, 0.1], repeats=5), 3)  # five splits, one in print
    0.167
    """
    k, m = len(folds) // repeats, len(folds)
    if m < 2:
        return None
    t = float(stats.t.ppf(0.975, (m if k == 1 else k) - 1))
    return t * float(np.std(folds, ddof=1)) * float(np.sqrt((1 + 1 / repeats) / k))


def noise(folds: Sequence[float], rounding: float = 0.0, repeats: int = 1) -> float | None:
    """Return the largest difference (2) that another cut of the same rows explains.

    >>> noise([0.3, 0.3, 0.3], rounding=0.005)
    0.005
    """
    usual = usual_noise(folds, repeats)
    share = 1.0 if len(folds) == repeats else SAME_ROWS
    return None if usual is None else share * usual + rounding


def judge(question: Question, outcome: Judgement, remarks: Sequence[Remark] = ()) -> Cell:
    """Return the cell of one question, with what is known of it.

    >>> from jointbayes.reproduction.planning import plan_questions
    >>> from jointbayes.reproduction.sun2017 import SUN2017
    >>> (naive,) = [q for q in plan_questions(SUN2017, (), ["Iris"]) if q.variant == "NB"]
    >>> naive.figure.text, judge(naive, Judgement({"zero_one_loss": (0.05, 0.051, 0.049)})).verdict
    ('0.0867', 'better')
    """
    figure, column = question.figure, question.column
    reasons = (outcome.failure, outcome.absent, outcome.left_out)
    measured, width, verdict, folds = None, None, _without_figures(outcome), []
    if verdict is None:
        folds = [column.scale * value for value in outcome.folds[column.metric]]
        measured = float(np.mean(folds))
        width = noise(folds, figure.rounding, question.repeats)
        if column.sees == "file":
            width = figure.rounding
        better = METRICS[column.metric].better if column.metric in METRICS else "neither"
        verdict = verdict_of(measured - figure.value, width, better)
        if column.timed or any(remark.kind == "other data" for remark in remarks):
            verdict = "not judged"
    return Cell(
        table=figure.table,
        title=column.title,
        source=figure.dataset,
        dataset=", ".join(filter(None, [figure.dataset, column.at])),
        algorithm=question.algorithm,
        metric=column.printed,
        published=figure.value,
        printed=figure.text,
        measured=measured,
        noise=width,
        verdict=verdict,
        seconds=outcome.seconds,
        note=" ".join(filter(None, [*reasons, *(r.text for r in remarks)])),
        folds=tuple(folds),
        rival=figure.algorithm if question.model else "",
    )


def _without_figures(outcome: Judgement) -> Verdict | None:
    if outcome.left_out:
        return "left out"
    return "no data" if outcome.absent else "failed" if outcome.failure else None


def verdict_of(difference: float, width: float | None, better: str) -> Verdict:
    """Return what a difference means, given what noise explains of it.

    >>> [verdict_of(d, w, "lower") for d, w in ((-0.03, 0.02), (0.01, 0.02), (1.0, None))]
    ['better', 'within noise', 'not judged']
    """
    if width is None:
        return "not judged"
    if abs(difference) <= width:
        return "within noise"
    if better == "neither":
        return "not judged"
    return "better" if (difference > 0) == (better == "higher") else "worse"
