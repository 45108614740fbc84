"""How fast counting is, against what one would write without it, in one run on one machine.

    python benchmarks/counting.py [results.json]

Every rival's answer is compared with ours before it is timed. One-core figures are processor time
(least of several runs), so that other work on the machine does not blur the ratios; two-core
figures are wall time. Data are synthetic: skewed values that depend on the class.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import CategoricalNB
from threadpoolctl import threadpool_limits

from environment import describe_machine
from jointbayes import _kernels
from jointbayes._kernels import counting as definition
from jointbayes.codes import Codes
from jointbayes.counts import count_pairs, count_singles, pair_information

HERE = Path(__file__).parent


def timed(call: Callable[[], object], repeats: int = 5) -> dict[str, float]:
    """Return the least processor and wall seconds of some calls."""
    cpu, wall = [], []
    for _ in range(repeats):
        c, w = time.process_time(), time.perf_counter()
        call()
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - w)
    return {"cpu": min(cpu), "wall": min(wall)}


def in_turn(call: Callable[[int], object], choices: tuple[int, ...]) -> list[dict[str, float]]:
    """Time several choices in turn, so that a quiet moment of the machine serves all of them."""
    rounds = [[timed(lambda: call(k), repeats=1) for k in choices] for _ in range(25)]  # noqa: B023
    return [
        {kind: min(r[i][kind] for r in rounds) for kind in ("cpu", "wall")}
        for i, _ in enumerate(choices)
    ]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let everything run on one thread, the making of codes too, which has no ``n_jobs``."""
    os.environ["JOINTBAYES_NUM_THREADS"] = "1"
    yield
    del os.environ["JOINTBAYES_NUM_THREADS"]


