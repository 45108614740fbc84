"""JointForest on many labels and many rows: processor seconds on one thread, and what it reaches.

    python benchmarks/large_forest.py [--sets bibtex …] [--limit 300]

Each set is learned in a process of its own: 60 % of the rows, and the answer of largest probability
for the others. The goal is 60 processor seconds of `fit`. `render_field.py` shows the table.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import jointbayes as jb
from cells import compare, split

STORE = Path(__file__).resolve().parent / "results" / "large_forest.json"
SETS = ("bibtex", "tmc2007-500", "mediamill_small")


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    X, Y, X_test, truth = split(name, seed)
    began = time.process_time()
    fitted = getattr(jb, model)(n_jobs=1).fit(X, Y)
    learned = time.process_time()
    exact = float((fitted.predict(X_test) == truth).all(axis=1).mean())
    return {
        "rows": len(Y),
        "columns": int(X.shape[1]),
        "labels": Y.shape[1],
        "vectors": len(np.unique(Y, axis=0)),
        "exact match": round(exact, 5),
        "fit": round(learned - began, 2),
        "predict": round(time.process_time() - learned, 2),
    }


if __name__ == "__main__":
    compare(measure, ["JointForest"], STORE, limit=300.0, sets=SETS)
