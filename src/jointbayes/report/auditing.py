"""The page of an audit: the entries and the rows that a model found improbable."""

from __future__ import annotations

from typing import Any

from jointbayes.auditing import Audit
from jointbayes.report.page import Entry, Grid, Page, Paragraph, Section, in_digits

__all__ = ["page_of_audit"]

SHOWN = 200
ON_TERMINAL = 20


def page_of_audit(audit: Audit, most: int = ON_TERMINAL) -> Page:
    """Lay out what ``audit`` found: ``most`` entries and rows on a terminal, more on a page.

    >>> import numpy as np
    >>> from jointbayes import audit
    >>> y = np.arange(40) % 2
    >>> found = audit("BinaryRelevance", y[:, None] * 1.0, np.stack([y, y], axis=1), cv=2)
    >>> page_of_audit(found).lead
    'None of 80 entries is less probable than another value would be.'
    """
    odd = int((audit.entries["log_odds"] > 0).sum())
    rest = f"of {len(audit.entries):,} entries"
    lead = (
        f"{odd:,} {rest} {'is' if odd == 1 else 'are'} less probable than another value would be."
        if odd
        else f"None {rest} is less probable than another value would be."
    )
    suspicious = _suspicious(audit.entries)
    whole = _suspicious(audit.rows)
    head = ("row", "label", "found", "expected", "log odds")
    said = (
        "Log odds of the best other value against the one found, by a model that has not learned "
        "from the row, half given the row alone and half given its other labels too, some of which "
        "may be wrong. Above 0 the other is the likelier."
    )
    entries = tuple(
        (
            Entry(str(r["row"]), float(r["row"])),
            Entry(r["label"]),
            Entry(str(r["found"])),
            Entry(str(r["expected"])),
            in_digits(float(r["log_odds"]), 2),
        )
        for r in suspicious
    )
    vectors = tuple(
        (
            Entry(str(r["row"]), float(r["row"])),
            Entry(_vector(r["found"])),
            Entry(_vector(r["expected"])),
            in_digits(float(r["log_odds"]), 2),
        )
        for r in whole
    )
    sections = [
        Section("Entries", (Paragraph(said), *_grids(head, entries, most))),
        Section(
            "Rows",
            (
                Paragraph("Whole label vectors, against the most probable one."),
                *_grids(("row", "found", "expected", "log odds"), vectors, most),
            ),
        ),
    ]
    return Page("Audit", lead, (("rows", f"{len(audit.rows):,}"),), tuple(sections))


def _suspicious(records: Any) -> Any:
    """Return the first records, those alone of which another answer is likelier."""
    return records[records["log_odds"] > 0][:SHOWN]


def _grids(
    head: tuple[str, ...], rows: tuple[tuple[Entry, ...], ...], most: int
) -> tuple[Grid, Grid]:
    return Grid("", head, rows, "screen"), Grid("", head, rows[:most], "terminal")


def _vector(labels: tuple[Any, ...]) -> str:
    return " ".join(map(str, labels))