def synthetic(n: int, p: int, v: int, c: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.choice(c, n, p=rng.dirichlet(np.full(c, 2.0))).astype(np.uint8)
    share = 1 / np.arange(1, v + 1) ** 0.7
    x = np.empty((n, p), dtype=np.uint8, order="F")
    for i in range(p):
        x[:, i] = (rng.choice(v, n, p=share / share.sum()) + y * (i % 3)) % v
    return x, y


def row(name: str, ours: float, rival: float, goal: float, **more: object) -> dict[str, object]:
    ratio = rival / ours
    print(f"{name:64s} {ratio:7.1f}x (goal {goal:g}x)  {ours * 1e3:8.1f} ms", flush=True)
    return {"name": name, "ours_s": ours, "rival_s": rival, "ratio": ratio, "goal": goal, **more}


# ---- unigram counts ----


def unigrams() -> list[dict[str, object]]:
    x, y = synthetic(581_012, 54, 8, 7)
    codes = Codes.of(x, (8,) * 54, y)
    rival = timed(lambda: CategoricalNB().fit(x, y), repeats=1)["cpu"]
    model = CategoricalNB().fit(x, y)
    ours = count_singles(codes, n_jobs=1)
    for i, table in enumerate(model.category_count_):
        assert np.array_equal(ours.block(i)[:, : table.shape[1]], table)
    args = (codes.features, y.astype(np.uint32), np.arange(0, 433, 8), 7, None, 1)
    return [
        row(
            "unigrams 581k × 54 against CategoricalNB.fit",
            timed(lambda: count_singles(codes, n_jobs=1))["cpu"],
            rival,
            50,
            floor_s=x.size / 2.1e9,
        ),
        row(
            "unigrams 581k × 54, numpy definition, against CategoricalNB.fit",
            timed(lambda: definition.count_singles(*args), repeats=2)["cpu"],
            rival,
            20,
        ),
    ]


# ---- pairs ----


def bincount_per_pair(x: np.ndarray, y: np.ndarray, v: int, c: int) -> np.ndarray:
    """Count as numpy does best: rows by class, narrow joint codes, one bincount a table."""
    p = x.shape[1]
    order = np.argsort(y, kind="stable")
    columns = np.ascontiguousarray(x[order].T)
    start = np.searchsorted(y[order], np.arange(c + 1))
    out = np.zeros((c, p * v, p * v), dtype=np.int32)
    for i in range(p - 1):
        a = columns[i] * np.uint8(v) if v * v <= 256 else columns[i].astype(np.uint16) * v
        for j in range(i + 1, p):
            joint = a + columns[j]
            for k in range(c):
                cells = np.bincount(joint[start[k] : start[k + 1]], minlength=v * v)
                out[k, i * v : (i + 1) * v, j * v : (j + 1) * v] = cells.reshape(v, v)
    return out


def same_pairs(ours: np.ndarray, rival: np.ndarray, v: int) -> bool:
    feature = np.repeat(np.arange(ours.shape[1] // v), v)
    return np.array_equal(ours * (feature[:, None] < feature), rival)


PAIRS = {  # rows, features, values, classes; goals from row-major and from column-major codes
    "100k × 50, 5 values, 5 classes": ((100_000, 50, 5, 5), None, 12.0),
    "581k × 54, 8 values, 7 classes": ((581_012, 54, 8, 7), None, 12.0),
    "1M × 10, 10 values, 10 classes": ((1_000_000, 10, 10, 10), None, 4.0),
    "5.7M × 11, 5 values, 2 classes": ((5_700_000, 11, 5, 2), 12.0, 20.0),
}


def pairs() -> list[dict[str, object]]:
    out = []
    for name, ((n, p, v, c), goal_rows, goal_columns) in PAIRS.items():
        x, y = synthetic(n, p, v, c)
        rows = np.ascontiguousarray(x)
        cards = (v,) * p
        codes = Codes.of(x, cards, y)
        assert same_pairs(count_pairs(codes, n_jobs=1).n_cxx, bincount_per_pair(rows, y, v, c), v)
        rival = timed(lambda: bincount_per_pair(rows, y, v, c), repeats=2)["cpu"]  # noqa: B023
        one, two = in_turn(lambda k: count_pairs(codes, n_jobs=k), (1, 2))  # noqa: B023
        out.append(row(f"pairs {name}", one["cpu"], rival, goal_columns, floor_s=floor(n, p, v, c)))
        if goal_rows:
            with one_thread():
                whole = timed(lambda: count_pairs(Codes.of(rows, cards, y)))["cpu"]  # noqa: B023
            out.append(row(f"pairs {name}, from row-major", whole, rival, goal_rows))
        out.append(row(f"pairs {name}, two cores against one", two["wall"], one["wall"], 1.7))
    return out


def floor(n: int, p: int, v: int, c: int) -> float:
    """Return the least seconds of either design, at 13.8 G words/s and 2.1 G increments/s."""
    groups = -(-p // int(np.log(min(256, (131072 / c) ** 0.5)) / np.log(v)))
    return min((p * (v - 1)) ** 2 / 2 * n / 64 / 13.8e9, groups * (groups - 1) / 2 * n / 2.1e9)


# ---- wide and binary: counts and information in one go ----


def blas_information(x: np.ndarray, y: np.ndarray, c: int) -> np.ndarray:
    order = np.argsort(y, kind="stable")
    start = np.searchsorted(y[order], np.arange(c + 1))
    dense = x[order].astype(np.float32)
    both = np.empty((c, x.shape[1], x.shape[1]), dtype=np.float32)
    for k in range(c):
        part = dense[start[k] : start[k + 1]]
        np.matmul(part.T, part, out=both[k])

    def f(n: np.ndarray) -> np.ndarray:
        return np.where(n > 0, n * np.log2(np.where(n > 0, n, 1)), 0)

    out = np.zeros(both.shape[1:])
    for k, n11 in enumerate(both.astype(np.float64)):
        n, m = float(start[k + 1] - start[k]), np.diag(n11)
        n10, n01 = m[:, None] - n11, m[None, :] - n11
        own = f(m) + f(n - m)
        out += (
            f(n11) + f(n10) + f(n01) + f(n - n11 - n10 - n01) - own[:, None] - own + f(np.array(n))
        )
    np.fill_diagonal(out, 0)
    return out / len(x)


MEMORY = """
import numpy as np
from pathlib import Path
from jointbayes.codes import Codes
from jointbayes.counts import pair_information

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

x, y = np.load({x!r}), np.load({y!r})
codes = Codes.of(x, (2,) * x.shape[1], y)
pair_information(codes[:64])
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
before = status("VmRSS")
pair_information(codes)
print(status("VmHWM") - before)
"""


def wide() -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    n, p, c = 5_000, 1_000, 22
    out = []
    for density in (0.05, 0.5):
        y = rng.integers(0, c, n).astype(np.uint8)
        x = np.asfortranarray((rng.random((n, p)) < density).astype(np.uint8))
        codes = Codes.of(x, (2,) * p, y)
        assert np.allclose(pair_information(codes), blas_information(x, y, c), rtol=0, atol=1e-10)
        name = f"5k × 1000 binary, 22 classes, density {density}: counts and CMI"
        rival = timed(lambda: blas_information(x, y, c), repeats=2)["cpu"]  # noqa: B023
        ours = timed(lambda: pair_information(codes, n_jobs=1))["cpu"]  # noqa: B023
        with tempfile.TemporaryDirectory() as folder:
            paths = {k: str(Path(folder) / f"{k}.npy") for k in ("x", "y")}
            np.save(paths["x"], x)
            np.save(paths["y"], y)
            extra = float(fresh(MEMORY.format(**paths)))
        out.append(row(name, ours, rival, 10, extra_mib=extra, floor_s=p**2 / 2 * n / 64 / 13.8e9))
    return out


# ---- import and first call ----


def fresh(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout


CLOCK = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
CALLS = """
import time, numpy as np
from jointbayes.codes import Codes
from jointbayes.counts import count_pairs
codes = Codes.of(np.random.default_rng(0).integers(0, 5, (20_000, 20)), targets=[0, 1] * 10_000)
for _ in range(2):
    t = time.perf_counter()
    count_pairs(codes)
    print(time.perf_counter() - t)
"""


def starting() -> list[dict[str, object]]:
    imports = {
        name: min(float(fresh(CLOCK.format(name))) for _ in range(7))
        for name in ("numpy", "jointbayes, numpy")
    }
    ratio = imports["jointbayes, numpy"] / imports["numpy"]
    first, second = np.min([list(map(float, fresh(CALLS).split())) for _ in range(5)], axis=0)
    print(f"import {ratio:.2f} of numpy's, first call {1e3 * (first - second):.1f} ms over second")
    return [
        {"name": "import jointbayes and numpy ÷ import numpy", "value": ratio, "limit": 2.0},
        {"name": "first call over the second, ms", "value": 1e3 * (first - second), "limit": 50.0},
    ]


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results" / "counting.json"
    result = {
        "title": "Counting",
        "machine": describe_machine() | {"compiled": _kernels.COMPILED},
        "ratios": [*unigrams(), *pairs(), *wide()],
        "limits": starting(),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with threadpool_limits(1):  # the rivals' one core is one core
        main()
