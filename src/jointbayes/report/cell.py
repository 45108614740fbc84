"""A page as a cell of a notebook: its head, its first table and picture, no longer than a screen.

A cell shares its document with others, so that it brings no script, and its style keeps to itself.
"""

from __future__ import annotations

from hashlib import sha256
from html import escape

from jointbayes.plots import PALETTE, as_svg
from jointbayes.report.html import inline_svg
from jointbayes.report.page import Entry, Grid, Page, Paragraph, Picture

__all__ = ["as_cell"]

ROWS = 10
COLUMNS = 12
FACTS = 6
FACT_LENGTH = 120
PICTURE_HEIGHT = 320.0


def as_cell(page: Page) -> str:
    """Return the page as a fragment of HTML.

    >>> html = as_cell(Page("A < B", "It is.", (("rows", "2"),), ()))
    >>> "<strong>A &lt; B</strong>" in html, "<script" in html
    (True, False)
    """
    facts = "".join(f"<tr><th>{escape(k)}</th><td>{_short(v)}</td></tr>" for k, v in page.facts)
    blocks = [block for section in page.parts_for("screen") for block in section.blocks]
    grid = next((block for block in blocks if isinstance(block, Grid)), None)
    first = [] if page.picture is None else [page.picture]
    pictures = (*first, *(block for block in blocks if isinstance(block, Picture)))
    drawn = next((p for p in pictures if p.drawing.height <= PICTURE_HEIGHT), None)
    note = next((block for block in blocks if isinstance(block, Paragraph)), None)
    parts = [
        f"<div><strong>{escape(page.title)}</strong></div><div>{escape(page.lead)}</div>",
        f"<table>{facts}</table>" if len(page.facts) <= FACTS and facts else "",
        "" if grid is None else _grid(grid),
        "" if note is None else f"<div><small>{escape(note.text)}</small></div>",
        "" if drawn is None else inline_svg(as_svg(drawn.drawing, _name(page))),
    ]
    return f'<div class="jointbayes-cell"><style>{_STYLE}</style>{"".join(parts)}</div>'


def _name(page: Page) -> str:
    """Return a name that other cells of the document do not have."""
    return f"cell-{sha256(repr((page.title, page.lead, page.facts)).encode()).hexdigest()[:12]}"


def _short(value: str) -> str:
    return escape(value if len(value) <= FACT_LENGTH else f"{value[:FACT_LENGTH]}…")


def _grid(grid: Grid) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in grid.columns[:COLUMNS])
    rows = "".join(
        f"<tr>{''.join(_field(entry, j) for j, entry in enumerate(row[:COLUMNS]))}</tr>"
        for row in grid.rows[:ROWS]
    )
    beyond = {"rows": len(grid.rows) - ROWS, "columns": len(grid.columns) - COLUMNS}
    left = [f"{count:,} more {what}" for what, count in beyond.items() if count > 0]
    more = f"<div><small>… {' and '.join(left)}; to_html(path) writes all</small></div>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return table + (more if left else "")


def _field(entry: Entry, column: int) -> str:
    under = f"<br><small>{escape(entry.under)}</small>" if entry.under else ""
    tag = "th" if column == 0 else "td"
    weight = ' class="good"' if entry.tone == "good" else ""
    return f"<{tag}{weight}>{escape(entry.text)}{under}</{tag}>"


_COLOURS = "".join(f"--{role.replace(' ', '-')}:{value};" for role, value in PALETTE.items())
_STYLE = (
    f".jointbayes-cell{{{_COLOURS}}}"
    ".jointbayes-cell table{border-collapse:collapse;margin:.4em 0}"
    ".jointbayes-cell th,.jointbayes-cell td{padding:.15em .6em;text-align:left}"
    ".jointbayes-cell td{white-space:nowrap}.jointbayes-cell .good{font-weight:bold}"
    ".jointbayes-cell svg{max-width:100%;height:auto}"
)
