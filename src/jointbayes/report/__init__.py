"""Reports: one page as data; the terminal, HTML, Markdown and JSON show it."""

from jointbayes.report.describing import description_page
from jointbayes.report.html import as_html
from jointbayes.report.markdown import as_markdown
from jointbayes.report.page import Entry, Grid, Page, Paragraph, Picture, Section, number
from jointbayes.report.reproducing import reproduction_page
from jointbayes.report.terminal import as_json, as_text, on_terminal, show, summary_page

__all__ = [
    "Entry",
    "Grid",
    "Page",
    "Paragraph",
    "Picture",
    "Section",
    "as_html",
    "as_json",
    "as_markdown",
    "as_text",
    "description_page",
    "number",
    "on_terminal",
    "reproduction_page",
    "show",
    "summary_page",
]
