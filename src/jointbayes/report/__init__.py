"""Reports: one page as data; the terminal, HTML, Markdown and JSON show it."""

from jointbayes.report.comparing import page_of_comparison
from jointbayes.report.describing import page_of_summary
from jointbayes.report.evaluating import page_of_scores
from jointbayes.report.html import as_html
from jointbayes.report.markdown import as_markdown
from jointbayes.report.page import Entry, Grid, Page, Paragraph, Picture, Section, number
from jointbayes.report.reproducing import page_of_reproduction
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
    "number",
    "on_terminal",
    "page_of_comparison",
    "page_of_reproduction",
    "page_of_scores",
    "page_of_summary",
    "show",
    "summary_page",
]
