"""The page of what was tried: what to use and why, everybody's place, and how to go on."""

from __future__ import annotations

from jointbayes.plots import Bar, bars
from jointbayes.report.comparing_one import score_entry
from jointbayes.report.intervals import t_interval, within_shares
from jointbayes.report.metric_words import INFINITE_LOSS, metric_title
from jointbayes.report.page import (
    Block,
    Code,
    Entry,
    Grid,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    Tone,
    bar,
    in_digits,
)
from jointbayes.trying import Place, Tryout
from jointbayes.validation.comparison import LEVEL

__all__ = ["page_of_tryout"]

SIGNS = {"best": "★ best", "tie": "★ tie", "not told apart": "≈ not told apart"}
BRIEF = {"best": "★ best", "tie": "★ tie", "not told apart": "≈", "behind": ""}
ON_TERMINAL = 34  # letters of a name


def page_of_tryout(found: Tryout, code: str = "") -> Page:
    """Lay out what `try_models` found; ``code`` are the lines of Python that continue from there.

    >>> import jointbayes as jb
    >>> page = page_of_tryout(jb.try_models([["a"], ["b"]] * 20, ["yes", "no"] * 20, cv=2))
    >>> page.title, [section.title for section in page.sections][:2]
    ('Models tried on data', ['Why', 'Leaderboard'])
    """
    labels, count = found.label_names, len(found.label_names)
    facts = (
        ("data", f"{found.rows:,} rows, {found.features:,} features"),
        ("target", f"{count} labels" if count > 1 else labels[0]),
        ("ranked by", f"{found.metric}, the loss {found.loss!r}"),
        ("folds", f"{found.folds}, the same for everybody"),
        ("time", f"{found.total_seconds:.1f} s"),
    )
    sections = [
        Section("Why", tuple(Paragraph(said) for said in found.why[1:])),
        Section("Leaderboard", _board(found)),
        Section("Go on in Python", (Code(code or _code(found)),)),
        Section("Other metrics", _matrix(found), "screen"),
    ]
    if found.left_out:
        rows = tuple((Entry(name), Entry(why)) for name, why in found.left_out)
        sections.insert(2, Section("Left out", (Grid("Left out", ("model", "why"), rows),)))
    return Page(
        f"Models tried on {found.dataset}",
        found.why[0],
        facts,
        tuple(sections),
        _figures(found),
        _picture(found),
    )


def _code(found: Tryout) -> str:
    return f"model = {found.code}.fit(X, Y)\nmodel.posterior(X).to_frame('top_k', 3)"


def _figures(found: Tryout) -> tuple[Headline, ...]:
    board = found.leaderboard
    best, base = found.place(found.recommended), found.place("baseline")
    rivals = [place for place in board if place.kind == "scikit-learn"]
    told = [Headline(f"{best.score:.3f}", f"{metric_title(found.metric)} of {best.model}")]
    if rivals:
        told.append(Headline(f"{rivals[0].score:.3f}", f"scikit-learn's {rivals[0].model}"))
    told.append(Headline(f"{base.score:.3f}", "the baseline, without features"))
    return tuple(told)


def _picture(found: Tryout) -> Picture:
    drawn = []
    for place in found.leaderboard:
        score = found.comparison.score(found.metric, found.dataset, place.model)
        ends = (None, None) if score is None else within_shares(t_interval(score))
        drawn.append(Bar(place.model, place.score, *ends))
    caption = f"Mean over {found.folds} folds with 95% intervals."
    return Picture(bars(drawn, found.metric.replace("_", " ")), caption)


def _board(found: Tryout) -> tuple[Block, ...]:
    board = found.leaderboard
    head = ("model", metric_title(found.metric), "verdict", "adjusted p", "what it is", "seconds")
    rows = tuple(_line(place, i + 1, found.recommended) for i, place in enumerate(board))
    brief = tuple(
        (
            Entry(_short(place.model)),
            in_digits(place.score),
            Entry(BRIEF[place.verdict], tone=_tone(place)),
            in_digits(place.seconds, 1),
            bar(place.score / 2),
        )
        for place in board
    )
    against = (
        f"Everybody is tested against the first on the rows held out: t-tests corrected for what "
        f"folds share (Nadeau and Bengio), false discovery rate {LEVEL:.0%}. ★ shares the best "
        "score, ≈ is not told apart from it."
    )
    return (
        Grid("Best first", head, rows, "screen"),
        Grid("", ("model", "score", "", "seconds", ""), brief, "terminal"),
        Paragraph(against),
    )


def _matrix(found: Tryout) -> tuple[Block, ...]:
    """Return everybody's means by all metrics, in the order of the leaderboard."""
    metrics, names = found.comparison.metrics, [place.model for place in found.leaderboard]
    rows = []
    for name in names:
        row = [Entry(name)]
        for metric in metrics:
            scores = [found.comparison.score(metric, found.dataset, other) for other in names]
            own = found.comparison.score(metric, found.dataset, name)
            row.append(score_entry(own, metric, scores))
        rows.append(tuple(row))
    head = ("model", *map(metric_title, metrics))
    said = (
        f"All answers are those for the loss {found.loss!r}; another loss may be answered better "
        "(--loss). ★ the best mean, which is not tested here."
    )
    infinite = any("∞" in entry.text for row in rows for entry in row)
    more = [Paragraph(INFINITE_LOSS)] if infinite else []
    return Grid("Means over the folds and their spread", head, tuple(rows)), Paragraph(said), *more


def _line(place: Place, rank: int, recommended: str) -> tuple[Entry, ...]:
    kind = f"{place.kind}, recommended" if place.model == recommended else place.kind
    under = "" if place.spread is None else f"± {place.spread:.4f}"
    return (
        Entry(place.model, f"{rank:04d}"),
        in_digits(place.score, under=under),
        Entry(SIGNS.get(place.verdict, place.verdict), tone=_tone(place)),
        in_digits(place.p),
        Entry(kind),
        in_digits(place.seconds, 1),
    )


def _tone(place: Place) -> Tone:
    return "good" if place.verdict in ("best", "tie") else "plain"


def _short(name: str) -> str:
    return name if len(name) <= ON_TERMINAL else f"{name[: ON_TERMINAL - 1]}…"
