"""Render results/speed/*.json, written by quick.py, into docs/evidence/speed.md.

    python benchmarks/render_speed.py

``quick.json`` has the figures of now, ``before.json`` those of the same calls on the same machine
at the commit that stands beside each, with what the reference loop of `quick.py` took beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from tables import table

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "speed"
PAGE = HERE.parent / "docs" / "evidence" / "speed.md"
GOAL = 2e-4  # seconds that one row may take beside twice its cost in a batch
LEAD = """\
Rendered by `benchmarks/render_speed.py` from the figures of `make bench-quick`; nothing here is
typed. Figures are processor time, the least of a few calls, of one busy machine. Floor and peer
were measured in the process of "after", beside it; "before" is what the same call took at commit
{commit}, when the corners were found, times what a reference loop takes today and took then. What
is in italics was not measured at that commit but at a later one, of which there is no record, after
a first round of work. A date is that of a figure from another run. A ratio above 1 means that we
are faster. A dash is a call that did not end in ten processor seconds. Memory is what the process
held more at its peak in our calls than before them, if that is a MiB at least: what it had free is
used first. The page on growth has the memory of every model by itself."""


SCALES = """\
The share of held-out rows answered exactly, the mean of two splits. A penalty means another
thing where columns are scaled, so that one number for both favours whom it suits: with penalty 1
standardised columns lose on yeast, and with the penalty that is chosen, as it is by default, they
do not. They stay standardised."""


def shown(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def row(figure: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    then = None if before is None else before["ours"]
    if then is not None:
        then *= figure["reference"] / before["reference"]
    now, peer, floor = figure["ours"], figure["peer"], figure["floor"]
    at_first = before is None or "commit" in before
    told = (figure["unit"], figure.get("date"))
    return [
        figure["name"] + "".join(f" ({word})" for word in told if word),
        shown(then) if at_first else f"*{shown(then)}*",
        shown(now),
        f"{then / now:.1f}×" if then and now else "",
        f"{shown(floor)}: {figure['floor_is']}" if floor else "",
        f"{shown(peer)}: {figure['peer_is']}" if peer else "",
        f"{peer / now:.2f}×" if peer and now else "",
        f"{figure['memory'] / 2**20:,.0f} MiB" if figure.get("memory", 0) >= 1 << 20 else "",
    ]


SHAPES = (("array", "an array"), ("frame", "a frame"), ("mixed", "a frame with categories"))


def one_row() -> Section:
    """Return the table of single rows: alone before and now, and in a batch."""
    now = json.loads((RESULTS / "one_row.json").read_text(encoding="utf-8"))
    before = json.loads((RESULTS / "one_row_before.json").read_text(encoding="utf-8"))
    then = {figure["model"]: figure for figure in before["figures"]}
    head, rows, met = ["model"], [], 0
    for _, words in SHAPES:
        head += [f"{words}: before", "now", "in a batch"]
    for figure in now["figures"]:
        cells = [figure["model"]]
        for shape, _ in SHAPES:
            alone, batch = figure[shape], figure[f"{shape} batch"]
            good = alone <= 2 * batch + GOAL
            met += good
            told = shown(alone) if good else f"*{shown(alone)}*"
            cells += [shown(then[figure["model"]][shape]), told, shown(batch)]
        rows.append(cells)
    lead = (
        f"One row of 10 columns, or of yeast's 103 where there are several labels, and a row in a "
        f"batch of 200; the frame with categories has 10 numbers, a category and a text. The goal "
        f"is twice the cost in a batch and {shown(GOAL)}: {met} of {len(SHAPES) * len(rows)} meet "
        "it, the others are in italics. Before is a later commit than above, of which there is no "
        "record; it was measured in another run, without the reference loop, which took "
        f"{shown(now['reference'])} in this one."
    )
    return Section("One row", (Paragraph(lead), table(head, rows)))


def label_powerset() -> Section:
    """Return the table of exact answers, columns being standardised or not."""
    figures = json.loads((RESULTS / "label_powerset.json").read_text(encoding="utf-8"))["figures"]
    head = list(figures[0])
    rows = [[f["set"], *(f"{f[told]:.3f}" for told in head[1:])] for f in figures]
    return Section(
        "LabelPowerset: standardised or raw columns", (Paragraph(SCALES), table(head, rows))
    )


def main() -> None:
    now = json.loads((RESULTS / "quick.json").read_text(encoding="utf-8"))
    before = json.loads((RESULTS / "before.json").read_text(encoding="utf-8"))
    then = {figure["name"]: figure for figure in before["figures"]}
    head = ["what", "before", "after", "gain", "floor", "peer", "peer ÷ ours", "memory"]
    rows = [row(figure, then.get(figure["name"])) for figure in now["figures"]]
    machine = ", ".join(f"{name} {value}" for name, value in now["machine"].items())
    blocks = (table(head, rows), Paragraph(f"Machine: {machine}."))
    sections = (Section("Corners and headlines", blocks), one_row(), label_powerset())
    first = {figure["commit"] for figure in before["figures"] if "commit" in figure}
    page = Page("Speed", LEAD.format(commit=", ".join(sorted(first))), (), sections)
    PAGE.write_text(as_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
