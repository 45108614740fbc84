"""Our models beside the best that a study prints: how often ahead, and which place among all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from jointbayes.metrics import METRICS
from jointbayes.report.page import Entry, Grid
from jointbayes.reproduction import Cell, Paper, printed_figures

__all__ = ["OF_STUDIES", "blocks_beside", "in_words"]

OF_STUDIES = (
    "A published figure of one split, drawn by chance, is one sample like each of our m: there "
    "noise is t times their standard deviation times the root of 1 + 1/m, taken once. Of a stream, "
    "twenty pieces, one after the other, stand for folds. Where one of our models has no "
    "counterpart in print, the best figure of all methods stands beside it, with the name of the "
    "method. The best of many is best by chance too, and ours is not chosen so."
)


def in_words(cells: Sequence[Cell]) -> str:
    """Return a sentence for each table: how our models stand to the best printed figures.

    >>> cell = Cell("Goals", "exact match", "scene", "scene", "Auto", "SUBSET_ACCURACY", 0.711,
    ...             "0.711", 0.746, 0.02, "better", 1.0, rival="CC")
    >>> in_words([cell])
    'Goals, beside the best printed figure of each metric and set: Auto is ahead of 1 of 1, ...'
    """
    beside = [cell for cell in cells if cell.rival and cell.measured is not None]
    said = []
    for table in dict.fromkeys(cell.table for cell in beside):
        here = [cell for cell in beside if cell.table == table]
        models = dict.fromkeys(cell.algorithm for cell in here)
        each = [_standing(m, [c for c in here if c.algorithm == m]) for m in models]
        best = "beside the best printed figure of each metric and set"
        said.append(f"{table}, {best}: {'; '.join(each)}.")
    return " ".join(said)


def _standing(model: str, cells: Sequence[Cell]) -> str:
    counts = Counter(cell.verdict for cell in cells)
    apart = f", {counts['not judged']} are not judged" if counts["not judged"] else ""
    return (
        f"{model} is ahead of {counts['better']} of {len(cells)}, within noise of "
        f"{counts['within noise']}, behind {counts['worse']}{apart}"
    )


def blocks_beside(paper: Paper, cells: Sequence[Cell]) -> Iterator[Grid]:
    """Yield, for each data set of a table, how our models stand to the best and among all."""
    beside = [cell for cell in cells if cell.rival and cell.measured is not None]
    models = list(dict.fromkeys(cell.algorithm for cell in beside))
    rows = []
    for name in dict.fromkeys(cell.source for cell in beside):
        here = [cell for cell in beside if cell.source == name]
        said = (_entry(paper, [c for c in here if c.algorithm == model]) for model in models)
        rows.append((Entry(name), *said))
    if rows:
        methods = len({f.algorithm for f in printed_figures(paper.key)})
        title = (
            f"Metrics ahead of, within noise of and behind the best of {methods} methods; of "
            "how many no method has a better figure; mean place"
        )
        yield Grid(title, ("data set", *models), tuple(rows))


def _entry(paper: Paper, cells: Sequence[Cell]) -> Entry:
    if not cells:
        return Entry("–")
    counts = Counter(cell.verdict for cell in cells)
    places = [_place(paper, cell) for cell in cells]
    judged = " / ".join(str(counts[v]) for v in ("better", "within noise", "worse"))
    mean = float(np.mean(places))
    return Entry(f"{judged}; {places.count(1)}; {mean:.1f}", mean)


def _place(paper: Paper, cell: Cell) -> int:
    """Return the place of a measured figure among the printed ones: 1 if none is better."""
    metric = next(c.metric for c in paper.columns if c.printed == cell.metric)
    sign = 1.0 if METRICS[metric].better == "higher" else -1.0
    measured = cell.measured or 0.0
    return 1 + sum(
        sign * figure.value > sign * measured
        for figure in printed_figures(paper.key)
        if (figure.table, figure.dataset, figure.metric) == (cell.table, cell.source, cell.metric)
    )
