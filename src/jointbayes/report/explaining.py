"""The page of an explanation: for each label of a row, what spoke for the answer and what against.

The bars of a label add up to its log-odds, so those too small to be shown stand together as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jointbayes.plots import Bar, bars
from jointbayes.report.page import Entry, Grid, Page, Paragraph, Picture, Section, number

__all__ = ["page_of_explanation"]

_SMALL = 1e-9


def page_of_explanation(report: Mapping[str, Any]) -> Page:
    """Lay out what ``explain`` found.

    >>> part = {
    ...     "label": "sad", "answer": 1, "runner_up": 0, "log_odds": 1.5, "base": -0.5,
    ...     "remainder": 0.0, "features": 3,
    ...     "contributions": [{"feature": "tempo", "value": "slow", "log_odds": 1.75}],
    ... }
    >>> page = page_of_explanation({"model": "TAN", "row": 7, "labels": [part]})
    >>> page.sections[0].title, page.sections[0].blocks[1].drawing.description
    ('sad = 1', 'log-odds: before any feature -0.500, tempo 1.750, 2 others 0.250.')
    """
    sections = tuple(_label(part) for part in report["labels"])
    facts = (("model", str(report["model"])), ("row", str(report["row"])))
    answers = ", ".join(f"{part['label']} = {part['answer']}" for part in report["labels"])
    return Page(f"Why row {report['row']} is answered so", f"{answers}.", facts, sections)


def _label(part: Mapping[str, Any]) -> Section:
    title = f"{part['label']} = {part['answer']}"
    said = f"Against {part['runner_up']} by log-odds of {part['log_odds']:+.3f}."
    drawing = bars(_bars(part), "log-odds")
    caption = "What is right of zero speaks for the answer; all bars add up to the log-odds."
    rows = tuple(
        (Entry(one["feature"]), Entry(str(one["value"])), number(one["log_odds"], 3))
        for one in part["contributions"]
    )
    table = Grid("Features", ("feature", "value", "log-odds"), rows)
    return Section(title, (Paragraph(said), Picture(drawing, caption), table))


def _bars(part: Mapping[str, Any]) -> list[Bar]:
    shown = [one for one in part["contributions"] if one["log_odds"]]
    named = [Bar(one["feature"], one["log_odds"]) for one in shown]
    total = part["base"] + part["remainder"] + sum(bar.value for bar in named)
    rest = Bar(f"{part['features'] - len(shown):,} others", part["log_odds"] - total)
    averaging = Bar("averaging", part["remainder"])
    last = [bar for bar in (rest, averaging) if abs(bar.value) > _SMALL]
    return [Bar("before any feature", part["base"]), *named, *last]
