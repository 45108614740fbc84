"""Reports."""
from jointbayes.report.terminal import as_json, as_text, show, summary_page

__all__ = ["as_json", "as_text", "show", "summary_page"]
