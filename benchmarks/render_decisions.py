"""Render results/decisions.json into docs/evidence/decisions.md.

python benchmarks/render_decisions.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from cells import read_cells
from decisions import ASKED, CORRECTED, DECIDERS, LOSSES, MODELS, STORE, TRIED
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from tables import table

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "evidence" / "decisions.md"
NOISE = 2.39
"""Standard errors from which on the worst of three differences is more than noise (p < 0.05)."""

LEAD = """\
Rendered by `benchmarks/render_decisions.py` from what `benchmarks/decisions.py` measured: splits of
60 to 40, defaults, one thread. A posterior decides for each of four losses, and each of the four
decisions is scored by all four losses. Joints that are too sure are known by their log-loss."""

OWN = """\
A cell is a model on a split of a set, and one of the four losses: its own decision is *best* if
none of the other three loses less, *level* if none loses less by 2.39 standard errors of the
difference over test rows (5 % for the worst of three, by Bonferroni), else *behind*."""

EACH = """\
Mean loss of the decision for this loss, and of the best of the other three, with how much that one
loses more, in standard errors. `~` marks what could not be decided exactly."""

BETS = """\
Nats a row on the first split; the least in bold. ∞: some test row had what the model calls
impossible, which is so by the papers' definition of label powersets and of the sizes of NaiBX; with
`unseen="back_off"` and `sharpness="cross_fitted"` it is not. An empty cell was not measured."""

MODE = """\
The answer for Hamming loss is right on more rows of slashdot than the likeliest vector, as a rule,
though the latter is best for exact match by what the model believes. Test rows
that only the likeliest vector answers rightly : only the answer for Hamming loss, split by split,
with the p of McNemar's exact test. CTBN and JointForest are behind beyond noise on the first split
alone; JointForest was so on two, before the smoothing of its label tree was chosen out of bag.
Where its two answers differ, leaves of few rows are too sure of a rare set of labels."""

AGAINST = """\
Models that count the same evidence many times, as their papers have them and with
`sharpness="cross_fitted"`: joint log-loss over that of BinaryRelevance, and what exact match and
Hamming loss become. Where there are more splits than one, what changed stands with the standard
error over splits. How they are corrected was settled on training rows of the first split alone: for
NaiBX on two thirds of them and the third that was left, of genbase, slashdot, emotions, flags,
scene, wq, enron and CAL500; for networks so on emotions and scene, and in three folds of genbase.

On genbase all of them failed by one cause, what is added to counts: among a thousand words, nearly
all absent, a label of three rows, or two labels that are seldom together, are unlike any row if one
is added to every count. Rows like the average one are added in its place. NaiBX has an exponent for
labels and one for sizes besides. What is left on genbase is lost, by NaiBX, on sizes of label sets
that no training row had, and by MultilabelNB on ten rows of 265, most of which hold a label of one
or two training rows, or two labels that were never together.

