"""Axes: from numbers to pixels, with ticks at round numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

from jointbayes.plots.marks import Line, Mark, Text

__all__ = ["Axis", "frame", "spanning"]


@dataclass(frozen=True)
class Axis:
    """The numbers from ``low`` to ``high`` laid out on the pixels from ``start`` to ``end``.

    >>> axis = Axis(0, 10, 100, 200)
    >>> axis.place(5), axis.ticks()
    (150.0, [(0.0, '0'), (2.0, '2'), (4.0, '4'), (6.0, '6'), (8.0, '8'), (10.0, '10')])
    >>> Axis(0.01, 10, 0, 300, "log").ticks()
    [(0.01, '0.01'), (0.1, '0.1'), (1.0, '1'), (10.0, '10')]
    """

    low: float
    high: float
    start: float
    end: float
    kind: Literal["linear", "log"] = "linear"

    def place(self, value: float) -> float:
        """Return the pixel of a number."""
        low, high = self.low, self.high
        if self.kind == "log":
            low, high, value = log10(low), log10(high), log10(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Return some six round numbers and how they are written."""
        if self.kind == "log":
            powers = range(ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9) + 1)
            return [(10.0**p, f"{10.0**p:g}") for p in powers]
        step = _round_step((self.high - self.low) / 5)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [(round(k * step, 12), f"{round(k * step, 12):g}") for k in range(first, last + 1)]


def _round_step(rough: float) -> float:
    power: float = 10.0 ** floor(log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)


def spanning(
    values: list[float], start: float, end: float, kind: Literal["linear", "log"] = "linear"
) -> Axis:
    """Return an axis that holds all values and ends at round numbers.

    >>> spanning([0.13, 0.42], 0, 1)
    Axis(low=0.1, high=0.45, start=0, end=1, kind='linear')
    """
    low, high = min(values), max(values)
    if kind == "log":
        first = floor(log10(low))
        return Axis(10.0**first, 10.0 ** max(ceil(log10(high)), first + 1), start, end, kind)
    step = _round_step(((high - low) or abs(high) or 1.0) / 8)
    first, last = floor(low / step), ceil(high / step)
    last = max(last, first + 1)
    return Axis(round(first * step, 12), round(last * step, 12), start, end, kind)


def frame(x: Axis, y: Axis, x_title: str, y_title: str) -> list[Mark]:
    """Return grid lines, ticks and titles of a plane; y points up, so ``y.start > y.end``."""
    marks: list[Mark] = []
    for value, text in x.ticks():
        at = x.place(value)
        marks += [Line(((at, y.start), (at, y.end)), "grid", 1.0)]
        marks += [Text((at, y.start + 18), text, "middle", "muted")]
    for value, text in y.ticks():
        at = y.place(value)
        marks += [Line(((x.start, at), (x.end, at)), "grid", 1.0)]
        marks += [Text((x.start - 8, at + 4), text, "end", "muted")]
    middle = (x.start + x.end) / 2
    return [
        *marks,
        Text((middle, y.start + 38), x_title, "middle"),
        Text((x.start - 40, y.end - 12), y_title, "start"),
    ]
