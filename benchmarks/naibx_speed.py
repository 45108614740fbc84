"""How fast NaiBX learns and answers, and one pass over a stream (Mossina & Rachelson 2017).

    python benchmarks/naibx_speed.py [--stream 10000000] [-o results.json]

The rival is the paper's pseudo-code, row by row in plain Python (tests/naibx_oracle.py), on a part
of the rows. NUS-WIDE is generated at its size; the growth of times is measured by doubling rows,
features and labels. The law of the stream changes at half time; two models
are asked before they learn (prequential), one of which forgets. Wall and processor seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from environment import describe_machine
from jointbayes import NaiBX, load_dataset

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared"
sys.path.append(str(HERE.parent / "tests"))

from naibx_oracle import PlainNaiBX  # noqa: E402  from the tests, found a line above


def timed(act: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = act()
    return found, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def load(name: str) -> tuple[Any, np.ndarray]:
    data = load_dataset(SHARED / "data" / "multilabel" / f"{name}.arff.xz")
    Y = data.Y.toarray() if hasattr(data.Y, "toarray") else np.asarray(data.Y)
    return data.X, Y.astype(np.intp)


def generated(n: int, p: int, q: int, per_row: float = 1.87) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = (rng.random((n, q)) < per_row / q).astype(np.intp)
    X = rng.normal(size=(n, p))
    k = min(p, q)
    X[:, :k] += 2 * Y[:, :k]
    return X, Y


def against_pseudo_code(few: int = 10) -> dict[str, Any]:
    X, Y = load("yeast")
    rows = np.stack([column.values for column in X.columns], axis=1)
    plain = PlainNaiBX(Y.shape[1], ("gaussian",) * rows.shape[1])
    sets = [np.flatnonzero(y).tolist() for y in Y]

    def learn() -> None:
        for x, labels in zip(rows.tolist(), sets, strict=True):
            plain.add_example(x, labels)

    _, their_fit = timed(learn)
    theirs, their_predict = timed(lambda: [plain.predict(x) for x in rows[:few].tolist()])
    model, our_fit = timed(lambda: NaiBX(features="gaussian").fit(X, Y))
    model, our_fit = timed(lambda: NaiBX(features="gaussian").fit(X, Y))  # once imports are done
    ours, our_predict = timed(lambda: model.predict(X))
    agree = np.mean([np.flatnonzero(y).tolist() == t for y, t in zip(ours, theirs, strict=False)])
    return {
        "set": f"Yeast, {len(Y)} rows; the rival answers {few} of them, scaled up",
        "fit": {"ours": our_fit, "pseudo_code": their_fit},
        "predict": {
            "ours": our_predict,
            "pseudo_code": {k: v * len(rows) / few for k, v in their_predict.items()},
        },
        "fit_ratio": their_fit["cpu"] / our_fit["cpu"],
        "predict_ratio": their_predict["cpu"] * len(rows) / few / our_predict["cpu"],
        "share_of_equal_answers": float(agree),
    }


def fit_and_predict(X: Any, Y: np.ndarray, features: str, test: Any = None) -> dict[str, Any]:
    model, fit = timed(lambda: NaiBX(features=features).fit(X, Y))
    rows = X if test is None else X[test]
    _, predict = timed(lambda: model.predict(rows))
    return {"rows": X.shape[0], "answered": rows.shape[0], "fit": fit, "predict": predict}


def growth() -> list[dict[str, Any]]:
    base, found = {"n": 20000, "p": 64, "q": 32}, []
    for what in (None, "n", "p", "q"):
        shape = base | ({what: 4 * base[what]} if what else {})
        found.append({"shape": shape, **fit_and_predict(*generated(**shape), "gaussian")})
    first = found[0]
    for row, what in zip(found[1:], ("n", "p", "q"), strict=True):
        for act in ("fit", "predict"):
            row[f"{act}_exponent_in_{what}"] = float(
                np.log(row[act]["cpu"] / first[act]["cpu"]) / np.log(4)
            )
    return found


def stream(n: int, batch: int = 100_000, half_life: float = 500_000.0) -> dict[str, Any]:
    """Ask, then teach, batch by batch; at half time the columns change places."""
    rng = np.random.default_rng(0)
    models = {"remembers": NaiBX(), "forgets": NaiBX(half_life=half_life)}
    curves: dict[str, list[float]] = {name: [] for name in models}
    wall = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = 0.0
    for start in range(0, n, batch):
        Y = (rng.random((batch, 6)) < [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]).astype(np.intp)
        X = rng.normal(2 * Y, 1.0)
        X = X if start < n // 2 else X[:, ::-1]
        began = time.process_time()
        for name, model in models.items():
            if start:
                curves[name].append(float((model.predict(X) == Y).all(axis=1).mean()))
            model.partial_fit(X, Y)
        seconds += time.process_time() - began
    return {
        "rows": n,
        "batch": batch,
        "half_life": half_life,
        "wall": time.perf_counter() - wall,
        "cpu_of_models": seconds,
        "extra_peak_MB": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024,
        "exact_match": curves,
    }


def draw(found: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3))
    for name, curve in found["exact_match"].items():
        at = (1 + np.arange(len(curve))) * found["batch"] / 1e6
        axes.plot(at, curve, label=f"a model that {name}")
    axes.set(xlabel="million rows", ylabel="whole sets right", title="Asked, then taught")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def limits(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return processor seconds beside what was asked for; two cores have two in a second."""
    wide = result["NUS-WIDE size"]
    return [
        {"name": name, "value": value, "limit": limit}
        for name, value, limit in (
            ("CAL500, answers to 50 rows, s", result["CAL500"]["predict"]["cpu"], 0.1),
            ("NUS-WIDE size, learn, processor s", wide["fit"]["cpu"], 4),
            ("NUS-WIDE size, answer, processor s", wide["predict"]["cpu"], 10),
            ("pseudo-code, learning, 10 / ratio", 10 / result["pseudo_code"]["fit_ratio"], 1),
            (
                "pseudo-code, answering, 100 / ratio",
                100 / result["pseudo_code"]["predict_ratio"],
                1,
            ),
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stream", type=int, default=10_000_000)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "naibx_speed.json")
    chosen = parser.parse_args()
    result: dict[str, Any] = {"title": "NaiBX: speed", "machine": describe_machine()}

    def add(name: str, found: Any) -> None:
        result[name] = found
        print(name, json.dumps(found)[:400], flush=True)
        chosen.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")

    add("pseudo_code", against_pseudo_code())
    X, Y = load("CAL500")
    add("CAL500", fit_and_predict(X, Y, "gaussian", slice(0, 50)))
    X, Y = load("yahoo_arts")
    add("Yahoo Arts", fit_and_predict(X, Y, "multinomial"))
    add("growth", growth())
    found = stream(chosen.stream)
    draw(found, chosen.output.with_name("naibx_stream.svg"))
    add("stream", found)
    add("NUS-WIDE size", fit_and_predict(*generated(269_648, 128, 81), "gaussian"))
    add("limits", limits(result))


if __name__ == "__main__":
    main()
