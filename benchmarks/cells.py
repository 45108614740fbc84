"""Cells of a comparison: each in a process of its own, within a limit, and stored at once.

Limits are processor seconds: how much else the machine does changes no result.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from environment import describe_machine

__all__ = ["Measure", "read_cells", "run_cell", "run_cells"]

Measure = Callable[[str, str, int], dict[str, Any]]
"""What is measured of a model on a split of a data set."""


def read_cells(store: Path) -> dict[str, Any]:
    """Return what is stored: ``cells`` by "set | split | model", the machine, and notes."""
    return json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}


def run_cells(
    measure: Measure, keys: Iterable[tuple[str, int, str]], store: Path, limit: float, **notes: Any
) -> None:
    """Measure the cells (set, split, model) that are not stored yet; notes are stored with them."""
    kept = read_cells(store)
    cells: dict[str, Any] = kept.get("cells", {})
    for name, seed, model in keys:
        key = f"{name} | {seed} | {model}"
        if key in cells:
            continue
        cells[key] = run_cell(measure, (model, name, seed), limit)
        print(key, cells[key], flush=True)
        # A note that somebody wrote stays.
        told = {"machine": describe_machine(), "limit": limit, **notes}
        stored = kept | told | {"cells": cells}
        written = store.with_suffix(".part")
        written.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
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
