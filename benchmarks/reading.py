"""How fast files are read, against pandas and liac-arff, in one run on one machine.

    python benchmarks/reading.py [results.json]

Files are plain text on disk, unpacked beforehand from the data folder beside the repository. What
the rivals read is compared with what we read before anything is timed. Figures are processor time
(least of several runs), so that other work on the machine does not blur the ratios; a ratio above 1
means that we are faster.
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import arff
import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix

import jointbayes as jb
from environment import describe_machine
from jointbayes import _kernels

HERE = Path(__file__).parent
DATA = HERE.resolve().parents[1] / "shared" / "data"


def timed(call: Callable[[], object], repeats: int = 5) -> float:
    """Return the least processor seconds of some calls."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return min(seconds)


def unpacked(name: str, folder: Path) -> Path:
    path = folder / Path(name).name
    path.write_bytes(lzma.decompress((DATA / f"{name}.xz").read_bytes()))
    return path


def row(name: str, ours: float, rival: float, goal: float) -> dict[str, object]:
    ratio = rival / ours
    print(f"{name:64s} {ratio:7.1f}x (goal {goal:.2g}x)  {ours * 1e3:8.1f} ms", flush=True)
    return {"name": name, "ours_s": ours, "rival_s": rival, "ratio": ratio, "goal": goal}


def dense(folder: Path) -> list[dict[str, object]]:
    """Numeric CSV against pandas: goal no slower than 1.5 times its time."""
    rows = []
    for name in ("uci/covtype.csv", "uci/shuttle.csv", "uci/syncon.csv"):
        path = unpacked(name, folder)
        dataset, frame = jb.load_dataset(path), pd.read_csv(path)
        for column in dataset.X.columns:
            np.testing.assert_array_equal(column.values, frame[column.name].to_numpy(float))
        ours = timed(lambda path=path: jb.load_dataset(path))
        rival = timed(lambda path=path: pd.read_csv(path))
        size = f"{len(frame):,} x {frame.shape[1]}"
        rows.append(row(f"{path.name}, {size}: pandas.read_csv / ours", ours, rival, 1 / 1.5))
    return rows


def mixed(folder: Path) -> list[dict[str, object]]:
    """Mostly text, for which no goal was set."""
    path = unpacked("uci/census-income.data", folder)
    ours = timed(lambda: jb.load_dataset(path, header="none", missing=["?"]), 3)
    rival = timed(lambda: pd.read_csv(path, header=None, skipinitialspace=True), 3)
    return [row("census-income.data, 299,285 x 42: pandas.read_csv / ours", ours, rival, 1 / 1.5)]


def sparse(folder: Path) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Sparse ARFF against liac-arff with sparse output: goal ten times as fast."""
    path = unpacked("multilabel/rcv1sub1.arff", folder)
    unpacked_xml = folder / "rcv1sub1.xml"
    unpacked_xml.write_bytes((DATA / "multilabel" / "rcv1sub1.xml").read_bytes())
    text = path.read_text(encoding="utf-8")
    dataset = jb.load_dataset(path)
    values, rows, columns = arff.loads(text, return_type=arff.COO)["data"]
    whole = coo_matrix((np.array(values, dtype=float), (rows, columns)), shape=(6000, 47337))
    assert (whole.tocsr()[:, :47236] != dataset.X).nnz == 0
    ours = timed(lambda: jb.load_dataset(path))
    rival = timed(lambda: arff.loads(text, return_type=arff.COO), 2)
    tracemalloc.start()
    X = jb.load_dataset(path).X
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    held = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    limits = [
        {"name": "rcv1sub1: bytes held per non-zero", "value": held / X.nnz, "limit": 13.0},
        {
            "name": "rcv1sub1: peak ÷ size of the file",
            "value": peak / path.stat().st_size,
            "limit": 8.0,
        },
    ]
    for limit in limits:
        print(f"{limit['name']:64s} {limit['value']:7.1f}  (limit {limit['limit']:g})")
    name = "rcv1sub1.arff, 6,000 x 47,337 sparse: liac-arff / ours"
    return [row(name, ours, rival, 10.0)], limits


def main() -> None:
    if not DATA.is_dir():
        sys.exit(f"no folder {DATA}: nothing to read")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results" / "reading.json"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs, limits = sparse(folder)
        result = {
            "title": "Reading",
            "machine": describe_machine() | {"compiled": _kernels.COMPILED},
            "ratios": [*dense(folder), *mixed(folder), *pairs],
            "limits": limits,
        }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
