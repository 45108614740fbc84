"""Reports: one page as data; the terminal, HTML, Markdown and JSON show it.

What lays a page out, ``page_of_…``, is in the file of its verb (``describing``, ``evaluating``,
``comparing``, ``explaining``, ``reproducing``, ``leaderboard``), and `html.as_html` and
`markdown.as_markdown` in theirs: whoever prints a few lines does not pay for plots and tests.
"""

from jointbayes.report.page import (
    Code,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    in_digits,
)
from jointbayes.report.terminal import as_json, as_text, on_terminal, show

__all__ = [
    "Code",
    "Entry",
    "Grid",
    "Headline",
    "Page",
    "Paragraph",
    "Picture",
    "Section",
    "as_json",
    "as_text",
    "in_digits",
    "on_terminal",
    "show",
]
