"""The page of a reproduction: verdicts first, then every table, then how the classifiers rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jointbayes.metrics import METRICS
from jointbayes.metrics.registry import Better
from jointbayes.plots import agreement, rank_diagram
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
from jointbayes.report.reproducing_beside import OF_STUDIES, blocks_beside, in_words
from jointbayes.report.reproducing_tests import blocks_of_contrasts, blocks_of_tests
from jointbayes.reproduction import Cell, Reproduction, find_paper, printed_figures
from jointbayes.reproduction.counting import AGGREGATES, absent_sets, each_figure_once
from jointbayes.reproduction.verdicts import SAME_ROWS, Verdict
from jointbayes.statistics import nemenyi

__all__ = ["page_of_reproduction"]

_SIGNS = {
    "better": "▲",
    "within noise": "≈",
    "worse": "▼",
    "not judged": "?",
    "failed": "✕",
    "no data": "–",
    "left out": "·",
}
_TONES: dict[str, Tone] = {
    "better": "good",
    "worse": "bad",
    "failed": "bad",
    "no data": "muted",
    "left out": "muted",
}
FEWEST_DRAWN = 3  # cells, or data sets, from which there is something to draw
COLUMNS_NAMED = 4  # by the heading of a table


def page_of_reproduction(found: Reproduction) -> Page:
    """Lay out published next to measured.

    >>> cell = Cell("Table 4", "zero-one loss", "Iris", "Iris", "TAN", "zero_one_loss", 0.08,
    ...             "0.0800", 0.0667, 0.0551, "within noise", 0.1)
    >>> found = Reproduction("sun2017", "Sun 2017", "10 folds", "…", (cell,), (), 1.0,
    ...                      "a machine", "2026-01-01")
    >>> page_of_reproduction(found).lead
    'Of 1 printed figure, 1 is within noise of ours.'
    """
    tables = list(dict.fromkeys(cell.table for cell in found.cells))
    sections = [_table(found, table) for table in tables]
    study = find_paper(found.paper).kind == "study"
    reading = (Paragraph(_READING), *((Paragraph(OF_STUDIES),) if study else ()))
    sections.append(Section("How to read this", reading))
    title = f"Reproduction of {found.title}"
    return Page(
        title, _lead(found.cells), _facts(found), tuple(sections), _figures(found), _first(found)
    )


def _figures(found: Reproduction) -> tuple[Headline, ...]:
    """Count the verdicts on figures that could be judged; of methods' own, if there are any."""
    own = [cell for cell in found.cells if not cell.rival] or found.cells
    counts = Counter(cell.verdict for cell in own)
    judged: dict[Verdict, str] = {
        "within noise": "within noise of what is printed",
        "better": "better than printed",
        "worse": "worse than printed",
    }
    total = sum(counts[verdict] for verdict in judged)
    return tuple(Headline(f"{counts[v]}/{total}", word) for v, word in judged.items() if total)


def _first(found: Reproduction) -> Picture | None:
    """Draw published against measured of the first column that has enough; scores before facts."""
    cells = [cell for cell in found.cells if not cell.rival]
    titles = dict.fromkeys(cell.title for cell in cells)
    facts = {cell.title for cell in cells if _better(found, cell) == "neither"}
    for title in sorted(titles, key=lambda title: title in facts):
        pictures = _agreement([cell for cell in cells if cell.title == title])
        if pictures:
            return pictures[0]
    return None


_READING = (
    "Published and measured figures are means over folds of the same rows, cut otherwise. Noise is "
    "what another cut explains: a t quantile times the standard deviation of the folds times the "
    "root of 1/k + 1/m, for k published folds and m of ours, would be so if folds were samples of "
    f"their own; it is taken {SAME_ROWS:g} times, which leaves five in a hundred pairs of equal "
    "figures outside where data sets were cut in many ways (benchmarks/noise_rule.py), and half a "
    "unit of the last printed digit is added. ≈ within noise, ▲ better than printed, ▼ worse, "
    "? not judged (other data, a single split, a time, or a figure that is neither good nor bad), "
    "✕ failed, – no data at hand, · left out. Figures that are answered in two readings count "
    "once, by the first."
)


