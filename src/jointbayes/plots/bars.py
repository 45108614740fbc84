"""Bars with intervals, one per label or per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jointbayes.errors import DataError
from jointbayes.plots.axes import Axis, spanning
from jointbayes.plots.drawing import Drawing
from jointbayes.plots.marks import Line, Mark, Shape, Text, shortened

__all__ = ["Bar", "bars"]

_LONG, _ROW, _TOP = 320.0, 22.0, 10.0
_NAMES = (120.0, 300.0)  # room for them, at least and at most
_VALUE = 64.0  # room for what stands behind a bar
_LETTER = 7.8


@dataclass(frozen=True)
class Bar:
    """A value and the interval it may lie in; without one, ``low`` and ``high`` are None.

    >>> Bar("sad", 0.61, 0.55, 0.66).value
    0.61
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None


def bars(rows: Sequence[Bar], metric: str, digits: int = 3, span: Sequence[float] = ()) -> Drawing:
    """Draw horizontal bars from zero, in the order given, with their intervals as whiskers.

    Bars of negative values have a colour of their own. ``span`` are values that the axis has to
    reach, so that several drawings have the same.

    >>> bars([Bar("sad", 0.61, 0.55, 0.66), Bar("calm", 0.5)], "F1").description
    'F1: sad 0.610 (0.550 to 0.660), calm 0.500.'
    """
    if not rows:
        raise DataError("there is no bar to draw; give one for each label")
    bottom = _TOP + _ROW * len(rows)
    longest = _LETTER * (max(len(row.name) for row in rows) + 1) + 8
    left = min(max(longest, _NAMES[0]), _NAMES[1])
    ends = [v for row in rows for v in (row.value, row.low, row.high) if v is not None]
    axis = spanning([0.0, *ends, *span], left, left + _LONG)
    marks: list[Mark] = []
    for value, text in axis.ticks():
        at = axis.place(value)
        marks += [Line(((at, _TOP), (at, bottom)), "grid", 1.0)]
        marks += [Text((at, bottom + 18), text, "middle", "muted")]
    for i, row in enumerate(rows):
        marks += _bar(row, _TOP + _ROW * i, axis, digits)
    marks.append(Text((left + _LONG / 2, bottom + 38), metric, "middle"))
    said = ", ".join(_words(row, digits) for row in rows)
    width = left + _LONG + _VALUE
    return Drawing(metric, f"{metric}: {said}.", width, bottom + 50, tuple(marks))


def _bar(row: Bar, top: float, axis: Axis, digits: int) -> list[Mark]:
    middle, low, high = top + _ROW / 2, top + 4, top + _ROW - 4
    names, numbers = axis.start - 8, axis.end + 10
    left, right = axis.place(0), axis.place(row.value)
    corners = ((left, low), (right, low), (right, high), (left, high))
    marks: list[Mark] = [
        Text((names, middle + 4), shortened(row.name, names), "end"),
        Shape(corners, "fill" if row.value >= 0 else "against", _words(row, digits)),
        Text((numbers, middle + 4), f"{row.value:.{digits}f}", "start", "muted"),
    ]
    if row.low is not None and row.high is not None:
        a, b = axis.place(row.low), axis.place(row.high)
        marks.append(Line(((a, middle), (b, middle)), "ink", 1.5))
        marks += [Line(((at, middle - 4), (at, middle + 4)), "ink", 1.5) for at in (a, b)]
    return marks


def _words(row: Bar, digits: int) -> str:
    said = f"{row.name} {row.value:.{digits}f}"
    if row.low is None or row.high is None:
        return said
    return f"{said} ({row.low:.{digits}f} to {row.high:.{digits}f})"
