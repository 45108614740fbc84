"""Which labels, or features, a model ties together: a tree where it is one, else a circle."""

from __future__ import annotations

from collections.abc import Sequence

from jointbayes.errors import DataError
from jointbayes.plots import Drawing, label_graph, label_tree
from jointbayes.report.page import Picture
from jointbayes.validation import CloserLook

__all__ = ["picture_of_ties"]

ALL_DRAWN = 30  # names up to which those without an arc are drawn too

Arc = tuple[str, str]


def picture_of_ties(look: CloserLook) -> Picture:
    """Draw the arcs between labels or, with one class variable, between features.

    >>> from jointbayes import evaluate
    >>> look = evaluate("tan", [["a", "x"], ["b", "y"]] * 10, ["yes", "no"] * 10, cv=2).look
    >>> picture_of_ties(look).drawing
    Drawing('Features and their ties', 189.2 × 48, 5 marks)
    """
    if len(look.label_names) > 1:
        arcs = [arc for arc in look.edges if {*arc} <= {*look.label_names}]
        names, left = _drawn(look.label_names, arcs)
        drawing = _tree_or_circle(arcs, names, look, "Labels and their ties")
        gain = ", and what each gains in log-likelihood of held-out rows" if look.gains else ""
        return Picture(drawing, f"Arcs between labels{gain}.{left}")
    arcs = [arc for arc in look.edges if arc[0] not in look.label_names]
    names, left = _drawn(list(dict.fromkeys(child for _, child in look.edges)), arcs)
    drawing = _tree_or_circle(arcs, names, look, "Features and their ties")
    said = "Arcs between features; the class is a parent of each that it tells."
    return Picture(drawing, f"{said}{left}")


def _drawn(names: Sequence[str], arcs: Sequence[Arc]) -> tuple[Sequence[str], str]:
    """Return the names to draw, and what to say of the others."""
    tied = {name for arc in arcs for name in arc}
    kept = [name for name in names if name in tied]
    if len(names) <= ALL_DRAWN or not kept or len(kept) == len(names):
        return names, ""
    return kept, f" {len(names) - len(kept)} without an arc are not drawn."


def _tree_or_circle(
    arcs: Sequence[Arc], names: Sequence[str], look: CloserLook, title: str
) -> Drawing:
    try:
        return label_tree(arcs, names, look.gains or None, title=title)
    except DataError:  # some have several parents
        return label_graph(arcs, names, title=title)
