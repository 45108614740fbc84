"""Seconds of `fit` of JointForest and of CatBoost, by the clock, on one thread and on two.

    python benchmarks/forest_threads.py [flags foodtruck …]

Both learn the same 60 % of the rows in one process, turn by turn, with their defaults: JointForest
three times, of which the least counts, CatBoost once. `render_field.py` shows the table.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jointbayes as jb
from cells import split
from environment import describe_machine
from field_models import Numbers, catboost

STORE = Path(__file__).resolve().parent / "results" / "forest_threads.json"
SETS = ("flags", "foodtruck", "emotions", "wq")


def seconds(fit: Callable[..., object], X: Any, Y: Any) -> float:
    began = time.perf_counter()
    fit(X, Y)
    return time.perf_counter() - began


def main() -> None:
    warnings.simplefilter("ignore")
    rows = []
    for name in sys.argv[1:] or SETS:
        X, Y, _, _ = split(name, 0)
        numbers = Numbers(X)(X)
        for threads in (1, 2):
            forest, peer = jb.JointForest(n_jobs=threads), catboost()
            peer.set_params(thread_count=threads)
            ours = min(seconds(forest.fit, X, Y) for _ in range(3))
            theirs = seconds(peer.fit, numbers, Y)
            rows.append({"set": name, "threads": threads, "ours": ours, "CatBoost": theirs})
            print(rows[-1], flush=True)
    stored = {"machine": describe_machine(), "rows": rows}
    STORE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
