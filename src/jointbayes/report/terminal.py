"""Reports: a dictionary first, text second. Nothing is computed here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from jointbayes.datasets.describe import LabelCount, Summary

__all__ = ["as_json", "as_text", "show", "summary_page"]

_MOST = 5  # labels and pairs shown from either end
_BAR = 20


def as_json(report: dict[str, Any]) -> str:
    """Return a report as JSON.

    >>> print(as_json({"rows": 2, "cardinality": None}))
    {
      "rows": 2,
      "cardinality": null
    }
    """
    return json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False)


def as_text(page: RenderableType, width: int = 80) -> str:
    """Return a page as plain text.

    >>> print(as_text(Text("two rows")))
    two rows
    """
    text = StringIO()
    Console(file=text, width=width, color_system=None).print(page)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def show(page: RenderableType) -> None:
    """Print a page: in the terminal's width and colours, as plain text into a pipe."""
    console = Console(highlight=False)
    console.print(page) if console.is_terminal else console.out(as_text(page), highlight=False)


def summary_page(summary: Summary) -> RenderableType:
    """Lay out what ``describe`` found for the terminal."""
    blocks: list[RenderableType] = [_facts(summary), Text(), _labels(summary)]
    if summary.pairs:
        blocks += [Text(), _pairs(summary)]
    if summary.pairs is None:
        blocks += [Text(), Text("Pairs are not compared: the labels have too many values.")]
    return Group(*blocks)


def _facts(summary: Summary) -> RenderableType:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for key, value in _lines(summary):
        grid.add_row(key, Text(value))
    return Group(Text(summary.name, style="bold underline"), grid)


def _lines(s: Summary) -> Iterable[tuple[str, str]]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in s.features.items())
    kinds += f", {s.binary_features:,} of them only 0 and 1" if s.binary_features else ""
    sparse = "" if s.nonzero is None else f"; sparse, {s.nonzero:.2%} not zero"
    dropped = f" ({s.rows_dropped:,} with a missing label dropped)" if s.rows_dropped else ""
    missing = f"{s.missing_values:,} of {s.rows * sum(s.features.values()):,} values"
    yield "file", s.source
    yield "rows", f"{s.rows:,}{dropped}"
    yield "features", f"{sum(s.features.values()):,} ({kinds}{sparse})"
    yield "missing", missing if s.missing_values else "none"
    if s.identifiers:
        yield "left out", f"{', '.join(s.identifiers)} (only names the rows)"
    yield "task", s.task
    if s.task == "multi-class":
        ((name, classes),) = s.labels.items()
        yield "class", f"{name}, {classes:,} values"
    elif s.task == "multi-label":
        yield "labels", f"{len(s.labels):,}"
        yield "cardinality", f"{s.cardinality:.3f} labels a row (density {s.density:.3f})"
        empty = f"{s.rows_without_label:,} rows without a label"
        yield "label sets", f"{s.label_sets:,} distinct; {empty}"
    else:
        yield "labels", ", ".join(f"{name} ({k} values)" for name, k in s.labels.items())
        yield "label sets", f"{s.label_sets:,} distinct"
    if s.missing_labels:
        rows = f"{s.missing_labels:,} in {s.rows_with_missing_labels:,} rows"
        yield "no label", f"{rows}; models refuse them, missing_labels='drop' leaves them out"


def _labels(summary: Summary) -> RenderableType:
    counts = summary.counts
    what = {"multi-class": "class", "multi-label": "label"}.get(summary.task, "value")
    grid = Grid(box=None, pad_edge=False)
    grid.add_column(what, overflow="ellipsis")
    grid.add_column("rows", justify="right", no_wrap=True)
    grid.add_column("share", justify="right", no_wrap=True)
    grid.add_column("", no_wrap=True)
    several = len(counts) > 2 * _MOST
    shown: list[LabelCount | None] = list(counts)
    if several:
        shown = [*counts[:_MOST], None, *counts[-_MOST:]]
    for count in shown:
        if count is None:
            grid.add_row(f"… {len(counts) - 2 * _MOST:,} more", "", "", "")
            continue
        share = count.rows / max(summary.rows, 1)
        bar = "█" * round(_BAR * share)
        grid.add_row(Text(_title(count, summary)), f"{count.rows:,}", f"{share:.1%}", bar)
    title = "Commonest and rarest " if several else ""
    plural = "classes" if what == "class" else f"{what}s"
    return Group(Text(f"{title}{plural}".capitalize(), style="bold"), grid)


def _title(count: LabelCount, summary: Summary) -> str:
    if summary.task == "multi-label":
        return count.label
    return str(count.value) if summary.task == "multi-class" else f"{count.label} = {count.value}"


def _pairs(summary: Summary) -> RenderableType:
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("label", overflow="ellipsis")
    grid.add_column("and", overflow="ellipsis")
    grid.add_column("bits", justify="right", no_wrap=True)
    grid.add_column("", no_wrap=True)
    for pair in (summary.pairs or ())[:_MOST]:
        grid.add_row(Text(pair.first), Text(pair.second), f"{pair.bits:.3f}", pair.direction)
    return Group(Text("Strongest pairs of labels, by mutual information", style="bold"), grid)
