"""The one table of all papers: figures printed, asked, within noise, better, worse, not had."""

from __future__ import annotations

from collections.abc import Sequence

from jointbayes.report.page import Entry, Grid, Page, Paragraph, Section
from jointbayes.reproduction.counting import UNKNOWN, PaperTally
from jointbayes.reproduction.verdicts import Cell, Verdict

__all__ = ["page_of_tallies"]

_VERDICTS: tuple[Verdict, ...] = (
    "within noise",
    "better",
    "worse",
    "not judged",
    "left out",
    "no data",
    "failed",
)


def page_of_tallies(tallies: Sequence[PaperTally]) -> Page:
    """Lay out what became of the figures of all papers.

    >>> found = PaperTally("sun2017", 356, 2, {"worse": 2}, 1, ("Chess",), 9)
    >>> page_of_tallies([found]).lead
    'Of 356 printed figures 9 are of data that are not to be had, 2 were asked for, and 2 have ...
    """
    printed, lost, asked, measured = (
        sum(getattr(tally, what) for tally in tallies)
        for what in ("printed", "not_to_be_had", "asked", "measured")
    )
    lead = (
        f"Of {printed:,} printed figures {lost:,} are of data that are not to be had, {asked:,} "
        f"were asked for, and {measured:,} have a figure of ours beside them."
    )
    head = ("paper", "printed", "asked", *_VERDICTS, "twice", "not to be had")
    rows = tuple(_row(tally) for tally in tallies)
    grid = Grid("Figures of each paper, counted once", head, rows)
    return Page(
        "What became of the printed figures",
        lead,
        (("made from", "the pages of this folder, by jointbayes reproduce all --summary FOLDER"),),
        (
            Section("All papers", (grid, *_absent(tallies), Paragraph(_READING))),
            Section("Figures that are not reached", _not_reached(tallies)),
            Section("Figures that are not asked", _not_asked(tallies)),
        ),
    )


def _row(tally: PaperTally) -> tuple[Entry, ...]:
    counts = (tally.printed, tally.asked, *(tally.verdicts.get(v, 0) for v in _VERDICTS))
    beside = tally.twice, tally.not_to_be_had
    numbers = (Entry(f"{count:,}", count) for count in (*counts, *beside))
    return (Entry(tally.paper), *numbers)


def _not_reached(tallies: Sequence[PaperTally]) -> tuple[Paragraph | Grid, ...]:
    """Lay out every figure that is worse than printed, with what was found to be the cause."""
    places: dict[tuple[str, ...], list[Cell]] = {}
    for tally in tallies:
        for short in tally.shortfalls:
            cell = short.cell
            place = tally.paper, cell.table, cell.dataset, cell.algorithm, short.cause
            places.setdefault(place, []).append(cell)
    if not places:
        return (Paragraph("There are none."),)
    rows = tuple(
        (
            *(Entry(word) for word in place[:-1]),
            Entry("; ".join(_beside(cell) for cell in cells)),
            Entry(place[-1]),
        )
        for place, cells in places.items()
    )
    count = sum(len(cells) for cells in places.values())
    known = sum(len(cells) for place, cells in places.items() if place[-1] != UNKNOWN)
    said = (
        f"Of {count} figures that are worse than printed by more than noise, {known} have a cause "
        "that was tested: with it, measured figures come to the printed ones or close to them. Of "
        "the others the cause is unknown; what was tried is on the page of the paper."
    )
    head = ("paper", "table", "data set", "algorithm", "measured (printed)", "cause")
    return Paragraph(said), Grid("Worse than printed", head, rows)


def _beside(cell: Cell) -> str:
    return f"{cell.metric} {cell.measured:g} ({cell.printed})"


def _not_asked(tallies: Sequence[PaperTally]) -> tuple[Paragraph | Grid, ...]:
    """Lay out how many figures of data at hand have no answer, and why."""
    rows = tuple(
        (Entry(tally.paper), Entry(table), Entry(f"{count}", count), Entry(why or UNKNOWN))
        for tally in tallies
        for table, why, count in tally.unasked
    )
    if not rows:
        return (Paragraph("There are none."),)
    return (Grid("Not asked", ("paper", "table", "figures", "why"), rows),)


def _absent(tallies: Sequence[PaperTally]) -> tuple[Paragraph, ...]:
    return tuple(
        Paragraph(f"{tally.paper}: {', '.join(tally.absent)}.", "not to be had")
        for tally in tallies
        if tally.absent
    )


_READING = (
    "Printed are all numbers of a paper's tables and text that are transcribed, those of its data "
    "sets, tests and examples included; asked are those that a run measures. A figure that is "
    "answered in two readings (twice) counts once, by the first. Data sets that are not to be had "
    "are in the tables that are measured, and no file of them is known here."
)
