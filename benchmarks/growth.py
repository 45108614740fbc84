"""How fit and predict grow with rows, columns, labels and classes: every model, until it is slow.

    python benchmarks/growth.py [--only=Model] [--axis=rows] [--lines=ended]

A line is one model along one axis; it ends where the next fit would take more than twenty processor
seconds, by rows and columns a minute, or more memory than there is; each cell runs in a process of
its own.
``--lines=ended`` measures those again that did not get to the largest size.
Times are processor time on one core, the least of a few calls where they are short; memory is what
the process held more at its peak than before, rows and labels not counted. Writes
``results/growth.json``, which `render_growth.py` turns into a page.
About an hour and a half.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import jointbayes as jb
from environment import describe_machine
from jointbayes.errors import CostError
from jointbayes.learners.logistic.estimator import BatchedLogistic
from memory import forget, held, peak

RESULTS = Path(__file__).parent / "results" / "growth.json"
LIMIT = {"rows": 60.0, "columns": 60.0, "labels": 20.0, "classes": 20.0}
"""Processor seconds that a fit, or an answer for all that are asked, should not take more of."""
STEP = 3.0  # how much longer the next size is likely to take
MEMORY = 14 << 30  # bytes of address space that a cell may have, data included
ASKED = 1000  # rows that are predicted
SHORT = 0.3  # processor seconds up to which calls are repeated

SIZES = {
    "rows": (1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000),
    "columns": (10, 32, 100, 316, 1000, 3162, 10_000),
    "labels": (5, 10, 20, 40, 80, 160, 320, 640, 1000),
    "classes": (2, 5, 10, 32, 100, 316, 1000),
}

ONE_CLASS = (
    "NaiveBayes TAN KDB AODE ATAN WATAN LKDB AKDB ChowLiuMultinet LabelDriven LTAN"
).split()
SEVERAL = (
    "MultilabelNB MultilabelFAN NetworkEnsemble CTBN NaiBX ILFCompo BinaryRelevance "
    "StackedRelevance ClassifierChain ChainEnsemble LabelPowerset RAkEL MLkNN IBLR MMOC "
    "JointForest ClassifierCascade"
).split()
ONE_PENALTY = (
    "CTBN ILFCompo BinaryRelevance StackedRelevance ClassifierChain ChainEnsemble LabelPowerset "
    "RAkEL IBLR ClassifierCascade"
).split()


def make(name: str) -> Any:
    """Return the model as it comes, but with one penalty where it has regressions."""
    if name in ONE_PENALTY:
        return getattr(jb, name)(BatchedLogistic(penalty=1.0), n_jobs=1)
    discretizer = {"discretizer": "quantile"} if name in ONE_CLASS[:-2] else {}
    if name in ("LabelDriven", "LTAN"):
        discretizer = {} if name == "LabelDriven" else {"discretizer": "quantile"}
    return getattr(jb, name)(**discretizer, n_jobs=1)


def data(axis: str, size: int, kind: str) -> tuple[Any, Any]:
    """Return rows of normal numbers, and labels that follow ten of them."""
    sides = {"rows": 1000, "columns": 20, "labels": 5, "classes": 2} | {axis: size}
    n = max(sides["rows"], 20 * sides["classes"] if axis == "classes" else 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, sides["columns"]))
    seen = X[:, :10]
    width = sides["labels"] if kind == "several" else 1
    scores = seen @ rng.normal(size=(seen.shape[1], width)) * 0.3 + rng.normal(size=(n, width))
    if kind == "several":
        return X, (scores > 0.8).astype(int)
    cuts = np.quantile(scores[:, 0], np.linspace(0, 1, sides["classes"] + 1)[1:-1])
    return X, np.searchsorted(cuts, scores[:, 0])


def least(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least processor seconds of a call, and its answer; short ones are repeated.

    They are timed together, as the clock may be a coarse one.
    """
    times, answer = [], None
    while not times or (sum(times) < SHORT and len(times) < 3):
        start, calls = time.process_time(), 0
        while not calls or time.process_time() - start < SHORT / 5:
            answer = call()
            calls += 1
        times.append((time.process_time() - start) / calls)
    return min(times), answer


def cell(name: str, axis: str, size: int) -> dict[str, Any]:
    """Measure one model at one size."""
    X, Y = data(axis, size, "one" if name in ONE_CLASS else "several")
    some = X[:ASKED]
    before = held()
    forget()
    fit, model = least(lambda: make(name).fit(X, Y))
    memory = peak() - before
    model.predict(some[:1])  # what the first answer prepares for all others
    ask, _ = least(lambda: model.predict(some))
    return {"fit": fit, "predict": ask / len(some), "memory": memory}


def line(name: str, axis: str) -> Iterator[dict[str, Any]]:
    """Yield the cells of a line until one is slow, or cannot be had; the last says why it is."""
    limit = LIMIT[axis]
    for size in SIZES[axis]:
        found = _in_child(lambda size=size: cell(name, axis, size), STEP * limit)
        slow = [
            what
            for what, share in (("fit", 1), ("predict", ASKED))
            if found.get(what) and found[what] * share > limit / STEP
        ]
        if slow and size < SIZES[axis][-1]:
            found["ends"] = f"time to {slow[0]}"
        yield {"model": name, "axis": axis, "size": size} | found
        if "ends" in found:
            return


def _in_child(work: Callable[[], dict[str, Any]], patience: float) -> dict[str, Any]:
    """Return what work returns in a process of its own, or that it took too much, and of what."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends the process
        signal.setitimer(signal.ITIMER_PROF, patience)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        told: dict[str, Any] = {"fit": None, "ends": "memory"}
        try:
            told = work()
        except (MemoryError, CostError) as error:
            told["said"] = str(error)
        finally:
            os.write(writer, json.dumps(told).encode())
            os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 20 * patience)
    if not ready:
        os.kill(child, signal.SIGKILL)
    told = os.read(reader, 1 << 16) if ready else b""
    os.close(reader)
    os.waitpid(child, 0)
    return json.loads(told) if told else {"fit": None, "ends": "time to fit"}


def ended(cells: list[dict[str, Any]], axis: str) -> bool:
    """Whether a line did not get to the largest size."""
    return not any(c["size"] == SIZES[axis][-1] and c["fit"] is not None for c in cells)


def main() -> None:
    warnings.simplefilter("ignore")
    chosen = {a.partition("=")[0]: a.partition("=")[2].split(",") for a in sys.argv[1:]}
    known = json.loads(RESULTS.read_text(encoding="utf-8"))["cells"] if chosen else []
    only_ended = chosen.get("--lines") == ["ended"]
    for name in (*ONE_CLASS, *SEVERAL):
        for axis in ("rows", "columns", "classes" if name in ONE_CLASS else "labels"):
            if name not in chosen.get("--only", [name]) or axis not in chosen.get("--axis", [axis]):
                continue
            if only_ended and not ended(
                [c for c in known if (c["model"], c["axis"]) == (name, axis)], axis
            ):
                continue
            known = [c for c in known if (c["model"], c["axis"]) != (name, axis)]
            for found in line(name, axis):
                known.append(found)
                print(json.dumps(found), flush=True)
            result = {"machine": describe_machine(), "limit": LIMIT, "cells": known}
            RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
