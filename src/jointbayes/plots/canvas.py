"""Drawings on matplotlib's axes, for those who want PNG or PDF; needs the extra ``plots``."""

from __future__ import annotations

from typing import Any

from jointbayes.errors import require
from jointbayes.plots.drawing import Drawing, outline
from jointbayes.plots.marks import PALETTE, Dot, Line, Mark, Text

__all__ = ["draw"]

_DOTS_PER_INCH = 72.0


def draw(drawing: Drawing, ax: Any = None) -> Any:
    """Draw on matplotlib axes, those given or new ones of the drawing's size; return them.

    >>> ax = draw(Drawing("A line", "", 144, 72, (Line(((0, 36), (144, 36))),)))
    >>> ax.get_title(), ax.figure.get_size_inches().tolist()
    ('A line', [2.0, 1.0])
    """
    if ax is None:
        figures = require("matplotlib.figure", extra="plots", purpose="drawing with matplotlib")
        inches = (drawing.width / _DOTS_PER_INCH, drawing.height / _DOTS_PER_INCH)
        ax = figures.Figure(figsize=inches).add_subplot()
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(drawing.title)
    for mark in drawing.marks:
        _put(mark, ax)
    return ax


def _put(mark: Mark, ax: Any) -> None:
    colour = PALETTE[mark.role]
    if isinstance(mark, Line):
        style = "--" if mark.style == "dashed" else "-"
        xs, ys = zip(*mark.points, strict=True)
        ax.plot(xs, ys, color=colour, linewidth=mark.width, linestyle=style)
    elif isinstance(mark, Text):
        align = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
        ax.text(*mark.at, mark.text, ha=align, va="baseline", color=colour, fontsize=mark.size)
    elif isinstance(mark, Dot) and mark.shape == "circle":
        patches = require("matplotlib.patches", extra="plots", purpose="drawing with matplotlib")
        ax.add_patch(patches.Circle(mark.at, mark.radius, color=colour, linewidth=0))
    else:
        corners = outline(mark) if isinstance(mark, Dot) else mark.points
        ax.fill(*zip(*corners, strict=True), color=colour, linewidth=0)
