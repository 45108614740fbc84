"""A page as one HTML file: no network, light and dark, for keyboards, screen readers and paper."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isinf

import jointbayes
from jointbayes.plots import as_svg
from jointbayes.report.assets import SCRIPT, STYLE
from jointbayes.report.page import (
    Block,
    Code,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
)

__all__ = ["as_html", "inline_svg"]

WIDE = 760.0  # pixels from which a drawing has a row of its own
ROWS_FOR_SEARCH = 8  # from which a table has a search field
TALL = 16  # rows beyond which a table scrolls within itself
BROAD = 5  # columns beyond which a table has a row of its own
LONG = 30  # letters from which a name may break
MANY = 4  # columns beyond which small print stands below, not behind
LARGEST = 1.3  # times its size that a drawing may grow
LEAST = 448.0  # pixels below which it does not shrink, but scrolls


def as_html(page: Page) -> str:
    """Return the page as a file that needs no other.

    >>> html = as_html(Page("A < B", "It is.", (("rows", "2"),), ()))
    >>> "<h1>A &lt; B</h1>" in html, "<dt>rows</dt><dd>2</dd>" in html
    (True, True)
    >>> any(word in html for word in ("http://", "https://", "src=", "@import"))
    False
    """
    facts = "".join(
        f"<div><dt>{escape(k)}</dt><dd>{_breaking(v)}</dd></div>" for k, v in page.facts
    )
    sections = page.parts_for("screen")
    names = [f"part-{i}" for i in range(len(sections))]
    links = "".join(
        f'<li><a href="#{name}">{escape(section.title)}</a></li>'
        for name, section in zip(names, sections, strict=True)
    )
    told = zip(sections, names, _halves(sections), strict=True)
    body = "".join(_section(section, name, kind) for section, name, kind in told)
    return (
        '<!DOCTYPE html>\n<html lang="en" class="no-script">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(page.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the results</a>\n'
        f'<header>\n<h1>{escape(page.title)}</h1>\n<p class="lead">{escape(page.lead)}</p>\n'
        f'{_hero(page)}<dl class="facts">{facts}</dl>\n</header>\n'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n<main id="main">\n{body}</main>\n'
        f"<footer>jointbayes {jointbayes.__version__}</footer>\n<script>{SCRIPT}</script>\n"
        "</body>\n</html>\n"
    )


def _hero(page: Page) -> str:
    """Return the large numbers, and beside them the first picture."""
    figures = "".join(map(_figure, page.figures))
    figures = f'<div class="figures">{figures}</div>' if figures else ""
    picture = "" if page.picture is None else _block(page.picture, "first-picture")
    kind = "hero pictured" if picture else "hero"
    return f'<div class="{kind}">{figures}{picture}</div>\n' if figures or picture else ""


def _figure(figure: Headline) -> str:
    return f"<p><b>{escape(figure.value)}</b> <span>{escape(figure.caption)}</span></p>"


def _halves(sections: Sequence[Section]) -> list[str]:
    """Say which sections stand side by side: those of one small picture, two by two."""
    kinds = [""] * len(sections)
    for i in range(1, len(sections)):
        pair = sections[i - 1 : i + 1]
        if not kinds[i - 1] and all(map(_is_small, pair)):
            kinds[i - 1] = kinds[i] = ' class="half"'
    return kinds


def _is_small(section: Section) -> bool:
    (*rest, last) = section.blocks or (Paragraph(""),)
    return not rest and isinstance(last, Picture) and last.drawing.width <= WIDE


def _section(section: Section, name: str, kind: str = "") -> str:
    blocks = "\n".join(_block(b, f"{name}-{i}") for i, b in enumerate(section.blocks))
    if not kind and len([b for b in section.blocks if not isinstance(b, Paragraph)]) < 2:
        kind = ' class="alone"'
    return (
        f'<section{kind} aria-labelledby="{name}">\n<h2 id="{name}">{escape(section.title)}</h2>\n'
        f"{blocks}\n</section>\n"
    )


def _block(block: Block, name: str) -> str:
    if isinstance(block, Paragraph):
        heading = f"<strong>{escape(block.heading)}</strong>" if block.kind else ""
        return f"<p>{heading}{escape(block.text)}</p>"
    if isinstance(block, Picture):
        caption = f"<figcaption>{escape(block.caption)}</figcaption>"
        kind = ' class="wide"' if block.drawing.width > WIDE else ""
        drawn = inline_svg(as_svg(block.drawing, name))
        if not kind:
            drawn = drawn.replace("<svg", f'<svg style="{_sizes(block.drawing.width)}"', 1)
        return (
            f'<figure{kind}><div class="drawing" role="group" tabindex="0" '
            f'aria-labelledby="{name}-title">{drawn}</div><p class="hint"></p>{caption}</figure>'
        )
    if isinstance(block, Code):
        return f'<pre tabindex="0">{escape(block.text)}</pre>'
    return _grid(block, name)


def _sizes(width: float) -> str:
    return f"max-width:{LARGEST * width:.0f}px;min-width:{min(width, LEAST):.0f}px"


def inline_svg(svg: str) -> str:
    """Leave out the name space, which HTML does not need and which looks like a link."""
    return svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)


def _grid(grid: Grid, name: str) -> str:
    kinds = [_kind(grid, j) for j in range(len(grid.columns))]
    head = "".join(
        f'<th scope="col" aria-sort="none"{kind}><button type="button">{escape(title)}'
        "</button></th>"
        for title, kind in zip(grid.columns, kinds, strict=True)
    )
    rows = "\n".join(
        "<tr>" + "".join(_field(e, j, kinds[j]) for j, e in enumerate(row)) + "</tr>"
        for row in grid.rows
    )
    count, broad, many = len(grid.rows), len(grid.columns) > BROAD, len(grid.columns) > MANY
    search = _search(grid, name) if count >= ROWS_FOR_SEARCH else ""
    tall = f"{count:,} rows: scroll within the table." if count > TALL else ""
    return (
        f'<div class="grid{" broad" if broad else ""}{" many" if many else ""}">{search}'
        f'<div class="scroll{" tall" if tall else ""}" role="group" '
        f'aria-labelledby="{name.rsplit("-", 1)[0]} {name}-caption" tabindex="0">'
        f'<table class="sortable" id="{name}"><caption id="{name}-caption"><span>'
        f"{escape(grid.title)}</span></caption><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
        f'<p class="hint">{tall}</p></div>'
    )


def _search(grid: Grid, name: str) -> str:
    count = len(grid.rows)
    return (
        f'<div class="search"><label for="{name}-search">Filter</label>'
        f'<input type="search" id="{name}-search" data-for="{name}" aria-describedby="{name}-told" '
        f'placeholder="words that a row holds"><span class="muted" id="{name}-told" '
        f'role="status">{count} of {count} rows</span></div>'
    )


def _kind(grid: Grid, column: int) -> str:
    orders = [row[column].order for row in grid.rows]
    numbers = all(isinstance(order, int | float | None) for order in orders)
    return ' class="number"' if numbers and any(o is not None for o in orders) else ""


def _field(entry: Entry, column: int, kind: str) -> str:
    tag, scope = ("th", ' scope="row"') if column == 0 else ("td", "")
    order = entry.order
    if order is None and not kind:
        order = entry.text
    if isinstance(order, float) and isinf(order):
        order = f"{'-' if order < 0 else ''}Infinity"  # as the script reads it
    key = "" if order is None else f' data-order="{escape(str(order))}"'
    text = escape(entry.text)
    if len(entry.text) > LONG:
        text = f'<span class="long">{_breaking(entry.text)}</span>'
    if entry.tone != "plain":
        text = f'<span class="{entry.tone}">{text}</span>'
    under = f"<small>{escape(entry.under)}</small>" if entry.under else ""
    return f"<{tag}{scope}{kind}{key}>{text}{under}</{tag}>"


def _breaking(text: str) -> str:
    """Return text that may break where names and paths have marks."""
    return escape(text).replace("_", "_<wbr>").replace("/", "/<wbr>")
