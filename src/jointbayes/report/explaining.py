"""The page of an explanation: for each label of a row, what spoke for the answer and what against.

The bars of a label add up to its log-odds, so those too small to be shown stand together as one.
Of many rows the page tells which features speak loudest on the whole, and sums every row up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jointbayes.estimator.explanation import Explanation
from jointbayes.plots import Bar, bars
from jointbayes.report.page import (
    Block,
    Entry,
    Grid,
    Page,
    Paragraph,
    Picture,
    Section,
    bar,
    in_digits,
)

__all__ = ["page_of_explanation", "page_of_rows", "reasons"]

NEGLIGIBLE = 1e-9
FEATURES_SHOWN = 10
ROWS_SHOWN = 200


def reasons(
    why: Explanation,
    row: int = 0,
    *,
    labels: Sequence[str] = (),
    values: Sequence[Any] = (),
    most: int = FEATURES_SHOWN,
) -> dict[str, Any]:
    """Return the explanation of one row as plain values, the largest contributions first.

    Parameters
    ----------
    why
        What ``explain`` returned.
    row
        Which of its rows.
    labels
        Names of the class variables.
    values
        What the row holds, feature by feature.
    most
        How many contributions to list.
    """
    answers = np.atleast_2d(why.answer[row])[0]
    count = len(answers)
    names = tuple(labels) or (("class",) if count == 1 else tuple(f"y{j}" for j in range(count)))
    parts = []
    contributions = why.contributions[row].reshape(count, -1)
    for j, name in enumerate(names):
        order = np.argsort(-np.abs(contributions[j]), kind="stable")[:most].tolist()
        told = (why.answer, why.runner_up, why.log_odds, why.base, why.remainder)
        answer, runner_up, odds, base, rest = (np.ravel(part[row])[j].item() for part in told)
        parts.append(
            {
                "label": name,
                "answer": answer,
                "runner_up": runner_up,
                "log_odds": odds,
                "base": base,
                "remainder": rest,
                "features": contributions.shape[1],
                "contributions": [
                    {
                        "feature": why.feature_names[i],
                        "value": _plain(values[i]) if len(values) else None,
                        "log_odds": float(contributions[j, i]),
                    }
                    for i in order
                ],
            }
        )
    return {"model": why.name, "row": row, "labels": parts}


def page_of_explanation(report: Mapping[str, Any]) -> Page:
    """Lay out the `reasons` of one row.

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


def page_of_rows(why: Explanation) -> Page:
    """Lay out the explanation of many rows: the loudest features, and every row in a line.

    >>> from jointbayes import NaiveBayes
    >>> X = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "x"]] * 3
    >>> page = page_of_rows(NaiveBayes().fit(X, [0, 0, 1, 1] * 3).explain(X))
    >>> page.title, page.lead
    ('What NaiveBayes goes by', 'Over 12 rows, x0 speaks loudest.')
    """
    if len(why) == 1:
        return page_of_explanation(reasons(why))
    width = len(why.feature_names)
    loud = np.abs(why.contributions).reshape(-1, width).mean(axis=0)
    order = np.argsort(-loud, kind="stable")[:FEATURES_SHOWN].tolist()
    drawn = [Bar(why.feature_names[i], float(loud[i])) for i in order]
    rows = tuple((Entry(one.name), in_digits(one.value, 3)) for one in drawn)
    facts = (("model", why.name), ("rows", f"{len(why):,}"), ("features", f"{width:,}"))
    said = "Mean size of what a feature adds to the log-odds of an answer, for or against it."
    loudest = (
        Paragraph(said),
        Picture(bars(drawn, "mean |log-odds|"), f"The {len(drawn)} loudest features."),
        Grid("Loudest features", ("feature", "mean |log-odds|"), rows),
    )
    every = Section("Rows", (_every_row(why),), "screen")
    lead = f"Over {len(why):,} rows, {drawn[0].name} speaks loudest."
    return Page(
        f"What {why.name} goes by", lead, facts, (Section("Loudest features", loudest), every)
    )


def _every_row(why: Explanation) -> Grid:
    rows = []
    for i in range(min(len(why), ROWS_SHOWN)):
        for part in reasons(why, i, most=1)["labels"]:
            top = part["contributions"][0]
            rows.append(
                (
                    Entry(str(i), i),
                    Entry(f"{part['label']} = {part['answer']}"),
                    Entry(str(part["runner_up"])),
                    in_digits(part["log_odds"], 3),
                    Entry(top["feature"]),
                    in_digits(top["log_odds"], 3),
                )
            )
    head = ("row", "answer", "against", "log-odds", "loudest feature", "its part")
    more = (
        f"The first {ROWS_SHOWN:,} of {len(why):,} rows" if len(why) > ROWS_SHOWN else "Every row"
    )
    return Grid(more, head, tuple(rows))


def _label(part: Mapping[str, Any]) -> Section:
    title = f"{part['label']} = {part['answer']}"
    said = (
        f"Against {part['runner_up']} by log-odds of {part['log_odds']:+.3f}, of which "
        f"{part['base']:+.3f} before any feature is seen"
    )
    if abs(part["remainder"]) > NEGLIGIBLE:
        said += f" and {part['remainder']:+.3f} that no feature can be given"
    caption = "What is right of zero speaks for the answer; all bars add up to the log-odds."
    named = [one for one in part["contributions"] if one["log_odds"]]
    head = ("feature", "value", "log-odds")
    rows = tuple(map(_row, part["contributions"]))
    blocks: list[Block] = [
        Paragraph(f"{said}."),
        Picture(bars(_bars(part), "log-odds"), caption),
        Grid("Features", head, rows, "screen"),
    ]
    if named:
        largest = max(abs(one["log_odds"]) for one in named)
        drawn = tuple((*_row(one), _signed(one["log_odds"] / largest)) for one in named)
        blocks.append(Grid("Features", (*head, ""), drawn, "terminal"))
    rest = part["features"] - len(part["contributions"])
    if rest and len(named) == len(part["contributions"]):
        left = f"{rest:,} that say less are left out (--most)."
        blocks.append(Paragraph(left, audience="terminal"))
    return Section(title, tuple(blocks))


def _row(one: Mapping[str, Any]) -> tuple[Entry, ...]:
    value = "–" if one["value"] is None else str(one["value"])
    odds = one["log_odds"]
    return Entry(one["feature"]), Entry(value), Entry(f"{odds:+.3f}", odds)


def _signed(share: float) -> Entry:
    return bar(abs(share), "good" if share > 0 else "bad")


def _bars(part: Mapping[str, Any]) -> list[Bar]:
    shown = [one for one in part["contributions"] if one["log_odds"]]
    named = [Bar(one["feature"], one["log_odds"]) for one in shown]
    total = part["base"] + part["remainder"] + sum(one.value for one in named)
    rest = Bar(f"{part['features'] - len(shown):,} others", part["log_odds"] - total)
    averaging = Bar("averaging", part["remainder"])
    last = [one for one in (rest, averaging) if abs(one.value) > NEGLIGIBLE]
    return [Bar("before any feature", part["base"]), *named, *last]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
