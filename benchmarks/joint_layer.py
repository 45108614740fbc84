"""JointLayer around CatBoost, beside CatBoost itself, on splits of 60 to 40.

    python benchmarks/joint_layer.py [--sets scene yeast] [--splits 2] [--iterations 200]
    python benchmarks/joint_layer.py --render      # results to docs/evidence/joint_layer.md

CatBoost (MultiLogloss, one thread; fewer and larger steps and fewer borders than its default, for
all that stand here alike) learns the training rows and answers by 1/2, as it does by itself; its
joint is the product of its probabilities, none beyond 1/400 and 399/400. The layers learn from its
probabilities out of fold, those of five further fits, and see nothing else of a row, but for the
last of them; they decide by their posterior, for each loss its own. CatBoost is learned once for
all layers: what it said is kept in the folder of ``--keep``, so that a further layer costs seconds.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

import jointbayes as jb
from cells import split
from environment import describe_machine
from field_models import LEAST, catboost
from jointbayes import metrics
from jointbayes.estimator.reading import Labelled
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.models.layers.joint_layer import out_of_fold
from jointbayes.models.layers.marginal_source import learn_source, log_odds_table
from jointbayes.models.trust.inner_folds import learn_rows
from jointbayes.posterior import Independent, Posterior
from jointbayes.report import Page, Paragraph, Section
from jointbayes.report.markdown import as_markdown
from jointbayes.table import Table
from tables import table

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "joint_layer.json"
PAGE = HERE.parent / "docs" / "evidence" / "joint_layer.md"
SETS = ("scene", "yeast")
FOLDS, ITERATIONS, STEPS, BORDERS = 5, 200, 30.0, 32
# CatBoost's default is 1,000 steps of 0.03, and 254 borders.
JOINTS: dict[str, Any] = {
    "default": None,
    "CTBN": jb.CTBN(n_jobs=1),
    "JointForest": jb.JointForest(n_jobs=1),
    "LabelPowerset": jb.LabelPowerset(unseen="back_off", n_jobs=1),
    'sees="row"': None,
}
ALONE, LAST = "CatBoost", 'sees="row"'
GOAL = 0.08
"""What the layer is to add to the exact match of CatBoost."""
METRICS = {
    "exact match": "subset",
    "Hamming loss": "hamming",
    "example F1": "f1",
    "Jaccard": "jaccard",
}
LEAD = """\
Rendered by `benchmarks/joint_layer.py` from `benchmarks/results/joint_layer.json`. CatBoost
(MultiLogloss, one thread) answers by 1/2; its joint is the product of its probabilities, none
beyond 1/400 and 399/400. Around it, `JointLayer(catboost, joint)` learns from what CatBoost says of
rows that it has not seen, in five folds, and sees nothing else of a row unless that is said; it
decides for each metric by its own loss. Splits of 60 to 40, the same for all. What a layer that
sees the row pools was settled on test rows of the third to fifth split of yeast and the third of
scene; the first two splits of each were looked at once it was settled."""


def boosted(name: str, seed: int, iterations: int) -> dict[str, Any]:
    """Return the log-odds of labels, out of fold and of test rows, and what they cost."""
    X, Y, X_test, _ = split(name, seed)
    model = catboost().set_params(
        iterations=iterations, learning_rate=STEPS / iterations, border_count=BORDERS
    )
    rows = Labelled(X, Y, learn_labels(Y))
    began = time.process_time()
    source = learn_source(model, rows, "from_dtype")
    learned = time.process_time()
    odds = out_of_fold(model, rows, FOLDS, 0, "from_dtype")
    folded = time.process_time()
    asked = log_odds_table(source.probabilities(X_test), rows.space)
    spent = {"fit": learned - began, "folds": folded - learned}
    return {"odds": np.asarray(odds), "asked": np.asarray(asked), **spent}


def kept(folder: Path | None, name: str, seed: int, iterations: int) -> dict[str, Any]:
    """Return what CatBoost says, from the folder if it was asked before."""
    if folder is None:
        return boosted(name, seed, iterations)
    file = folder / f"{name}_{seed}_{iterations}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(file, **boosted(name, seed, iterations))
    return dict(np.load(file))


def alone(odds: Any, space: LabelSpace) -> Posterior:
    p = np.clip(expit(odds), LEAST, 1 - LEAST)
    return Independent([np.log(np.stack([1 - q, q], axis=1)) for q in p.T], space)


def scored(post: Posterior, truth: Any, answer: Any = None) -> dict[str, float]:
    """Return the metrics of the decisions of a posterior, or of one answer for all."""
    of = {x: post.decide(x) if answer is None else answer for x in METRICS.values()}
    return {
        "exact match": metrics.subset_accuracy(truth, of["subset"]),
        "Hamming loss": metrics.hamming_loss(truth, of["hamming"]),
        "example F1": metrics.f1(truth, of["f1"]),
        "Jaccard": metrics.jaccard(truth, of["jaccard"]),
        "joint log-loss": float(-post.log_prob(truth).mean()),
    }


def one_split(name: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    said = kept(options.keep, name, seed, options.iterations)
    X, Y, X_test, truth = split(name, seed)
    space = learn_labels(Y)
    by_half = (said["asked"] >= 0).astype(int)
    found = {ALONE: scored(alone(said["asked"], space), truth, by_half)}
    found[ALONE]["fit"] = float(said["fit"])
    for joint, model in JOINTS.items():
        began = time.process_time()
        whole = jb.JointLayer(joint=model, sees="row" if "row" in joint else "odds", n_jobs=1)
        seen = whole._seen(Table.of(said["odds"]), X)
        rows = Labelled(seen, Y, space)
        layer = learn_rows(whole._joint_model(Labelled(X, Y, space)), rows)
        spent = time.process_time() - began
        found[joint] = scored(layer.posterior(whole._seen(Table.of(said["asked"]), X_test)), truth)
        found[joint]["fit"] = float(said["fit"] + said["folds"]) + spent
        found[joint]["joint fit"] = spent
    return found


def goal(splits: list[dict[str, Any]]) -> str:
    """Say which layers add enough to exact match, and which adds most."""
    gains = {
        model: float(np.mean([c[model]["exact match"] - c[ALONE]["exact match"] for c in splits]))
        for model in JOINTS
    }
    most = max(gains, key=gains.__getitem__)
    met = [model for model, gain in gains.items() if gain >= GOAL]
    seen = [f"{c[LAST]['exact match'] - c[ALONE]['exact match']:+.3f}" for c in splits]
    by = f"is reached by {', '.join(met)}" if met else "is not reached"
    return f"The goal of {GOAL:+} in exact match {by}; {most} adds most, {gains[most]:+.3f}. " + (
        f"By splits, {LAST} adds {', '.join(seen)}."
    )


def page_of(stored: dict[str, Any]) -> Page:
    cells, machine = stored["cells"], stored["machine"]
    sections = []
    for name in dict.fromkeys(key.split(" | ")[0] for key in cells):
        splits = [cell for key, cell in cells.items() if key.startswith(f"{name} | ")]
        rows = []
        for model in splits[0]:
            row = [model if model == ALONE else f"JointLayer, {model}"]
            for metric in (*METRICS, "joint log-loss"):
                own = np.array([cell[model][metric] for cell in splits])
                gain = own - [cell[ALONE][metric] for cell in splits]
                said = "" if model == ALONE else f" ({gain.mean():+.3f})"
                row.append(f"{own.mean():.3f}{said}")
            rows.append([*row, f"{np.mean([cell[model]['fit'] for cell in splits]):.0f}"])
        head = ["", *METRICS, "joint log-loss", "fit, CPU s"]
        said = (
            f"{len(splits)} splits; in brackets, the difference to CatBoost alone. {goal(splits)}"
        )
        sections.append(Section(name, (Paragraph(said), table(head, rows))))
    steps = stored["iterations"]
    ran = f"{steps} iterations of CatBoost at a learning rate of {STEPS / steps:.2g} in place of "
    ran += f"1,000 at 0.03, and {BORDERS} borders of a column in place of 254, for CatBoost alone "
    ran += f"and within the layer alike; {machine['processor']}, "
    ran += f"{machine['date']}, load {machine['load']}."
    return Page("A joint layer on CatBoost", LEAD, (("measured", ran),), tuple(sections))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("-o", type=Path, default=RESULTS)
    parser.add_argument("--render", action="store_true")
    options = parser.parse_args()
    cells: dict[str, Any] = {}
    for seed in range(0 if options.render else options.splits):
        for name in options.sets:
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                cells[f"{name} | {seed}"] = found = one_split(name, seed, options)
            for joint, scores in found.items():
                print(
                    name, seed, f"{joint:18}", *(f"{v:8.4f}" for v in scores.values()), flush=True
                )
            now = {"machine": describe_machine(), "iterations": options.iterations, "cells": cells}
            options.o.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    stored = json.loads(options.o.read_text(encoding="utf-8"))
    PAGE.write_text(as_markdown(page_of(stored)), encoding="utf-8")


if __name__ == "__main__":
    main()
