"""Printed figures that follow from others: differences to the best rival, and average ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import hypot

import numpy as np

from jointbayes.reproduction.counting import each_figure_once
from jointbayes.reproduction.derived_tests import (
    follows_from,
    mean_differences,
    tests_of_corani,
    tests_of_sun,
)
from jointbayes.reproduction.figures import Figure, printed_figures
from jointbayes.reproduction.verdicts import Cell, verdict_of
from jointbayes.statistics import rank

__all__ = ["DERIVED", "average_ranks", "differences_to_best"]


def differences_to_best(cells: Sequence[Cell]) -> list[Cell]:
    """Return Table 9 of Mossina 2017: NaiBX minus the best of its rivals, by data set and metric.

    The best rival in print need not be the best here. The noise is that of both figures together.
    """
    by_place: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in each_figure_once(cells):
        if cell.measured is not None:
            by_place.setdefault((cell.source, cell.metric), {})[cell.algorithm] = cell
    found = []
    for figure in printed_figures("mossina2017"):
        metric = figure.metric.removeprefix("delta_")
        here = by_place.get((figure.dataset, metric), {})
        rivals = [c for name, c in here.items() if name not in ("NaiBX", "NBX_TrueM")]
        if figure.table == "Table 9" and "NaiBX" in here and rivals:
            best = max(rivals, key=lambda cell: cell.measured or 0.0)
            found.append(_difference(figure, here["NaiBX"], best))
    return found


def _difference(figure: Figure, own: Cell, best: Cell) -> Cell:
    measured = (own.measured or 0.0) - (best.measured or 0.0)
    widths = own.noise, best.noise
    noise = None if None in widths else hypot(*(w or 0.0 for w in widths)) + figure.rounding
    judged = "not judged" not in (own.verdict, best.verdict)
    return Cell(
        figure.table,
        f"{figure.metric.removeprefix('delta_')}, NaiBX minus the best rival",
        figure.dataset,
        figure.dataset,
        figure.algorithm,
        figure.metric,
        figure.value,
        figure.text,
        measured,
        noise,
        verdict_of(measured - figure.value, noise if judged else None, "higher"),
        0.0,
    )


def average_ranks(cells: Sequence[Cell]) -> list[Cell]:
    """Return the average ranks of Corani 2014, over the data sets that all algorithms did here."""
    found = []
    for figure in printed_figures("corani2014"):
        metric = figure.metric.removeprefix("average_rank_")
        place = figure.table, metric
        column = [c for c in each_figure_once(cells) if (c.table, c.metric) == place]
        if metric == figure.metric or not column:
            continue
        scores: dict[str, dict[str, float]] = {}
        for cell in column:
            if cell.measured is not None:
                scores.setdefault(cell.algorithm, {})[cell.source] = cell.measured
        sets = [d for d in next(iter(scores.values()), {}) if all(d in s for s in scores.values())]
        if figure.algorithm not in scores or not sets:
            continue
        means = np.mean(rank({a: [s[d] for d in sets] for a, s in scores.items()}), axis=0)
        title = f"average rank by {metric.replace('_', ' ')}"
        mean = float(means[list(scores).index(figure.algorithm)])
        found.append(follows_from(figure, title, mean, len(sets)))
    return found


def _of_mossina(cells: Sequence[Cell]) -> list[Cell]:
    differences = differences_to_best(cells)
    return [*differences, *mean_differences([*cells, *differences])]


def _of_corani(cells: Sequence[Cell]) -> list[Cell]:
    return [*average_ranks(cells), *tests_of_corani(cells)]


DERIVED: Mapping[str, Callable[[Sequence[Cell]], list[Cell]]] = {
    "sun2017": tests_of_sun,
    "mossina2017": _of_mossina,
    "corani2014": _of_corani,
}
"""What follows from the measured cells of a paper."""
