"""How algorithms compare over data sets, in print and here: ranks, Friedman, pairs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from jointbayes.report.page import Block, Entry, Grid, in_digits
from jointbayes.reproduction import Cell
from jointbayes.reproduction.paper import Paper, Versus
from jointbayes.statistics import (
    friedman,
    paired_t,
    rank,
    sign_test,
    wilcoxon,
    wilcoxon_pairs,
    win_draw_loss,
)

__all__ = ["blocks_of_contrasts", "blocks_of_tests"]

Better = Literal["higher", "lower"]
Scores = Mapping[str, Mapping[str, Cell]]

FEWEST_RANKED = 3
SIGNIFICANT = 0.05
_KINDS = ("published", "measured")


def blocks_of_contrasts(paper: Paper, cells: Sequence[Cell]) -> list[Block]:
    """Return the paper's comparisons of two algorithms, on its figures and on ours."""
    by_place = {(c.dataset, c.algorithm): c for c in cells if c.measured is not None}
    rows = []
    for contrast in paper.contrasts:
        pair = contrast.first, contrast.second
        sets = [d for d in contrast.datasets if all((d, a) in by_place for a in pair)]
        if contrast.table != cells[0].table or len(sets) < FEWEST_RANKED:
            continue
        what = f"{contrast.first} against {contrast.second}, {contrast.about}"
        row = [Entry(contrast.place), Entry(what), Entry(str(len(sets)), len(sets))]
        for kind in _KINDS:
            first, second = ([getattr(by_place[d, a], kind) for d in sets] for a in pair)
            ahead = sum(a > b for a, b in zip(first, second, strict=True))
            p = wilcoxon(first, second, method="exact").p_value
            row += [Entry(str(ahead), ahead), in_digits(p, 4)]
        rows.append(tuple(row))
    if not rows:
        return []
    head = ("where", "comparison", "data sets", "published: higher on", "p", "measured: higher on")
    title = "Exact two-sided Wilcoxon tests, on the data sets measured here"
    return [Grid(title, (*head, "p"), tuple(rows))]


def blocks_of_tests(paper: Paper, cells: Sequence[Cell], better: Better) -> list[Block]:
    """Return average ranks of one column of a table, and its paper's comparisons of pairs.

    ``cells`` are those with figures, all of one metric.
    """
    scores: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        scores.setdefault(cell.algorithm, {})[cell.dataset] = cell
    blocks = _average_ranks(scores, better)
    for versus in paper.versus:
        if versus.table == cells[0].table and len(scores) > 1:
            blocks.append(_TESTS[versus.kind](versus, scores, better))
    return blocks


def _whole(scores: Scores, names: Sequence[str]) -> list[str]:
    """Return the data sets that all these algorithms did."""
    return [d for d in scores[names[0]] if all(d in scores[name] for name in names)]


def _values(scores: Scores, name: str, sets: Sequence[str], kind: str) -> list[float]:
    return [getattr(scores[name][d], kind) for d in sets]


def _average_ranks(scores: Scores, better: Better) -> list[Block]:
    names = list(scores)
    sets = _whole(scores, names)
    if len(sets) < FEWEST_RANKED or len(names) < FEWEST_RANKED:
        return []
    rows = []
    for kind in _KINDS:
        table = {name: _values(scores, name, sets, kind) for name in names}
        means = np.mean(rank(table, better=better), axis=0)
        p = friedman(table, better=better).p_value
        rows.append((Entry(kind), *(in_digits(float(m), 2) for m in means), in_digits(p, 4)))
    title = f"Average ranks on the {len(sets)} data sets that all did, and Friedman's test"
    return [Grid(title, ("", *names, "p"), tuple(rows))]


def _pairs(versus: Versus, scores: Scores) -> list[tuple[str, str]]:
    if versus.champion:
        return [(versus.champion, name) for name in scores if name != versus.champion]
    return list(combinations(scores, 2))


