"""The page of an evaluation: every metric with its interval, every fold, and a closer look."""

from __future__ import annotations

from math import isfinite, isinf

from jointbayes.metrics import METRICS
from jointbayes.plots import Bar, bars, reliability_curves
from jointbayes.report.intervals import t_interval, within_shares
from jointbayes.report.metric_words import ARROWS, INFINITE_LOSS, metric_title
from jointbayes.report.page import (
    Block,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    in_digits,
)
from jointbayes.report.ties import picture_of_ties
from jointbayes.validation import CloserLook, Score, Scores

__all__ = ["page_of_scores"]

LABELS_DRAWN = 40
LABELS_AT_AN_END = 5  # of a table on the terminal
LARGE = 3  # figures in large print


def page_of_scores(scores: Scores) -> Page:
    """Lay out what ``evaluate`` found.

    >>> from jointbayes.validation import FoldScores
    >>> folds = [FoldScores(i, 2, 2, {"f1": v}, 0.1, 0.1, None) for i, v in enumerate([0.5, 1])]
    >>> page = page_of_scores(Scores("TAN", tuple(folds), "iris"))
    >>> page.title, page.lead
    ('TAN on iris', 'f1: 0.7500 ± 0.3536 over 2 folds.')
    """
    first = next(iter(scores))
    count = len(scores.folds)
    lead = f"{first}: {scores[first]} over {count} fold{'' if count == 1 else 's'}."
    split = " + ".join(f"{n:,}" for n in (scores.folds[0].train_rows, scores.folds[0].test_rows))
    facts = [
        ("model", scores.model),
        ("data set", scores.dataset),
        ("rows", f"{split} (training and test, first fold)"),
        ("fit", f"{scores.fit_seconds.mean:.3f} s a fold"),
        ("predict", f"{scores.predict_seconds.mean:.3f} s a fold"),
    ]
    if scores.peak_bytes is not None:
        facts.append(("memory", f"{scores.peak_bytes / 1e6:,.1f} MB more at its peak"))
    if scores.broken is not None:
        facts.append(("rules", f"{scores.broken.mean:.2%} of the answers break one"))
    sections = [Section("Metrics", _metrics(scores))]
    if scores.look is not None:
        sections += _closer(scores.look)
    title = f"{scores.model} on {scores.dataset}"
    figures = tuple(
        Headline(f"{score.mean:.3f}".replace("inf", "∞"), _titled(name, score))
        for name, score in list(scores.items())[:LARGE]
    )
    return Page(title, lead, tuple(facts), tuple(sections), figures, _means(scores))


def _titled(name: str, score: Score) -> str:
    spread = "" if score.spread is None else f", ± {score.spread:.3f} over the folds"
    return f"{metric_title(name)}{spread}"


def _means(scores: Scores) -> Picture | None:
    shares = [
        Bar(name, s.mean, *within_shares(t_interval(s)))
        for name, s in scores.items()
        if METRICS[name].better == "higher" and isfinite(s.mean)
    ]
    caption = "Means over the folds with 95% intervals; longer is better."
    return Picture(bars(shares, "mean over the folds"), caption) if shares else None


def _metrics(scores: Scores) -> tuple[Block, ...]:
    rows = tuple(
        (
            Entry(name),
            Entry(ARROWS[METRICS[name].better]),
            in_digits(score.mean),
            in_digits(score.spread),
            *(in_digits(end) for end in t_interval(score)),
        )
        for name, score in scores.items()
    )
    head = ("metric", "better", "mean", "spread", "from", "to")
    every = tuple(
        (Entry(str(fold.fold), fold.fold), *(in_digits(fold.metrics[name]) for name in scores))
        for fold in scores.folds
    )
    blocks: list[Block] = [Grid("Over all folds, with 95% intervals of the mean", head, rows)]
    if any(isinf(score.mean) for score in scores.values()):
        blocks.append(Paragraph(INFINITE_LOSS))
    blocks.append(Grid("Every fold", ("fold", *scores), every, "screen"))
    return tuple(blocks)


def _closer(look: CloserLook) -> list[Section]:
    tested = f"{look.test_rows:,} rows tested"
    one, all_of_them = ("label", "all labels")
    if len(look.label_names) == 1:
        one, all_of_them = ("class", "all classes")
    order = sorted(look.labels, key=lambda label: -label.f1)
    shown = [Bar(q.name, q.f1, q.low, q.high) for q in order[:LABELS_DRAWN]]
    rows = tuple(
        (Entry(q.name), *(in_digits(v, 3) for v in (q.f1, q.low, q.high)), in_digits(q.rows, 0))
        for q in order
    )
    more = f"; the {LABELS_DRAWN} best of {len(order)}" if len(order) > LABELS_DRAWN else ""
    head = (one, "F1", "from", "to", "rows")
    labels: tuple[Block, ...] = (
        Picture(bars(shown, "F1"), f"F1 with 95% bootstrap intervals{more}; {tested}."),
        Grid(f"Every {one}", head, rows, "screen"),
        Grid(f"Every {one}", head, _ends(rows), "terminal"),
    )
    sections = [Section(f"Each {one}", labels)]
    if look.reliability is not None:
        curves = {all_of_them: look.reliability}
        if look.joint is not None:
            curves["whole answers"] = look.joint
        drawing = reliability_curves(curves)
        curve = Picture(drawing, f"{drawing.description} {tested}.")
        sections.append(Section("Reliability", (curve,)))
    if look.edges:
        sections.append(Section("Ties", (picture_of_ties(look),)))
    return sections


def _ends(rows: tuple[tuple[Entry, ...], ...]) -> tuple[tuple[Entry, ...], ...]:
    """Return the best and the worst labels, where there are many."""
    ends = LABELS_AT_AN_END
    if len(rows) <= 2 * ends:
        return rows
    left_out = (Entry(f"… {len(rows) - 2 * ends:,} more"), *(Entry("") for _ in rows[0][1:]))
    return (*rows[:ends], left_out, *rows[-ends:])
