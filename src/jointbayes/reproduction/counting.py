"""How many of a paper's figures were asked for, and what became of them; each counted once.

A figure may be answered in two readings: the first is the one as worded, and counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from jointbayes.reproduction.figures import Figure, printed_figures, printed_remarks
from jointbayes.reproduction.paper import Paper
from jointbayes.reproduction.planning import plan_questions
from jointbayes.reproduction.verdicts import Cell, Verdict

__all__ = [
    "AGGREGATES",
    "UNKNOWN",
    "PaperTally",
    "Shortfall",
    "absent_sets",
    "each_figure_once",
    "tally",
]

UNKNOWN = "unknown"
"""The cause of a difference for which none was tested and found."""

AGGREGATES = ("ALL", "AVERAGE")
"""How the names of rows begin that are about several data sets."""


@dataclass(frozen=True)
class Shortfall:
    """A figure that is not reached, and the cause that was tested, or `UNKNOWN`."""

    cell: Cell
    cause: str


@dataclass(frozen=True)
class PaperTally:
    """What a paper prints, what was asked, and what came of it.

    ``not_to_be_had`` are the printed figures of ``absent`` data sets, ``unasked`` how many of the
    others there is no answer to, by table and reason.
    """

    paper: str
    printed: int
    asked: int
    verdicts: dict[Verdict, int]
    twice: int
    absent: tuple[str, ...]
    not_to_be_had: int = 0
    shortfalls: tuple[Shortfall, ...] = ()
    unasked: tuple[tuple[str, str, int], ...] = ()

    @property
    def measured(self) -> int:
        """Figures that something was measured for."""
        kinds: tuple[Verdict, ...] = ("within noise", "better", "worse", "not judged")
        return sum(self.verdicts.get(kind, 0) for kind in kinds)


def each_figure_once(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return the first cell of each printed figure.

    >>> cell = Cell("Table 4", "loss", "Iris", "Iris", "TAN", "zero_one_loss", 0.08, "0.0800",
    ...             0.07, 0.05, "within noise", 0.1)
    >>> len(each_figure_once([cell, cell]))
    1
    """
    found: dict[tuple[str, str, str, str], Cell] = {}
    for cell in cells:
        found.setdefault(cell.figure, cell)
    return tuple(found.values())


def absent_sets(paper: Paper) -> tuple[str, ...]:
    """Return data sets of the tables that are measured for which there is no file to be had.

    >>> from jointbayes.reproduction.batal2013 import BATAL2013
    >>> absent_sets(BATAL2013)
    ('RCV1_top10 (S5)',)
    """
    here = {source.name for source in paper.sources}
    printed = [f.dataset for f in printed_figures(paper.key) if f.table in paper.tables]
    names = dict.fromkeys(name for name in printed if not name.startswith(AGGREGATES))
    return tuple(name for name in names if name not in here)


def tally(paper: Paper, cells: Iterable[Cell]) -> PaperTally:
    """Count the figures of a paper: those printed anywhere in it, and what became of these cells.

    >>> from jointbayes.reproduction.sun2017 import SUN2017
    >>> found = tally(SUN2017, [])
    >>> found.printed, found.asked, found.not_to_be_had
    (356, 0, 74)
    """
    every = tuple(cells)
    once, absent = each_figure_once(every), absent_sets(paper)
    return PaperTally(
        paper=paper.key,
        printed=len(printed_figures(paper.key)),
        asked=len(once),
        verdicts=dict(Counter(cell.verdict for cell in once)),
        twice=len({cell.figure for cell in every if _has_two(cell, every)}),
        absent=absent,
        not_to_be_had=sum(figure.dataset in absent for figure in printed_figures(paper.key)),
        shortfalls=tuple(
            Shortfall(cell, _remark_on(paper, _printed(cell), "cause") or UNKNOWN)
            for cell in once
            if cell.verdict == "worse"
        ),
        unasked=_unasked(paper, once, absent),
    )


def _printed(cell: Cell) -> Figure:
    table, dataset, algorithm, metric = cell.figure
    return Figure(table, dataset, algorithm, metric, cell.printed)


def _remark_on(paper: Paper, figure: Figure, kind: str) -> str:
    about = [r.text for r in printed_remarks(paper.key) if r.kind == kind and r.concerns(figure)]
    return " ".join(about)


def _unasked(
    paper: Paper, cells: Iterable[Cell], absent: tuple[str, ...]
) -> tuple[tuple[str, str, int], ...]:
    """Return how many figures of data at hand were not asked, by table and reason."""
    asked = {cell.figure for cell in cells}
    planned = {question.figure for question in plan_questions(paper)}
    left = Counter(
        (f.table, _LATER if f in planned else _remark_on(paper, f, "not asked"))
        for f in printed_figures(paper.key)
        if f.dataset not in absent and (f.table, f.dataset, f.algorithm, f.metric) not in asked
    )
    return tuple((table, why, count) for (table, why), count in left.items())


_LATER = "A run asks for it; the page is of runs before it did."


def _has_two(cell: Cell, cells: tuple[Cell, ...]) -> bool:
    return sum(other.figure == cell.figure for other in cells) > 1
