"""Independence tests: their speed, how often they are wrong, and Table 1 of Gasse 2015.

    python benchmarks/independence.py                    # the tests, some two minutes
    python benchmarks/independence.py decompositions     # Table 1, 70,000 decompositions

Table 1 is shown in two readings: the Rand index of the factors at alpha = 0.001, as the paper words
it, and the share of right decisions on pairs, before connected components, at alpha = 0.01, which
is what its figures fit. The figure of test sizes is drawn beside the results.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from scipy.special import xlogy

import jointbayes as jb
from environment import describe_machine
from jointbayes import _kernels
from jointbayes.independence import Procedure, permutation_test
from jointbayes.independence.boundary import find_boundary
from jointbayes.independence.reading import read_codes
from jointbayes.independence.screening import Hypotheses, confirmed, screen
from jointbayes.independence.strata import Strata
from jointbayes.reproduction import printed_figures
from jointbayes.reproduction.gasse2015 import DISTRIBUTIONS, SIZES, right_decisions
from jointbayes.synthetic import TOY_FACTORS

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared"
RESULTS = HERE / "results"
LEVELS = (0.05, 0.01, 0.001)


def seconds(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def numpy_loop(x: np.ndarray, y: np.ndarray, z: np.ndarray, n_permutations: int = 100) -> tuple:
    """Test as one would write it: shuffle within strata, count, and average the statistic."""
    rng = np.random.default_rng(0)
    shape = (z.max() + 1, x.max() + 1, y.max() + 1)

    def g2(target: np.ndarray) -> float:
        n = np.bincount((z * shape[1] + x) * shape[2] + target, minlength=np.prod(shape))
        n = n.reshape(shape)
        margins = (n, n.sum(axis=2), n.sum(axis=1), n.sum(axis=(1, 2)))
        cells, left, right, whole = (xlogy(k, k).sum() for k in margins)
        return 2 * (cells - left - right + whole)

    by_stratum = np.argsort(z, kind="stable")
    permuted = []
    for _ in range(n_permutations):
        shuffled = np.empty_like(y)
        shuffled[by_stratum] = y[np.lexsort((rng.random(len(y)), z))]
        permuted.append(g2(shuffled))
    return g2(y), float(np.mean(permuted))


def speed() -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    rows = []
    for n, k, n_strata in ((1702, 2, 1), (1702, 2, 8), (5000, 2, 16), (5000, 4, 16)):
        x, y = rng.integers(0, k, (2, n))
        z = rng.integers(0, n_strata, n)
        ours = permutation_test(x, y, z, confirm=0, random_state=0)
        statistic, mean = numpy_loop(x, y, z)
        assert np.isclose(ours.statistic, statistic)
        assert abs(ours.dof - mean) < 6 * np.sqrt(4 * mean / 100)
        how, hypotheses = (
            Procedure(confirm=0, n_jobs=1),
            Hypotheses(
                np.asfortranarray(np.repeat(x[:, None], 200, axis=1).astype(np.uint8)),
                y.astype(np.uint32),
                Strata.whole(n).split(z),
            ),
        )
        rival = seconds(lambda d=(x, y, z): numpy_loop(*d), 3)
        one = seconds(lambda d=(x, y, z): permutation_test(*d, confirm=0, random_state=0), 50)
        many = seconds(lambda h=how, q=hypotheses: screen(h, q), 5) / 200
        name = f"100 permutations of {n} rows, {k}×{k} values, {n_strata} strata"
        for what, ours_s in (("one call", one), ("of 200 columns in one call, each", many)):
            ratio = rival / ours_s
            print(f"{name}, {what}: {ratio:.0f}x")
            rows.append(
                {"name": f"{name}, {what}, against a numpy loop", "ours_s": ours_s,
                 "rival_s": rival, "ratio": ratio, "goal": 100}
            )  # fmt: skip
    return rows


def enron() -> list[dict[str, object]]:
    path = SHARED / "data" / "multilabel" / "enron.arff.xz"
    if not path.exists():
        return []
    data = jb.load_dataset(path)
    wall, cpu = time.perf_counter(), time.process_time()
    codes, space = read_codes(data.X, data.Y)
    found = [find_boundary(codes, j, Procedure()) for j in range(len(space))]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    tests = sum(b.n_tests for b in found)
    name = f"Enron: boundaries of 53 labels in 1,001 features, {tests} tests, processor seconds"
    print(f"{name}: {cpu:.1f} (wall {wall:.1f})")
    return [{"name": name, "value": cpu, "limit": 120, "wall": wall}]


# (rows, share of x, share of y, strata): independent columns, each batch with its own target.
NULLS = {
    "full: 500 rows, 4 strata": (500, 0.5, 0.5, 4),
    "full: 5,000 rows, 16 strata": (5000, 0.5, 0.5, 16),
    "sparse: 60 rows, 30 strata": (60, 0.5, 0.5, 30),
    "sparse: 1% and 2% of 1,000 rows, 8 strata": (1000, 0.01, 0.02, 8),
    "sparse: 0.2% and 1% of 1,000 rows": (1000, 0.002, 0.01, 1),
    "sparse: 5% and 10% of 300 rows, 30 strata": (300, 0.05, 0.1, 30),
}
PROCEDURES = {
    "g2": Procedure(method="g2"),
    "semi-parametric, unconfirmed (the paper's)": Procedure(confirm=0),
    "semi-parametric": Procedure(),
    "semi-parametric, mean of all permutations": Procedure(n_permutations=None),
    "permutation, B = 999": Procedure(method="permutation", n_permutations=999),
}


def p_values(how: Procedure, case: tuple, strength: float = 0.0, batches: int = 10) -> np.ndarray:
    """P-values of 1,000 columns a batch that copy the target in a share ``strength`` of rows."""
    n, p_x, p_y, n_strata = case
    rng = np.random.default_rng(7)
    found = []
    for batch in range(batches):
        y = (rng.random(n) < p_y).astype(np.uint32)
        X = rng.random((n, 1000)) < p_x
        X = np.where(rng.random(X.shape) < strength, y[:, None], X)
        strata = Strata.whole(n).split(rng.integers(0, n_strata, n))
        hypotheses = Hypotheses(np.asfortranarray(X.astype(np.uint8)), y, strata)
        seeded = replace(how, seed=batch)
        every = np.arange(1000)
        found.append(confirmed(seeded, hypotheses, screen(seeded, hypotheses), every).p_value)
    return np.concatenate(found)


def sizes_and_power() -> dict[str, object]:
    rows = []
    for (case, shape), (name, how) in product(NULLS.items(), PROCEDURES.items()):
        null, real = p_values(how, shape), p_values(how, shape, strength=0.2, batches=2)
        rows.append(
            {"case": case, "test": name}
            | {f"size at {level}": float((null <= level).mean()) for level in LEVELS}
            | {"power at 0.01": float((real <= 0.01).mean())}
            | {"quantiles": np.quantile(null, np.linspace(0, 1, 101)).round(6).tolist()}
        )
        print(case, name, [rows[-1][f"size at {level}"] / level for level in LEVELS], flush=True)
    return {"columns": 10_000, "rows": rows}


def size_limits(sizes: dict[str, object]) -> list[dict[str, object]]:
    """How far above its level the default test rejects, against what chance allows."""
    ours = [row for row in sizes["rows"] if row["test"] == "semi-parametric"]
    limits = []
    for level in LEVELS:
        worst = max(row[f"size at {level}"] for row in ours if row["case"].startswith("sparse"))
        allowed = level + 3 * np.sqrt(level / sizes["columns"])
        name = f"share of independent columns rejected at {level}, the worst sparse case"
        limits.append({"name": name, "value": worst, "limit": round(float(allowed), 5)})
    return limits


def decide(job: tuple[int, int, float, int]) -> dict[str, float]:
    return right_decisions(*job)


def children() -> float:
    """Return the processor seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def decompositions() -> dict[str, object]:
    """Table 1 in both readings: 1,000 random distributions, five graphs, seven sizes."""
    figures = printed_figures("gasse2015")
    printed = {(f.dataset, f.metric): f.value for f in figures if f.table == "Table 1"}
    limits, means = [], {}
    for reading, alpha in (("factors", 0.001), ("pairs", 0.01)):
        jobs = list(product(TOY_FACTORS, SIZES, (alpha,), range(DISTRIBUTIONS)))
        wall, cpu = time.perf_counter(), children()
        with Pool(2) as pool:
            scores = [found[reading] for found in pool.map(decide, jobs, chunksize=50)]
        wall, cpu = time.perf_counter() - wall, children() - cpu
        name = f"Table 1, {reading}: {len(jobs):,} decompositions on two cores, seconds"
        print(f"{name}: {wall:.0f} (processor seconds {cpu:.0f})", flush=True)
        limits.append({"name": name, "value": wall, "limit": 300, "processor": cpu})
        shape = (len(TOY_FACTORS), len(SIZES), DISTRIBUTIONS)
        means[reading] = 100 * np.reshape(scores, shape).mean(axis=2)
    cells = []
    for (k, number), (j, n) in product(enumerate(TOY_FACTORS), enumerate(SIZES)):
        cells.append(
            {"dag": number, "rows": n}
            | {reading: round(float(mean[k, j]), 1) for reading, mean in means.items()}
            | {"printed": printed[f"toy DAG {number}", f"rand_index_pct_train{n}"]}
        )
        print(cells[-1])
    off = [abs(cell["pairs"] - cell["printed"]) for cell in cells]
    name = f"Table 1, pairs: largest difference to print in points (mean {np.mean(off):.1f})"
    limits.append({"name": name, "value": max(off), "limit": 3})
    return {"title": "Decompositions of the toy problem", "limits": limits, "table_1": cells}


