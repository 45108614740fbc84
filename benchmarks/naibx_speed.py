"""How fast NaiBX learns and answers, and one pass over a stream (Mossina & Rachelson 2017).

    python benchmarks/naibx_speed.py [--stream 10000000] [-o results.json]

The rival is the paper's pseudo-code, row by row in plain Python (tests/naibx_oracle.py), which
answers a part of the rows. NUS-WIDE is generated at its size; the growth of times is measured with
four times the rows, features and labels. The law of the stream changes at half time; two models are
asked before they learn (prequential), one of which forgets. Wall and processor seconds; memory is
what is resident at the peak above where it started. Two minutes on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from environment import describe_machine
from jointbayes import NaiBX, load_dataset
from jointbayes.validation import Folds
from jointbayes.validation.memory import peak_memory

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
sys.path.append(str(HERE.parent / "tests"))

from naibx_oracle import PlainNaiBX  # noqa: E402  from the tests, found a line above

MIB = 1 << 20
COLOURS = ("#0072b2", "#d55e00")


def timed(act: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = act()
    return found, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def fastest(act: Callable[[], Any], times: int = 3) -> tuple[Any, dict[str, float]]:
    """Return the run with the fewest processor seconds: what other work takes only adds."""
    return min((timed(act) for _ in range(times)), key=lambda found: found[1]["cpu"])


def load(name: str) -> tuple[Any, np.ndarray]:
    data = load_dataset(name, data_dir=DATA)
    return data.X, np.asarray(data.Y, dtype=np.intp)


def generated(n: int, p: int, q: int, per_row: float = 1.87) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = (rng.random((n, q)) < per_row / q).astype(np.intp)
    X = rng.normal(size=(n, p))
    k = min(p, q)
    X[:, :k] += 2 * Y[:, :k]
    return X, Y


def against_pseudo_code(few: int = 100) -> dict[str, Any]:
    X, Y = load("yeast")
    rows = np.stack([column.values for column in X.columns], axis=1)
    sets = [np.flatnonzero(y).tolist() for y in Y]

    def learn() -> PlainNaiBX:
        plain = PlainNaiBX(Y.shape[1], ("gaussian",) * rows.shape[1])
        for x, labels in zip(rows.tolist(), sets, strict=True):
            plain.add_example(x, labels)
        return plain

    plain, their_fit = timed(learn)
    theirs, their_predict = timed(lambda: [plain.predict(x) for x in rows[:few].tolist()])
    model, our_fit = fastest(lambda: NaiBX(features="gaussian").fit(X, Y))
    ours, our_predict = fastest(lambda: model.predict(X))
    agree = np.mean([np.flatnonzero(y).tolist() == t for y, t in zip(ours, theirs, strict=False)])
    scaled = {k: v * len(rows) / few for k, v in their_predict.items()}
    return {
        "set": f"Yeast, {len(Y)} rows; the rival answers {few} of them, scaled up",
        "fit": {"ours": our_fit, "pseudo_code": their_fit},
        "predict": {"ours": our_predict, "pseudo_code": scaled},
        "share_of_equal_answers": float(agree),
    }


def fit_and_predict(X: Any, Y: np.ndarray, features: str, test: Any = None) -> dict[str, Any]:
    """Learn the rows that are not tested, answer those that are; all of them unless some are."""
    train = slice(None) if test is None else np.setdiff1d(np.arange(len(Y)), test)
    rows, asked = X[train], X if test is None else X[test]
    with peak_memory() as peak:
        model, fit = fastest(lambda: NaiBX(features=features).fit(rows, Y[train]))
        _, predict = fastest(lambda: model.predict(asked))
    return {
        "shape": [*X.shape, Y.shape[1]],
        "answered": asked.shape[0],
        "fit": fit,
        "predict": predict,
        "extra_peak_mib": None if peak.bytes is None else peak.bytes / MIB,
        "dense_mib": X.shape[0] * X.shape[1] * 8 / MIB,
    }


def growth() -> list[dict[str, Any]]:
    """Measure one thread: threads that wait for others also spend processor time."""
    base, found = {"n": 100_000, "p": 32, "q": 16}, []
    for what in (None, "n", "p", "q"):
        shape = base | ({what: 4 * base[what]} if what else {})
        with threadpool_limits(1):
            found.append(fit_and_predict(*generated(**shape), "gaussian"))
    first = found[0]
    for row, what in zip(found[1:], ("rows", "features", "labels"), strict=True):
        row["four_times_the"] = what
        for act in ("fit", "predict"):
            row[f"{act}_exponent"] = float(np.log(row[act]["cpu"] / first[act]["cpu"]) / np.log(4))
    return found


def stream(n: int, batch: int = 100_000, half_life: float = 500_000.0) -> dict[str, Any]:
    """Ask, then teach, batch by batch; at half time the columns change places."""
    rng = np.random.default_rng(0)
    models = {"remembers": NaiBX(), "forgets": NaiBX(half_life=half_life)}
    curves: dict[str, list[float]] = {name: [] for name in models}
    seconds = dict.fromkeys(models, 0.0)

    wall = time.perf_counter()
    with peak_memory() as peak:
        for start in range(0, n, batch):
            Y = (rng.random((batch, 6)) < [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]).astype(np.intp)
            X = rng.normal(2 * Y, 1.0)
            X = X if start < n // 2 else X[:, ::-1]
            for name, model in models.items():
                began = time.process_time()
                if start:
                    curves[name].append(float((model.predict(X) == Y).all(axis=1).mean()))
                model.partial_fit(X, Y)
                seconds[name] += time.process_time() - began
    return {
        "rows": n,
        "batch": batch,
        "half_life": half_life,
        "wall": time.perf_counter() - wall,
        "cpu": seconds,
        "extra_peak_mib": None if peak.bytes is None else peak.bytes / MIB,
        "batch_mib": batch * (6 + 6) * 8 / MIB,
        "exact_match": curves,
    }


def draw(found: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "naibx", "font.size": 10})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.2))
    for (name, curve), colour in zip(found["exact_match"].items(), COLOURS, strict=True):
        at = (1 + np.arange(len(curve))) * found["batch"] / 1e6
        axes.plot(at, curve, color=colour, linewidth=1.5)
        axes.annotate(
            f"a model that {name}",
            (at[-1], curve[-1]),
            (-4, -10),
            textcoords="offset points",
            ha="right",
            va="top",
            color=colour,
        )
    half = found["rows"] / 2e6
    axes.axvline(half, color="0.6", linewidth=0.8, linestyle=":")
    axes.annotate("the columns change places", (half, 0.02), (4, 0), textcoords="offset points")
    axes.set(
        xlim=(0, found["rows"] / 1e6),
        ylim=(0, 1.25 * max(map(max, found["exact_match"].values()))),
        xlabel="million rows seen",
        ylabel="share of whole label sets right",
    )
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def ratios(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return both in the form that render.py knows."""
    return [
        {
            "name": f"pseudo-code, {what}, processor time",
            "ours_s": found[act]["ours"]["cpu"],
            "rival_s": found[act]["pseudo_code"]["cpu"],
            "ratio": found[act]["pseudo_code"]["cpu"] / found[act]["ours"]["cpu"],
            "goal": goal,
        }
        for act, what, goal in (("fit", "learning", 10), ("predict", "answering", 100))
    ]