def _lead(every: Sequence[Cell]) -> str:
    cells = each_figure_once(cell for cell in every if not cell.rival)
    if not cells:
        return in_words(every)
    counts = Counter(cell.verdict for cell in cells)
    words: dict[Verdict, str] = {
        "within noise": "within noise of ours",
        "better": "bettered",
        "worse": "not reached",
        "not judged": "not judged",
        "failed": "failed to run",
        "no data": "without data here",
        "left out": "left out",
    }
    said = [
        f"{counts[v]} {'is' if counts[v] == 1 else 'are'} {word}"
        for v, word in words.items()
        if counts[v]
    ]
    plural = "" if len(cells) == 1 else "s"
    lead = f"Of {len(cells)} printed figure{plural}, {', '.join(said)}."
    return " ".join(filter(None, [lead, in_words(every)]))


def _facts(found: Reproduction) -> tuple[tuple[str, str], ...]:
    measured = [cell for cell in found.cells if cell.difference is not None]
    sets = dict.fromkeys(c.source for c in measured if not c.source.startswith(AGGREGATES))
    paper = find_paper(found.paper)
    absent = (*absent_sets(paper), *paper.absent)
    left = [name for name in paper.large if name not in sets]
    printed = len(printed_figures(found.paper))
    return (
        ("protocol", found.protocol),
        ("command", found.command),
        ("asked", f"{len(each_figure_once(found.cells))} of the {printed} figures of the paper"),
        ("data sets", f"{len(sets)}: {', '.join(sets)}" if sets else "none"),
        *((("large, run if named by --datasets", ", ".join(left)),) if left else ()),
        *((("not to be had", f"{len(absent)}: {', '.join(absent)}"),) if absent else ()),
        ("mean distance", _distances(measured)),
        ("time", f"{found.seconds:,.0f} s for all fits and predictions"),
        ("machine", found.machine),
        ("date", found.date),
    )


def _distances(measured: Sequence[Cell]) -> str:
    """Return mean distances of published and measured, one for each metric: units differ."""
    by_metric: dict[str, list[float]] = {}
    for cell in each_figure_once(measured):
        if cell.verdict != "not judged" and cell.difference is not None:
            by_metric.setdefault(cell.metric, []).append(abs(cell.difference))
    said = [f"{name} {sum(all_) / len(all_):.4f}" for name, all_ in by_metric.items()]
    return "; ".join(said) or "–"


def _table(found: Reproduction, table: str) -> Section:
    cells = [cell for cell in found.cells if cell.table == table]
    blocks: list[Block] = list(blocks_beside(find_paper(found.paper), cells))
    for title in dict.fromkeys(cell.title for cell in cells):
        column = [cell for cell in cells if cell.title == title]
        blocks.append(_side_by_side(column))
        blocks += _pictures(found, [cell for cell in column if not cell.rival])
    blocks.append(_every_cell(cells))
    blocks += blocks_of_contrasts(find_paper(found.paper), cells)
    about = [remark for remark in found.remarks if remark.table == table]
    blocks += [Paragraph(remark.text, remark.kind) for remark in about]
    blocks += _notes(cells)
    titles = list(dict.fromkeys(cell.title for cell in cells))
    heading = f"{table}: {' and '.join(titles)}" if len(titles) <= COLUMNS_NAMED else table
    return Section(heading, tuple(blocks))


def _side_by_side(cells: list[Cell]) -> Grid:
    algorithms = list(dict.fromkeys(cell.algorithm for cell in cells))
    by_place = {(cell.dataset, cell.algorithm): cell for cell in cells}
    rows = tuple(
        (Entry(dataset), *(_both(by_place.get((dataset, a))) for a in algorithms))
        for dataset in dict.fromkeys(cell.dataset for cell in cells)
    )
    title = f"{cells[0].title}: measured and published"
    return Grid(title, ("data set", *algorithms), rows, "screen")


def _both(cell: Cell | None) -> Entry:
    if cell is None:
        return in_digits(None)
    tone = _TONES.get(cell.verdict, "plain")
    if cell.measured is None:
        return Entry(_SIGNS[cell.verdict], None, tone, _printed(cell))
    text = f"{cell.measured:.{max(cell.digits, 3)}f} {_SIGNS[cell.verdict]}"
    return Entry(text, cell.measured, tone, _printed(cell))


