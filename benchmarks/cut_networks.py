"""One class variable: networks over cut numbers beside a forest, which cuts where it likes.

    python benchmarks/cut_networks.py [--sets vowel …] [--splits 1] [--limit 120]
    python benchmarks/cut_networks.py --render      # results to docs/evidence/cut_networks.md

Sets of numbers, and for comparison sets of categories; splits of 60 to 40, of at most 5,000 rows.
Numbers are cut by entropy (MDL), the default, unless it is said otherwise. A cell is run in a
process of its own on one thread and stored at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import jointbayes as jb
from cells import compare, read_cells
from jointbayes.discretize import Quantile
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from jointbayes.validation import train_test_split
from tables import table

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
STORE = HERE / "results" / "cut_networks.json"
PAGE = HERE.parent / "docs" / "evidence" / "cut_networks.md"
NUMBERS = ("iris sonar syncon vowel segment waveform-21 page-blocks pendigits letter-recog").split()
CATEGORIES = "zoo tic-tac-toe kr-vs-kp mushrooms nursery".split()
MOST_ROWS = 5000
MODELS: dict[str, Callable[[], Any]] = {
    "TAN": lambda: jb.TAN(n_jobs=1),
    "AODE": lambda: jb.AODE(n_jobs=1),
    "KDB(2)": lambda: jb.KDB(2, n_jobs=1),
    "AKDB(2)": lambda: jb.AKDB(2, n_jobs=1),
    "KDB(3), ten quantiles": lambda: jb.KDB(3, discretizer=Quantile(10), n_jobs=1),
    "JointForest": lambda: jb.JointForest(n_jobs=1),
}
LEAD = """\
Rendered by `benchmarks/cut_networks.py` from `benchmarks/results/cut_networks.json`. The share of
rows whose class is wrong, and the mean log-loss in nats: networks see numbers as a few intervals,
forests as they are. Splits of 60 to 40, the same for all, of at most 5,000 rows; defaults."""


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    y = np.asarray(data.Y).ravel()
    kept = np.sort(np.random.default_rng(seed).permutation(len(y))[:MOST_ROWS])
    train, test = train_test_split(kept[:, None], y[kept], test_size=0.4, random_state=seed)[:2]
    train, test = train.ravel(), test.ravel()
    began = time.process_time()
    post = MODELS[model]().fit(data.X[train], y[train]).posterior(data.X[test])
    found = post.map()[:, 0]
    spent = time.process_time() - began
    seen = np.isin(y[test], y[train])  # a class that no training row had has no probability
    log_loss = -post[np.flatnonzero(seen)].log_prob(y[test][seen, None]).mean()
    return {"wrong": float((found != y[test]).mean()), "log-loss": float(log_loss), "cpu": spent}


def rows_of(cells: dict[str, Any], names: list[str], what: str) -> list[list[str]]:
    rows = []
    for name in names:
        means = {}
        for model in MODELS:
            splits = [
                cell[what]
                for key, cell in cells.items()
                if key.startswith(f"{name} | ") and key.endswith(f" | {model}") and what in cell
            ]
            if splits:
                means[model] = float(np.mean(splits))
        if not means:
            continue
        least = min(means.values())
        texts = {m: f"{v:.3f}" for m, v in means.items()}
        bold = {m: f"**{t}**" if means[m] == least else t for m, t in texts.items()}
        rows.append([name, *(bold.get(model, "") for model in MODELS)])
    return rows


def render() -> None:
    stored = read_cells(STORE)
    cells, machine = stored["cells"], stored["machine"]
    splits = 1 + max(int(key.split(" | ")[1]) for key in cells)
    sections = [
        Section(
            f"{title} {of}",
            (
                Paragraph("The least is in bold."),
                table(["set", *MODELS], rows_of(cells, names, what)),
            ),
        )
        for of, names in (("of numbers", NUMBERS), ("of categories", CATEGORIES))
        for title, what in (("Wrong rows, sets", "wrong"), ("Log-loss, sets", "log-loss"))
    ]
    ran = f"{splits} split(s); {machine['processor']}, {machine['date']}."
    page = Page("Cut networks and forests", LEAD, (("measured", ran),), tuple(sections))
    PAGE.write_text(as_markdown(page), encoding="utf-8")


def main() -> None:
    if "--render" not in sys.argv:
        compare(measure, MODELS, STORE, 120.0, NUMBERS + CATEGORIES)
    render()


if __name__ == "__main__":
    main()
