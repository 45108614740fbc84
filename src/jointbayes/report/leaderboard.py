"""The page of what was tried: what to use and why, everybody's place, and how to go on."""

from __future__ import annotations

from scipy import stats

from jointbayes.plots import Bar, bars
from jointbayes.report.comparing_one import head_to_head
from jointbayes.report.metric_words import metric_title
from jointbayes.report.page import (
    Block,
    Code,
    Entry,
    Figure,
    Grid,
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
        *head_to_head(found.comparison, "screen"),
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


def _figures(found: Tryout) -> tuple[Figure, ...]:
    board = found.leaderboard
    best, base = found.place(found.recommended), found.place("baseline")
    rivals = [place for place in board if place.kind == "scikit-learn"]
    told = [Figure(f"{best.score:.3f}", f"{metric_title(found.metric)} of {best.model}")]
    if rivals:
        told.append(Figure(f"{rivals[0].score:.3f}", f"scikit-learn's {rivals[0].model}"))
    told.append(Figure(f"{base.score:.3f}", "the baseline, without features"))
    return tuple(told)


def _picture(found: Tryout) -> Picture:
    k = found.folds
    drawn = []
    for place in found.leaderboard:
        half = 0.0 if place.spread is None else float(stats.t.ppf(0.975, k - 1)) * place.spread
        ends = (None, None) if place.spread is None else _around(place.score, half / k**0.5)
        drawn.append(Bar(place.model, place.score, *ends))
    caption = f"Mean over {k} folds" + (" with 95% intervals." if k > 1 else ".")
    return Picture(bars(drawn, found.metric.replace("_", " ")), caption)


def _around(mean: float, half: float) -> tuple[float, float]:
    return max(mean - half, 0.0), min(mean + half, 1.0)


def _board(found: Tryout) -> tuple[Block, ...]:
    board = found.leaderboard
    head = ("model", "what it is", metric_title(found.metric), "adjusted p", "verdict", "seconds")
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


def _line(place: Place, rank: int, recommended: str) -> tuple[Entry, ...]:
    kind = f"{place.kind}, recommended" if place.model == recommended else place.kind
    under = "" if place.spread is None else f"± {place.spread:.4f}"
    return (
        Entry(place.model, f"{rank:04d}"),
        Entry(kind),
        in_digits(place.score, under=under),
        in_digits(place.p),
        Entry(SIGNS.get(place.verdict, place.verdict), tone=_tone(place)),
        in_digits(place.seconds, 1),
    )


def _tone(place: Place) -> Tone:
    return "good" if place.verdict in ("best", "tie") else "plain"


def _short(name: str) -> str:
    return name if len(name) <= ON_TERMINAL else f"{name[: ON_TERMINAL - 1]}…"
