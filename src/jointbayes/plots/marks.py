"""The marks of a drawing: lines, filled shapes, dots and texts, in pixels, y downwards.

Colours are roles, not values: whoever draws decides what ink looks like on light and dark ground.
Series take the roles "series 0" to "series 6": the palette of Okabe and Ito, told apart by people
who see colours differently, and each with a dot of its own shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "PALETTE",
    "SHAPES",
    "Dot",
    "Line",
    "Mark",
    "Point",
    "Shape",
    "Text",
    "series",
    "shortened",
]

Point = tuple[float, float]

PALETTE = {
    "ink": "#1d232b",
    "muted": "#5b6673",
    "grid": "#d5dae0",
    "fill": "#9ecbe8",
    "against": "#f3b894",
    "series 0": "#0072b2",
    "series 1": "#d55e00",
    "series 2": "#009e73",
    "series 3": "#aa4499",
    "series 4": "#b58900",
    "series 5": "#2a9bd4",
    "series 6": "#6b6b6b",
}
"""The colour of every role on light ground."""

SHAPES: tuple[Literal["circle", "square", "diamond", "triangle"], ...] = (
    "circle",
    "square",
    "diamond",
    "triangle",
)


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[Point, ...]
    role: str = "ink"
    width: float = 1.5
    style: Literal["solid", "dashed"] = "solid"


@dataclass(frozen=True)
class Shape:
    """A filled polygon; ``tip`` is what a pointer resting on it is told."""

    points: tuple[Point, ...]
    role: str = "ink"
    tip: str = ""


@dataclass(frozen=True)
class Dot:
    """A point that can be seen."""

    at: Point
    role: str = "ink"
    radius: float = 4.0
    shape: Literal["circle", "square", "diamond", "triangle"] = "circle"
    tip: str = ""


@dataclass(frozen=True)
class Text:
    """Words; ``at`` is where their baseline begins, has its middle, or ends."""

    at: Point
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    role: str = "ink"
    size: float = 12.0


Mark = Line | Shape | Dot | Text


def shortened(name: str, room: float) -> str:
    """Return the beginning and the end of a name that fit a number of pixels at the usual size.

    >>> shortened("short", 100), shortened("mean_of_band_7", 80)
    ('short', 'mean_…nd_7')
    """
    letters = int(room / 7.8)  # a letter of 12 pixels is seldom wider
    if len(name) <= letters:
        return name
    head, tail = letters // 2, (letters - 1) // 2
    return f"{name[:head]}…{name[len(name) - tail :]}"


def series(index: int) -> tuple[str, Literal["circle", "square", "diamond", "triangle"]]:
    """Return role and shape of a series; the first 28 are all different.

    >>> series(0), series(1)
    (('series 0', 'circle'), ('series 1', 'square'))
    >>> len({series(i) for i in range(28)})
    28
    """
    return f"series {index % 7}", SHAPES[index % 4]
