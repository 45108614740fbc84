"""How fast numbers are cut and tables encoded, against sorting and copying them, in one run.

    python benchmarks/cutting.py [results.json]

The goal for MDL is to take at most three times what ``np.sort`` takes on the same columns, so its
ratio (sort / ours) has to reach 1/3. Figures are processor time on one thread, least of several
runs. The columns are covtype's where ``../shared/data`` is there, else random ones of that shape.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from environment import describe_machine
from jointbayes import _kernels
from jointbayes.discretize import MDL, Quantile
from jointbayes.encoding import learn_encoder
from jointbayes.table import Table

HERE = Path(__file__).parent
COVTYPE = HERE.parent.parent / "shared" / "data" / "uci" / "covtype.csv.xz"


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def row(name: str, ours: float, rival: float, goal: float) -> dict[str, object]:
    ratio = rival / ours
    print(f"{name:64s} {ratio:7.2f}x (goal {goal:.2f}x)  {ours * 1e3:8.1f} ms", flush=True)
    return {"name": name, "ours_s": ours, "rival_s": rival, "ratio": ratio, "goal": goal}


def covtype() -> tuple[str, np.ndarray, np.ndarray]:
    """Return the ten numeric columns, column-major, and the class."""
    if COVTYPE.exists():
        table = pd.read_csv(COVTYPE).to_numpy(dtype=np.float64)
        return "covtype", np.asfortranarray(table[:, :10]), table[:, -1].astype(int)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 7, 581_012)
    X = np.round(rng.normal(2000 + 100 * y[:, None], 300, (len(y), 10)))
    return "random integers", np.asfortranarray(X), y


def cutting() -> list[dict[str, object]]:
    name, X, y = covtype()
    rows = []
    for kind, columns in (
        (f"{name}, 10 integer columns", X),
        (
            f"{name} plus noise, 10 columns of distinct numbers",
            X + np.random.default_rng(0).random(X.T.shape).T,
        ),
    ):
        sort = seconds(lambda columns=columns: [np.sort(x) for x in columns.T], repeats=3)
        for method in (MDL(), Quantile()):
            ours = seconds(lambda m=method, c=columns: m.fit(c, y), repeats=3)
            label = f"{type(method).__name__} of {kind}, against np.sort"
            rows.append(row(label, ours, sort, 1 / 3))
    cuts = MDL().fit(X, y).cuts_
    out = np.empty(len(y), dtype=np.uint8)
    rows.append(
        row(
            "codes of 10 numeric columns, against np.searchsorted",
            seconds(
                lambda: [_kernels.digitize(x, c, 255, out) for x, c in zip(X.T, cuts, strict=True)]
            ),
            seconds(lambda: [np.searchsorted(c, x) for x, c in zip(X.T, cuts, strict=True)], 3),
            1,
        )
    )
    return rows


def encoding() -> list[dict[str, object]]:
    codes = np.random.default_rng(0).integers(0, 40, (54, 581_012), dtype=np.int8)
    values = [f"v{k}" for k in range(40)]
    frame = pd.DataFrame(
        {f"c{j}": pd.Categorical.from_codes(x, values) for j, x in enumerate(codes)}
    )
    turned = pd.DataFrame({n: s.cat.reorder_categories(values[::-1]) for n, s in frame.items()})
    encoder = learn_encoder(Table.of(frame), discretizer="quantile")
    assert np.array_equal(encoder.encode(Table.of(frame)).T, codes)
    assert np.array_equal(encoder.encode(Table.of(turned)).T, codes)
    copy = seconds(codes.copy)
    return [
        row(
            f"encode 581k × 54 category columns, {what}, against a copy",
            seconds(lambda table=table: encoder.encode(Table.of(table))),
            copy,
            goal,
        )
        for what, table, goal in (("same categories", frame, 0.5), ("another order", turned, 0.1))
    ]


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results" / "cutting.json"
    result = {
        "title": "Cutting and encoding",
        "machine": describe_machine() | {"compiled": _kernels.COMPILED},
        "ratios": [*cutting(), *encoding()],
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ["JOINTBAYES_NUM_THREADS"] = "1"
    main()
