"""Printed tests and means over data sets, made of the figures measured here instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from jointbayes.reproduction.counting import each_figure_once
from jointbayes.reproduction.figures import Figure, printed_figures
from jointbayes.reproduction.verdicts import Cell
from jointbayes.statistics import critical_difference, friedman, sign_test, win_draw_loss

__all__ = ["follows_from", "mean_differences", "tests_of_corani", "tests_of_sun"]

Scores = dict[str, list[float]]
_FEWEST = 3


def follows_from(figure: Figure, title: str, measured: float, on: int) -> Cell:
    """Return the cell of a figure over several data sets, which nothing judges: sets differ."""
    return Cell(
        figure.table,
        title,
        figure.dataset,
        f"{figure.dataset}, on {on} data sets",
        figure.algorithm,
        figure.metric,
        figure.value,
        figure.text,
        measured,
        None,
        "not judged",
        0.0,
    )


def _scores(cells: Sequence[Cell], table: str, metric: str) -> Scores:
    """Return the figures of every algorithm on the data sets that all of them did."""
    found: dict[str, dict[str, float]] = {}
    for cell in each_figure_once(cells):
        if (cell.table, cell.metric) == (table, metric) and cell.measured is not None:
            found.setdefault(cell.algorithm, {})[cell.source] = cell.measured
    first = next(iter(found.values()), {})
    sets = [d for d in first if all(d in own for own in found.values())]
    return {name: [own[d] for d in sets] for name, own in found.items()}


def tests_of_sun(cells: Sequence[Cell]) -> list[Cell]:
    """Return the tests of Sun 2017, Sec. 4.2, of our losses on the data sets of Table 4 at hand."""
    scores = _scores(cells, "Table 4", "zero_one_loss")
    t, n = len(scores), len(next(iter(scores.values()), []))
    if t < _FEWEST or n < _FEWEST:
        return []
    apart = critical_difference(t, n)
    found = {
        "friedman_chi2": friedman(scores, better="lower").statistic,
        "friedman_chi2_critical": float(stats.chi2.ppf(0.95, t - 1)),
        "nemenyi_q": apart / float(np.sqrt(t * (t + 1) / (6 * n))),
        "nemenyi_CD": apart,
    }
    if {"LTAN", "AODE"} <= scores.keys():
        record = win_draw_loss(scores["LTAN"], scores["AODE"], better="lower")
        found["sign_test_p"] = sign_test(record).p_value
    return _cells("sun2017", "Sec 4.2", found, n)


def tests_of_corani(cells: Sequence[Cell]) -> list[Cell]:
    """Return Friedman's tests of Corani 2014, Sec. 5, of our figures; upper bounds are printed."""
    found = []
    for table, metric in (("Table 3", "global_accuracy"), ("Table 4", "hamming_accuracy")):
        scores = _scores(cells, table, metric)
        n = len(next(iter(scores.values()), []))
        if len(scores) >= _FEWEST and n >= _FEWEST:
            p = friedman(scores).p_value
            found += _cells("corani2014", "Sec 5", {f"friedman_p_{metric}": p}, n)
    return found


def mean_differences(cells: Sequence[Cell]) -> list[Cell]:
    """Return the means of Mossina 2017: Table 9's differences over the data sets of each table."""
    home = {c.source: c.table for c in cells if c.table in ("Table 6", "Table 7", "Table 8")}
    found = []
    for figure in printed_figures("mossina2017"):
        column = [
            c.measured
            for c in cells
            if (c.table, c.metric) == ("Table 9", figure.metric)
            and home.get(c.source) == figure.table
            and c.measured is not None
        ]
        if figure.dataset == "AVERAGE" and column:
            title = f"{figure.metric.removeprefix('delta_')}, mean of NaiBX minus the best rival"
            found.append(follows_from(figure, title, float(np.mean(column)), len(column)))
    return found


def _cells(paper: str, table: str, found: Mapping[str, float], on: int) -> list[Cell]:
    return [
        follows_from(figure, figure.metric.replace("_", " "), found[figure.metric], on)
        for figure in printed_figures(paper)
        if figure.table == table and figure.metric in found
    ]
