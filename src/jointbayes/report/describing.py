"""The page of a data set: what it holds, which labels are common, and which go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scipy.stats import binomtest

from jointbayes.description import LabelCount, LabelPair, Summary
from jointbayes.plots import Bar, bars, label_graph
from jointbayes.plots.marks import shortened
from jointbayes.report.page import (
    Block,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    bar,
    in_digits,
)
from jointbayes.rules.proposals import ProposedRule

__all__ = ["page_of_summary"]

LABELS_DRAWN = 30
LABELS_AT_AN_END = 5  # of a table on the terminal
PAIRS_ON_TERMINAL = 5
NAMES_ON_CIRCLE = 14  # that do not overlap
HALF = 130.0  # pixels for each name of a pair beside its bar


def page_of_summary(summary: Summary) -> Page:
    """Lay out what ``describe`` found.

    >>> from jointbayes import Table, describe
    >>> page = page_of_summary(describe([[1.0], [2.0]], [[1, 0], [0, 1]]))
    >>> page.lead, [section.title for section in page.sections]
    ('2 rows, 1 feature, multi-label.', ['Labels', 'Pairs of labels'])
    """
    features = sum(summary.features.values())
    plural = "" if features == 1 else "s"
    lead = f"{summary.rows:,} rows, {features:,} feature{plural}, {summary.task}."
    sections = [Section(_heading(summary), _counts(summary))]
    if summary.pairs:
        sections.append(Section("Pairs of labels", _pairs(summary.pairs)))
    if summary.pairs is None:
        said = "Pairs are not compared: the labels have too many values."
        sections.append(Section("Pairs of labels", (Paragraph(said),)))
    if summary.rules:
        sections.append(Section("Rules that never fail", _rules(summary.rules)))
    facts, figures = tuple(_facts(summary)), tuple(_figures(summary))
    return Page(summary.name, lead, facts, tuple(sections), figures)


def _figures(s: Summary) -> Iterator[Headline]:
    yield Headline(f"{s.rows:,}", "rows")
    yield Headline(f"{sum(s.features.values()):,}", "features")
    if s.task == "multi-class":
        commonest = max((count.rows for count in s.counts), default=0)
        yield Headline(f"{len(s.counts):,}", "classes")
        yield Headline(f"{commonest / max(s.rows, 1):.0%}", "of rows have the commonest class")
        return
    yield Headline(f"{len(s.labels):,}", "labels")
    if s.cardinality is not None:
        yield Headline(f"{s.cardinality:.2f}", "labels a row")
    yield Headline(f"{s.label_sets:,}", "distinct label sets")


def _facts(s: Summary) -> Iterator[tuple[str, str]]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in s.features.items())
    kinds += f", {s.binary_features:,} of them only 0 and 1" if s.binary_features else ""
    sparse = "" if s.nonzero is None else f"; sparse, {s.nonzero:.2%} not zero"
    dropped = f" ({s.rows_dropped:,} with a missing label dropped)" if s.rows_dropped else ""
    missing = f"{s.missing_values:,} of {s.rows * sum(s.features.values()):,} values"
    if s.source:
        yield "file", s.source
    yield "rows", f"{s.rows:,}{dropped}"
    yield "features", f"{sum(s.features.values()):,} ({kinds}{sparse})"
    yield "missing", missing if s.missing_values else "none"
    if s.identifiers:
        yield "left out", f"{', '.join(s.identifiers)} (only names the rows)"
    yield "task", s.task
    yield from _label_facts(s)
    if s.missing_labels:
        rows = f"{s.missing_labels:,} in {s.rows_with_missing_labels:,} rows"
        learn = "" if s.task == "multi-class" else ", unknown='learn' learns from the others"
        way_out = f"missing_labels='drop' leaves them out{learn}"
        yield "no label", f"{rows}; models refuse them, {way_out}"


def _label_facts(s: Summary) -> Iterator[tuple[str, str]]:
    if s.task == "multi-class":
        ((name, classes),) = s.labels.items()
        yield "class", f"{name}, {classes:,} values"
    elif s.task == "multi-label":
        yield "labels", f"{len(s.labels):,}"
        yield "cardinality", f"{s.cardinality:.3f} labels a row (density {s.density:.3f})"
        empty = f"{s.rows_without_label:,} rows without a label"
        yield "label sets", f"{s.label_sets:,} distinct; {empty}"
    else:
        yield "labels", ", ".join(f"{name} ({k} values)" for name, k in s.labels.items())
        yield "label sets", f"{s.label_sets:,} distinct"


def _heading(summary: Summary) -> str:
    return {"multi-class": "Classes", "multi-label": "Labels"}.get(summary.task, "Values of labels")


def _title(count: LabelCount, summary: Summary) -> str:
    """Return what to call a label, a class, or a value of a label."""
    if summary.task == "multi-label":
        return count.label
    return str(count.value) if summary.task == "multi-class" else f"{count.label} = {count.value}"


def _counts(summary: Summary) -> tuple[Block, ...]:
    rows = [_row(count, summary) for count in summary.counts]
    shown = [
        Bar(_title(c, summary), _share(c, summary), *_interval(c.rows, summary.rows))
        for c in summary.counts[:LABELS_DRAWN]
    ]
    caption = "Share of rows with 95% intervals (Wilson)."
    if len(summary.counts) > LABELS_DRAWN:
        caption = f"The {LABELS_DRAWN} commonest. {caption}"
    return (
        Picture(bars(shown, "share of rows"), caption),
        Grid(_heading(summary), ("name", "rows", "share"), tuple(rows), "screen"),
        _brief(rows, summary),
    )


def _row(count: LabelCount, summary: Summary) -> tuple[Entry, ...]:
    share = _share(count, summary)
    name = Entry(_title(count, summary))
    return name, in_digits(count.rows, 0), Entry(f"{share:.2%}", share)


def _brief(rows: Sequence[tuple[Entry, ...]], summary: Summary) -> Grid:
    """Return the commonest and the rarest with their bars, for a terminal."""
    ends = LABELS_AT_AN_END
    drawn = [(*row, bar(_share(c, summary))) for row, c in zip(rows, summary.counts, strict=True)]
    if len(drawn) > 2 * ends:
        left_out = Entry(f"… {len(drawn) - 2 * ends:,} more"), Entry(""), Entry(""), Entry("")
        drawn = [*drawn[:ends], left_out, *drawn[-ends:]]
    return Grid(_heading(summary), ("name", "rows", "share", ""), tuple(drawn), "terminal")


def _share(count: LabelCount, summary: Summary) -> float:
    return count.rows / max(summary.rows, 1)


def _interval(successes: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    if n == 0:
        return 0.0, 1.0
    ends = binomtest(successes, n).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


def _pairs(pairs: Sequence[LabelPair]) -> tuple[Block, ...]:
    weights = {(pair.first, pair.second): pair.bits for pair in pairs}
    names = list(dict.fromkeys(name for arc in weights for name in arc))
    each = {f"{shortened(a, HALF)} · {shortened(b, HALF)}": w for (a, b), w in weights.items()}
    drawing = bars([Bar(name, bits) for name, bits in each.items()], "bits")
    caption = "The strongest pairs."
    if len(names) <= NAMES_ON_CIRCLE:
        title = "Strongest pairs of labels"
        drawing = label_graph(list(weights), names, weights=weights, title=title)
        caption = "The stronger the tie, the thicker the line."
    rows = tuple(
        (Entry(p.first), Entry(p.second), in_digits(p.bits, 3), Entry(p.direction or "–"))
        for p in pairs
    )
    head = ("label", "and", "bits", "go")
    return (
        Paragraph("How much one label tells of another: mutual information in bits."),
        Picture(drawing, caption),
        Grid("Strongest pairs", head, rows, "screen"),
        Grid("Strongest pairs", head, rows[:PAIRS_ON_TERMINAL], "terminal"),
    )


def _rules(rules: Sequence[ProposedRule]) -> tuple[Block, ...]:
    rows = tuple((Entry(r.rule), in_digits(r.rows, 0), in_digits(r.expected, 1)) for r in rules)
    head = ("rule", "rows in which it could fail", "failures if labels were independent")
    said = (
        "No row breaks these rules, and chance would have; if they are true, a model obeys them "
        "by posterior.subject_to, Constrained, or predict --rules."
    )
    return (
        Paragraph(said),
        Grid("", head, rows, "screen"),
        Grid("", head, rows[:PAIRS_ON_TERMINAL], "terminal"),
    )
