"""What one row costs, as an array, as a frame of numbers and as a frame with categories.

    python benchmarks/one_row.py [results.json] [model …]

Beside it stands what a row costs in a batch of 200. Processor time, the least of a few rounds, on
one core; all models have their turn twice, so that a busy moment is nobody's alone. Writes
``results/speed/one_row.json``, which `render_speed.py` turns into a table; about two minutes.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd

import jointbayes as jb
from environment import describe_machine
from jointbayes.learners.logistic.estimator import BatchedLogistic
from quick import reference

TARGET = Path(__file__).parent / "results" / "speed" / "one_row.json"
ROWS, BATCH = 500, 200
SHORT, ROUNDS, TURNS = 0.03, 5, 2
ONE = BatchedLogistic(penalty=1.0)

ONE_CLASS = (
    "NaiveBayes", "TAN", "KDB", "AODE", "ATAN", "WATAN", "LKDB", "AKDB", "ChowLiuMultinet",
    "LabelDriven", "LTAN",
)  # fmt: skip
SEVERAL = {
    "BinaryRelevance": jb.BinaryRelevance(ONE),
    "StackedRelevance": jb.StackedRelevance(ONE),
    "CTBN": jb.CTBN(ONE),
    "ClassifierChain": jb.ClassifierChain(ONE),
    "ChainEnsemble": jb.ChainEnsemble(ONE, n_chains=5),
    "LabelPowerset": jb.LabelPowerset(ONE),
    "RAkEL": jb.RAkEL(ONE),
    "NaiBX": jb.NaiBX(),
    "MLkNN": jb.MLkNN(),
    "IBLR": jb.IBLR(),
    "MultilabelNB": jb.MultilabelNB(),
    "MultilabelFAN": jb.MultilabelFAN(),
}


def least(call: Callable[[], object]) -> float:
    """Return the least processor seconds of a call, those of a round being timed together."""
    found = []
    for _ in range(ROUNDS):
        start, calls = time.process_time(), 0
        while not calls or time.process_time() - start < SHORT:
            call()
            calls += 1
        found.append((time.process_time() - start) / calls)
    return min(found)


def tables(name: str) -> list[tuple[str, Any, Any]]:
    """Return rows and labels in three shapes: yeast, or made up where there is one class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 10))
    Y = (X[:, [0, 3, 4]] + X[:, [1, 1, 0]] > 0).astype(int)
    mixed = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    mixed["colour"] = pd.Categorical(np.array(["red", "green", "blue"])[rng.integers(0, 3, ROWS)])
    mixed["size"] = np.array(["small", "large"])[rng.integers(0, 2, ROWS)]
    if name in ONE_CLASS:
        y = Y[:, 0]
        return [("array", X, y), ("frame", mixed.iloc[:, :10], y), ("mixed", mixed, y)]
    data = jb.load_dataset("yeast")
    yeast = data.X.to_pandas().to_numpy(float)[:ROWS]
    labels = np.asarray(data.Y)[:ROWS]
    frame = pd.DataFrame(yeast, columns=[f"c{j}" for j in range(yeast.shape[1])])
    return [("array", yeast, labels), ("frame", frame, labels), ("mixed", mixed, Y)]


def measure(name: str) -> dict[str, Any]:
    """Return seconds a row, alone and in a batch, of each shape."""
    found: dict[str, Any] = {"model": name}
    for shape, X, Y in tables(name):
        model = (getattr(jb, name)() if name in ONE_CLASS else SEVERAL[name]).fit(X, Y)
        one, batch = X[:1], X[:BATCH]
        model.predict(one)
        found[shape] = least(lambda model=model, one=one: model.predict(one))
        found[f"{shape} batch"] = (
            least(lambda model=model, batch=batch: model.predict(batch)) / BATCH
        )
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    asked = [a for a in sys.argv[1:] if not a.endswith(".json")]
    paths = [Path(a) for a in sys.argv[1:] if a.endswith(".json")]
    names = asked or [*ONE_CLASS, *SEVERAL]
    least_of: dict[str, dict[str, Any]] = {}
    for name in names * TURNS:
        found = measure(name)
        known = least_of.get(name, found)
        best = {what: v if what == "model" else min(v, known[what]) for what, v in found.items()}
        least_of[name] = best
        shown = (f"{what} {v * 1e6:.0f} µs" for what, v in best.items() if what != "model")
        print(f"{name:18s}", ", ".join(shown), flush=True)
    figures = list(least_of.values())
    loop = sorted(reference() for _ in range(5))[1]
    result = {"machine": describe_machine(), "reference": loop, "figures": figures}
    target = paths[0] if paths else TARGET
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
