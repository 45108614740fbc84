"""The page of a data set: what it holds, which labels are common, and which go together."""

from __future__ import annotations

from jointbayes.datasets.describe import LabelCount, Summary
from jointbayes.plots import Bar, bars, label_graph
from jointbayes.report.page import Block, Entry, Grid, Page, Paragraph, Picture, Section, number
from jointbayes.report.terminal import facts_of, title_of

__all__ = ["page_of_summary"]

_BARS = 30  # labels that are drawn, not only listed


def page_of_summary(summary: Summary) -> Page:
    """Lay out what ``describe`` found.

    >>> import numpy as np
    >>> from jointbayes import Dataset, Table, describe
    >>> X = Table.of([[1.0], [2.0]])
    >>> page = page_of_summary(
    ...     describe(Dataset("sky", X, np.array([[1, 0], [0, 1]]), ("dry", "wet"), X.names))
    ... )
    >>> page.lead, [section.title for section in page.sections]
    ('2 rows, 1 feature, multi-label.', ['Labels', 'Pairs of labels'])
    """
    features = sum(summary.features.values())
    plural = "" if features == 1 else "s"
    lead = f"{summary.rows:,} rows, {features:,} feature{plural}, {summary.task}."
    sections = [Section(_heading(summary), _counts(summary))]
    if summary.pairs:
        sections.append(Section("Pairs of labels", _pairs(summary)))
    return Page(summary.name, lead, tuple(facts_of(summary)), tuple(sections))


def _heading(summary: Summary) -> str:
    return {"multi-class": "Classes", "multi-label": "Labels"}.get(summary.task, "Values of labels")


def _counts(summary: Summary) -> tuple[Block, ...]:
    rows = tuple(
        (
            Entry(title_of(count, summary)),
            number(count.rows, 0),
            Entry(f"{_share(count, summary):.2%}", _share(count, summary)),
        )
        for count in summary.counts
    )
    shown = [
        Bar(title_of(c, summary), _share(c, summary), *_interval(c.rows, summary.rows))
        for c in summary.counts[:_BARS]
    ]
    drawing = bars(shown, "share of rows")
    caption = "Share of rows with 95% intervals (Wilson)."
    if len(summary.counts) > _BARS:
        caption = f"The {_BARS} commonest. {caption}"
    return Picture(drawing, caption), Grid(_heading(summary), ("name", "rows", "share"), rows)


def _share(count: LabelCount, summary: Summary) -> float:
    return count.rows / max(summary.rows, 1)


def _interval(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    if n == 0:
        return 0.0, 1.0
    z, p = 1.959963984540054, successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _pairs(summary: Summary) -> tuple[Block, ...]:
    pairs = summary.pairs or ()
    weights = {(pair.first, pair.second): pair.bits for pair in pairs}
    names = list(dict.fromkeys(name for arc in weights for name in arc))
    drawing = label_graph(list(weights), names, weights=weights, title="Strongest pairs of labels")
    rows = tuple(
        (Entry(p.first), Entry(p.second), number(p.bits, 4), Entry(p.direction or "–"))
        for p in pairs
    )
    return (
        Paragraph("How much one label tells of another: mutual information in bits."),
        Picture(drawing, "The stronger the tie, the thicker the line."),
        Grid("Strongest pairs", ("label", "and", "bits", "go"), rows),
    )
