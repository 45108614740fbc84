"""The page of a comparison on several data sets: ranks with their tests, time, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from jointbayes.errors import DataError
from jointbayes.metrics import METRICS
from jointbayes.plots import rank_diagram, time_against_score
from jointbayes.report.comparing_one import (
    head_to_head,
    leaders,
    said_of,
    score_entry,
    scores_at_a_glance,
)
from jointbayes.report.metric_words import ARROWS, INFINITE_LOSS, metric_title
from jointbayes.report.page import (
    Audience,
    Block,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    in_digits,
)
from jointbayes.statistics import friedman, nemenyi, wilcoxon
from jointbayes.validation import Comparison

__all__ = ["page_of_comparison"]

FEWEST_SETS = 2  # from which ranks are drawn


def page_of_comparison(found: Comparison, metrics: Sequence[str] = ()) -> Page:
    """Lay out what ``compare`` found; a terminal shows ``metrics``, or else the first one.

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
    ('2 models on 2 data sets. By f1_macro, TAN ranks best.', 'Average ranks')
    """
    one = len(found.datasets) == 1
    sections = [] if not found.metrics else head_to_head(found) if one else _many(found, metrics)
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
    title = f"Comparison of {len(found.models)} model{'' if len(found.models) == 1 else 's'}"
    title += f" on {found.datasets[0]}" if one else ""
    return Page(title, _lead(found), facts, tuple(sections), *_first(found))


def _first(found: Comparison) -> tuple[tuple[Headline, ...], Picture | None]:
    """Return the large figures and the first picture: scores on one data set, ranks on several."""
    ranked = [name for name in found.metrics if METRICS[name].better != "neither"]
    if len(found.models) < 2 or not ranked:
        return (), None
    metric = ranked[0]
    if len(found.datasets) == 1:
        return scores_at_a_glance(found, metric)
    whole = len(_whole(found, metric))
    if whole < FEWEST_SETS:
        return (), None
    ranks = found.ranks(metric)
    best = min(ranks.values())
    leading = leaders([name for name, value in ranks.items() if value == best])
    figures = (
        Headline(f"{best:.2f}", f"average rank of {leading} by {metric_title(metric)}"),
        Headline(str(whole), "data sets that all models finished"),
    )
    drawing = rank_diagram(nemenyi(found.score_table(metric)), f"Average ranks by {metric}")
    return figures, Picture(drawing, f"{metric_title(metric)}: {_JOINED}")


_JOINED = "bars join models that Nemenyi's test does not tell apart; 1 is best."


def _lead(found: Comparison) -> str:
    sets = found.datasets[0] if len(found.datasets) == 1 else f"{len(found.datasets)} data sets"
    said = f"{len(found.models)} model{'' if len(found.models) == 1 else 's'} on {sets}."
    ranked = [name for name in found.metrics if METRICS[name].better != "neither"]
    if len(found.models) < 2 or not ranked:
        return said
    try:
        standing = found.standing(ranked[0])
    except DataError:
        return said
    if len(found.datasets) == 1:
        return said_of(standing, ranked[0])
    best = leaders(standing.best)
    verb = "ranks best" if len(standing.best) == 1 else "share the best rank"
    return f"{said} By {ranked[0]}, {best} {verb}."


def _many(found: Comparison, metrics: Sequence[str]) -> list[Section]:
    """Lay out data sets by models, a section for each metric."""
    shown = [name for name in metrics if name in found.metrics] or list(found.metrics[:1])
    others = [name for name in found.metrics if name not in shown]
    sections = _rank_table(found)
    for name in (*shown, *others):
        title = f"{name} {ARROWS[METRICS[name].better]}"
        readers: Audience = "all" if name in shown else "screen"
        sections.append(Section(title, _metric(found, name), readers))
    if others:
        said = Paragraph(f"{', '.join(others)} (--metric)")
        sections.append(Section("Also measured", (said,), "terminal"))
    return sections


def _rank_table(found: Comparison) -> list[Section]:
    """Sum all metrics up: the average rank of every model by each of them."""
    ranked = [name for name in found.metrics if _whole(found, name)]
    if len(found.models) < 2 or not ranked:
        return []
    ranks = {name: found.ranks(name) for name in ranked}
    rows = tuple(
        (Entry(model), *(_rank(ranks[name], model) for name in ranked)) for model in found.models
    )
    title = "Average ranks over the data sets that all models finished; 1 is best"
    grid = Grid(title, ("model", *map(metric_title, ranked)), rows, "screen")
    return [Section("Average ranks", (grid, replace(grid, audience="terminal").upright()))]


def _rank(ranks: dict[str, float], model: str) -> Entry:
    best = ranks[model] == min(ranks.values())
    entry = in_digits(ranks[model], 2, "good" if best else "plain")
    return replace(entry, text=f"{entry.text} ★") if best else entry


def _whole(found: Comparison, metric: str) -> list[str]:
    """Return the data sets that all models finished; none where no value is the better one."""
    if METRICS[metric].better == "neither":
        return []
    return [name for name, row in found.table(metric).items() if None not in row.values()]


def _metric(found: Comparison, metric: str) -> tuple[Block, ...]:
    rows = []
    for dataset in found.table(metric):
        scores = [found.score(metric, dataset, model) for model in found.models]
        rows.append((Entry(dataset), *(score_entry(score, metric, scores) for score in scores)))
    grid = Grid(f"{metric}: mean and spread over folds", ("data set", *found.models), tuple(rows))
    infinite = any("∞" in entry.text for row in rows for entry in row)
    said = [Paragraph(INFINITE_LOSS)] if infinite else []
    return grid, *said, *_ranks(found, metric)


def _ranks(found: Comparison, metric: str) -> list[Block]:
    whole = len(_whole(found, metric))
    if len(found.models) < 2 or whole < FEWEST_SETS:
        return []
    table = found.score_table(metric)
    drawing = rank_diagram(nemenyi(table), f"Average ranks by {metric}")
    ranks = ", ".join(f"{name} {value:.2f}" for name, value in found.ranks(metric).items())
    if len(found.models) > 2:
        test = friedman(table)
        said = (
            f"Friedman's test over {whole} data sets: χ² = {test.statistic:.3f} with "
            f"{test.degrees_of_freedom} degrees of freedom, p = {test.p_value:.3g}."
        )
    else:
        p = wilcoxon(table.values[:, 0], table.values[:, 1]).p_value
        said = f"Wilcoxon's signed ranks over {whole} data sets: p = {p:.3g}."
    caption = f"{_JOINED[0].upper()}{_JOINED[1:]} Average ranks: {ranks}. {said}"
    return [Picture(drawing, caption), Paragraph(f"Average ranks: {ranks}. {said}", "", "terminal")]


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
        (Entry(model), *(in_digits(value, 3) for value in seconds[model]), in_digits(scores[model]))
        for model in found.models
    )
    head = ("model", "fit, s", "predict, s", metric)
    grid = Grid("Means over all data sets and folds", head, rows)
    if not points:
        return (grid,)
    drawing = time_against_score(points, metric)
    return Picture(drawing, f"Seconds to fit and predict, and {metric_title(metric)}."), grid


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
    """Return what went wrong, each reason once with the fits it stopped."""
    told: dict[tuple[str, str, str], int] = {}
    for record in found.failures:
        key = record["dataset"], record["model"], record["error"]
        told[key] = told.get(key, 0) + 1
    rows = tuple(
        (Entry(dataset), Entry(model), in_digits(times, 0), Entry(error))
        for (dataset, model, error), times in told.items()
    )
    return Grid("Fits that failed", ("data set", "model", "fits", "why"), rows)
