"""Render results/field.json into docs/evidence/field.md and its diagrams.

python benchmarks/render_field.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from field_models import CONTESTANTS
from jointbayes.plots import as_svg, rank_diagram
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from jointbayes.report.page import Block
from jointbayes.statistics import benjamini_hochberg, nemenyi, rank, wilcoxon
from tables import table

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "evidence"
METRICS = {
    "exact match": "higher",
    "Hamming loss": "lower",
    "example F1": "higher",
    "Jaccard": "higher",
    "joint log-loss": "lower",
    "micro F1": "higher",
    "macro F1": "higher",
    "calibration error": "lower",
    "ranking loss": "lower",
    "average precision": "higher",
}
CELLS = list(METRICS)[:5]
"""The metrics in which wins are counted."""

LEAD = """\
Rendered by `benchmarks/render_field.py` from what `benchmarks/field.py` measured. Splits of 60 to
40, the same for all; everybody has the defaults and one thread. Ours decide by their posterior, for
each metric by its own loss (micro and macro F1 by that of example F1), peers by their own
`predict`. The joint of a peer is the product of its probabilities, none beyond 1/400 and 399/400; a
powerset of support vector machines has none."""

STARS = """\
On how many sets it is better; a star where Wilcoxon's test, corrected for many (Benjamini &
Hochberg), says p < 0.05."""

Means = dict[str, dict[str, dict[str, float]]]


def means(cells: dict[str, Any]) -> tuple[Means, list[list[str]]]:
    """Return metric → set → contestant → mean over splits, and the cells that failed."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    failed = []
    for key, scores in cells.items():
        name, split, model = key.split(" | ")
        if "failed" in scores:
            failed.append([name, split, model, scores["failed"]])
            continue
        for metric, value in scores.items():
            found.setdefault(metric, {}).setdefault(name, {}).setdefault(model, []).append(value)
    averaged = {
        metric: {
            name: {model: float(np.mean(v)) for model, v in models.items()}
            for name, models in sets.items()
        }
        for metric, sets in found.items()
    }
    return averaged, failed


def whole(by_set: dict[str, dict[str, float]]) -> tuple[list[str], list[str]]:
    """Return the sets, and the contestants that have all of those sets where Auto has been."""
    sets = [name for name, models in by_set.items() if "Auto" in models]
    models = [m for m in CONTESTANTS if sum(m in by_set[s] for s in sets) >= 0.7 * len(sets)]
    return [s for s in sets if all(m in by_set[s] for m in models)], models


def wins(averaged: Means, own: str) -> list[list[str]]:
    """Return for each peer how often it is beaten, metric by metric, and Wilcoxon's p."""
    rows, p_values = [], []
    peers = [name for name, one in CONTESTANTS.items() if not one.ours]
    for peer in peers:
        row, won, of = [peer], 0, 0
        for metric in CELLS:
            sign = 1 if METRICS[metric] == "higher" else -1
            pairs = [
                (sign * models[own], sign * models[peer])
                for models in averaged.get(metric, {}).values()
                if own in models and peer in models
            ]
            better = sum(a > b for a, b in pairs)
            row.append(f"{better} of {len(pairs)}" if pairs else "–")
            won, of = won + better, of + len(pairs)
            if len(pairs) >= 5:
                ours, theirs = np.array(pairs).T
                p_values.append((len(rows), metric, float(wilcoxon(ours, theirs).p_value)))
        if of:
            rows.append([*row, f"{100 * won / of:.0f} %"])
    adjusted = benjamini_hochberg([p for *_, p in p_values]) if p_values else []
    for (at, metric, _), q in zip(p_values, adjusted, strict=True):
        if q < 0.05:
            rows[at][1 + CELLS.index(metric)] += " *"
    return rows


def win_table(averaged: Means, own: str) -> Block:
    return table(["peer", *CELLS, "all cells"], wins(averaged, own))


def rank_rows(averaged: Means) -> list[list[str]]:
    models = list(CONTESTANTS)
    rows = {model: [model] for model in models}
    for metric, better in METRICS.items():
        sets, present = whole(averaged[metric])
        values = [[averaged[metric][s][m] for m in present] for s in sets]
        ranks = rank(np.array(values), better=better).mean(axis=0) if values else []
        found = dict(zip(present, ranks, strict=True))
        for model in models:
            rows[model].append(f"{found[model]:.2f}" if model in found else "")
    return [row for row in rows.values() if any(row[1:])]


def set_table(averaged: Means, metric: str) -> Block:
    by_set = averaged[metric]
    models = [m for m in CONTESTANTS if any(m in found for found in by_set.values())]
    pick = max if METRICS.get(metric) == "higher" else min
    rows = []
    for name, found in by_set.items():
        best = pick(found.values())
        digits = 1 if metric == "fit" else 3
        row = [name]
        for model in models:
            text = f"{found[model]:.{digits}f}" if model in found else ""
            row.append(f"**{text}**" if model in found and found[model] == best else text)
        rows.append(row)
    return table(["set", *models], rows)


def main() -> None:
    stored = json.loads((HERE / "results" / "field.json").read_text(encoding="utf-8"))
    averaged, failed = means(stored["cells"])
    machine = stored["machine"]
    splits = 1 + max(int(key.split(" | ")[1]) for key in stored["cells"])
    said = f"{splits} split{'s' * (splits > 1)}; {machine['processor']}, load {machine['load']}."
    gone = stored["absent"]
    said += f" {stored['note']}." if stored.get("note") else ""
    said += f" Not installed, and so not here: {', '.join(gone)}." if gone else ""
    sections = [
        Section(
            "Mean ranks",
            (
                Paragraph(
                    "Over the sets that all who are ranked have finished; who has finished less "
                    "than 70 % of Auto's is left out. 1 is best."
                ),
                table(["", *METRICS], rank_rows(averaged)),
            ),
        ),
        Section("Auto against each peer", (Paragraph(STARS), win_table(averaged, "Auto"))),
        Section("JointForest against each peer", (win_table(averaged, "JointForest"),)),
    ]
    for metric, better in METRICS.items():
        best = "largest" if better == "higher" else "smallest"
        blocks: list[Block] = [
            Paragraph(f"The {best} is best, and in bold, whoever has it."),
            set_table(averaged, metric),
        ]
        sets, models = whole(averaged[metric])
        if metric in CELLS and len(sets) > 2:
            scores = {m: [averaged[metric][s][m] for s in sets] for m in models}
            drawn = rank_diagram(nemenyi(scores, better=better), f"{metric}: average ranks")
            name = f"field_{metric.replace(' ', '_').replace('-', '_').lower()}"
            svg = as_svg(drawn, name.replace("_", "-")) + "\n"
            (DOCS / f"{name}.svg").write_text(svg, encoding="utf-8")
            blocks.append(Paragraph(f"![{metric}: average ranks]({name}.svg)"))
        sections.append(Section(metric[0].upper() + metric[1:], tuple(blocks)))
    sections.append(Section("Processor seconds of fit", (set_table(averaged, "fit"),)))
    if failed:
        sections.append(Section("Left out", (table(["set", "split", "who", "why"], failed),)))
    page = Page("The field", LEAD, (("measured", said),), tuple(sections))
    (DOCS / "field.md").write_text(as_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
