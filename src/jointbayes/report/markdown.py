"""A page as Markdown, for documentation: tables as they are, pictures in words."""

from __future__ import annotations

from jointbayes.report.page import Block, Code, Entry, Grid, Page, Paragraph, Picture

__all__ = ["as_markdown"]


def as_markdown(page: Page) -> str:
    """Return the page as Markdown.

    >>> print(as_markdown(Page("Iris", "It works.", (("rows", "150"),), ())))
    # Iris
    <BLANKLINE>
    It works.
    <BLANKLINE>
    - rows: 150
    <BLANKLINE>
    """
    facts = "\n".join(f"- {key}: {value}" for key, value in page.facts)
    parts = [f"# {page.title}", page.lead, facts]
    parts += [page.picture.caption] if page.picture else []
    for section in page.parts_for("screen"):
        parts += [f"## {section.title}", *(_block(block) for block in section.blocks)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"*{block.heading.strip()}* {block.text}" if block.kind else block.text
    if isinstance(block, Picture):
        return block.caption
    if isinstance(block, Code):
        return f"```python\n{block.text}\n```"
    return _grid(block)


def _grid(grid: Grid) -> str:
    lines = [list(grid.columns), ["---"] * len(grid.columns)]
    lines += [[_field(entry) for entry in row] for row in grid.rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"**{grid.title}**\n\n{table}" if grid.title else table


def _field(entry: Entry) -> str:
    text = f"{entry.text} ({entry.under})" if entry.under else entry.text
    return text.replace("|", "\\|").replace("\n", " ")
