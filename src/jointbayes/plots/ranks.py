"""Critical-difference diagrams (Demšar 2006, JMLR 7): average ranks on a line, best on the left.

Bars join classifiers that Nemenyi's test cannot tell apart; the ruler above shows how far apart two
would have to be.
"""

from __future__ import annotations

from jointbayes.plots.axes import Axis
from jointbayes.plots.drawing import Drawing
from jointbayes.plots.marks import Dot, Line, Mark, Text, shortened
from jointbayes.statistics import CriticalDifference

__all__ = ["rank_diagram"]

_WIDTH, _MARGIN, _ROW = 560.0, 170.0, 20.0
_LINE = 72.0  # height of the axis


def rank_diagram(result: CriticalDifference, title: str = "Average ranks") -> Drawing:
    """Draw what `statistics.nemenyi` found.

    >>> from jointbayes.statistics import nemenyi
    >>> sheet = rank_diagram(nemenyi({"A": [9] * 10, "B": [5, 1] * 5, "C": [1, 5] * 5}))
    >>> print(sheet.description)
    Average ranks, 1 is best: A 1.00, B 2.50, C 2.50. Critical difference 1.05 on 10 data sets.
    Not told apart: B to C.
    """
    count = len(result.names)
    axis = Axis(1, max(count, 2), _MARGIN, _WIDTH - _MARGIN)
    bars = len(result.groups) * 8 + 14
    marks = [*_scale(axis, count), *_ruler(axis, result.critical_difference), *_bars(axis, result)]
    half = (count + 1) // 2
    for i, (name, at) in enumerate(zip(result.names, result.average_ranks, strict=True)):
        left = i < half
        row = _LINE + bars + _ROW * (i if left else count - 1 - i) + 8
        text = f"{shortened(name, _MARGIN - 64)}  {at:.2f}"
        marks += _name(axis.place(at), row, text, "left" if left else "right")
    height = _LINE + bars + _ROW * half + 12
    return Drawing(title, _words(result), _WIDTH, height, tuple(marks))


def _scale(axis: Axis, count: int) -> list[Mark]:
    marks: list[Mark] = [Line(((axis.start, _LINE), (axis.end, _LINE)))]
    for rank in range(1, max(count, 2) + 1):
        at = axis.place(rank)
        marks += [Line(((at, _LINE - 6), (at, _LINE)))]
        marks += [Text((at, _LINE - 11), str(rank), "middle", "muted")]
    return marks


def _ruler(axis: Axis, width: float) -> list[Mark]:
    end = axis.place(1 + width)
    ends = [Line(((at, 22), (at, 30)), "series 0", 2) for at in (axis.start, end)]
    caption = Text((axis.start, 16), f"critical difference {width:.2f}", "start", "series 0")
    return [Line(((axis.start, 26), (end, 26)), "series 0", 2), *ends, caption]


def _bars(axis: Axis, result: CriticalDifference) -> list[Mark]:
    marks: list[Mark] = []
    for k, (first, last) in enumerate(result.groups):
        ends = (axis.place(result.average_ranks[i]) for i in (first, last))
        left, right = ends
        y = _LINE + 12 + 8 * k
        marks.append(Line(((left - 4, y), (right + 4, y)), "series 1", 4))
    return marks


def _name(x: float, y: float, text: str, side: str) -> list[Mark]:
    edge = _MARGIN - 16 if side == "left" else _WIDTH - _MARGIN + 16
    anchor = "end" if side == "left" else "start"
    gap = -6 if side == "left" else 6
    return [
        Line(((x, _LINE), (x, y), (edge, y)), "muted", 1.0),
        Dot((x, _LINE), "ink", 3.0),
        Text((edge + gap, y + 4), text, anchor),  # type: ignore[arg-type]
    ]


def _words(result: CriticalDifference) -> str:
    ranks = zip(result.names, result.average_ranks, strict=True)
    said = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks)
    joined = "; ".join(f"{result.names[i]} to {result.names[j]}" for i, j in result.groups)
    return (
        f"Average ranks, 1 is best: {said}. Critical difference {result.critical_difference:.2f} "
        f"on {result.n_datasets} data sets. Not told apart: {joined or 'none'}."
    )