What is likeliest is not always right more often: with features believed so little that the mode
has one label or none, as on enron, fewer rows are answered rightly than by the paper's joint. So
networks believe features more than is likeliest, until rows held out are answered as well, within a
standard error, or a fifth of their log-loss is given up. That rule was settled after test rows of
enron, yeast, wq and emotions had been seen. What is lost beyond a standard error over splits is
MultilabelFAN's on genbase, five rows of 795, and the ensemble's on wq, three rows of 2120. On one
of three splits of enron the ensemble loses 0.060 of its exact match all the same: a fifth of the
log-loss does not buy it back there."""

Cells = dict[tuple[str, str], list[dict[str, Any]]]


def by_place(cells: dict[str, Any]) -> tuple[Cells, list[list[str]]]:
    """Return the splits of each set and model, and what was left out."""
    found: Cells = {}
    failed = []
    for key, cell in cells.items():
        name, seed, model = key.split(" | ")
        if "failed" in cell:
            failed.append([name, seed, model, cell["failed"]])
        else:
            found.setdefault((name, model), []).append(cell)
    return found, failed


def verdict(cell: dict[str, Any], loss: str) -> str:
    own, rivals = cell["losses"][loss][loss], cell["ahead"][loss]
    if all(cell["losses"][loss][by] >= own - 1e-12 for by in rivals):
        return "best"
    return "behind" if min(rivals.values()) < -NOISE else "level"


def shares(found: Cells) -> list[list[str]]:
    rows = []
    for model in (*DECIDERS, "all"):
        row = [model]
        every = []
        for loss in LOSSES:
            said = [
                verdict(cell, loss)
                for (_, who), cells in found.items()
                if who in DECIDERS and model in (who, "all")
                for cell in cells
            ]
            every += said
            row.append(counted(said))
        rows.append([*row, counted(every)])
    return rows


def counted(said: list[str]) -> str:
    best, level, n = said.count("best"), said.count("level"), len(said)
    return f"{best} best, {level} level, {said.count('behind')} behind of {n}" if n else ""


def behind(found: Cells) -> list[list[str]]:
    """Return the cells where another decision is better by more than noise."""
    rows = []
    for (name, model), cells in found.items():
        for cell in cells if model in DECIDERS else []:
            for loss in LOSSES:
                if verdict(cell, loss) == "behind":
                    by = min(cell["ahead"][loss], key=cell["ahead"][loss].__getitem__)
                    means, errors = cell["losses"][loss], cell["ahead"][loss][by]
                    figures = [f"{means[loss]:.4f}", f"{means[by]:.4f} ({by})", f"{errors:.1f}"]
                    rows.append([name, model, loss, *figures])
    return rows


def mode_rows(found: Cells) -> list[list[str]]:
    """Return how often the likeliest vector and the answer for Hamming loss alone are right."""
    rows = []
    for (name, model), cells in found.items():
        counts = [c["right alone"]["hamming"] for c in cells if "right alone" in c]
        if len(counts) > 1:
            p = [binomtest(own, own + other).pvalue for own, other in counts]
            pairs = ", ".join(f"{own} : {other}" for own, other in counts)
            rows.append([name, model, pairs, ", ".join(f"{x:.3f}" for x in p)])
    return rows


def own_and_best(cells: list[dict[str, Any]], loss: str) -> str:
    means = {by: np.mean([c["losses"][loss][by] for c in cells]) for by in LOSSES}
    by = min((b for b in LOSSES if b != loss), key=means.__getitem__)
    errors = np.mean([c["ahead"][loss][by] for c in cells])
    mark = "" if all(c["exactness"][loss] == "exact" for c in cells) else "~"
    return f"{mark}{means[loss]:.3f} / {means[by]:.3f} {by} ({errors:+.1f})"


def each_decision(found: Cells, sets: list[str], model: str) -> Section:
    rows = [
        [name, *(own_and_best(found[name, model], loss) for loss in LOSSES)]
        for name in sets
        if (name, model) in found
    ]
    return Section(model, (table(["set", *LOSSES], rows),))


def mean_of(found: Cells, name: str, model: str, what: str, splits: int = 1) -> float | None:
    """Return a mean over so many splits, from the first on."""
    cells = found.get((name, model), [])[:splits]
    if not cells:
        return None
    return float(
        np.mean([c["log-loss"] if what == "joint" else c["losses"][what][what] for c in cells])
    )


def bets(found: Cells, sets: list[str]) -> list[list[str]]:
    values = {
        (name, model): value
        for name in sets
        for model in MODELS
        if (value := mean_of(found, name, model, "joint")) is not None
    }
    least = {name: min(v for (of, _), v in values.items() if of == name) for name in sets}
    rows = []
    for model in MODELS:
        row = [model]
        for name in sets:
            value = values.get((name, model))
            text = "" if value is None else f"{value:.2f}" if np.isfinite(value) else "∞"
            row.append(f"**{text}**" if value == least[name] else text)
        if any(row[1:]):
            rows.append(row)
    return rows


def ratio(value: float | None, base: float) -> str:
    if value is None:
        return ""
    return f"{value / base:.2f}" if np.isfinite(value) else "∞"


def changed(before: list[dict[str, Any]], after: list[dict[str, Any]], what: str) -> str:
    """Return what a metric gains and its standard error over splits, if there are several."""
    if len(after) < 2 or len(before) != len(after):
        return ""
    sign = -1 if what == "subset" else 1
    each = zip(before, after, strict=True)
    gain = [sign * (b["losses"][what][what] - a["losses"][what][what]) for a, b in each]
    return f" ({np.mean(gain):+.3f} ± {np.std(gain, ddof=1) / np.sqrt(len(gain)):.3f})"


def against(found: Cells, sets: list[str]) -> list[list[str]]:
    rows = []
    for model in (m for m, option in CORRECTED.items() if option == "sharpness"):
        honest = f"{model}, {ASKED['sharpness']}"
        for name in sets:
            told = [m for m in (model, honest, "BinaryRelevance") if (name, m) in found]
            n = min((len(found[name, m]) for m in told), default=0)
            base = mean_of(found, name, "BinaryRelevance", "joint", n)
            joint = [mean_of(found, name, m, "joint", n) for m in (model, honest)]
            if base is None or joint[1] is None:
                continue
            row = [model, name, *(ratio(x, base) for x in joint)]
            for what in ("subset", "hamming"):
                before, after = (mean_of(found, name, m, what, n) for m in (model, honest))
                right = [
                    None if x is None else 1 - x if what == "subset" else x for x in (before, after)
                ]
                row += ["" if x is None else f"{x:.3f}" for x in right]
                row[-1] += changed(found.get((name, model), []), found[name, honest], what)
            rows.append(row)
    return rows


def main() -> None:
    stored = read_cells(STORE)
    found, failed = by_place(stored["cells"])
    sets = list(dict.fromkeys(name for name, _ in found))
    machine = stored["machine"]
    said = (
        f"1 to {max(map(len, found.values()))} splits of a set; "
        f"{machine['processor']}, {machine['date']}; "
        f"Auto tries {', '.join(TRIED)} on two folds; cells of more than {stored['limit']:.0f} "
        "processor seconds are stopped."
    )
    said += f" {stored['note']}." if stored.get("note") else ""
    behind_rows = behind(found)
    lost = [table(["set", "model", "loss", "own", "best other", "errors"], behind_rows)]
    sections = [
        Section(
            "Is each decision best on its own metric?",
            (
                Paragraph(OWN),
                table(["", *LOSSES, "all"], shares(found)),
                Paragraph("Behind:" if behind_rows else "None is behind."),
                *(lost if behind_rows else []),
            ),
        ),
        Section(
            "The likeliest vector on slashdot",
            (Paragraph(MODE), table(["set", "model", "rows right alone", "p"], mode_rows(found))),
        ),
        Section("Decision by decision", (Paragraph(EACH),)),
        *(each_decision(found, sets, model) for model in DECIDERS),
        Section("Joint log-loss", (Paragraph(BETS), table(["", *sets], bets(found, sets)))),
        Section(
            "Too sure, and corrected",
            (
                *(Paragraph(part) for part in AGAINST.split("\n\n")),
                table(
                    ["model", "set", "log-loss / BR, paper", "corrected", "exact match, paper",
                     "corrected", "Hamming loss, paper", "corrected"],
                    against(found, sets),
                ),
            ),
        ),
    ]  # fmt: skip
    if failed:
        sections.append(Section("Left out", (table(["set", "split", "who", "why"], failed),)))
    page = Page("Decisions and bets", LEAD, (("measured", said),), tuple(sections))
    PAGE.write_text(as_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
