"""Pages on the terminal, and results as JSON. Nothing is computed here."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any, Literal
from unicodedata import category

from rich.console import Console, Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from jointbayes.report.page import Block, Code, Entry, Grid, Page, Paragraph
from jointbayes.table.wording import escaped

__all__ = ["as_json", "as_text", "on_terminal", "plain", "show"]

WHOLE_NAME = 32  # letters up to which the first column is not broken


def as_json(report: dict[str, Any]) -> str:
    """Return a report as JSON.

    >>> print(as_json({"rows": 2, "cardinality": None}))
    {
      "rows": 2,
      "cardinality": null
    }
    """
    return escaped(json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False))


def as_text(page: Page, width: int = 80) -> str:
    """Return a page as plain text.

    >>> print(as_text(Page("Iris", "It works.", (("rows", "150"),), ())))
    Iris
    It works.
    rows  150
    """
    text = StringIO()
    Console(file=text, width=width, color_system=None).print(on_terminal(page))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def show(page: Page) -> None:
    """Print a page: in the terminal's width and colours, as plain text into a pipe."""
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(on_terminal(page))
    else:
        console.out(as_text(page), highlight=False)


def on_terminal(page: Page) -> RenderableType:
    """Lay out a page for the terminal: no pictures, and no tables that are too wide for it."""
    blocks: list[RenderableType] = [_head(page)]
    for section in page.parts_for("terminal"):
        shown = [b for b in map(_block, section.blocks) if b is not None]
        if shown:
            blocks += [Text(), plain(section.title, "bold"), *shown]
    return Group(*blocks)


def _block(block: Block) -> RenderableType | None:
    if isinstance(block, Paragraph):
        return plain(block.heading, "italic") + plain(block.text, "not italic")
    if isinstance(block, Code):
        return plain(block.text)
    if not isinstance(block, Grid):
        return None
    table = RichTable(box=None, pad_edge=False, header_style="dim")
    for j, name in enumerate(block.columns):
        numbers = all(isinstance(row[j].order, int | float | None) for row in block.rows)
        numbers = numbers and any(row[j].order is not None for row in block.rows)
        bars = any(row[j].text.startswith("█") for row in block.rows)
        side: Literal["left", "right"] = "right" if numbers and not bars else "left"
        short = max((len(row[j].text) for row in block.rows), default=0) <= WHOLE_NAME
        table.add_column(plain(name), justify=side, overflow="fold", no_wrap=j == 0 and short)
    for row in block.rows:
        table.add_row(*map(_field, row))
    return table


def _field(entry: Entry) -> Text:
    style = {"good": "green", "bad": "red", "muted": "dim"}.get(entry.tone, "")
    return plain(f"{entry.text}, {entry.under}" if entry.under else entry.text, style)


def _head(page: Page) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for key, value in page.facts:
        grid.add_row(plain(key), plain(value))
    return Group(plain(page.title, "bold underline"), plain(page.lead), grid)


def plain(text: str, style: str = "") -> Text:
    r"""Return words as they may reach a terminal: whatever would command it is a question mark.

    >>> plain("a\x1b[31mb\u202ec").plain
    'a?[31mb?c'
    """
    commands = (char != "\n" and category(char) in ("Cc", "Cf", "Cs", "Co") for char in text)
    safe = "".join("?" if odd else char for odd, char in zip(commands, text, strict=True))
    return Text(safe, style=style)
