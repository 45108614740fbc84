"""The page of a comparison: who is best on what, ranks with their tests, time, and what failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite, nan

from jointbayes.metrics import METRICS
from jointbayes.plots import critical_difference, time_against_score
from jointbayes.report.page import (
    Block,
    Entry,
    Grid,
    Page,
    Paragraph,
    Picture,
    Section,
    Tone,
    number,
)
from jointbayes.statistics import friedman, nemenyi
from jointbayes.validation import Comparison, Score

__all__ = ["page_of_comparison"]

_FEWEST = 2  # data sets from which ranks are drawn
_BEST: dict[str, Callable[[list[float]], float]] = {
    "higher": max,
    "lower": min,
    "neither": lambda _: nan,
}


def page_of_comparison(found: Comparison) -> Page:
    """Lay out what ``compare`` found.

    >>> rows = [("iris", "TAN", 0.9), ("iris", "NB", 0.8), ("zoo", "TAN", 0.7), ("zoo", "NB", 0.6)]
    >>> records = tuple(
    ...     {"dataset": d, "model": m, "fold": 0, "error": None, "f1_macro": v, "fit_seconds": 0.1,
    ...      "predict_seconds": 0.1}
    ...     for d, m, v in rows
    ... )
    >>> page = page_of_comparison(
    ...     Comparison(("TAN", "NB"), ("iris", "zoo"), ("f1_macro",), records)
    ... )
    >>> page.lead, page.sections[0].title
    ('2 models on 2 data sets. By f1_macro, TAN ranks best.', 'f1_macro (higher is better)')
    """
    sections = [Section(_heading(name), _metric(found, name)) for name in found.metrics]
    if found.metrics:
        sections.append(Section("Time", _time(found)))
    if found.failures:
        sections.append(Section("What failed", (_failures(found),)))
    folds = {record["fold"] for record in found.records if record["fold"] is not None}
    facts = (
        ("models", ", ".join(found.models)),
        ("data sets", ", ".join(found.datasets)),
        ("folds", str(len(folds))),
        ("failed", f"{len(found.failures)} of {len(found.records)} fits"),
    )
    title = f"Comparison of {len(found.models)} models"
    return Page(title, _lead(found), facts, tuple(sections))


def _lead(found: Comparison) -> str:
    said = f"{len(found.models)} models on {len(found.datasets)} data sets."
    whole = _whole(found, found.metrics[0]) if found.metrics else []
    if len(found.models) < 2 or not whole:
        return said
    best = next(iter(found.ranks(found.metrics[0])))
    return f"{said} By {found.metrics[0]}, {best} ranks best."


def _heading(metric: str) -> str:
    return f"{metric} ({METRICS[metric].better} is better)"


def _whole(found: Comparison, metric: str) -> list[str]:
    """Return the data sets that all models finished; none where no value is the better one."""
    if METRICS[metric].better == "neither":
        return []
    return [name for name, row in found.table(metric).items() if None not in row.values()]


def _metric(found: Comparison, metric: str) -> tuple[Block, ...]:
    rows = []
    for dataset in found.table(metric):
        scores = [found.score(metric, dataset, model) for model in found.models]
        means = [score.mean for score in scores if score is not None]
        best = _BEST[METRICS[metric].better](means)
        rows.append((Entry(dataset), *(_score(score, best) for score in scores)))
    title = f"{metric}: mean and spread over folds"
    return Grid(title, ("data set", *found.models), tuple(rows)), *_ranks(found, metric)


def _score(score: Score | None, best: float) -> Entry:
    if score is None:
        return number(None)
    tone: Tone = "good" if score.mean == best else "plain"
    under = "" if score.spread is None else f"± {score.spread:.4f}"
    entry = number(score.mean, 4, tone, under)
    return replace(entry, text=f"{entry.text} ★") if tone == "good" else entry


def _ranks(found: Comparison, metric: str) -> list[Block]:
    if len(found.models) < 2 or len(_whole(found, metric)) < _FEWEST:
        return []
    table = found.score_table(metric)
    drawing = critical_difference(nemenyi(table), f"Average ranks by {metric}")
    blocks: list[Block] = [Picture(drawing, drawing.description)]
    if len(found.models) > 2:
        test = friedman(table)
        blocks.append(
            Paragraph(
                f"Friedman's test: χ² = {test.statistic:.3f} with {test.degrees_of_freedom} degrees"
                f" of freedom, p = {test.p_value:.3g}."
            )
        )
    return blocks


def _time(found: Comparison) -> tuple[Block, ...]:
    metric = found.metrics[0]
    seconds = {model: _seconds(found, model) for model in found.models}
    scores = {model: _mean(found, metric, model) for model in found.models}
    points = {
        model: (sum(seconds[model]), score)
        for model, score in scores.items()
        if score is not None and isfinite(score)
    }
    rows = tuple(
        (Entry(model), *(number(value, 3) for value in seconds[model]), number(scores[model]))
        for model in found.models
    )
    head = ("model", "fit, seconds", "predict, seconds", metric)
    grid = Grid("Means over all data sets and folds", head, rows)
    if not points:
        return (grid,)
    drawing = time_against_score(points, metric)
    return Picture(drawing, drawing.description), grid


def _seconds(found: Comparison, model: str) -> tuple[float, float]:
    rows = [r for r in found.records if r["model"] == model and r["error"] is None]
    count = max(len(rows), 1)
    fit, predict = (
        sum(row[part] or 0.0 for row in rows) / count for part in ("fit_seconds", "predict_seconds")
    )
    return fit, predict


def _mean(found: Comparison, metric: str, model: str) -> float | None:
    """Return the mean over the data sets that all models finished."""
    values = [row[model] for name, row in found.table(metric).items()]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _failures(found: Comparison) -> Grid:
    rows = tuple(
        (
            Entry(record["dataset"]),
            Entry(record["model"]),
            Entry("all" if record["fold"] is None else str(record["fold"])),
            Entry(record["error"]),
        )
        for record in found.failures
    )
    return Grid("Fits that failed", ("data set", "model", "fold", "why"), rows)
