"""Points on a plane: reliability and learning curves, time and score, published and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from jointbayes.errors import DataError
from jointbayes.metrics import Reliability
from jointbayes.plots.axes import Axis, frame, spanning
from jointbayes.plots.drawing import Drawing
from jointbayes.plots.marks import Dot, Line, Mark, Point, Text, series, shortened

__all__ = [
    "agreement",
    "coverage_curves",
    "learning_curves",
    "reliability_curves",
    "scatter",
    "size_curves",
    "time_against_score",
]

_WIDTH, _HEIGHT = 560.0, 400.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 390.0, 34.0, 340.0
_LEGEND = _RIGHT + 24
_CLOCK_TICK = 1e-6  # seconds; a clock's zero has no place on a logarithmic axis


def reliability_curves(curves: Mapping[str, Reliability]) -> Drawing:
    """Draw how often happens what was given which probability; the diagonal is perfect.

    >>> from jointbayes.metrics import reliability
    >>> curve = reliability([[1], [1], [1], [0]], [[0.8]] * 4)
    >>> reliability_curves({"TAN": curve}).description
    'Frequency against probability. TAN: calibration error 0.050, worst bin 0.050.'
    """
    if not curves:
        raise DataError("there is no reliability curve to draw; give one for each model")
    x, y = Axis(0, 1, _LEFT, _RIGHT), Axis(0, 1, _BOTTOM, _TOP)
    marks = [*frame(x, y, "probability given", "how often it happened"), _diagonal(x, y)]
    for i, curve in enumerate(curves.values()):
        points = [
            (x.place(float(c)), y.place(float(f)))
            for c, f in zip(curve.confidence, curve.frequency, strict=True)
        ]
        marks += _curve(i, points, [f"{weight:g} probabilities" for weight in curve.weight])
    said = " ".join(
        f"{name}: calibration error {c.error:.3f}, worst bin {c.worst:.3f}."
        for name, c in curves.items()
    )
    marks += _legend(list(curves))
    words = f"Frequency against probability. {said}"
    return Drawing("Reliability", words, _WIDTH, _HEIGHT, tuple(marks))


def coverage_curves(curves: Mapping[str, Sequence[tuple[float, float, float]]]) -> Drawing:
    """Draw how often sets cover against what was promised, of (alpha, coverage, size) each.

    On the diagonal they are equal; a promise is kept above it.

    >>> coverage_curves({"CTBN": [(0.1, 0.91, 3.0), (0.3, 0.72, 1.5)]}).description
    'Coverage against what was promised. CTBN: 0.910 for 0.9, 0.720 for 0.7.'
    """
    _check_curves(curves)
    x, y = Axis(0, 1, _LEFT, _RIGHT), Axis(0, 1, _BOTTOM, _TOP)
    marks = [*frame(x, y, "promised, 1 − alpha", "covered"), _diagonal(x, y)]
    for i, (name, curve) in enumerate(curves.items()):
        points = [(x.place(1 - alpha), y.place(share)) for alpha, share, _ in curve]
        tips = [f"{name}, {1 - a:g} promised: {c:.3f} by {size:.1f}" for a, c, size in curve]
        marks += _curve(i, points, tips)
    said = " ".join(
        f"{name}: {', '.join(f'{c:.3f} for {1 - a:g}' for a, c, _ in curve)}."
        for name, curve in curves.items()
    )
    marks += _legend(list(curves))
    words = f"Coverage against what was promised. {said}"
    return Drawing("Coverage", words, _WIDTH, _HEIGHT, tuple(marks))


def size_curves(curves: Mapping[str, Sequence[tuple[float, float, float]]]) -> Drawing:
    """Draw the mean size of sets against what they promise, of (alpha, coverage, size) each.

    >>> size_curves({"CTBN": [(0.1, 0.91, 3.0), (0.3, 0.72, 1.5)]}).description
    'Mean size of the sets. CTBN: 3.0 for 0.9, 1.5 for 0.7.'
    """
    _check_curves(curves)
    sizes = [max(size, 1.0) for curve in curves.values() for _, _, size in curve]
    x = Axis(0, 1, _LEFT, _RIGHT)
    y = Axis(min(sizes) / 1.2, max(sizes) * 1.2, _BOTTOM, _TOP, "log")
    marks = frame(x, y, "promised, 1 − alpha", "label vectors in a set (logarithmic)")
    for i, (name, curve) in enumerate(curves.items()):
        points = [(x.place(1 - alpha), y.place(max(size, 1.0))) for alpha, _, size in curve]
        marks += _curve(i, points, [f"{name}, {1 - a:g}: {size:.1f}" for a, _, size in curve])
    said = " ".join(
        f"{name}: {', '.join(f'{size:.1f} for {1 - a:g}' for a, _, size in curve)}."
        for name, curve in curves.items()
    )
    marks += _legend(list(curves))
    words = f"Mean size of the sets. {said}"
    return Drawing("Size of sets", words, _WIDTH, _HEIGHT, tuple(marks))


def time_against_score(
    points: Mapping[str, tuple[float, float]], metric: str = "accuracy"
) -> Drawing:
    """Draw seconds, on a logarithmic axis, against a score, one point per model.

    >>> time_against_score({"TAN": (0.1, 0.9), "AODE": (2.0, 0.91)}).description
    'Seconds and accuracy: TAN 0.10 s, 0.900; AODE 2.00 s, 0.910.'
    """
    if not points:
        raise DataError("there is no model to draw; give seconds and score of each")
    times = {name: max(seconds, _CLOCK_TICK) for name, (seconds, _) in points.items()}
    x = spanning(list(times.values()), _LEFT, _RIGHT, "log")
    y = spanning([score for _, score in points.values()], _BOTTOM, _TOP)
    marks = frame(x, y, "seconds (logarithmic)", metric)
    for i, (name, (_, score)) in enumerate(points.items()):
        role, shape = series(i)
        at = (x.place(times[name]), y.place(score))
        marks.append(Dot(at, role, 5.5, shape, f"{name}: {times[name]:.3g} s, {score:.4f}"))
    said = "; ".join(f"{n} {times[n]:.2f} s, {s:.3f}" for n, (_, s) in points.items())
    marks += _legend(list(points))
    return Drawing(
        "Time against score", f"Seconds and {metric}: {said}.", _WIDTH, _HEIGHT, tuple(marks)
    )


def learning_curves(
    curves: Mapping[str, Mapping[int, float]],
    metric: str = "accuracy",
    *,
    title: str = "Score against sample size",
) -> Drawing:
    """Draw the score of each model against the number of training rows, on a logarithmic axis.

    >>> learning_curves({"BR": {50: 0.1, 500: 0.2}, "LP": {50: 0.1, 500: 0.3}}).description
    'Accuracy against training rows. BR: 0.100 at 50, 0.200 at 500. LP: 0.100 at 50, 0.300 at 500.'
    """
    values = [score for curve in curves.values() for score in curve.values()]
    if not values:
        raise DataError("there is no curve to draw; give the scores of each model by sample size")
    sizes = [float(n) for curve in curves.values() for n in curve]
    x = Axis(min(sizes) / 1.2, max(sizes) * 1.2, _LEFT, _RIGHT, "log")
    y = spanning(values, _BOTTOM, _TOP)
    marks = frame(x, y, "training rows (logarithmic)", metric)
    for i, (name, curve) in enumerate(curves.items()):
        points = [(x.place(n), y.place(score)) for n, score in curve.items()]
        tips = [f"{name}, {n} rows: {score:.4f}" for n, score in curve.items()]
        marks += _curve(i, points, tips)
    said = " ".join(
        f"{name}: {', '.join(f'{score:.3f} at {n}' for n, score in curve.items())}."
        for name, curve in curves.items()
    )
    marks += _legend(list(curves))
    words = f"{metric.capitalize()} against training rows. {said}"
    return Drawing(title, words, _WIDTH, _HEIGHT, tuple(marks))


def agreement(
    points: Mapping[str, Sequence[tuple[str, float, float]]], metric: str = "score"
) -> Drawing:
    """Draw (data set, published, measured) of each algorithm; on the diagonal they are equal.

    >>> agreement({"TAN": [("Iris", 0.08, 0.07), ("Vowel", 0.13, 0.13)]}, "loss").description
    'Published against measured loss of 2 cells; their mean distance is 0.0050.'
    """
    cells = [cell for found in points.values() for cell in found]
    if not cells:
        raise DataError("there is no cell to draw; nothing was measured")
    values = [value for _, published, measured in cells for value in (published, measured)]
    x, y = spanning(values, _LEFT, _RIGHT), spanning(values, _BOTTOM, _TOP)
    marks = [*frame(x, y, f"published {metric}", f"measured {metric}"), _diagonal(x, y)]
    for i, (name, found) in enumerate(points.items()):
        role, shape = series(i)
        for dataset, published, measured in found:
            tip = f"{name} on {dataset}: published {published:g}, measured {measured:.4f}"
            marks.append(Dot((x.place(published), y.place(measured)), role, 4.0, shape, tip))
    gap = sum(abs(measured - published) for _, published, measured in cells) / len(cells)
    marks += _legend(list(points))
    words = (
        f"Published against measured {metric} of {len(cells)} cells; "
        f"their mean distance is {gap:.4f}."
    )
    return Drawing("Published against measured", words, _WIDTH, _HEIGHT, tuple(marks))


def scatter(
    points: Mapping[str, tuple[float, float]],
    x_title: str,
    y_title: str,
    y_kind: Literal["linear", "log"] = "linear",
) -> Drawing:
    """Draw one named point each; the second coordinate may be on a logarithmic axis.

    >>> scatter({"Yeast": (6, 3.5), "Enron": (21, 150.0)}, "labels", "ratio", "log").description
    'ratio against labels: Yeast 6, 3.5; Enron 21, 150.'
    """
    if not points:
        raise DataError("there is no point to draw; give at least one")
    x = spanning([a for a, _ in points.values()], _LEFT, _RIGHT)
    y = spanning([b for _, b in points.values()], _BOTTOM, _TOP, y_kind)
    marks = frame(x, y, x_title, y_title if y_kind == "linear" else f"{y_title} (logarithmic)")
    for i, (name, (a, b)) in enumerate(points.items()):
        role, shape = series(i)
        marks.append(Dot((x.place(a), y.place(b)), role, 5.5, shape, f"{name}: {a:g}, {b:.3g}"))
    said = "; ".join(f"{name} {a:g}, {b:.3g}" for name, (a, b) in points.items())
    marks += _legend(list(points))
    words = f"{y_title} against {x_title}: {said}."
    return Drawing(f"{y_title} against {x_title}", words, _WIDTH, _HEIGHT, tuple(marks))


def _check_curves(curves: Mapping[str, Sequence[object]]) -> None:
    if not any(curves.values()):
        raise DataError("there is no curve to draw; give what Conformal.coverage returns by name")


def _curve(index: int, points: Sequence[Point], tips: Sequence[str]) -> list[Mark]:
    """Join the points of one series, each a dot that tells what it is."""
    role, shape = series(index)
    dots = (Dot(at, role, 4.0, shape, tip) for at, tip in zip(points, tips, strict=True))
    return [Line(tuple(points), role, 2.0), *dots]


def _diagonal(x: Axis, y: Axis) -> Line:
    return Line(((x.start, y.start), (x.end, y.end)), "muted", 1.5, "dashed")


def _legend(names: list[str]) -> list[Mark]:
    marks: list[Mark] = []
    for i, name in enumerate(names):
        role, shape = series(i)
        at = _TOP + 10 + 20 * i
        shown = shortened(name, _WIDTH - _LEGEND - 14)
        marks += [Dot((_LEGEND, at), role, 5.0, shape), Text((_LEGEND + 14, at + 4), shown)]
    return marks
