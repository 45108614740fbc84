"""Drawings: everything on the sheet, in the right place, readable for all, and the same twice."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jointbayes import plots, statistics
from jointbayes.errors import DataError, MissingExtraError
from jointbayes.independence import LabelFactors
from jointbayes.metrics import reliability
from jointbayes.plots.axes import Axis, spanning
from jointbayes.plots.drawing import outline
from jointbayes.plots.marks import PALETTE, Dot, Line, Shape, Text
from jointbayes.report.assets import STYLE

LONG = "a name that is far too long to be shown whole"
HOSTILE = "<b>&\"'é"
SVG = "{http://www.w3.org/2000/svg}"


def drawings():
    rng = np.random.default_rng(0)
    p = rng.random((60, 2))
    curve = reliability((rng.random((60, 2)) < p).astype(int), p)
    names = [f"{HOSTILE}{i}" for i in range(9)]
    scores = {name: rng.random(5) for name in names}
    arcs = [(names[i], names[j]) for i, j in rng.integers(0, 9, (20, 2)) if i != j]
    tree = [(names[rng.integers(i)], names[i]) for i in range(1, 9)]
    return [
        plots.rank_diagram(statistics.nemenyi(scores)),
        plots.rank_diagram(statistics.nemenyi({LONG: [1, 2], "B": [2, 1]})),
        plots.reliability_curves({HOSTILE: curve, LONG: curve}),
        plots.time_against_score({name: (10.0 ** (i - 4), i / 9) for i, name in enumerate(names)}),
        plots.time_against_score({"one": (0.0, 0.5)}),
        plots.scatter({name: (i, 10.0**i) for i, name in enumerate(names)}, "x", "y", "log"),
        plots.scatter({LONG: (-1.0, 0.5)}, "x", "y"),
        plots.agreement({"TAN": [("Iris", 0.08, 0.07)], "NB": [("Zoo", 0.5, 0.6)]}),
        plots.bars([plots.Bar(name, 0.1 * i, 0.05 * i, 0.2) for i, name in enumerate(names)], "F1"),
        plots.bars([plots.Bar(LONG, 0.0)], "F1"),
        plots.label_graph(arcs, names),
        plots.label_graph([], ["top", LONG, "below", LONG + LONG]),
        plots.label_graph([("a", "b")], ["a", "b"], weights={("a", "b"): 0.5}),
        plots.factor_graph(coins(rng)),
        plots.learning_curves(
            {name: {50: 0.1, 5000: 0.1 + i / 10} for i, name in enumerate(names)}
        ),
        plots.learning_curves({"one": {100: 0.5}}),
        plots.label_tree(tree, names, {arc: float(i) for i, arc in enumerate(tree)}),
        plots.label_tree([], [LONG], {}),
    ]


def coins(rng):
    """Factors of three pairs of coins, and of one alone."""
    pairs = np.repeat(rng.integers(0, 2, (400, 3)), 2, axis=1)
    return LabelFactors.of(None, np.hstack([pairs, rng.integers(0, 2, (400, 1))]), random_state=rng)


ALL = drawings()
NAMES = [f"{i} {drawing.title}" for i, drawing in enumerate(ALL)]


def points_of(mark):
    if isinstance(mark, Dot) and mark.shape == "circle":
        (x, y), r = mark.at, mark.radius
        return [(x - r, y - r), (x + r, y + r)]
    if isinstance(mark, Text):
        width = 0.62 * mark.size * len(mark.text)
        left = mark.at[0] - {"start": 0, "middle": width / 2, "end": width}[mark.anchor]
        return [(left, mark.at[1] - mark.size), (left + width, mark.at[1])]
    return outline(mark) if isinstance(mark, Dot) else mark.points


@pytest.mark.parametrize("drawing", ALL, ids=NAMES)
def test_everything_is_on_the_sheet(drawing):
    for mark in drawing.marks:
        for x, y in points_of(mark):
            assert -1 <= x <= drawing.width + 1, mark
            assert -1 <= y <= drawing.height + 1, mark


@pytest.mark.parametrize("drawing", ALL, ids=NAMES)
def test_svg_is_whole_and_says_what_it_shows(drawing):
    svg = plots.as_svg(drawing, "here")
    root = ET.fromstring(svg)
    assert root.find(f"{SVG}title").text == drawing.title
    assert root.find(f"{SVG}desc").text == drawing.description
    assert root.get("aria-labelledby") == "here-title here-text"
    assert len(root) == 2 + len(drawing.marks)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert words == [mark.text for mark in drawing.marks if isinstance(mark, Text)]
    assert "nan" not in svg.replace("--muted", "")
    assert drawing._repr_svg_() == plots.as_svg(drawing)


@pytest.mark.parametrize("drawing", ALL, ids=NAMES)
def test_matplotlib_draws_every_mark(drawing):
    pytest.importorskip("matplotlib")
    ax = plots.draw(drawing)
    count = {kind: sum(isinstance(m, kind) for m in drawing.marks) for kind in (Line, Text, Dot)}
    assert len(ax.lines) == count[Line]
    assert len(ax.texts) == count[Text]
    assert len(ax.patches) == len(drawing.marks) - count[Line] - count[Text]


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"jointbayes\[plots\]"):
        plots.draw(ALL[0])


def test_ranks_stand_where_their_values_are():
    """Pixels are an increasing linear function of ranks, and bars span their groups."""
    rng = np.random.default_rng(1)
    result = statistics.nemenyi({name: rng.random(40) + i for i, name in enumerate("ABCDE")})
    drawing = plots.rank_diagram(result)
    x = [mark.at[0] for mark in drawing.marks if isinstance(mark, Dot)]
    slope = (x[-1] - x[0]) / (result.average_ranks[-1] - result.average_ranks[0])
    assert slope > 0
    np.testing.assert_allclose(np.diff(x), slope * np.diff(result.average_ranks), atol=1e-9)
    bars = [m for m in drawing.marks if isinstance(m, Line) and m.role == "series 1"]
    assert len(bars) == len(result.groups)
    for bar, (first, last) in zip(bars, result.groups, strict=True):
        assert bar.points[0][0] <= x[first]
        assert bar.points[1][0] >= x[last]


def test_only_arcs_between_labels_are_drawn_and_each_once():
    drawing = plots.label_graph([("a", "b"), ("a", "b"), ("a", "x0"), ("b", "c")], ["a", "b", "c"])
    assert sum(isinstance(m, Line) for m in drawing.marks) == 2
    assert sum(isinstance(m, Shape) for m in drawing.marks) == 2


def test_every_factor_has_its_colour_and_what_is_alone_is_grey():
    drawing = plots.factor_graph(coins(np.random.default_rng(1)))
    colour = {m.tip: (m.role, m.shape) for m in drawing.marks if isinstance(m, Dot)}
    pairs = [(f"y{i}", f"y{i + 1}") for i in (0, 2, 4)]
    assert all(colour[a] == colour[b] for a, b in pairs)
    assert len({colour[a] for a, _ in pairs}) == 3
    assert colour["y6"][0] == "muted"
    links = [m for m in drawing.marks if isinstance(m, Line)]
    assert sorted(m.role for m in links) == sorted(colour[a][0] for a, _ in pairs)


def test_a_tree_says_every_gain_and_children_stand_right_of_their_parents():
    gains = {("b", "a"): 12.25, ("b", "c"): 3.0, ("c", "d"): -0.5}
    drawing = plots.label_tree([*gains, ("b", "x0")], ["a", "b", "c", "d", "e"], gains)
    place = {mark.tip: mark.at for mark in drawing.marks if isinstance(mark, Dot)}
    said = {mark.text: mark.at for mark in drawing.marks if isinstance(mark, Text)}
    ends = {at: tip for tip, (x, y) in place.items() for at in [(x - 5, y)]}
    lines = {ends[m.points[-1]]: m for m in drawing.marks if isinstance(m, Line)}
    assert len(place) == 5
    assert len(set(place.values())) == 5
    for (parent, child), gain in gains.items():
        assert place[parent][0] < said[f"{gain:+.1f}"][0] < place[child][0]
        assert lines[child].points[0][1] == place[parent][1]
    widths = [lines[child].width for child in "acd"]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    "arcs", [[("a", "b"), ("b", "a")], [("a", "b"), ("c", "b")], [("a", "a")]], ids=str
)
def test_what_is_no_tree_is_not_drawn_as_one(arcs):
    with pytest.raises(DataError, match="makes no tree; draw it by label_graph"):
        plots.label_tree(arcs, ["a", "b", "c"], dict.fromkeys(arcs, 1.0))


@given(
    st.lists(st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-6), min_size=1, max_size=6)
)
@settings(max_examples=50, deadline=None)
def test_an_axis_holds_its_values_and_ticks_are_even(values):
    axis = spanning(values, 10, 110)
    slack = 1e-9 * max(map(abs, values), default=1.0)
    assert axis.low <= min(values) + slack
    assert axis.high >= max(values) - slack
    assert 9.999 <= axis.place(min(values)) <= axis.place(max(values)) + 1e-6
    ticks = [value for value, _ in axis.ticks()]
    assert 2 <= len(ticks) <= 12
    assert np.ptp(np.diff(ticks)) <= 1e-6 * (axis.high - axis.low)


@given(st.floats(-6, 3), st.floats(0, 6))
@settings(max_examples=50, deadline=None)
def test_a_logarithmic_axis_too(power, more):
    low, high = 10.0**power, 10.0 ** (power + more)
    axis = spanning([low, high], 0, 100, "log")
    assert -1e-6 <= axis.place(low) <= axis.place(high) <= 100 + 1e-6
    assert len(axis.ticks()) >= 2


def test_a_half_of_a_logarithmic_axis_is_the_geometric_mean():
    assert Axis(1, 100, 0, 50, "log").place(10) == pytest.approx(25)


def luminance(colour):
    """WCAG 2: relative luminance of #rrggbb."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    bright, dark = sorted([luminance(a), luminance(b)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_colours_can_be_told_from_the_ground_in_light_and_dark():
    themes = [
        dict(re.findall(r"--([\w-]+):\s*(#\w{6})", part))
        for part in STYLE.split("prefers-color-scheme: dark")[:2]
    ]
    for theme in themes:
        assert contrast(theme["ink"], theme["paper"]) >= 7
        for role in ("muted", "good", "bad", "focus"):
            assert contrast(theme[role], theme["paper"]) >= 4.5, role
        for i in range(7):
            assert contrast(theme[f"series-{i}"], theme["paper"]) >= 3, i
        assert contrast(theme["ink"], theme["fill"]) >= 4.5
    light = themes[0]
    for role, colour in PALETTE.items():
        assert light[role.replace(" ", "-")] == colour


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plots.reliability_curves({}),
        lambda: plots.time_against_score({}),
        lambda: plots.agreement({}),
        lambda: plots.bars([], "F1"),
        lambda: plots.label_graph([], []),
        lambda: plots.learning_curves({}),
        lambda: plots.label_tree([], [], {}),
    ],
)
def test_nothing_to_draw_is_said(draw):
    with pytest.raises(DataError, match="there is no"):
        draw()


def test_a_tree_of_many_labels_is_a_list_in_which_nothing_overlaps():
    names = [f"label number {j}" for j in range(60)]
    arcs = [(names[j // 3], names[j]) for j in range(1, 60)]
    drawing = plots.label_tree(arcs, names, dict.fromkeys(arcs, 1.0))
    texts = [mark for mark in drawing.marks if isinstance(mark, Text)]
    rows = sorted(mark.at[1] for mark in texts)
    assert len(texts) == 60
    assert min(np.diff(rows)) >= 20  # a row each
    places = {mark.text.split("  ")[0]: mark.at for mark in texts}
    assert all(places[a][0] < places[b][0] and places[a][1] < places[b][1] for a, b in arcs)
    assert drawing.description.startswith("60 labels in 1 tree: label number 0 to label number 1")
