"""Half of the training labels hidden at random: what is learned from those that are known.

    python benchmarks/unknown_labels.py [--splits 3] [--sets emotions …] [-o results.json]
    python benchmarks/unknown_labels.py --render    # results to docs/evidence/unknown_labels.md

Every model learns two thirds of the rows, is asked about the others, and is given the training
labels in four ways: all of them; half of them, the others not known (``unknown="learn"``); half of
them in the rows that tell every label, the others dropped; half of them, the others read as 0.
Predictions are those of least expected loss for each metric. Figures are means over splits. What
is done about labels that are not known was chosen by splits 0 and 1 of emotions, scene and yeast,
and by flags, foodtruck and enron; ``--first 2`` measures splits that nothing was chosen by,
which have tables of their own.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import jointbayes as jb
from environment import describe_machine
from jointbayes.errors import DataError
from jointbayes.metrics import METRICS
from jointbayes.models.conditional.edge_weights import hold_out
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from tables import seconds, table

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
RESULTS = HERE / "results" / "unknown_labels.json"
PAGE = HERE.parent / "docs" / "evidence" / "unknown_labels.md"
SETS = ("emotions", "yeast", "scene", "enron")
MODELS: dict[str, Any] = {
    "BinaryRelevance": jb.BinaryRelevance(unknown="learn"),
    "CTBN": jb.CTBN(unknown="learn"),
    "JointForest": jb.JointForest(n_estimators=100, unknown="learn"),
    "LabelPowerset": jb.LabelPowerset(unknown="learn"),
    "MLkNN": jb.MLkNN(unknown="learn"),
    "MultilabelFAN": jb.MultilabelFAN(unknown="learn"),
    "MultilabelNB": jb.MultilabelNB(unknown="learn"),
    "NaiBX": jb.NaiBX(unknown="learn"),
    "NetworkEnsemble": jb.NetworkEnsemble(unknown="learn"),
}
METRICS_OF = {"exact_match": "subset", "hamming_accuracy": "hamming", "f1": "f1"}
NAMES = {"exact_match": "subset_accuracy", "hamming_accuracy": "hamming_accuracy", "f1": "f1"}
WAYS = ("all labels", "half, learned", "half, rows dropped", "half, read as 0")
TITLE = "Labels that are not known"
NOTE = """Half of the training labels hidden at random, entry by entry. Two thirds of the rows are
learned, the others asked about; means over splits. Each metric is that of the predictions of least
expected loss for it. The page `unknown_labels.md` has the tables."""


def given_ways(Y: np.ndarray, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the rows and the labels that each way learns from."""
    hidden = np.random.default_rng(seed).random(Y.shape) < 0.5
    every, told = np.arange(len(Y)), np.flatnonzero(~hidden.any(axis=1))
    known = np.where(hidden, np.nan, Y)
    found = [(every, Y), (every, known), (told, Y[told]), (every, np.where(hidden, 0, Y))]
    return dict(zip(WAYS, found, strict=True))


def measured(model: Any, X: Any, Y: np.ndarray, split: int) -> dict[str, dict[str, float] | None]:
    """Return the metrics of a model for each way to give it its labels; None if it can not fit."""
    train, test = hold_out(len(Y), 1 / 3, seed=split)
    found: dict[str, dict[str, float] | None] = {}
    for way, (rows, labels) in given_ways(Y[train], split).items():
        began = time.perf_counter()
        try:
            post = clone(model).fit(X[train[rows]], labels).posterior(X[test])
        except DataError:  # no row tells every label
            found[way] = None
            continue
        spent = time.perf_counter() - began
        found[way] = {
            name: METRICS[NAMES[name]](Y[test], np.asarray(post.decide(loss)))
            for name, loss in METRICS_OF.items()
        } | {"seconds": spent, "rows": float(len(rows))}
    return found


