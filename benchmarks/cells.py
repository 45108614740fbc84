"""Cells of a comparison: each in a process of its own, within a limit, and stored at once.

A cell is a model on one split of a data set; `compare` asks on the command line which. Splits are
of 60 to 40, the same for all comparisons. Limits are processor seconds: how much else the machine
does changes no result.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import jointbayes as jb
from environment import describe_machine
from jointbayes.table import Table
from jointbayes.validation import train_test_split

__all__ = ["SETS", "Measure", "compare", "read_cells", "read_set", "run_cell", "run_cells", "split"]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = (
    "flags foodtruck emotions wq image135 scene yeast CAL500 genbase slashdot enron "
    "yahoo5000_business yahoo5000_health yahoo5000_arts"
).split()

Measure = Callable[[str, str, int], dict[str, Any]]
"""What is measured of a model on a split of a data set."""


def read_set(name: str) -> tuple[Any, Any]:
    """Return rows and labels; of water quality, whether each species is present."""
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    if name != "wq":
        return data.X, np.asarray(data.Y, dtype=int)
    whole = data.X.to_pandas().assign(last=np.asarray(data.Y, dtype=float).ravel())
    return Table.of(whole.iloc[:, :-14]), (whole.iloc[:, -14:].to_numpy() > 0).astype(int)


def split(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return training rows and their labels, and test rows and theirs."""
    X, Y = read_set(name)
    rows = np.arange(len(Y))
    train, test = train_test_split(rows[:, None], Y, test_size=0.4, random_state=seed)[:2]
    return X[train.ravel()], Y[train.ravel()], X[test.ravel()], Y[test.ravel()]


def compare(
    measure: Measure,
    models: Iterable[str],
    store: Path,
    limit: float,
    sets: Sequence[str] = SETS,
    **notes: Any,
) -> None:
    """Measure the cells that the command line asks for, of all models on all sets if it is bare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", nargs="*", default=list(sets))
    parser.add_argument("--models", nargs="*", default=list(models))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--limit", type=float, default=limit)
    parser.add_argument("-o", type=Path, default=store)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    keys = [
        (name, seed, model)
        for seed in range(options.splits)
        for name in options.sets
        for model in options.models
    ]
    run_cells(measure, keys, options.o, options.limit, **notes)


def read_cells(store: Path) -> dict[str, Any]:
    """Return what is stored: ``cells`` by "set | split | model", the machine, and notes."""
    return json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}


def run_cells(
    measure: Measure, keys: Iterable[tuple[str, int, str]], store: Path, limit: float, **notes: Any
) -> None:
    """Measure the cells (set, split, model) that are not stored yet; notes are stored with them."""
    for name, seed, model in keys:
        key = f"{name} | {seed} | {model}"
        if key in read_cells(store).get("cells", {}):
            continue
        found = run_cell(measure, (model, name, seed), limit)
        print(key, found, flush=True)
        kept = read_cells(store)  # another run may have stored something meanwhile
        told = {"machine": describe_machine(), "limit": limit, **notes}
        cells = kept.get("cells", {}) | {key: found}
        written = store.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(kept | told | {"cells": cells}, indent=1) + "\n", "utf-8")
        written.replace(store)


def run_cell(measure: Measure, cell: tuple[str, str, int], limit: float) -> dict[str, Any]:
    """Return what one cell measures, or ``failed`` and why; the limit is of processor seconds."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_in_process, args=(there, measure, cell, limit))
    process.start()
    there.close()
    try:
        return dict(here.recv())
    except EOFError:
        process.join()
        stopped = process.exitcode == -signal.SIGXCPU
        return {"failed": f"stopped after {limit:.0f} CPU s" if stopped else "the process died"}
    finally:
        process.kill()
        process.join()


def _in_process(pipe: Any, measure: Measure, cell: tuple[str, str, int], limit: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), resource.RLIM_INFINITY))
    warnings.simplefilter("ignore")
    try:
        with threadpool_limits(1):
            pipe.send(measure(*cell))
    except Exception as error:  # a cell that fails stops no other
        traceback.print_exc()
        pipe.send({"failed": f"{type(error).__name__}: {str(error)[:200]}"})