def _win_draw_loss(versus: Versus, scores: Scores, better: Better) -> Grid:
    """Sun 2017, Table 5: wins, draws and losses by the 5 % rule, and the sign test."""
    rows = []
    for first, second in _pairs(versus, scores):
        sets = _whole(scores, (first, second))
        row: list[Any] = [Entry(f"{first} against {second}"), Entry(str(len(sets)), len(sets))]
        for kind in _KINDS:
            a, b = (_values(scores, name, sets, kind) for name in (first, second))
            record = win_draw_loss(a, b, better=better)
            test = sign_test(record, alternative="two-sided")
            row += [Entry(str(record), record.wins), in_digits(test.p_value, 4)]
        rows.append(tuple(row))
    title = "Wins, draws and losses by 5% of the larger loss, and the two-sided sign test"
    head = ("pair", "data sets", "published", "p", "measured", "p")
    return Grid(title, head, tuple(rows))


def _paired_t(versus: Versus, scores: Scores, better: Better) -> Grid:
    """Batal 2013: on how many data sets the champion is better, by paired t-tests over folds.

    Print has the verdicts alone, so its columns count which mean is the better one.
    """
    rows = []
    for first, second in _pairs(versus, scores):
        sets = [d for d in _whole(scores, (first, second)) if scores[first][d].folds]
        verdicts = {d: _paired_verdict(scores[first][d], scores[second][d], better) for d in sets}
        counts = [sum(v == sign for v in verdicts.values()) for sign in (1, 0, -1)]
        ahead = [
            sum(
                (a > b) == (better == "higher") and a != b
                for a, b in zip(
                    _values(scores, first, sets, kind),
                    _values(scores, second, sets, kind),
                    strict=True,
                )
            )
            for kind in _KINDS
        ]
        lost = ", ".join(d for d, v in verdicts.items() if v == -1) or "–"
        rows.append(
            (
                Entry(f"{first} against {second}"),
                Entry(str(len(sets)), len(sets)),
                *(Entry(str(count), count) for count in ahead),
                Entry("/".join(map(str, counts)), counts[0]),
                Entry(lost),
            )
        )
    head = ("pair", "data sets", "published: ahead on", "measured: ahead on")
    title = "Paired t-tests over folds at the 5% level: wins, ties and losses"
    return Grid(title, (*head, "win/tie/loss", "significantly worse on"), tuple(rows))


def _paired_verdict(first: Cell, second: Cell, better: Better) -> int:
    """Return 1, 0 or −1: significantly better, neither, worse."""
    if len(first.folds) != len(second.folds) or len(first.folds) < 2:
        return 0
    test = paired_t(first.folds, second.folds)
    if test.p_value >= SIGNIFICANT:
        return 0
    return 1 if (test.statistic > 0) == (better == "higher") else -1


def _wilcoxon(versus: Versus, scores: Scores, better: Better) -> Grid:
    """Corani 2014: Wilcoxon's test of all pairs, corrected for the false discovery rate."""
    del versus
    names = list(scores)
    sets = _whole(scores, names)
    rows = []
    if len(sets) >= FEWEST_RANKED:
        sides = [
            wilcoxon_pairs({name: _values(scores, name, sets, kind) for name in names})
            for kind in _KINDS
        ]
        for printed, ours in zip(*sides, strict=True):
            ahead = [
                sum(
                    (a > b) == (better == "higher") and a != b
                    for a, b in zip(
                        _values(scores, printed.first, sets, kind),
                        _values(scores, printed.second, sets, kind),
                        strict=True,
                    )
                )
                for kind in _KINDS
            ]
            rows.append(
                (
                    Entry(f"{printed.first} against {printed.second}"),
                    Entry(str(ahead[0]), ahead[0]),
                    in_digits(printed.adjusted, 4),
                    Entry(str(ahead[1]), ahead[1]),
                    in_digits(ours.adjusted, 4),
                )
            )
    title = f"Wilcoxon tests of all pairs on {len(sets)} data sets, false discovery rate corrected"
    head = ("pair", "published: ahead on", "adjusted p", "measured: ahead on", "adjusted p")
    return Grid(title, head, tuple(rows))


_TESTS = {"win draw loss": _win_draw_loss, "paired t": _paired_t, "wilcoxon": _wilcoxon}
