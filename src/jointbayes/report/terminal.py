"""Reports as JSON and on the terminal. Nothing is computed here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from jointbayes.datasets.describe import LabelCount, Summary
from jointbayes.report.page import Block, Entry, Grid, Page, Paragraph

__all__ = ["as_json", "as_text", "facts_of", "on_terminal", "show", "summary_page", "title_of"]

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
    blocks: list[RenderableType] = [
        _headed(summary.name, (), facts_of(summary)),
        Text(),
        _labels(summary),
    ]
    if summary.pairs:
        blocks += [Text(), _pairs(summary)]
    if summary.pairs is None:
        blocks += [Text(), Text("Pairs are not compared: the labels have too many values.")]
    return Group(*blocks)


def on_terminal(page: Page) -> RenderableType:
    """Lay out a page for the terminal: no pictures, and no tables that are too wide for it.

    >>> print(as_text(on_terminal(Page("Iris", "It works.", (("rows", "150"),), ()))))
    Iris
    It works.
    rows  150
    """
    blocks: list[RenderableType] = [_headed(page.title, [page.lead], page.facts)]
    for section in page.sections:
        shown = [b for b in map(_block, section.blocks) if b is not None]
        if shown:
            blocks += [Text(), Text(section.title, style="bold"), *shown]
    return Group(*blocks)


def _block(block: Block) -> RenderableType | None:
    if isinstance(block, Paragraph):
        return Text(block.heading, style="italic") + Text(block.text, style="not italic")
    if not isinstance(block, Grid) or block.audience == "screen":
        return None
    table = RichTable(box=None, pad_edge=False)
    for j, name in enumerate(block.columns):
        numbers = all(isinstance(row[j].order, int | float | None) for row in block.rows)
        numbers = numbers and any(row[j].order is not None for row in block.rows)
        table.add_column(name, justify="right" if numbers else "left")
    for row in block.rows:
        table.add_row(*map(_field, row))
    return table


def _field(entry: Entry) -> Text:
    style = {"good": "green", "bad": "red", "muted": "dim"}.get(entry.tone, "")
    return Text(f"{entry.text}, {entry.under}" if entry.under else entry.text, style=style)


def _headed(title: str, lead: Iterable[str], facts: Iterable[tuple[str, str]]) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for key, value in facts:
        grid.add_row(key, Text(value))
    return Group(Text(title, style="bold underline"), *(Text(line) for line in lead), grid)


def facts_of(s: Summary) -> Iterable[tuple[str, str]]:
    """Yield what ``describe`` found, by name."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in s.features.items())
    kinds += f", {s.binary_features:,} of them only 0 and 1" if s.binary_features else ""
    sparse = "" if s.nonzero is None else f"; sparse, {s.nonzero:.2%} not zero"
    dropped = f" ({s.rows_dropped:,} with a missing label dropped)" if s.rows_dropped else ""
    missing = f"{s.missing_values:,} of {s.rows * sum(s.features.values()):,} values"
    if s.source:
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
    grid = RichTable(box=None, pad_edge=False)
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
        grid.add_row(Text(title_of(count, summary)), f"{count.rows:,}", f"{share:.1%}", bar)
    title = "Commonest and rarest " if several else ""
    plural = "classes" if what == "class" else f"{what}s"
    return Group(Text(f"{title}{plural}".capitalize(), style="bold"), grid)


def title_of(count: LabelCount, summary: Summary) -> str:
    """Return what to call a label, a class, or a value of a label."""
    if summary.task == "multi-label":
        return count.label
    return str(count.value) if summary.task == "multi-class" else f"{count.label} = {count.value}"


def _pairs(summary: Summary) -> RenderableType:
    grid = RichTable(box=None, pad_edge=False)
    grid.add_column("label", overflow="ellipsis")
    grid.add_column("and", overflow="ellipsis")
    grid.add_column("bits", justify="right", no_wrap=True)
    grid.add_column("", no_wrap=True)
    for pair in (summary.pairs or ())[:_MOST]:
        grid.add_row(Text(pair.first), Text(pair.second), f"{pair.bits:.3f}", pair.direction)
    return Group(Text("Strongest pairs of labels, by mutual information", style="bold"), grid)
