"""CTBN and its rivals: accuracy next to the published, speed next to a loop, size of searches.

    python benchmarks/ctbn.py [--accuracy emotions yeast scene] [--speed yeast enron rcv1sub1]
                              [--chains emotions yeast enron] [--out results.json]

Accuracy is ten-fold cross-validation as in Tables 3-5 of Batal et al. 2013; CLL-loss is the mean
over folds of the sum of −log P(y | x). The published chains go greedily, and their CLL-loss is not
the likelihood of the chain, so it is not compared. tmc2007-500 holds 500 of the paper's 30,438
columns; the rcv1 sets hold all columns, the paper's fewer.

Speed: one CTBN with one penalty for all regressions, against the same conditionals fitted one by
one with scikit-learn's LogisticRegression(lbfgs) on the same standardised columns. Large loops are
timed on some of their groups and scaled up; the figure says on how many. Seconds are processor
seconds on one thread, the least of some runs, so that other work does not blur ratios.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

import jointbayes as jb
from environment import describe_machine
from jointbayes.models import BatchedLogistic
from jointbayes.models.ctbn import hold_out

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
MODELS: dict[str, Callable[[], object]] = {
    "BR": jb.BinaryRelevance,
    "CHF": jb.StackedRelevance,
    "CC": lambda: jb.ClassifierChain(inference="greedy"),
    "CC exact": jb.ClassifierChain,
    "MLKNN": jb.MLkNN,
    "IBLR": jb.IBLR,
    "CTBN": jb.CTBN,
}
PAPER = {"emotions": "Emotions", "yeast": "Yeast", "scene": "Scene", "enron": "Enron"}
PAPER |= {"tmc2007-500": "TMC 2007"} | {f"rcv1sub{k}": f"RCV1_top10 (S{k})" for k in range(1, 6)}
MEASURES = {"exact_match": "exact_match_accuracy", "cll_loss": "CLL_loss", "micro_f1": "micro_F1"}
PENALTY = {"yeast": 100.0, "enron": 100.0, "rcv1sub1": 1000.0}
"""What cross-validation chooses most often on these sets."""


def load(name: str) -> tuple[object, np.ndarray]:
    data = jb.load_dataset(SHARED / "data" / "multilabel" / f"{name}.arff.xz")
    if name.startswith("rcv1"):
        return data.X, data.Y[:, np.argsort(-data.Y.sum(axis=0), kind="stable")[:10]]
    return data.X, data.Y


def published() -> dict[tuple[str, str, str], float]:
    with (SHARED / "published" / "batal2013.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if len(row) > 5]
    return {(row[2], row[3], row[4]): float(row[5]) for row in rows[1:] if row[5]}


def seconds(call: Callable[[], object], repeats: int = 1) -> tuple[float, object]:
    best, answer = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        answer = call()
        best = min(best, time.process_time() - start)
    return best, answer


# ---- accuracy ----


def accuracy(name: str, models: list[str], folds: int) -> list[dict[str, object]]:
    X, Y = load(name)
    known, rows = published(), []
    splits = list(KFold(10, shuffle=True, random_state=0).split(np.zeros(len(Y))))[:folds]
    for label in models:
        exact, loss, hits, total, fit = [], [], 0, 0, []
        for train, test in splits:
            taken, model = seconds(lambda t=train, m=label: MODELS[m]().fit(X[t], Y[t]))
            post = model.posterior(X[test])
            answer, truth = post.map(), Y[test]
            exact.append((answer == truth).all(axis=1).mean())
            loss.append(-post.log_prob(truth).sum())
            hits += 2 * ((answer == 1) & (truth == 1)).sum()
            total += (answer == 1).sum() + (truth == 1).sum()
            fit.append(taken)
        found = {"exact_match": np.mean(exact), "cll_loss": np.mean(loss), "micro_f1": hits / total}
        row = {"set": name, "model": label, "folds": len(splits), "fit_s": float(np.mean(fit))}
        for measure, value in found.items():
            row[measure] = round(float(value), 4)
            row[f"{measure}_published"] = known.get((PAPER[name], label, MEASURES[measure]))
        rows.append(row)
        print(
            f"{name:12s} {label:9s}"
            + "".join(f"  {m} {row[m]:.4g} ({row[m + '_published']})" for m in found)
            + f"  fit {row['fit_s']:.2f} s",
            flush=True,
        )
    return rows


# ---- speed ----


def loop(Z: object, Y: np.ndarray, parents: np.ndarray, penalty: float, groups: int) -> float:
    """Return the seconds that scikit-learn needs for all conditionals, from part of the groups."""

    def fit(rows: np.ndarray, i: int) -> None:
        if 0 < Y[rows, i].sum() < len(rows):
            LogisticRegression(C=1 / penalty, max_iter=1000).fit(Z[rows], Y[rows, i])

    d, every = Y.shape[1], np.arange(len(Y))
    train, _ = hold_out(len(Y), 0.3, 0)
    pairs = [(j, v) for j in range(d) for v in (0, 1)]
    chosen = np.random.default_rng(0).permutation(len(pairs))[:groups]
    start = time.process_time()
    for j, v in (pairs[g] for g in chosen):
        rows = train[Y[train, j] == v]
        for i in set(range(d)) - {j}:
            fit(rows, i)
    structure = (time.process_time() - start) * len(pairs) / len(chosen)
    start = time.process_time()
    for i in range(d):
        fit(train, i)
        if parents[i] < 0:
            fit(every, i)
        else:
            for v in (0, 1):
                fit(np.flatnonzero(Y[:, parents[i]] == v), i)
    return structure + time.process_time() - start


def speed(name: str) -> dict[str, object]:
    X, Y = load(name)
    model = jb.CTBN(BatchedLogistic(penalty=PENALTY[name]))
    ours, _ = seconds(lambda: model.fit(X, Y), 3)
    Z = model.classifiers_.scaling.apply(model.design_.matrix(X))
    groups = 2 * Y.shape[1] if len(Y) * Y.shape[1] < 40_000 else 6
    rival = loop(Z, Y, model.parents_, PENALTY[name], groups)
    chosen, _ = seconds(lambda: jb.CTBN().fit(X, Y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name}: {rival / ours:.1f}x a loop ({ours:.2f} s); with chosen penalties {chosen:.2f} s"
    )
    return {
        "set": name,
        "ours_s": ours,
        "loop_s": rival,
        "ratio": rival / ours,
        "loop_groups": groups,
        "groups": 2 * Y.shape[1],
        "with_cross_validation_s": chosen,
        "peak_mib": peak,
    }


def prediction() -> dict[str, object]:
    """Compare what MAP of 10,000 rows × 174 labels costs with what their conditionals cost."""
    rng = np.random.default_rng(0)
    X, d = rng.normal(size=(10_000, 68)), 174
    Y = (X @ rng.normal(size=(68, d)) + rng.normal(size=(10_000, d)) > 2).astype(int)
    model = jb.CTBN(BatchedLogistic(penalty=100.0)).fit(X[:500], Y[:500])
    conditionals, _ = seconds(lambda: model.posterior(X), 3)
    whole, _ = seconds(lambda: model.predict(X), 3)
    print(f"predict of 10,000 × {d}: {whole / conditionals:.2f}x its conditionals ({whole:.2f} s)")
    return {"predict_s": whole, "conditionals_s": conditionals, "ratio": whole / conditionals}


# ---- chains ----


def chains(name: str) -> dict[str, object]:
    X, Y = load(name)
    train, test = hold_out(len(Y), 0.3, 0)
    model = jb.ClassifierChain().fit(X[train], Y[train])
    post = model.posterior(X[test])
    taken, _ = seconds(post.map)
    visited, d = post.visited, Y.shape[1]
    row = {
        "set": name,
        "labels": d,
        "rows": len(test),
        "proven": float((post.gap() == 0).mean()),
        "visited_median": float(np.median(visited)),
        "visited_mean": float(visited.mean()),
        "visited_max": int(visited.max()),
        "share_of_tree": float(visited.mean() / (2.0 ** (d + 1) - 1)),
        "map_s": taken,
    }
    print(
        f"{name}: {row['proven']:.1%} of {len(test)} rows proven, {row['visited_median']:.0f} "
        f"prefixes (median), {row['visited_max']} (largest), {taken:.2f} s"
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--accuracy", nargs="*", default=["emotions", "yeast", "scene"])
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--folds", type=int, default=10, help="of the ten, how many are run")
    parser.add_argument("--speed", nargs="*", default=["yeast", "enron", "rcv1sub1"])
    parser.add_argument("--chains", nargs="*", default=["emotions", "yeast", "enron"])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):
        results = {
            "title": "CTBN and its rivals (Batal 2013)",
            "machine": describe_machine(),
            "accuracy": [
                row
                for name in options.accuracy
                for row in accuracy(name, options.models, options.folds)
            ],
            "speed": [speed(name) for name in options.speed],
            "prediction": prediction() if options.speed else None,
            "chains": [chains(name) for name in options.chains],
        }
    if options.out:
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
