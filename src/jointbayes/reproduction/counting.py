"""How many of a paper's figures were asked for, and what became of them; each counted once.

A figure may be answered in two readings: the first is the one as worded, and counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from jointbayes.reproduction.figures import printed_figures
from jointbayes.reproduction.paper import Paper
from jointbayes.reproduction.verdicts import Cell, Verdict

__all__ = ["AGGREGATES", "PaperTally", "absent_sets", "each_figure_once", "tally"]

AGGREGATES = ("ALL", "AVERAGE")
"""How the names of rows begin that are about several data sets."""


@dataclass(frozen=True)
class PaperTally:
    """What a paper prints, what was asked, and what came of it.

    ``not_to_be_had`` are the printed figures of ``absent`` data sets.
    """

    paper: str
    printed: int
    asked: int
    verdicts: dict[Verdict, int]
    twice: int
    absent: tuple[str, ...]
    not_to_be_had: int = 0

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
    )


def _has_two(cell: Cell, cells: tuple[Cell, ...]) -> bool:
    return sum(other.figure == cell.figure for other in cells) > 1
