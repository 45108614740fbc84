"""Who is tied to whom: class variables on a circle, arcs between them, factors by colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import atan2, cos, hypot, pi, sin

from jointbayes.errors import DataError
from jointbayes.independence import LabelFactors
from jointbayes.plots.drawing import Drawing
from jointbayes.plots.marks import Dot, Line, Mark, Point, Shape, Text, series, shortened

__all__ = ["factor_graph", "label_graph"]

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
    places, turns, (width, height) = _circle(labels)
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
    return Drawing(title, words, width, height, tuple(marks))


def factor_graph(found: LabelFactors, *, title: str = "Labels and their factors") -> Drawing:
    """Draw which labels were found dependent given the features, each factor in its own colour.

    Labels stand factor by factor, the largest first; those that are a factor by themselves are
    grey. After the fifth factor colours come again, with another shape of dot.

    Parameters
    ----------
    found
        What `jointbayes.independence.LabelFactors.of` returns, or the ``label_factors_`` of a
        fitted `ILFCompo`.
    title
        What stands above.

    Examples
    --------
    >>> import numpy as np
    >>> from jointbayes.independence import LabelFactors
    >>> a, b, c = np.random.default_rng(0).integers(0, 2, (3, 400))
    >>> found = LabelFactors.of(None, np.stack([a, b, a | b, c], axis=1), random_state=0)
    >>> factor_graph(found).description
    '4 labels, 2 links, 2 factors: y0, y1, y2; y3.'
    """
    factors = sorted(found.factors, key=lambda factor: -len(factor))
    names = [found.names[j] for factor in factors for j in factor]
    places, turns, (width, height) = _circle(names)
    dots, roles = {}, {}
    for k, factor in enumerate(factors):
        role, shape = series(k) if len(factor) > 1 else ("muted", "circle")
        for name in (found.names[j] for j in factor):
            dots[name], roles[name] = Dot(places[name], role, _NODE, shape, name), role
    pairs = [(found.names[i], found.names[j]) for i, j in found.edges]
    marks: list[Mark] = [Line((places[a], places[b]), roles[a], 1.2) for a, b in pairs]
    for name in names:
        marks += [dots[name], _caption(name, places[name], turns[name])]
    said = "; ".join(", ".join(found.names[j] for j in factor) for factor in factors[:20])
    more = "; …" if len(factors) > 20 else ""
    counts = [_count(len(pairs), "link"), _count(len(factors), "factor")]
    words = f"{len(names)} labels, {', '.join(counts)}: {said}{more}."
    return Drawing(title, words, width, height, tuple(marks))


def _circle(
    names: Sequence[str],
) -> tuple[dict[str, Point], dict[str, float], tuple[float, float]]:
    """Return place and angle of each name on a circle, and how large the drawing is."""
    radius = max(120.0, 9.0 * len(names))
    middle = (radius + _SIDE, radius + 30)
    turns = {name: 2 * pi * i / len(names) - pi / 2 for i, name in enumerate(names)}
    places = {
        name: (middle[0] + radius * cos(turn), middle[1] + radius * sin(turn))
        for name, turn in turns.items()
    }
    return places, turns, (2 * middle[0], 2 * middle[1])


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
    return f"{count} labels, {_count(len(arcs), 'arc')}{': ' + said if said else ''}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
