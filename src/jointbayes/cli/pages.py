"""What the verbs print on a terminal, laid out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isinf
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from jointbayes.errors import JointBayesError
from jointbayes.metrics import METRICS
from jointbayes.statistics import friedman, wilcoxon
from jointbayes.validation import Comparison, Score, Scores

__all__ = ["comparison_page", "explanation_page", "scores_page"]

_BAR = 20
_WITH_SPREAD = 4  # columns of means with their spread that fit a terminal
_ARROW = {"higher": "↑", "lower": "↓", "neither": "·"}


def scores_page(scores: Scores, dataset: str) -> RenderableType:
    """Lay out the scores of one model."""
    plural = "fold" if len(scores.folds) == 1 else "folds"
    title = Text(f"{scores.model} on {dataset}, {len(scores.folds)} {plural}", style="bold")
    grid = _grid(["metric", "", "mean", "spread", "least", "most"])
    for name, score in scores.items():
        grid.add_row(name, _ARROW[METRICS[name].better], *_row(score))
    for name, score in (
        ("fit seconds", scores.fit_seconds),
        ("predict seconds", scores.predict_seconds),
    ):
        grid.add_row(name, "↓", *_row(score), style="dim")
    blocks: list[RenderableType] = [title, grid]
    if any(isinf(score.mean) for score in scores.values()):
        blocks.append(Text("An infinite loss: some true label had probability 0.", "dim"))
    if scores.peak_bytes is not None:
        blocks.append(Text(f"Memory at its peak: {scores.peak_bytes / 1e6:,.1f} MB more", "dim"))
    return Group(*blocks)


def comparison_page(found: Comparison, metrics: Sequence[str] | None) -> RenderableType:
    """Lay out a comparison: all metrics of one data set, or data sets by models."""
    blocks: list[RenderableType] = []
    if found.metrics and len(found.datasets) == 1:
        blocks.append(_by_model(found, found.datasets[0]))
    elif found.metrics:
        shown = [name for name in (metrics or found.metrics[:1]) if name in found.metrics]
        for name in shown:
            blocks += [_by_dataset(found, name), Text()]
        others = [name for name in found.metrics if name not in shown]
        if others:
            blocks.append(Text(f"Also measured: {', '.join(others)} (--metric)", style="dim"))
    told: dict[tuple[str, str, str], int] = {}
    for record in found.failures:
        key = record["model"], record["dataset"], record["error"]
        told[key] = told.get(key, 0) + 1
    if told:
        blocks += [Text(), Text("Failed", style="bold")]
    for (model, dataset, error), times in told.items():
        blocks.append(Text(f"{model} on {dataset} ({times}×): {error}"))
    return Group(*blocks)


def explanation_page(report: Mapping[str, Any]) -> RenderableType:
    """Lay out the explanation of one row, label by label."""
    blocks: list[RenderableType] = []
    for part in report["labels"]:
        blocks += [*_why(part, report["row"]), Text()]
    return Group(*blocks[:-1])


def _why(part: Mapping[str, Any], row: int) -> Iterator[RenderableType]:
    yield Text(f"Row {row}: {part['label']} = {part['answer']}", style="bold")
    odds = (
        f"against {part['runner_up']} by log-odds of {part['log_odds']:+.3f}, of which "
        f"{part['base']:+.3f} before any feature is seen"
    )
    if abs(part["remainder"]) > 1e-9:
        odds += f" and {part['remainder']:+.3f} from averaging, which no feature can be given"
    yield Text(odds)
    grid = _grid(["feature", "value", "log-odds", ""], left=(0, 1, 3))
    shown = [one for one in part["contributions"] if one["log_odds"]]
    largest = max((abs(one["log_odds"]) for one in shown), default=1.0)
    for one in shown:
        bar = "█" * round(_BAR * abs(one["log_odds"]) / largest)
        style = "green" if one["log_odds"] > 0 else "red"
        value = Text(str(one["value"]))
        grid.add_row(Text(one["feature"]), value, f"{one['log_odds']:+.3f}", Text(bar, style))
    if shown:
        yield grid
    rest = part["features"] - len(part["contributions"])
    if rest and len(shown) == len(part["contributions"]):
        yield Text(f"{rest:,} that say less are left out (--most)", style="dim")


def _by_model(found: Comparison, dataset: str) -> RenderableType:
    grid = _grid(["model", *(_title(name) for name in found.metrics)])
    brief = _brief if len(found.metrics) <= _WITH_SPREAD else _mean
    for model in found.models:
        scores = [found.score(name, dataset, model) for name in found.metrics]
        grid.add_row(Text(model), *(brief(score) for score in scores))
    return Group(Text(dataset, style="bold"), grid)


def _by_dataset(found: Comparison, metric: str) -> RenderableType:
    grid = _grid(["data set", *found.models])
    for dataset in found.table(metric):
        scores = [found.score(metric, dataset, model) for model in found.models]
        grid.add_row(Text(dataset), *(_brief(score) for score in scores))
    blocks: list[RenderableType] = [
        Text(f"{metric} {_ARROW[METRICS[metric].better]}", "bold"),
        grid,
    ]
    try:
        ranks = found.ranks(metric)
    except JointBayesError as error:
        return Group(*blocks, Text(str(error), style="dim"))
    grid.add_section()
    grid.add_row("average rank", *(f"{ranks[model]:.2f}" for model in found.models))
    return Group(*blocks, Text(_test(found, metric), style="dim"))


def _test(found: Comparison, metric: str) -> str:
    table = found.score_table(metric)
    n = len(table.values)
    if len(table.names) == 2:
        p = wilcoxon(table.values[:, 0], table.values[:, 1]).p_value
        return f"Wilcoxon's signed ranks over {n} data sets: p = {p:.3g}"
    test = friedman(table)
    return f"Friedman over {n} data sets: χ² = {test.statistic:.3f}, p = {test.p_value:.3g}"


def _grid(titles: Sequence[str], left: Sequence[int] = (0,)) -> Grid:
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for j, title in enumerate(titles):
        side: Literal["left", "right"] = "left" if j in left else "right"
        grid.add_column(Text(title), justify=side, overflow="fold", no_wrap=j == 0)
    return grid


def _title(metric: str) -> str:
    return f"{metric.replace('_', ' ')} {_ARROW[METRICS[metric].better]}"


def _row(score: Score) -> list[str]:
    spread = "" if score.spread is None else f"{score.spread:.4f}"
    return [f"{score.mean:.4f}", spread, f"{min(score.folds):.4f}", f"{max(score.folds):.4f}"]


def _brief(score: Score | None) -> str:
    if score is None:
        return "—"
    return f"{score.mean:.4f}" + ("" if score.spread is None else f" ±{score.spread:.3f}")


def _mean(score: Score | None) -> str:
    return "—" if score is None else f"{score.mean:.4f}"
