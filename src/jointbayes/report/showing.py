"""What any result looks like: as a page, as a cell of a notebook, as a file."""

from __future__ import annotations

import os
from functools import singledispatch
from typing import Any

from jointbayes.auditing import Audit
from jointbayes.description import Summary
from jointbayes.errors import DataError
from jointbayes.estimator.explanation import Explanation
from jointbayes.models.wrappers.label_sets import LabelSets
from jointbayes.report.auditing import page_of_audit
from jointbayes.report.cell import as_cell
from jointbayes.report.comparing import page_of_comparison
from jointbayes.report.covering import page_of_sets
from jointbayes.report.describing import page_of_summary
from jointbayes.report.evaluating import page_of_scores
from jointbayes.report.explaining import page_of_rows
from jointbayes.report.html import as_html
from jointbayes.report.leaderboard import page_of_tryout
from jointbayes.report.page import Page
from jointbayes.report.reproducing import page_of_reproduction
from jointbayes.reproduction import Reproduction
from jointbayes.storage import replacing
from jointbayes.trying import Tryout
from jointbayes.validation import Comparison, Scores

__all__ = ["cell_of", "page_of", "write_page"]


@singledispatch
def page_of(result: Any) -> Page:
    """Lay out what a verb returned.

    >>> from jointbayes import describe
    >>> page_of(describe([[1.0], [2.0]], ["a", "b"])).title
    'data'
    """
    raise DataError(
        f"a {type(result).__name__} has no page; what describe, evaluate, compare, explain, "
        "audit, reproduce, try_models and predict_sets return has one"
    )


page_of.register(Page, lambda page: page)
page_of.register(Summary, page_of_summary)
page_of.register(Audit, page_of_audit)
page_of.register(LabelSets, page_of_sets)
page_of.register(Scores, page_of_scores)
page_of.register(Comparison, page_of_comparison)
page_of.register(Explanation, page_of_rows)
page_of.register(Reproduction, page_of_reproduction)
page_of.register(Tryout, page_of_tryout)


def cell_of(result: Any) -> str:
    """Return a result as HTML for a cell of a notebook, no longer than a screen."""
    return as_cell(page_of(result))


def write_page(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a result as one HTML file, there as a whole or not at all."""
    with replacing(path) as file:
        file.write(as_html(page_of(result)).encode())
