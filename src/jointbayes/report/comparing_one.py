"""A comparison on one data set: models by metrics, and which of them the folds tell apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isinf, nan

from jointbayes.errors import DataError
from jointbayes.metrics import METRICS
from jointbayes.plots import Bar, bars
from jointbayes.report.intervals import t_interval
from jointbayes.report.metric_words import INFINITE_LOSS, metric_title
from jointbayes.report.page import (
    Audience,
    Block,
    Entry,
    Grid,
    Headline,
    Paragraph,
    Picture,
    Section,
    Tone,
    in_digits,
)
from jointbayes.validation import Comparison, Score
from jointbayes.validation.comparison import LEVEL, Standing

__all__ = ["head_to_head", "leaders", "said_of", "score_entry", "scores_at_a_glance"]

METRICS_WITH_SPREAD = 4  # that fit a terminal
_BEST: dict[str, Callable[[list[float]], float]] = {
    "higher": max,
    "lower": min,
    "neither": lambda _: nan,
}


def head_to_head(found: Comparison) -> list[Section]:
    """Lay out the matrix of models and metrics, and the tests between all pairs."""
    standings = {name: _standing(found, name) for name in found.metrics}
    narrow = len(found.metrics) > METRICS_WITH_SPREAD
    blocks: list[Block] = [_matrix(found, standings, "spread", "screen" if narrow else "all")]
    if narrow:
        blocks.append(_matrix(found, standings, "mean", "terminal").upright())
    tested = any(standing is not None and standing.tested for standing in standings.values())
    blocks.append(Paragraph(_legend("tested" if tested else "untested")))
    scores = (found.score(name, found.datasets[0], m) for name in standings for m in found.models)
    if any(score is not None and isinf(score.mean) for score in scores):
        blocks.append(Paragraph(INFINITE_LOSS))
    sections = [Section("Models and metrics", tuple(blocks))]
    rows = tuple(_tests(found))
    if rows:
        head = ("metric", "model", "against", "difference", "p", "adjusted p", "verdict")
        title = "Corrected resampled t-tests over the folds"
        sections.append(Section("Paired tests", (Grid(title, head, rows),), "screen"))
    return sections


def scores_at_a_glance(
    found: Comparison, metric: str
) -> tuple[tuple[Headline, ...], Picture | None]:
    """Return the best score large, and everybody's as bars with intervals."""
    scores = {model: found.score(metric, found.datasets[0], model) for model in found.models}
    known = {m: s for m, s in scores.items() if s is not None and not isinf(s.mean)}
    if not known:
        return (), None
    sign = 1 if METRICS[metric].better == "lower" else -1
    order = sorted(known, key=lambda model: sign * known[model].mean)
    drawn = [Bar(model, known[model].mean, *t_interval(known[model])) for model in order]
    ends = {"best": order[0], "last": order[-1]}
    figures = tuple(
        Headline(f"{known[model].mean:.3f}", f"{metric_title(metric)} of {model}, the {which}")
        for which, model in ends.items()
    )
    caption = f"{metric_title(metric)}: means over the folds, best first, with 95% intervals."
    return figures, Picture(bars(drawn, metric.replace("_", " ")), caption)


def said_of(standing: Standing, metric: str) -> str:
    """Say who is ahead, and how sure that is.

    >>> said_of(Standing(("TAN",), ("KDB",), True), "f1")
    'By f1, TAN scores best; KDB is not told apart from it.'
    >>> said_of(Standing(("TAN", "KDB"), (), True), "f1")
    'By f1, TAN and KDB tie.'
    """
    if len(standing.best) > 1:
        said = f"By {metric}, {leaders(standing.best)} tie"
        rest = "; {} not told apart from them."
    else:
        verb = "is best" if standing.tested and not standing.level else "scores best"
        said = f"By {metric}, {standing.best[0]} {verb}"
        rest = "; {} not told apart from it."
    if standing.level:
        verb = "is" if len(standing.level) == 1 else "are"
        return said + rest.format(f"{leaders(standing.level)} {verb}")
    return f"{said}." if standing.tested else f"{said}, which is not tested."


def leaders(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> leaders(["A"]), leaders(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def score_entry(score: Score | None, metric: str, rivals: Sequence[Score | None]) -> Entry:
    """Return a mean and its spread, with a star where no rival's mean is better."""
    if score is None:
        return in_digits(None)
    best = _BEST[METRICS[metric].better]([other.mean for other in rivals if other is not None])
    under = "" if score.spread is None else f"± {score.spread:.4f}"
    return _marked(in_digits(score.mean, 4, under=under), "★" if score.mean == best else "")


def _standing(found: Comparison, metric: str) -> Standing | None:
    try:
        return found.standing(metric) if len(found.models) > 1 else None
    except DataError:  # nobody ranks by it, or nobody finished
        return None


def _matrix(
    found: Comparison, standings: dict[str, Standing | None], what: str, audience: Audience
) -> Grid:
    rows = []
    for model in found.models:
        row = [Entry(model)]
        for metric, standing in standings.items():
            score = found.score(metric, found.datasets[0], model)
            spread = None if score is None or what == "mean" else score.spread
            under = "" if spread is None else f"± {spread:.4f}"
            entry = in_digits(None if score is None else score.mean, 4, under=under)
            row.append(_marked(entry, _sign(standing, model)))
        rows.append(tuple(row))
    title = "Means over the folds" + (" and their spread" if what == "spread" else "")
    return Grid(title, ("model", *map(metric_title, standings)), tuple(rows), audience)


def _sign(standing: Standing | None, model: str) -> str:
    if standing is None:
        return ""
    return "★" if model in standing.best else "≈" if model in standing.level else ""


def _marked(entry: Entry, sign: str) -> Entry:
    tone: Tone = "good" if sign == "★" else entry.tone
    return replace(entry, text=f"{entry.text} {sign}".rstrip(), tone=tone)


def _legend(state: str) -> str:
    if state == "untested":
        return "★ the best mean; there is nothing to test it against, or there are too few folds."
    return (
        "★ the best mean, ≈ not told apart from it: corrected resampled t-tests over the folds, "
        f"false discovery rate {LEVEL:.0%} among the pairs of a metric."
    )


def _tests(found: Comparison) -> Iterator[tuple[Entry, ...]]:
    for metric in found.metrics:
        for pair in found.tests(metric) if METRICS[metric].better != "neither" else ():
            scores = [found.score(metric, found.datasets[0], m) for m in (pair.first, pair.second)]
            means = [score.mean for score in scores if score is not None]
            equal = pair.p_value == 1 and means[0] == means[1]
            differ = pair.adjusted <= LEVEL
            verdict = "a tie" if equal else "they differ" if differ else "not told apart"
            yield (
                Entry(metric),
                Entry(pair.first),
                Entry(pair.second),
                in_digits(means[0] - means[1]),
                in_digits(pair.p_value),
                in_digits(pair.adjusted),
                Entry(verdict, tone="good" if differ else "plain"),
            )
