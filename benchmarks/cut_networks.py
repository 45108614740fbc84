"""One class variable: networks over cut numbers, forests, boosting, and Auto, which may pool them.

    python benchmarks/cut_networks.py [--sets vowel …] [--splits 1] [--limit 300]
    python benchmarks/cut_networks.py --render      # results to docs/evidence/cut_networks.md

Sets of numbers, and sets of categories; splits of 60 to 40, of at most 5,000 rows. Numbers are
cut by entropy (MDL), the default, unless it is said otherwise. Peers have their defaults:
scikit-learn's see nominal columns one-hot, CatBoost sees them as they are. A cell is run in a
process of its own on one thread and stored at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import jointbayes as jb
from cells import compare, read_cells
from field_models import LEAST, Numbers
from jointbayes.discretize import Quantile
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from jointbayes.validation import train_test_split
from tables import table

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
STORE = HERE / "results" / "cut_networks.json"
PAGE = HERE.parent / "docs" / "evidence" / "cut_networks.md"
NUMBERS = (
    "iris sonar heart breast-cancer-w syncon vowel segment waveform-21 page-blocks pendigits "
    "letter-recog"
).split()
CATEGORIES = "zoo heart-disease-c cylinder-bands tic-tac-toe kr-vs-kp mushrooms nursery".split()
MOST_ROWS = 5000


def boosted() -> Any:
    return jb.BinaryRelevance(HistGradientBoostingClassifier(random_state=0))


OURS: dict[str, Callable[[], Any]] = {
    "TAN": lambda: jb.TAN(n_jobs=1),
    "AODE": lambda: jb.AODE(n_jobs=1),
    "KDB(2)": lambda: jb.KDB(2, n_jobs=1),
    "AKDB(2)": lambda: jb.AKDB(2, n_jobs=1),
    "KDB(3), ten quantiles": lambda: jb.KDB(3, discretizer=Quantile(10), n_jobs=1),
    "JointForest": lambda: jb.JointForest(n_jobs=1),
    "Auto": lambda: jb.Auto(n_jobs=1),
    "Auto, boosting in it": lambda: jb.Auto(models=["likely", boosted()], n_jobs=1),
}
LEAD = """\
Rendered by `benchmarks/cut_networks.py` from `benchmarks/results/cut_networks.json`. The share of
rows whose class is wrong, and the mean log-loss in nats: networks see numbers as a few intervals,
forests as they are, and Auto may keep any of them, or a pool. Splits of 60 to 40, the same for all,
of at most 5,000 rows; defaults, but for an Auto that is told to try scikit-learn's
boosting too. No probability of a peer counts as less than 1/400. Where the class is a
rule on categories (nursery, chess endings) boosting is ahead of all that does without it."""


def ours(model: Callable[[], Any], X: Any, y: Any, asked: Any) -> tuple[Any, Any, Any]:
    """Return the classes, their (n, k) probabilities and the answers for rows that are asked."""
    fitted = model().fit(X, y)
    post = fitted.posterior(asked)
    return fitted.classes_, post.marginals()[0], post.map()[:, 0]


def of_numbers(model: Any, X: Any, y: Any, asked: Any) -> tuple[Any, Any, Any]:
    columns = Numbers(X)
    return _answers(model.fit(columns(X), y), columns(asked))


def catboost(X: Any, y: Any, asked: Any) -> tuple[Any, Any, Any]:
    from catboost import CatBoostClassifier

    nominal = [column.name for column in X.columns if column.kind != "numeric"]
    frames = [table.to_pandas() for table in (X, asked)]
    for frame in frames:
        frame[nominal] = frame[nominal].astype(object).where(frame[nominal].notna(), "?")
    model = CatBoostClassifier(
        thread_count=1, verbose=0, allow_writing_files=False, cat_features=nominal
    )
    return _answers(model.fit(frames[0], y), frames[1])


def _answers(fitted: Any, asked: Any) -> tuple[Any, Any, Any]:
    proba = np.maximum(fitted.predict_proba(asked), LEAST)
    return fitted.classes_, proba / proba.sum(axis=1, keepdims=True), fitted.predict(asked).ravel()


MODELS = {name: partial(ours, model) for name, model in OURS.items()} | {
    "random forest": lambda *rows: of_numbers(
        RandomForestClassifier(random_state=0, n_jobs=1), *rows
    ),
    "histogram boosting": lambda *rows: of_numbers(
        HistGradientBoostingClassifier(random_state=0), *rows
    ),
    "CatBoost": catboost,
}


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    y = np.asarray(data.Y).ravel()
    kept = np.sort(np.random.default_rng(seed).permutation(len(y))[:MOST_ROWS])
    train, test = train_test_split(kept[:, None], y[kept], test_size=0.4, random_state=seed)[:2]
    train, test = train.ravel(), test.ravel()
    began = time.process_time()
    classes, proba, found = MODELS[model](data.X[train], y[train], data.X[test])
    spent = time.process_time() - began
    seen = np.isin(y[test], classes)  # a class that no training row had has no probability
    true = proba[seen, np.searchsorted(classes, y[test][seen])]
    return {
        "wrong": float((found != y[test]).mean()),
        "log-loss": float(-np.log(true).mean()),
        "cpu": spent,
    }


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


def mean_ranks(cells: dict[str, Any]) -> Section:
    """Return the mean ranks over the sets that all have finished, by means over splits."""
    by_set: dict[str, list[dict[str, Any]]] = {}
    for name in NUMBERS + CATEGORIES:
        found = [
            [c for k, c in cells.items() if k.startswith(f"{name} | ") and k.endswith(f" | {m}")]
            for m in MODELS
        ]
        if all(own and all("wrong" in cell for cell in own) for own in found):
            by_set[name] = [
                {what: np.mean([cell[what] for cell in own]) for what in ("wrong", "log-loss")}
                for own in found
            ]
    ranks = {
        title: np.mean(
            [rankdata([round(own[what], 10) for own in models]) for models in by_set.values()],
            axis=0,
        )
        for title, what in (("wrong rows", "wrong"), ("log-loss", "log-loss"))
    }
    rows = [[model, *(f"{r[i]:.2f}" for r in ranks.values())] for i, model in enumerate(MODELS)]
    said = f"Over the {len(by_set)} sets that all have finished. 1 is best."
    return Section("Mean ranks", (Paragraph(said), table(["", *ranks], rows)))


def render() -> None:
    stored = read_cells(STORE)
    cells, machine = stored["cells"], stored["machine"]
    splits = 1 + max(int(key.split(" | ")[1]) for key in cells)
    sections = [mean_ranks(cells)]
    sections += [
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
    page = Page(
        "One class: networks, forests, boosting, Auto", LEAD, (("measured", ran),), tuple(sections)
    )
    PAGE.write_text(as_markdown(page), encoding="utf-8")


def main() -> None:
    if "--render" not in sys.argv:
        compare(measure, MODELS, STORE, 300.0, NUMBERS + CATEGORIES)
    render()


if __name__ == "__main__":
    main()
