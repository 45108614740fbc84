"""One figure for each corner and headline of speed, in less than three minutes by the clock.

    python benchmarks/quick.py [results.json] [--keep] [--only=maker]

Every figure is processor time (the least of a few runs) divided by that of a reference loop that
is run beside it, so that figures of one machine can be compared from day to day, however busy it
is. What takes half as long again as in ``results/speed/quick.json`` is named, and the exit code
says so; ``--keep`` writes the new figures there instead. Peers are measured in the same run, where
they are installed. ``--only=chains`` measures what one function of `quick_figures` makes, and puts
it in its place in the file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the peers too, or they wait for each other

import numpy as np

from environment import describe_machine
from memory import forget, held, peak
from quick_figures import FIGURES, Case

HERE = Path(__file__).parent
COMMITTED = HERE / "results" / "speed" / "quick.json"
SLOWER = 1.5
PATIENCE = 10.0  # processor seconds that one call may take
LONG = 0.07  # processor seconds of calls that are timed together: the clock may be a coarse one
ROUNDS = 3  # of fresh processes, which take seconds by the clock of a busy machine
ENOUGH = 1.0  # processor seconds after which a call is not repeated


def reference() -> float:
    """Return the processor seconds of a loop of Python and numpy that nobody changes."""
    rows = np.random.default_rng(0).random((300, 300))
    start = time.process_time()
    total = 0.0
    for i in range(2000):
        total += float(rows[i % 300].sum())
    np.sort(rows @ rows, axis=1)
    return time.process_time() - start


def least(call: Callable[[], object], repeats: int) -> float | None:
    """Return the least processor seconds of some calls; None if one does not end."""

    def give_up(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, give_up)
    seconds = []
    for _ in range(repeats):
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        start, calls = time.process_time(), 0
        try:
            while calls == 0 or time.process_time() - start < LONG:
                call()
                calls += 1
        except TimeoutError:
            return None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
        seconds.append((time.process_time() - start) / calls)
        if calls * sum(seconds) > ENOUGH:
            break
    return min(seconds)


def child(code: str) -> float:
    """Return the processor seconds of a fresh process, from its ``start`` on, BLAS being free.

    It keeps the bytecode of what it imports, as an installed package has it.
    """
    ours = ("OPENBLAS_NUM_THREADS", "PYTHONDONTWRITEBYTECODE")
    free = {name: v for name, v in os.environ.items() if name not in ours}
    command = [sys.executable, "-c", f"import time\n{code}\nprint(time.process_time() - start)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=free)
    return float(done.stdout.split()[-1])


def measure(case: Case) -> dict[str, Any]:
    """Return seconds a unit of ours, of the floor and of the peer, and the reference's.

    Beside them stands what the process held more at its peak in our calls than before them.
    """
    unit = sorted(reference() for _ in range(5))[1]  # not the least: the clock may stand still
    found: dict[str, Any] = {"name": case.name, "item": case.item, "unit": case.unit}
    calls = {"ours": case.ours, "floor": case.floor, "peer": case.peer}
    codes = {who: code for who, code in calls.items() if isinstance(code, str)}
    rounds = [
        {who: child(code) for who, code in codes.items()} for _ in range(ROUNDS * bool(codes))
    ]
    for who, call in calls.items():
        if isinstance(call, str):
            seconds: float | None = min(each[who] for each in rounds)
        else:
            before = held()
            forget()
            seconds = None if call is None else least(call, case.repeats)
            if who == "ours":
                found["memory"] = peak() - before
        per = case.floor_per if who == "floor" and case.floor_per else case.per
        found[who] = None if seconds is None else seconds / per
    found |= {"reference": unit, "peer_is": case.peer_is, "floor_is": case.floor_is}
    return found


def compare(new: list[dict[str, Any]], old: list[dict[str, Any]]) -> list[str]:
    """Return what got slower, in units of the reference loop."""
    before = {figure["name"]: figure for figure in old}
    slower = []
    for figure in new:
        then = before.get(figure["name"])
        if then is None or then["ours"] is None:
            continue
        if figure["ours"] is None:
            slower.append(f"{figure['name']}: does not end any more")
            continue
        ratio = figure["ours"] / figure["reference"] / (then["ours"] / then["reference"])
        if ratio > SLOWER:
            slower.append(f"{figure['name']}: {ratio:.1f} times as long")
    return slower


def write(target: Path, figures: list[dict[str, Any]]) -> None:
    """Write figures, in the place of those of the same name if there are any."""
    known = json.loads(target.read_text(encoding="utf-8"))["figures"] if target.exists() else []
    every = {figure["name"]: figure for figure in known} | {f["name"]: f for f in figures}
    result = {"machine": describe_machine(), "figures": list(every.values())}
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    warnings.simplefilter("ignore")
    paths = [Path(a) for a in sys.argv[1:] if not a.startswith("--")]
    only = [a.partition("=")[2] for a in sys.argv if a.startswith("--only=")]
    figures: list[dict[str, Any]] = []
    for make in FIGURES:
        if only and make.__name__ not in only:
            continue
        for case in make():
            figures.append(measure(case))
            if paths:
                write(paths[0], figures)
            ours, peer = figures[-1]["ours"], figures[-1]["peer"]
            shown = "did not end" if ours is None else f"{ours * 1e3:10.3f} ms"
            ratio = f", {peer / ours:.2f}× {case.peer_is}" if peer and ours else ""
            print(f"{case.name:58s} {shown} {case.unit}{ratio}", flush=True)
    old = json.loads(COMMITTED.read_text(encoding="utf-8"))["figures"] if COMMITTED.exists() else []
    slower = compare(figures, old)
    if not paths and ("--keep" in sys.argv or not COMMITTED.exists()):
        write(COMMITTED, figures)
    if slower:
        sys.exit("slower than before:\n  " + "\n  ".join(slower))
    print("nothing got slower")


if __name__ == "__main__":
    main()
