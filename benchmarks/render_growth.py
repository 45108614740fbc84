"""Render results/growth.json, written by growth.py, into docs/evidence/growth.md and its figures.

    python benchmarks/render_growth.py

The exponent of a line is the slope of time over size, both in logarithms, over the last decade of
sizes: what is constant in a fit or a prediction counts for little there.
"""

from __future__ import annotations

import json
from math import log
from pathlib import Path
from textwrap import fill
from typing import Any

from growth import MEMORY, ONE_CLASS, SEVERAL, SIZES
from jointbayes.plots import Drawing, as_svg
from jointbayes.plots.axes import frame, spanning
from jointbayes.plots.marks import Dot, Line, Mark, Text, series
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from jointbayes.report.page import Block
from tables import table

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "evidence"
Cells = list[dict[str, Any]]

LEAD = """\
Rendered by `benchmarks/render_growth.py` from what `benchmarks/growth.py` measures; nothing here is
typed but the reasons. Every model was fitted to made-up numbers of growing size, on one core of a
busy machine, until the next size would take more than {limit} processor seconds to fit,
or to answer a thousand rows, or more than {memory} GiB; what ended a line before the largest size
stands in the last column. Models of regressions had one penalty. Unless it is the side that grows,
there are 1,000 rows, 20 columns, 5 labels, or 2 classes with at least 20 rows each. Predictions of
`JointForest` are those after a first row, for which it prepares all leaves; where few columns tell
much it tries more of them, and takes longer. Exponents are slopes in logarithms over the last
decade of sizes. What wraps another model (`JointLayer`, `Calibrated`,
`Constrained`, `Conformal`, `Auto`) grows as that does. Memory is what the process held more at its
peak than before the fit, data not counted."""

REFUSED = "Refused, with what was said of memory:"

WHERE = "Machine of the last run: {machine}. Lines that were not in it were measured before."

DESIGN = {"rows": 1.0, "columns": 2.0, "labels": 2.0, "classes": 1.0}
"""What the design allows: linear in rows, quadratic in columns for models of pairs of them, and so
for labels; classes are the values of one variable."""

SLACK = 0.15
"""What an exponent may be above that and be called equal: the clock, and what is sorted."""

