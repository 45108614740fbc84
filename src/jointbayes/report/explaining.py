"""The page of an explanation: for each label of a row, what spoke for the answer and what against.

The bars of a label add up to its log-odds, so those too small to be shown stand together as one.
Of many rows the page tells which features speak loudest on the whole, and sums every row up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from jointbayes.estimator.explanation import Explanation
from jointbayes.plots import Bar, bars
from jointbayes.report.page import (
    Block,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    Tone,
    in_digits,
)
from jointbayes.report.row_labels import every_label, nearest_labels, said_of_labels, sureness

__all__ = ["page_of_explanation", "page_of_rows", "reasons"]

NEGLIGIBLE = 1e-9
FEATURES_SHOWN = 10
ROWS_SHOWN = 200
SMALLEST = 0.0005  # probability that three digits show
BAR, LONGEST = 12, 24
"""Characters of a whole bar on a terminal, and of a value in a table."""

FIELDS = "answer runner_up log_odds base others remainder marginal runner_up_probability".split()
"""What is told of each label."""


def reasons(
    why: Explanation,
    row: int = 0,
    *,
    labels: Sequence[str] = (),
    most: int = FEATURES_SHOWN,
) -> dict[str, Any]:
    """Return the explanation of one row as plain values, the largest contributions first.

    Log-odds against what is impossible are None, and so is the remainder then.

    Parameters
    ----------
    why
        What ``explain`` returned.
    row
        Which of its rows.
    labels
        Names of the class variables, if others than those of the explanation.
    most
        How many contributions to list.
    """
    parts = []
    contributions = why.contributions[row].reshape(-1, len(why.feature_names))
    for j, name in enumerate(labels or why.label_names):
        order = np.argsort(-np.abs(contributions[j]), kind="stable")[:most].tolist()
        told = {field: np.ravel(getattr(why, field)[row])[j].item() for field in FIELDS}
        parts.append(
            {
                "label": name,
                **{field: _finite(value) for field, value in told.items()},
                "features": contributions.shape[1],
                "contributions": [
                    {
                        "feature": why.feature_names[i],
                        "value": _plain(why.values[row, i]),
                        "log_odds": float(contributions[j, i]),
                    }
                    for i in order
                ],
            }
        )
    probability = float(why.probability[row])
    return {"model": why.name, "row": row, "probability": probability, "labels": parts}


def page_of_explanation(report: Mapping[str, Any]) -> Page:
    """Lay out the `reasons` of one row.

    >>> part = {
    ...     "label": "sad", "answer": 1, "runner_up": 0, "log_odds": 1.5, "base": -0.5,
    ...     "others": 0.25, "remainder": 0.0, "marginal": 0.75, "runner_up_probability": 0.1,
    ...     "features": 3,
    ...     "contributions": [{"feature": "tempo", "value": "slow", "log_odds": 1.75}],
    ... }
    >>> page = page_of_explanation(
    ...     {"model": "CTBN", "row": 7, "probability": 0.5, "labels": [part]}
    ... )
    >>> page.lead
    'sad = 1.'
    >>> print(page.sections[0].blocks[1].drawing.description)
    log-odds: before any feature -0.750, the other labels 0.250, tempo = slow 1.750, 2 others 0.250.
    """
    told = nearest_labels(report["labels"])
    drawn = [_bars(part) for part in told]
    span = [one.value for each in drawn for one in each]  # one scale for all labels
    sections = tuple(_label(part, each, span) for part, each in zip(told, drawn, strict=True))
    if len(report["labels"]) > 1:
        sections = (Section("Every label", every_label(report["labels"], len(told))), *sections)
    facts = (
        ("model", str(report["model"])),
        ("row", str(report["row"])),
        ("P(answer)", f"{report['probability']:.3g}"),
    )
    sure = report["probability"]
    written = f"{sure:.3f}" if sure >= SMALLEST else f"{sure:.0e}"
    figures = (Headline(written, "probability of the answer as a whole"),)
    title = f"Why row {report['row']} is answered so"
    return Page(title, said_of_labels(report["labels"]), facts, sections, figures, sureness(told))


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
    loud = why.importance()
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
                    in_digits(part["marginal"], 3),
                    in_digits(part["log_odds"], 3),
                    Entry(top["feature"]),
                    in_digits(top["log_odds"], 3),
                )
            )
    head = ("row", "answer", "against", "P", "log-odds", "loudest feature", "its part")
    more = (
        f"The first {ROWS_SHOWN:,} of {len(why):,} rows" if len(why) > ROWS_SHOWN else "Every row"
    )
    return Grid(more, head, tuple(rows))


def _label(part: Mapping[str, Any], drawn: Sequence[Bar], span: Sequence[float]) -> Section:
    title = f"{part['label']} = {part['answer']}"
    caption = (
        "What is right of zero speaks for the answer, what is left of it against; all bars add up "
        "to the log-odds."
    )
    named = [one for one in part["contributions"] if one["log_odds"]]
    blocks: list[Block] = [
        Paragraph(_said(part)),
        Picture(bars(drawn, "log-odds", span=span), caption),
    ]
    if named:
        head, rows = ("feature", "value", "log-odds"), tuple(map(_row, named))
        largest = max(map(abs, span))
        signed = tuple((*_row(one), _signed(one["log_odds"] / largest)) for one in named)
        blocks += [
            Grid("Features", head, rows, "screen"),
            Grid("Features", (*head, "against − or for +"), signed, "terminal"),
        ]
    rest = part["features"] - len(part["contributions"])
    if rest and len(named) == len(part["contributions"]):
        left = f"{rest:,} that say less are left out (--most)."
        blocks.append(Paragraph(left, audience="terminal"))
    return Section(title, tuple(blocks))


def _said(part: Mapping[str, Any]) -> str:
    """Say how probable the answer is, and what its log-odds are made of apart from features."""
    sure = f"P({part['label']} = {part['answer']}) = {part['marginal']:.3f}"
    if part["log_odds"] is None:
        return f"{sure}. With all else as it is, {part['runner_up']} is impossible."
    said = (
        f"{sure}. Against {part['runner_up']} by log-odds of {part['log_odds']:+.3f}, of which "
        f"{part['base'] - part['others']:+.3f} before any feature is seen"
    )
    further = [
        f"{value:+.3f} {whose}"
        for value, whose in (
            (part["others"], "by the other labels"),
            (part["remainder"], "that no feature can be given"),
        )
        if abs(value) > NEGLIGIBLE
    ]
    *first, last = said, *further
    return f"{', '.join(first)} and {last}." if first else f"{last}."


def _row(one: Mapping[str, Any]) -> tuple[Entry, ...]:
    odds = one["log_odds"]
    tone: Tone = "good" if odds > 0 else "bad"
    return Entry(one["feature"]), Entry(_written(one["value"])), Entry(f"{odds:+.3f}", odds, tone)


def _signed(share: float) -> Entry:
    """Return a bar whose sign and filling tell what speaks for the answer and what against."""
    size = round(BAR * abs(share))
    return (
        Entry(f"+ {'█' * size}", tone="good") if share > 0 else Entry(f"− {'░' * size}", tone="bad")
    )


def _bars(part: Mapping[str, Any]) -> list[Bar]:
    shown = [one for one in part["contributions"] if one["log_odds"]]
    named = [Bar(f"{one['feature']} = {_written(one['value'])}", one["log_odds"]) for one in shown]
    first = Bar("before any feature", part["base"] - part["others"])
    others = Bar("the other labels", part["others"])
    last = []
    if part["log_odds"] is not None:
        total = part["base"] + part["remainder"] + sum(one.value for one in named)
        last.append(Bar(f"{part['features'] - len(shown):,} others", part["log_odds"] - total))
        last.append(Bar("no single feature", part["remainder"]))
    loud = [one for one in (others, *named, *last) if abs(one.value) > NEGLIGIBLE]
    return [first, *loud]


def _written(value: Any) -> str:
    """Return a value as a reader wants it: short.

    >>> _written(0.1 + 0.2), _written(None), _written("a rather long text, longer than a table")
    ('0.3', 'missing', 'a rather long text, lon…')
    """
    if value is None:
        return "missing"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def _plain(value: Any) -> Any:
    """Return a value of a row as JSON can hold it."""
    plain = _finite(value.item() if hasattr(value, "item") else value)
    return plain if plain is None or isinstance(plain, bool | int | float | str) else str(plain)
