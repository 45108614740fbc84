"""Who is tied to whom: class variables on a circle, arcs between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import atan2, cos, hypot, pi, sin

from jointbayes.errors import DataError
from jointbayes.plots.drawing import Drawing
from jointbayes.plots.marks import Dot, Line, Mark, Point, Shape, Text, shortened

__all__ = ["label_graph"]

Arc = tuple[str, str]

_SIDE = 170.0  # room for names on either side
_HEAD = 8.0  # length of an arrow's head
_NODE = 6.0


def label_graph(
    edges: Sequence[Arc],
    labels: Sequence[str],
    *,
    weights: Mapping[Arc, float] | None = None,
    title: str = "Labels and their ties",
) -> Drawing:
    """Draw the arcs of a model's ``edges_`` that run between labels; features are left out.

    Parameters
    ----------
    edges
        (parent, child) names.
    labels
        The class variables, all of which are drawn.
    weights
        Strength of some arcs; those are lines without a direction, the thicker the stronger.
    title
        What stands above.

    Examples
    --------
    >>> label_graph([("sad", "calm"), ("sad", "x0")], ["sad", "calm", "happy"]).description
    '3 labels, 1 arc: sad to calm.'
    """
    if not labels:
        raise DataError("there is no label to draw; give the names of the class variables")
    radius = max(120.0, 9.0 * len(labels))
    middle = (radius + _SIDE, radius + 30)
    turns = {name: 2 * pi * i / len(labels) - pi / 2 for i, name in enumerate(labels)}
    places = {
        name: (middle[0] + radius * cos(turn), middle[1] + radius * sin(turn))
        for name, turn in turns.items()
    }
    arcs = [(a, b) for a, b in dict.fromkeys(edges) if a in places and b in places]
    strongest = max(weights.values(), default=1.0) if weights else 1.0
    marks: list[Mark] = []
    for arc in arcs:
        ends = places[arc[0]], places[arc[1]]
        if weights and arc in weights:
            share = weights[arc] / (strongest or 1.0)
            marks.append(Line(ends, "series 0", 0.6 + 4.4 * share))
        else:
            marks += _arrow(*ends)
    for name, turn in turns.items():
        marks += [
            Dot(places[name], "series 1", _NODE, tip=name),
            _caption(name, places[name], turn),
        ]
    words = _words(len(labels), arcs)
    return Drawing(title, words, 2 * middle[0], 2 * middle[1], tuple(marks))


def _arrow(start: Point, end: Point) -> list[Mark]:
    turn = atan2(end[1] - start[1], end[0] - start[0])
    length = max(hypot(end[0] - start[0], end[1] - start[1]) - _NODE - 1, 0.0)
    tip = (start[0] + length * cos(turn), start[1] + length * sin(turn))
    wings = [
        (tip[0] - _HEAD * cos(turn + spread), tip[1] - _HEAD * sin(turn + spread))
        for spread in (-0.45, 0.45)
    ]
    return [Line((start, tip), "series 0", 1.5), Shape((tip, *wings), "series 0")]


def _caption(name: str, at: Point, turn: float) -> Text:
    across, down = cos(turn), sin(turn)
    side = "middle" if abs(across) < 0.15 else "start" if across > 0 else "end"
    place = (at[0] + 12 * across, at[1] + (16 if side == "middle" else 12) * down + 4)
    return Text(place, shortened(name, _SIDE - 12), side)  # type: ignore[arg-type]


def _words(count: int, arcs: list[Arc]) -> str:
    said = ", ".join(f"{a} to {b}" for a, b in arcs[:40]) + (", …" if len(arcs) > 40 else "")
    many = f"{len(arcs)} arc{'' if len(arcs) == 1 else 's'}"
    return f"{count} labels, {many}{': ' + said if said else ''}."