def _printed(cell: Cell) -> str:
    """Return the figure, and whose it is if it is the best of many."""
    return " ".join(filter(None, [cell.printed, cell.rival]))


def _every_cell(cells: list[Cell]) -> Grid:
    several = len({cell.title for cell in cells}) > 1
    rows = tuple(
        (
            Entry(cell.dataset),
            Entry(cell.algorithm, under=cell.title if several else ""),
            Entry(cell.printed, cell.published, under=cell.rival),
            in_digits(cell.measured, max(cell.digits, 3)),
            in_digits(cell.noise, max(cell.digits, 3)),
            Entry(f"{_SIGNS[cell.verdict]} {cell.verdict}", tone=_TONES.get(cell.verdict, "plain")),
            in_digits(cell.seconds, 1),
        )
        for cell in cells
    )
    head = ("data set", "algorithm", "published", "measured", "noise", "verdict", "seconds")
    return Grid("Every cell", head, rows)


def _notes(cells: list[Cell]) -> list[Block]:
    """Return what was noted of cells, each note once with the cells it is about."""
    everybody = {cell.algorithm for cell in cells}
    about: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell.note and cell.verdict != "no data":
            about.setdefault((cell.dataset, cell.note), []).append(cell.algorithm)
    absent = dict.fromkeys(cell.dataset for cell in cells if cell.verdict == "no data")
    where = "not at hand; name their folder by --data-dir or JOINTBAYES_DATA."
    missing: list[Block] = [Paragraph(f"{', '.join(absent)}: {where}", "no data")] if absent else []
    return missing + [
        Paragraph(
            text,
            dataset if {*names} == everybody else f"{dataset}, {', '.join(dict.fromkeys(names))}",
        )
        for (dataset, text), names in about.items()
    ]


def _pictures(found: Reproduction, cells: list[Cell]) -> list[Block]:
    measured = [cell for cell in cells if cell.measured is not None]
    if len(measured) < FEWEST_DRAWN:
        return []
    return [*_ranks(found, measured), *_agreement(measured)]


def _agreement(cells: list[Cell]) -> list[Picture]:
    measured = [cell for cell in cells if cell.measured is not None]
    if len(measured) < FEWEST_DRAWN:
        return []
    points: dict[str, list[tuple[str, float, float]]] = {}
    for cell in measured:
        place = (cell.dataset, cell.published, cell.measured or 0.0)
        points.setdefault(cell.algorithm, []).append(place)
    drawing = agreement(points, cells[0].title)
    return [Picture(drawing, drawing.description)]


def _ranks(found: Reproduction, cells: list[Cell]) -> list[Block]:
    """Draw how the algorithms rank in print and here, on the data sets that all of them did."""
    algorithms = list(dict.fromkeys(cell.algorithm for cell in cells))
    by_place = {(cell.dataset, cell.algorithm): cell for cell in cells}
    names = dict.fromkeys(cell.dataset for cell in cells)
    whole = [d for d in names if all((d, a) in by_place for a in algorithms)]
    if len(whole) < FEWEST_DRAWN or len(algorithms) < 2:
        return []
    better = _better(found, cells[0])
    if better == "neither":
        return []
    blocks = blocks_of_tests(find_paper(found.paper), cells, better)
    for kind in ("published", "measured"):
        scores = {a: [getattr(by_place[d, a], kind) for d in whole] for a in algorithms}
        drawing = rank_diagram(nemenyi(scores, better=better), f"Average ranks, {kind}")
        blocks.append(Picture(drawing, f"{kind.capitalize()}. {drawing.description}"))
    return blocks


def _better(found: Reproduction, cell: Cell) -> Better:
    """Return which figures of a column are the better ones; times and what follows are neither."""
    columns = {column.printed: column for column in find_paper(found.paper).columns}
    column = columns.get(cell.metric)
    known = METRICS.get(column.metric) if column is not None else None
    return "neither" if known is None else known.better
