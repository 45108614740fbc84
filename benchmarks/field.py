"""The standing comparison: our models and Auto beside what users have today, on the same splits.

    python benchmarks/field.py [--sets scene …] [--models Auto …] [--splits 1] [--limit 600]

A cell is one contestant (`field_models.py`) on one split of 60 to 40 of one data set, in a process
of its own on one thread; what is done is stored at once and not done again, and a cell that takes
more than the limit is stopped and told. Ours decide by their posterior, for each loss its own;
peers by their own rule. Seconds are processor seconds. `render_field.py` makes the page.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

import jointbayes as jb
from cells import run_cells
from field_models import CONTESTANTS, absent
from jointbayes import metrics
from jointbayes.table import Table
from jointbayes.validation import train_test_split

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
STORE = HERE / "results" / "field.json"
SETS = (
    "flags foodtruck emotions wq image135 scene yeast CAL500 genbase slashdot enron "
    "yahoo5000_business yahoo5000_health yahoo5000_arts"
).split()


def read(name: str) -> tuple[Any, Any]:
    """Return rows and labels; of water quality, whether each species is present."""
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    if name != "wq":
        return data.X, np.asarray(data.Y, dtype=int)
    whole = data.X.to_pandas().assign(last=np.asarray(data.Y, dtype=float).ravel())
    return Table.of(whole.iloc[:, :-14]), (whole.iloc[:, -14:].to_numpy() > 0).astype(int)


def split(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    X, Y = read(name)
    rows = np.arange(len(Y))
    train, test = train_test_split(rows[:, None], Y, test_size=0.4, random_state=seed)[:2]
    return X[train.ravel()], Y[train.ravel()], X[test.ravel()], Y[test.ravel()]


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    contestant, (X, Y, X_test, truth) = CONTESTANTS[model], split(name, seed)
    began = time.process_time()
    answer = contestant.learn(X, Y)
    fitted = time.process_time()
    found = answer(X_test)
    post = found.posterior
    decided = {
        loss: post.decide(loss) if contestant.ours else found.labels
        for loss in ("subset", "hamming", "f1", "jaccard")
    }
    asked = time.process_time()
    scores = {
        "exact match": metrics.subset_accuracy(truth, decided["subset"]),
        "Hamming loss": metrics.hamming_loss(truth, decided["hamming"]),
        "example F1": metrics.f1(truth, decided["f1"]),
        "Jaccard": metrics.jaccard(truth, decided["jaccard"]),
        "micro F1": metrics.f1(truth, decided["f1"], average="micro"),
        "macro F1": metrics.f1(truth, decided["f1"], average="macro"),
    }
    if post is not None:
        proba = np.stack([p[:, 1] for p in post.marginals()], axis=1)
        scores |= {
            "joint log-loss": float(-post.log_prob(truth).mean()),
            "calibration error": metrics.calibration_error(truth, proba),
            "ranking loss": metrics.ranking_loss(truth, proba),
            "average precision": metrics.average_precision(truth, proba),
        }
    times = {"fit": fitted - began, "answer": asked - fitted}
    return {key: round(float(value), 5) for key, value in (scores | times).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--models", nargs="*", default=list(CONTESTANTS))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600.0)
    parser.add_argument("-o", type=Path, default=STORE)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    missing = absent()
    keys = [
        (name, seed, model)
        for seed in range(options.splits)
        for name in options.sets
        for model in options.models
        if model not in missing
    ]
    run_cells(measure, keys, options.o, options.limit, absent=missing)


if __name__ == "__main__":
    main()
