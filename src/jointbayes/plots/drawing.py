"""Drawing: marks on a sheet of a certain size, and how it becomes SVG.

The SVG stands by itself: no network, no fonts, no scripts. Colours are CSS variables with the light
palette as their default, so that a page that sets ``--ink`` and the others redraws it for the dark.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import pi, sin

from jointbayes.plots.marks import PALETTE, Dot, Line, Mark, Point, Text

__all__ = ["Drawing", "as_svg", "outline"]


@dataclass(frozen=True)
class Drawing:
    """What is drawn, and in words for those who do not see it.

    Notebooks show it as it is; `as_svg` and `draw` are for all others.

    >>> Drawing("A line", "From left to right.", 20, 10, (Line(((0, 5), (20, 5))),))
    Drawing('A line', 20 × 10, 1 mark)
    """

    title: str
    description: str
    width: float
    height: float
    marks: tuple[Mark, ...]

    def __repr__(self) -> str:
        many = "mark" if len(self.marks) == 1 else "marks"
        size = f"{self.width:g} × {self.height:g}"
        return f"Drawing({self.title!r}, {size}, {len(self.marks)} {many})"

    def _repr_svg_(self) -> str:
        return as_svg(self)


def as_svg(drawing: Drawing, name: str = "drawing") -> str:
    """Return a drawing as SVG; ``name`` begins its ids, which have to differ within a page.

    >>> sheet = Drawing("A & B", "One dot.", 20, 10, (Dot((10, 5), tip="here"),))
    >>> print(as_svg(sheet))
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="20" height="10" role="img"
     aria-labelledby="drawing-title drawing-text" font-family="system-ui, sans-serif">
    <title id="drawing-title">A &amp; B</title><desc id="drawing-text">One dot.</desc>
    <circle cx="10" cy="5" r="4" style="fill:var(--ink,#1d232b)"><title>here</title></circle>
    </svg>
    """
    size = f'viewBox="0 0 {drawing.width:g} {drawing.height:g}"'
    size += f' width="{drawing.width:g}" height="{drawing.height:g}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"\n'
        f' aria-labelledby="{name}-title {name}-text" font-family="system-ui, sans-serif">\n'
        f'<title id="{name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{name}-text">{escape(drawing.description)}</desc>\n'
    )
    return head + "\n".join(_svg(mark) for mark in drawing.marks) + "\n</svg>"


def outline(dot: Dot) -> tuple[Point, ...]:
    """Return the corners of a dot that is no circle, of about the circle's area.

    >>> outline(Dot((0, 0), shape="square", radius=2))
    ((-1.8, -1.8), (1.8, -1.8), (1.8, 1.8), (-1.8, 1.8))
    """
    x, y = dot.at
    r = dot.radius
    corners = {
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "diamond": [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        "triangle": [(0, -1.3), (1.3 * sin(pi / 3), 0.65), (-1.3 * sin(pi / 3), 0.65)],
    }[dot.shape]
    return tuple((x + r * a, y + r * b) for a, b in corners)


def _svg(mark: Mark) -> str:
    colour = f"var(--{mark.role.replace(' ', '-')},{PALETTE[mark.role]})"
    if isinstance(mark, Line):
        dash = ";stroke-dasharray:5 4" if mark.style == "dashed" else ""
        style = f"fill:none;stroke:{colour};stroke-width:{mark.width:g}{dash}"
        return f'<polyline points="{_points(mark.points)}" style="{style}"/>'
    if isinstance(mark, Text):
        place = f'x="{mark.at[0]:.5g}" y="{mark.at[1]:.5g}" text-anchor="{mark.anchor}"'
        style = f"fill:{colour};font-size:{mark.size:g}px"
        return f'<text {place} style="{style}">{escape(mark.text)}</text>'
    tip = f"<title>{escape(mark.tip)}</title>" if mark.tip else ""
    if isinstance(mark, Dot) and mark.shape == "circle":
        place = f'cx="{mark.at[0]:.5g}" cy="{mark.at[1]:.5g}" r="{mark.radius:g}"'
        return f'<circle {place} style="fill:{colour}">{tip}</circle>'
    corners = outline(mark) if isinstance(mark, Dot) else mark.points
    return f'<polygon points="{_points(corners)}" style="fill:{colour}">{tip}</polygon>'


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{x:.5g},{y:.5g}" for x, y in points)
