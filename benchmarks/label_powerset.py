"""LabelPowerset on columns that are standardised or raw, and how many rows it answers exactly.

    python benchmarks/label_powerset.py

Two hold-out splits of a third of the rows each: our regression as it comes (columns standardised,
penalty chosen), with one penalty, and scikit-learn's on raw columns with three. Writes
``results/speed/label_powerset.json``, which `render_speed.py` turns into a table; half a minute.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from sklearn.linear_model import LogisticRegression

import jointbayes as jb
from environment import describe_machine
from field import read
from jointbayes.learners.logistic.estimator import BatchedLogistic

TARGET = Path(__file__).parent / "results" / "speed" / "label_powerset.json"
SETS = ("flags", "emotions", "scene", "yeast", "image135", "wq")
MODELS = {
    "standardised, penalty chosen": jb.LabelPowerset(),
    "standardised, penalty 1": jb.LabelPowerset(BatchedLogistic(penalty=1.0)),
} | {
    f"raw, penalty {1 / C:g}": jb.LabelPowerset(LogisticRegression(C=C, max_iter=300))
    for C in (0.1, 1.0, 10.0)
}


def exact(name: str) -> dict[str, Any]:
    """Return the share of held-out rows that each model answers exactly."""
    X, Y = read(name)
    numbers, rng = np.nan_to_num(X.to_pandas().to_numpy(float)), np.random.default_rng(0)
    found: dict[str, list[float]] = {told: [] for told in MODELS}
    for _ in range(2):
        order = rng.permutation(len(Y))
        train, test = order[: 2 * len(Y) // 3], order[2 * len(Y) // 3 :]
        for told, model in MODELS.items():
            answer = model.fit(numbers[train], Y[train]).predict(numbers[test])
            found[told].append(float((answer == Y[test]).all(axis=1).mean()))
    return {"set": name} | {told: float(np.mean(shares)) for told, shares in found.items()}


def main() -> None:
    warnings.simplefilter("ignore")
    figures = []
    for name in SETS:
        figures.append(exact(name))
        print(json.dumps(figures[-1]), flush=True)
    result = {"machine": describe_machine(), "figures": figures}
    TARGET.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