COPIED = (
    "of 316,228 rows as of 31,623 the solver takes 8 steps; half of the time goes to standardised "
    "copies of the rows, which leave the caches"
)
REASONS = {
    ("rows", "fit", "NaiveBayes"): (
        "rows leave the caches: of 2,000,000 57 % is sorting and counting columns (62 ns a row, "
        "where one of 30,000 rows takes 20) and 26 % reading columns out of rows"
    ),
    ("rows", "fit", "BinaryRelevance"): COPIED,
    ("rows", "fit", "StackedRelevance"): "as BinaryRelevance",
    ("rows", "fit", "ClassifierChain"): "as BinaryRelevance",
    ("rows", "fit", "LabelPowerset"): (
        "as BinaryRelevance; of 316,228 rows 18 % goes to putting label vectors in order (9 % of "
        "31,623)"
    ),
    ("rows", "fit", "ILFCompo"): (
        "72 % of 31,623 rows is permuting them in tests of independence, and more rows confirm "
        "more features (89 tests, 74 of 3,162 rows)"
    ),
    ("rows", "fit", "MLkNN"): "the neighbours of every row are found among all: pairs of rows",
    ("rows", "fit", "IBLR"): "as MLkNN",
    ("rows", "predict", "MLkNN"): "a row is compared with every row learned",
    ("rows", "predict", "IBLR"): "as MLkNN",
    ("rows", "fit", "JointForest"): "trees of more rows are deeper, and leave the caches",
    ("rows", "predict", "JointForest"): (
        "200 trees that part nearly every row from every other: of 20,000 rows, 60 % of the time "
        "goes to walking down trees that are no longer in the caches"
    ),
    ("columns", "fit", "AKDB"): (
        "49 % of 1,000 columns is ranking the weights of all pairs of values, a logarithm more, "
        "30 % logarithms of tables that leave the caches"
    ),
    ("columns", "fit", "LKDB"): "as AKDB",
    ("columns", "predict", "LKDB"): (
        "a row looks up the weights of all its pairs of values, in tables that leave the caches: "
        "1.3 GiB of 1,000 columns, 12 of 3,162"
    ),
    ("columns", "predict", "AKDB"): "as LKDB",
    ("labels", "fit", "MultilabelFAN"): (
        "for every root the pairs of the other labels are counted: triples of labels (52 % at 320)"
    ),
    ("labels", "fit", "IBLR"): (
        "the regression of each label has the votes for all labels among its columns, so that "
        "steps of all regressions are products of three sides"
    ),
    ("labels", "predict", "ClassifierCascade"): (
        "beyond 12 labels a set is weighed by walks through orders of its labels: 69 % at 20 (40 % "
        "at 10, where orders are summed up)"
    ),
    ("labels", "predict", "NetworkEnsemble"): "the pooled graph joins all labels",
    ("labels", "predict", "ClassifierChain"): (
        "99 % at 40 labels is the search that proves the best vector (70 % at 20), which labels "
        "like noise make long; it is bounded"
    ),
    ("labels", "predict", "ChainEnsemble"): (
        "at 20 labels 34 % is the search in each chain, 40 % what every chain says of what the "
        "others found"
    ),
    ("labels", "predict", "MMOC"): (
        "beyond a list of all label vectors they are searched for: 49 % at 40 labels is the ascent "
        "that bounds parts of them (42 % at 20)"
    ),
    ("labels", "fit", "LabelPowerset"): "label vectors that occur, up to one a row",
    ("labels", "predict", "LabelPowerset"): "as its fit",
}
"""Why an exponent is above what the design allows, by axis, what is timed, and model."""
OTHER = {
    ("rows", "fit"): "as NaiveBayes: columns of numbers are cut",
    ("classes", "fit"): "rows grow with classes, 20 each, and tables leave the caches",
    ("classes", "predict"): "tables of 1,000 classes leave the caches",
}
"""The same where it is so for most models."""


def exponent(cells: Cells, what: str) -> float | None:
    """Return the slope of what was timed over the last decade of sizes."""
    known = [(c["size"], c[what]) for c in cells if c.get(what)]
    if len(known) < 3:
        return None
    points = [(log(size), log(t)) for size, t in known if size * 10 >= known[-1][0] * 0.99]
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / spread


def drawing(lines: dict[str, Cells], axis: str, what: str, title: str) -> Drawing:
    """Draw seconds against size, both logarithmic, one line for each model."""
    points = {
        name: [(c["size"], c[what]) for c in cells if c.get(what)] for name, cells in lines.items()
    }
    sizes = [float(size) for line in points.values() for size, _ in line]
    times = [t for line in points.values() for _, t in line]
    x, y = spanning(sizes, 66.0, 390.0, "log"), spanning(times, 340.0, 34.0, "log")
    marks: list[Mark] = frame(x, y, f"{axis} (logarithmic)", f"{title} (logarithmic)")
    for i, (name, line) in enumerate(points.items()):
        role, shape = series(i)
        places = tuple((x.place(size), y.place(t)) for size, t in line)
        marks.append(Line(places, role, 2.0))
        marks += [
            Dot(at, role, 3.5, shape, f"{name}, {size:,} {axis}: {t:.3g} s")
            for at, (size, t) in zip(places, line, strict=True)
        ]
        slope = exponent(lines[name], what)
        told = name if slope is None else f"{name} {slope:.1f}"
        at = 44.0 + 20 * i
        marks += [Dot((414.0, at), role, 5.0, shape), Text((428.0, at + 4), told)]
    said = "; ".join(
        f"{name}: {', '.join(f'{t:.3g} s at {size:,}' for size, t in line)}"
        for name, line in points.items()
    )
    return Drawing(f"{title} against {axis}", f"{said}.", 600.0, 400.0, tuple(marks))


