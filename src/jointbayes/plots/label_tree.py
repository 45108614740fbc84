"""A tree of class variables: roots at the left, each arc with what it gains.

Of many labels, or of a deep tree, each has a row of its own, below its parent and a step to the
right, as folders are listed; of few, parents stand midway beside their children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from jointbayes.errors import DataError
from jointbayes.plots.drawing import Drawing
from jointbayes.plots.marks import Dot, Line, Mark, Point, Text, shortened

__all__ = ["label_tree"]

Arc = tuple[str, str]

_ROW, _MARGIN = 24.0, 24.0
_NAME = 210.0  # most room that a name gets
_LISTED_NAME = 320.0  # the same, in a list
_LETTER = 7.8
_ARC = 78.0  # from where names end to the next dots
_LEAST_WIDTH, _MOST_WIDTH = 0.8, 5.0
_LISTED = 40  # labels from which they are listed
_WIDEST = 1200.0  # of a tree whose labels are not
_STEP = 28.0  # to the right, in a list


def label_tree(
    edges: Sequence[Arc],
    labels: Sequence[str],
    gains: Mapping[Arc, float] | None = None,
    *,
    title: str = "The tree of labels",
) -> Drawing:
    """Draw a directed tree, or several, of labels, such as that of a `CTBN`.

    Parameters
    ----------
    edges
        (parent, child) names; a label has one parent at most.
    labels
        The class variables, all of which are drawn, those of no arc too.
    gains
        What each arc gains; it stands beside the arc, which is the thicker the more it gains.
        None where nobody knows.
    title
        What stands above.

    Examples
    --------
    >>> label_tree([("sad", "calm")], ["sad", "calm", "loud"], {("sad", "calm"): 12.34}).description
    '3 labels in 2 trees: sad to calm +12.3.'
    """
    arcs = [(a, b) for a, b in dict.fromkeys(edges) if a in labels and b in labels]
    if len(labels) >= _LISTED:
        return _list(arcs, labels, gains, title)
    room = min(_NAME, _LETTER * max(map(len, labels), default=0) + 16)
    places = _places(_children(arcs, labels), labels, room + _ARC)
    width = max(x for x, _ in places.values()) + room + _MARGIN
    if width > _WIDEST:
        return _list(arcs, labels, gains, title)
    most = max((gains[arc] for arc in arcs), default=1.0) or 1.0 if gains else 1.0
    marks: list[Mark] = []
    for arc in arcs:
        marks += _arc(places[arc[0]], places[arc[1]], arc[0], gains[arc] / most if gains else 0.25)
        if gains:
            x, y = places[arc[1]]
            marks.append(Text((x - 12, y - 5), f"{gains[arc]:+.1f}", "end", "muted", 11.0))
    for name, (x, y) in places.items():
        marks.append(Dot((x, y), "series 1", 5.0, tip=name))
        marks.append(Text((x + 10, y + 4), _written(name)))
    height = max(y for _, y in places.values()) + _MARGIN
    return Drawing(title, _words(arcs, labels, gains), width, height, tuple(marks))


def _list(
    arcs: Sequence[Arc], labels: Sequence[str], gains: Mapping[Arc, float] | None, title: str
) -> Drawing:
    children, parents = _children(arcs, labels), {child: parent for parent, child in arcs}
    most = max((gains[arc] for arc in arcs), default=1.0) or 1.0 if gains else 1.0
    places: dict[str, Point] = {}
    marks: list[Mark] = []
    stack = [(name, 0) for name in reversed(labels) if name not in parents]
    while stack:
        name, depth = stack.pop()
        x, y = places[name] = (_MARGIN + _STEP * depth, _MARGIN + _ROW * len(places))
        told = ""
        if name in parents:
            arc = (parents[name], name)
            above = places[arc[0]]
            share = max(gains[arc], 0.0) / most if gains else 0.25
            line = ((above[0], above[1] + 5), (above[0], y), (x - 5, y))
            width = _LEAST_WIDTH + (_MOST_WIDTH - _LEAST_WIDTH) * share
            marks.append(Line(line, "series 0", width))
            told = f"  {gains[arc]:+.1f}" if gains else ""
        marks.append(Dot((x, y), "series 1", 5.0, tip=name))
        marks.append(Text((x + 10, y + 4), f"{shortened(name, _LISTED_NAME)}{told}"))
        stack += [(child, depth + 1) for child in reversed(children[name])]
    written = {name: len(shortened(name, _LISTED_NAME)) + (8 if gains else 0) for name in places}
    width = max(x + 10 + _LETTER * written[name] for name, (x, _) in places.items()) + _MARGIN
    height = 2 * _MARGIN + _ROW * (len(places) - 1)
    return Drawing(title, _words(arcs, labels, gains), width, height, tuple(marks))


def _children(arcs: Sequence[Arc], labels: Sequence[str]) -> dict[str, list[str]]:
    """Return the children of each label; refuse what is no forest."""
    if not labels:
        raise DataError("there is no label to draw; give the names of the class variables")
    children: dict[str, list[str]] = {name: [] for name in labels}
    parents: dict[str, str] = {}
    for parent, child in arcs:
        above: str | None = parent
        while above is not None and above != child:
            above = parents.get(above)
        if child in parents or above == child:
            raise DataError(f"the arc {parent} to {child} makes no tree; draw it by label_graph")
        parents[child] = parent
        children[parent].append(child)
    return children


def _written(name: str) -> str:
    return shortened(name, _NAME - 16)


def _places(
    children: Mapping[str, list[str]], labels: Sequence[str], step: float
) -> dict[str, Point]:
    """Return where labels stand: a row for each leaf, a parent midway beside its children."""
    places: dict[str, Point] = {}
    below = {child for names in children.values() for child in names}
    row = 0
    stack = [(name, 0) for name in reversed(labels) if name not in below]
    order: list[str] = []
    while stack:  # parents before children
        name, depth = stack.pop()
        order.append(name)
        y = inf
        if not children[name]:
            y, row = _MARGIN + _ROW * row, row + 1
        places[name] = (_MARGIN + depth * step, y)
        stack += [(child, depth + 1) for child in reversed(children[name])]
    for name in reversed(order):
        if children[name]:
            rows = [places[child][1] for child in children[name]]
            places[name] = (places[name][0], (rows[0] + rows[-1]) / 2)
    return places


def _arc(start: Point, end: Point, name: str, share: float) -> list[Mark]:
    """Return the line from behind a name to a dot, the thicker the larger its share of the most."""
    width = _LEAST_WIDTH + (_MOST_WIDTH - _LEAST_WIDTH) * max(share, 0.0)
    begin = start[0] + 14 + _LETTER * len(_written(name))
    turn = end[0] - _ARC + 14
    line = ((min(begin, turn), start[1]), (turn, start[1]), (turn, end[1]), (end[0] - 5, end[1]))
    return [Line(line, "series 0", width)]


def _words(arcs: Sequence[Arc], labels: Sequence[str], gains: Mapping[Arc, float] | None) -> str:
    trees = len(labels) - len(arcs)
    told = {arc: f" {gains[arc]:+.1f}" if gains else "" for arc in arcs[:40]}
    said = ", ".join(f"{a} to {b}{gain}" for (a, b), gain in told.items())
    said += ", …" if len(arcs) > 40 else ""
    many = f"{trees} tree{'' if trees == 1 else 's'}"
    return f"{len(labels)} labels in {many}{': ' + said if said else ''}."
