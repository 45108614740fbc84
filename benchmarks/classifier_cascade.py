"""Cascades of regressions and of forests beside NaiBX, the cascade of naive Bayes.

    python benchmarks/classifier_cascade.py [--sets emotions …] [--splits 2] [--limit 900]
    python benchmarks/classifier_cascade.py --render  # only the page in docs/evidence

Splits of 60 to 40, the same for all. Answers are those of `predict`. The joint log-loss counts no
row more than 69 nats, a probability of 1e-30. A cell is run in a process of its own on one thread
and stored at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import jointbayes as jb
from cells import compare, read_cells, split
from jointbayes.metrics import f1, hamming_loss, subset_accuracy
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from tables import table

HERE = Path(__file__).resolve().parent
STORE = HERE / "results" / "classifier_cascade.json"
PAGE = HERE.parent / "docs" / "evidence" / "classifier_cascade.md"
SETS = "emotions scene yeast slashdot".split()
LEAST = np.log(1e-30)


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(100, min_samples_leaf=2, random_state=0, n_jobs=1)


MODELS: dict[str, Callable[[], Any]] = {
    "NaiBX": lambda: jb.NaiBX(n_jobs=1),
    "NaiBX, beam 16": lambda: jb.NaiBX(beam=16, n_jobs=1),
    "NaiBX, sizes by a forest": lambda: jb.NaiBX(size="forest", n_jobs=1),
    "NaiBX, cross-fitted": lambda: jb.NaiBX(sharpness="cross_fitted", n_jobs=1),
    "cascade of regressions": lambda: jb.ClassifierCascade(n_jobs=1),
    "the same, greedy": lambda: jb.ClassifierCascade(beam=1, n_jobs=1),
    "the same, 4 examples": lambda: jb.ClassifierCascade(examples=4, n_jobs=1),
    "cascade of forests, 8 examples": lambda: jb.ClassifierCascade(forest(), examples=8, n_jobs=1),
    "chain of regressions": lambda: jb.ClassifierChain(n_jobs=1),
    "JointForest": lambda: jb.JointForest(n_jobs=1),
}
FIGURES = {
    "Exact match": ("exact", max),
    "Hamming loss": ("hamming", min),
    "F1 of rows": ("f1", max),
    "Joint log-loss": ("log-loss", min),
    "Processor seconds to learn": ("fit", min),
    "Processor seconds to answer": ("answer", min),
}
LEAD = """\
Rendered by `benchmarks/classifier_cascade.py` from `benchmarks/results/classifier_cascade.json`.
Mossina & Rachelson (2017, Sec. 3.4 and 3.5) let any classifier predict each level of the cascade,
the size of the label set first, and go on with naive Bayes, as all its levels share six tables.
`ClassifierCascade` is the general one. Its classifiers see the row, the size and the labels picked
so far; of a row with m labels level k learns from m · C(m − 1, k − 1) examples, at most 32 unless
it is said. Regressions are `BatchedLogistic`, forests scikit-learn's with 100 trees; the chain has
the same regressions. `NaiBX` answers greedily, as in the paper, unless a beam is named or it is
cross-fitted; the others answer with the most probable set that they find. The paper names the
general cascade, so it is kept; against whom it wins is counted first."""


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    X, Y, X_new, Y_new = split(name, seed)
    made, began = MODELS[model](), time.process_time()
    made.fit(X, Y)
    fitted = time.process_time()
    answers = np.asarray(made.predict(X_new))
    answered = time.process_time()
    log_p = np.maximum(made.posterior(X_new).log_prob(Y_new), LEAST)
    return {
        "exact": subset_accuracy(Y_new, answers),
        "hamming": hamming_loss(Y_new, answers),
        "f1": f1(Y_new, answers),
        "log-loss": float(-log_p.mean()),
        "fit": fitted - began,
        "answer": answered - fitted,
    }


def rows_of(cells: dict[str, Any], what: str, best: Callable[..., float]) -> list[list[str]]:
    rows = []
    for name in SETS:
        means = {}
        for model in MODELS:
            keys = [k for k in cells if k.startswith(f"{name} |") and k.endswith(f"| {model}")]
            found = [cells[key][what] for key in keys if what in cells[key]]
            if found:
                means[model] = float(np.mean(found))
        if not means:
            continue
        top = best(means.values())
        digits = 2 if what in ("fit", "answer") else 3
        texts = {m: f"{v:.{digits}f}" for m, v in means.items()}
        bold = {m: f"**{t}**" if means[m] == top else t for m, t in texts.items()}
        rows.append([name, *(bold.get(model, "") for model in MODELS)])
    return rows


def verdict(cells: dict[str, Any], one: str, other: str) -> str:
    """Say on how many splits a model is better than another, figure by figure."""
    told = []
    for title, (what, best) in list(FIGURES.items())[:4]:
        pairs = [
            (cells[f"{key.rsplit(' | ', 1)[0]} | {one}"][what], cells[key][what])
            for key in cells
            if key.endswith(f"| {other}")
            and what in cells[key]
            and what in cells.get(f"{key.rsplit(' | ', 1)[0]} | {one}", {})
        ]
        won = sum(a != b and best(a, b) == a for a, b in pairs)
        told.append(f"{title.lower()} {won} of {len(pairs)}")
    return f"*{one}* against *{other}*, splits on which it is better: {', '.join(told)}."


def render() -> None:
    stored = read_cells(STORE)
    cells, machine = stored["cells"], stored["machine"]
    splits = 1 + max(int(key.split(" | ")[1]) for key in cells)
    pairs = (
        ("cascade of regressions", "NaiBX"),
        ("cascade of forests, 8 examples", "NaiBX"),
        ("cascade of regressions", "NaiBX, cross-fitted"),
        ("cascade of regressions", "chain of regressions"),
        ("cascade of forests, 8 examples", "JointForest"),
        ("cascade of regressions", "the same, greedy"),
        ("cascade of regressions", "the same, 4 examples"),
    )
    compared = tuple(Paragraph(verdict(cells, *pair)) for pair in pairs)
    sections = [Section("Which is better", compared)]
    for title, (what, best) in FIGURES.items():
        rows = table(["set", *MODELS], rows_of(cells, what, best))
        sections.append(Section(title, (Paragraph("The best is in bold."), rows)))
    ran = f"{splits} splits; {machine['processor']}, {machine['date']}."
    page = Page("Cascades of any classifier", LEAD, (("measured", ran),), tuple(sections))
    PAGE.write_text(as_markdown(page), encoding="utf-8")


def main() -> None:
    if "--render" not in sys.argv:
        compare(measure, MODELS, STORE, 900.0, SETS)
    render()


if __name__ == "__main__":
    main()
