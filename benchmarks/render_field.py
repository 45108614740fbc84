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
from render_empty import empty_section
from render_large_forest import large_section, threads_section
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

BESIDE = """\
Processor seconds of `fit` on one thread, of runs of two days (see above). The quick CatBoost makes
200 steps, each five times as large, on 32 borders of a column, in place of 1,000 on 254, whose
seconds are missing where they would be many minutes."""

REACHED = """\
Means over splits, with their standard error. The others were measured on the first split alone."""

GOALS = {
    "scene": {"exact match": 0.74, "Hamming loss": 0.077, "example F1": 0.80},
    "yeast": {"exact match": 0.28, "Hamming loss": 0.190, "example F1": 0.668},
}
"""What `Auto` is to reach."""

Means = dict[str, dict[str, dict[str, float]]]


def means(cells: dict[str, Any]) -> tuple[Means, list[list[str]]]:
    """Return metric → set → contestant → mean over the splits that all of a set have, and failures.

    Who has more splits than the others of a set is compared on theirs alone.
    """
    failed, done = [], {}
    for key, scores in cells.items():
        name, split, model = key.split(" | ")
        if "failed" in scores:
            failed.append([name, split, model, scores["failed"]])
        else:
            done.setdefault(name, {}).setdefault(model, {})[split] = scores
    averaged: Means = {}
    for name, models in done.items():
        shared = set.intersection(*(set(splits) for splits in models.values()))
        for model, splits in models.items():
            own = [splits[split] for split in sorted(shared)]
            for metric in own[0]:
                mean = float(np.mean([scores[metric] for scores in own]))
                averaged.setdefault(metric, {}).setdefault(name, {})[model] = mean
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


def goal_rows(cells: dict[str, Any]) -> list[list[str]]:
    """Return what Auto reaches over splits, and on the first split it and the best other."""
    rows = []
    for name, goals in GOALS.items():
        splits = [c for key, c in cells.items() if key.startswith(f"{name} |") and "Auto" in key]
        for metric, goal in goals.items():
            own = np.array([cell[metric] for cell in splits])
            sign = 1 if METRICS[metric] == "higher" else -1
            error = own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else np.nan
            reached = "yes" if sign * own.mean() >= sign * goal else "no"
            others = {
                key.split(" | ")[2]: cell[metric]
                for key, cell in cells.items()
                if key.startswith(f"{name} | 0 |") and "Auto" not in key and metric in cell
            }
            best = max(others, key=lambda who: sign * others[who])
            row = [name, metric, str(goal), f"{own.mean():.4f} ± {error:.4f}", str(len(own))]
            rows.append([*row, reached, f"{own[0]:.4f}", f"{best}: {others[best]:.4f}"])
    return rows


def beside_catboost(averaged: Means) -> list[list[str]]:
    """Return seconds of JointForest and CatBoost, and the ratio, set by set."""
    rows = []
    for name, found in averaged["fit"].items():
        if "JointForest" not in found or not {"CatBoost", "CatBoost, quick"} & set(found):
            continue
        own = found["JointForest"]
        row = [name, f"{own:.2f}"]
        for who in ("CatBoost", "CatBoost, quick"):
            spent = found.get(who)
            row += ["", ""] if spent is None else [f"{spent:.1f}", f"{spent / own:.1f}"]
        rows.append(row)
    return rows


def two_ranks(averaged: Means, peer: str) -> list[list[str]]:
    """Return the mean ranks of JointForest and of a peer among the two."""
    rows = []
    for metric in CELLS:
        pairs = [
            [models["JointForest"], models[peer]]
            for models in averaged[metric].values()
            if "JointForest" in models and peer in models
        ]
        if pairs:
            own, other = rank(np.array(pairs), better=METRICS[metric]).mean(axis=0)
            rows.append([metric, str(len(pairs)), f"{own:.2f}", f"{other:.2f}"])
    return rows


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
    said = f"{machine['processor']}, load {machine['load']}."
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
        Section(
            "JointForest beside CatBoost",
            (
                Paragraph(BESIDE),
                table(
                    ["set", "JointForest", "CatBoost", "ratio", "CatBoost, quick", "ratio"],
                    beside_catboost(averaged),
                ),
                *(
                    block
                    for peer in ("CatBoost", "CatBoost, quick")
                    for block in (
                        Paragraph(f"Mean ranks of JointForest and of {peer} among the two."),
                        table(
                            ["", "sets", "JointForest", peer],
                            two_ranks(averaged, peer),
                        ),
                    )
                ),
            ),
        ),
        threads_section(),
        empty_section(averaged),
        large_section(),
        Section(
            "Scene and yeast",
            (
                Paragraph(REACHED),
                table(
                    [
                        "set",
                        "",
                        "goal",
                        "Auto",
                        "splits",
                        "reached",
                        "Auto, first split",
                        "best other there",
                    ],
                    goal_rows(stored["cells"]),
                ),
            ),
        ),
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