def draw(sizes: dict[str, object], path: Path) -> None:
    """Plot the share of p-values up to each level against the level; on the diagonal is right."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(12, 7), sharex=True, sharey=True)
    for axis, case in zip(axes.flat, NULLS, strict=True):
        for row in sizes["rows"]:
            if row["case"] == case:
                axis.loglog(row["quantiles"], np.linspace(0, 1, 101), label=row["test"])
        axis.plot([1e-4, 1], [1e-4, 1], "k:", linewidth=1)
        axis.set(title=case, xlim=(1e-3, 1), ylim=(1e-3, 1))
        axis.title.set_size(9)
    figure.supxlabel("level")
    figure.supylabel("share of independent columns rejected (above the diagonal: too often)")
    axes[0, 0].legend(fontsize=7)
    figure.savefig(path)


def tests() -> dict[str, object]:
    """Speed, boundaries, size and power."""
    sizes = sizes_and_power()
    draw(sizes, RESULTS / "independence_sizes.svg")
    return {
        "title": "Independence tests and label factors",
        "ratios": speed(),
        "limits": [*enron(), *size_limits(sizes)],
        "sizes": sizes,
    }


PARTS = {"tests": ("independence.json", tests)}
PARTS["decompositions"] = ("independence_decompositions.json", decompositions)


def main() -> None:
    for part in sys.argv[1:] or ["tests"]:
        name, measure = PARTS[part]
        machine = describe_machine() | {"compiled": _kernels.COMPILED}
        result = {"machine": machine} | measure()
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / name).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