def mean(parts: list[dict[str, float] | None]) -> dict[str, float] | None:
    """Return the mean of what every split has, or nothing."""
    if any(part is None for part in parts):
        return None
    return {key: float(np.mean([part[key] for part in parts])) for key in parts[0]}  # type: ignore[index, union-attr]


def one_set(name: str, models: list[str], first: int, splits: int) -> dict[str, Any]:
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    X, Y = data.X, np.asarray(data.Y, dtype=np.intp)
    found = {}
    for model in models:
        parts = [measured(MODELS[model], X, Y, split) for split in range(first, first + splits)]
        found[model] = {way: mean([part[way] for part in parts]) for way in WAYS}
        print(name, model, found[model], flush=True)
    return {"set": name, "rows": len(Y), "labels": Y.shape[1], "splits": splits, "models": found}


def joined(known: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return known results with those of further models, and of further sets after them."""
    names = [record["set"] for record in known]
    more = {record["set"]: record["models"] for record in found}
    every = [r["models"] | more.get(r["set"], {}) for r in known]
    models = [{name: one[name] for name in MODELS if name in one} for one in every]
    grown = [r | {"models": own} for r, own in zip(known, models, strict=True)]
    return grown + [record for record in found if record["set"] not in names]


def sections_of(records: list[dict[str, Any]], said: str) -> list[Section]:
    """Return a table for each metric."""
    sections = []
    for metric, heading in (
        ("exact_match", "Exact match"),
        ("hamming_accuracy", "Hamming accuracy"),
        ("f1", "F1 by rows"),
    ):
        rows = []
        for record in records:
            for model, ways in record["models"].items():
                full, learned = ways[WAYS[0]][metric], ways[WAYS[1]]
                figures = [f"{ways[way][metric]:.3f}" if ways[way] else "" for way in WAYS]
                share = f"{100 * learned[metric] / full:.0f} %"
                rows.append([record["set"], model, *figures, share, seconds(learned["seconds"])])
        head = ["set", "model", *WAYS, "learned, of all", "fit and ask"]
        if rows:
            sections.append(Section(heading + said, (table(head, rows),)))
    return sections


def page_of(result: dict[str, Any]) -> Page:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    splits = result["sets"][0]["splits"]
    lead = (
        "Rendered by `benchmarks/unknown_labels.py` from `benchmarks/results/unknown_labels.json`; "
        "nothing here is typed. Half of the training labels were hidden at random, entry by entry; "
        "two thirds of the rows are learned, the others asked about, all of whose labels are "
        f"known; means over {splits} splits. Predictions are those of least expected loss for the "
        "metric of the table. An empty cell: no row told every label, so none was left. How labels "
        "are completed, and when networks ask the likelihood, was chosen by these splits of "
        "emotions, scene and yeast, and by flags, foodtruck and enron; the tables of other splits "
        "and of image135 come after them. "
        "Times were taken while the machine had other work, more for some models than for others."
    )
    where = Section("Where it ran", (Paragraph(machine),))
    chosen_by = sections_of(result["sets"], "")
    others = sections_of(result.get("others", []), ", splits that nothing was chosen by")
    return Page(TITLE, lead, (), (where, *chosen_by, *others))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="number of the first split")
    parser.add_argument("--render", action="store_true")
    parser.add_argument("--add", action="store_true", help="to the results that there are")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    if not chosen.render:
        machine = describe_machine()
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sets = [
                one_set(name, chosen.models, chosen.first, chosen.splits) for name in chosen.sets
            ]
        result = {"title": TITLE, "note": NOTE, "machine": machine, "sets": []}
        if chosen.add or chosen.first:
            result = json.loads(chosen.output.read_text("utf-8")) | {"machine": machine}
        part = "others" if chosen.first else "sets"
        result[part] = joined(result.get(part, []), sets)
        chosen.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    result = json.loads(chosen.output.read_text(encoding="utf-8"))
    PAGE.write_text(as_markdown(page_of(result)), encoding="utf-8")


if __name__ == "__main__":
    main()