def shown(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def row(name: str, cells: Cells) -> list[str]:
    done = [c for c in cells if c.get("fit") is not None]
    if not done:
        return [name, "–", "", "", "", "", "", cells[-1].get("ends", "")]
    last = done[-1]
    slopes = [exponent(done, what) for what in ("fit", "predict", "memory")]
    return [
        name,
        f"{last['size']:,}",
        shown(last["fit"]),
        *("" if s is None else f"{s:.2f}" for s in slopes[:1]),
        shown(last["predict"]),
        *("" if s is None else f"{s:.2f}" for s in slopes[1:2]),
        f"{last['memory'] / 2**20:,.0f} MiB",
        cells[-1].get("ends", ""),
    ]


def refused(lines: dict[str, Cells]) -> list[list[str]]:
    """Return what a model said of a size that memory does not hold."""
    return [
        [name, f"{cell['size']:,}", cell["said"]]
        for name, cells in lines.items()
        for cell in cells
        if "said" in cell
    ]


def above(names: tuple[str, ...], lines: dict[str, Cells], axis: str) -> list[list[str]]:
    """Return the exponents that are above the design's, each with its reason."""
    found = []
    for name in names:
        done = [c for c in lines.get(name, []) if c.get("fit") is not None]
        for what in ("fit", "predict"):
            slope = exponent(done, what)
            allowed = DESIGN[axis] if what == "fit" or axis != "rows" else 0.0
            if slope is not None and slope > allowed + SLACK:
                reason = REASONS.get((axis, what, name)) or OTHER.get((axis, what), "")
                found.append([name, what, f"{slope:.2f}", f"{allowed:g}", reason])
    return found


def main() -> None:
    result = json.loads((HERE / "results" / "growth.json").read_text(encoding="utf-8"))
    sections = []
    for axis in SIZES:
        every = (*ONE_CLASS, *SEVERAL)
        cells = [c for c in result["cells"] if c["axis"] == axis]
        lines = {name: [c for c in cells if c["model"] == name] for name in every}
        lines = {name: line for name, line in lines.items() if line}
        names = tuple(lines)
        pictures = []
        for group, start in enumerate(range(0, len(names), 7)):
            few = {name: lines[name] for name in names[start : start + 7]}
            for what, title in (("fit", "seconds of a fit"), ("predict", "seconds a row")):
                file = f"growth_{axis}_{what}_{group + 1}.svg"
                drawn = as_svg(drawing(few, axis, what, title), file.removesuffix(".svg"))
                (DOCS / file).write_text(drawn + "\n", encoding="utf-8")
                pictures.append(f"![{title} against {axis}]({file})")
        head = [
            "model",
            f"most {axis}",
            "fit",
            "exponent",
            "predict, a row",
            "exponent",
            "memory",
            "ends",
        ]
        blocks: list[Block] = [Paragraph("\n\n".join(pictures))]
        blocks.append(table(head, [row(name, lines[name]) for name in names]))
        too_large = refused(lines)
        if too_large:
            blocks.append(Paragraph(REFUSED))
            blocks.append(table(["model", axis, "what it said"], too_large))
        over = above(names, lines, axis)
        if over:
            blocks.append(Paragraph("Above what the design says, and why:"))
            blocks.append(table(["model", "what", "exponent", "design", "why"], over))
        sections.append(Section(f"By {axis}", tuple(blocks)))
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    sections.append(Section("Where", (Paragraph(WHERE.format(machine=machine)),)))
    seconds = result["limit"]
    limit = f"{seconds['labels']:g} ({seconds['rows']:g} where rows or columns grow)"
    lead = LEAD.format(limit=limit, memory=MEMORY >> 30)
    page = Page("Growth", fill(lead, 100), (), tuple(sections))
    (DOCS / "growth.md").write_text(as_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