def limits(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what was measured beside what was asked for."""
    wide, arts, flow = (result[name] for name in ("NUS-WIDE size", "Yahoo Arts", "stream"))
    rows = [
        ("CAL500, answers to a test fold, wall s", result["CAL500"]["predict"]["wall"], 0.1),
        ("NUS-WIDE size, learn 269,648 rows, wall s", wide["fit"]["wall"], 2),
        ("NUS-WIDE size, learn 269,648 rows, processor s", wide["fit"]["cpu"], 4),
        ("NUS-WIDE size, answer 269,648 rows, wall s", wide["predict"]["wall"], 5),
        ("NUS-WIDE size, answer 269,648 rows, processor s", wide["predict"]["cpu"], 10),
        ("Yahoo Arts, learn 7,484 rows, wall s (the paper: 32)", arts["fit"]["wall"], 32),
        ("Yahoo Arts, answer 7,484 rows, wall s (the paper: 73)", arts["predict"]["wall"], 73),
    ]
    for row in result["growth"][1:]:
        what = row["four_times_the"]
        rows += [
            (f"learning grows with a power of the {what}", row["fit_exponent"], 1.25),
            (
                f"answering grows with a power of the {what}",
                row["predict_exponent"],
                2 if what == "labels" else 1.25,
            ),
        ]
    if arts["extra_peak_mib"] is not None:
        name = "Yahoo Arts, memory of learning and answering ÷ the dense matrix"
        rows.append((name, arts["extra_peak_mib"] / arts["dense_mib"], 0.25))
    if flow["extra_peak_mib"] is not None:
        name = "stream, memory of 10 million rows ÷ that of a million"
        rows.append((name, flow["extra_peak_mib"] / flow["tenth"]["extra_peak_mib"], 1.25))
    return [{"name": name, "value": value, "limit": limit} for name, value, limit in rows]


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

    tenth = stream(chosen.stream // 10)  # first, so that its memory is not that of others
    flow = stream(chosen.stream) | {"tenth": tenth}
    draw(flow, chosen.output.with_name("naibx_stream.svg"))
    add("stream", flow)
    add("pseudo_code", against_pseudo_code())
    X, Y = load("CAL500")
    _, test = next(Folds(10, stratify="none", random_state=0).split(X, Y))
    add("CAL500", fit_and_predict(X, Y, "gaussian", test))
    add("Yahoo Arts", fit_and_predict(*load("yahoo_arts"), "multinomial"))
    add("growth", growth())
    add("NUS-WIDE size", fit_and_predict(*generated(269_648, 128, 81), "gaussian"))
    add("ratios", ratios(result["pseudo_code"]))
    add("limits", limits(result))


if __name__ == "__main__":
    main()
