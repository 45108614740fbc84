"""The labels of one row that is explained: what is answered, how sure, and what is told in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jointbayes.plots import Bar, bars
from jointbayes.report.page import Block, Entry, Grid, Paragraph, Picture, in_digits

__all__ = ["every_label", "nearest_labels", "said_of_labels", "sureness"]

LABELS_TOLD = 12  # in full; of more, those that are nearest to being answered otherwise


def nearest_labels(parts: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the labels that are told in full, in their order."""
    if len(parts) <= LABELS_TOLD:
        return parts
    odds = [np.inf if part["log_odds"] is None else abs(part["log_odds"]) for part in parts]
    nearest = np.sort(np.argsort(odds, kind="stable")[:LABELS_TOLD])
    return [parts[j] for j in nearest]


def said_of_labels(parts: Sequence[Mapping[str, Any]]) -> str:
    """Say the answer; of many labels, those that are there."""
    told = [f"{part['label']} = {part['answer']}" for part in parts]
    if len(parts) > LABELS_TOLD:
        there = [
            one for one, part in zip(told, parts, strict=True) if part["answer"] not in (0, "0")
        ]
        rest = f"; the other {len(told) - len(there):,} are 0" if len(there) < len(told) else ""
        return f"{', '.join(there[:LABELS_TOLD]) or 'No label'}{_more(there)}{rest}."
    return f"{', '.join(told)}."


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - LABELS_TOLD:,} more" if len(names) > LABELS_TOLD else ""


def sureness(parts: Sequence[Mapping[str, Any]]) -> Picture:
    """Draw how probable the answers are."""
    drawn = [Bar(f"{part['label']} = {part['answer']}", part["marginal"]) for part in parts]
    return Picture(
        bars(drawn, "probability", span=(1.0,)), "How probable each answer is by itself."
    )


def every_label(parts: Sequence[Mapping[str, Any]], told: int) -> tuple[Block, ...]:
    """Return all labels in a table, of which ``told`` are explained further down."""
    rows = tuple(
        (
            Entry(part["label"]),
            Entry(str(part["answer"])),
            in_digits(part["marginal"], 3),
            Entry(str(part["runner_up"])),
            in_digits(part["log_odds"], 3),
            Entry(part["contributions"][0]["feature"] if part["contributions"] else "–"),
        )
        for part in parts
    )
    head = ("label", "answer", "P", "against", "log-odds", "loudest feature")
    grid = Grid("Answers and how sure they are", head, rows, "screen")
    if told == len(parts):
        return (grid,)
    said = f"Told in full are the {told} of {len(parts):,} labels that are nearest to a change."
    return grid, Paragraph(f"{said} --label names others.")
