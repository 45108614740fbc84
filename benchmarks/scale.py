"""Models of rows that are never in memory as a whole, against what users do by hand, in one run.

    python benchmarks/scale.py [millions of rows, as 1,10] [results.json] [--distinct] [--alone]

Rows are generated as Parquet files of a million rows each: 30 columns of five values that depend on
a class of five. Beyond ten million the same ten files are read again and again, unless
``--distinct`` asks for as many files as there are millions (13 MB each). ``--alone`` leaves the
rivals out. So the largest run is ``python benchmarks/scale.py 1,10,100 --distinct``.

Each figure is of a process of its own, for a million rows the least of three: wall clock, processor
time (which other work on the machine blurs less; Spark's virtual machine included, its start not)
and the largest resident set. The rivals are naive Bayes of scikit-learn, fed the same batches by
hand, the same by Dask-ML's ``Incremental`` from a Dask frame, and that of Spark MLlib, local.
They are told which classes there are; we find out. NaiveBayes is set against CategoricalNB, which
counts values as it does, and NaiBX of one class against those of Gaussian columns, which it has,
too. A ratio above 1 means that we are faster. Rivals that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from environment import describe_machine

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "scale.md"
BEGIN, END = "<!-- rendered by benchmarks/scale.py -->", "<!-- end -->"
CALLED = {
    "read": "only reading {}",
    "ours": "`jb.scale.fit({}(), …)`",
    "labels": "`jb.scale.fit({}(), …)`, five labels",
    "rival": "`partial_fit` of scikit-learn's `{}` by hand",
    "dask": "Dask-ML's `Incremental` of `{}`",
    "spark": "Spark MLlib's `{}`, local",
}
AGAINST = {"CategoricalNB": "NaiveBayes"}
"""Which of ours is set against a rival; NaiBX of one class unless it says otherwise."""

NEEDS = {"dask": "dask_ml", "spark": "pyspark"}
COLUMNS, VALUES, MILLION = 30, 5, 1_000_000
FILES = 10
BATCH = 1 << 16
LABELS = [f"c{j}" for j in range(5)]
"""For NaiBX: whether the first columns hold their largest value."""


def generate(folder: Path, files: int) -> list[Path]:
    """Write files of a million rows each; those that are there are kept."""
    paths = [folder / f"rows{i:03d}.parquet" for i in range(files)]
    for i, path in enumerate(paths):
        if path.exists():
            continue
        rng = np.random.default_rng(i)
        y = rng.integers(0, VALUES, MILLION, dtype=np.int8)
        names = [f"c{j}" for j in range(COLUMNS)]
        columns = {name: column(rng, y) for name in names}
        labels = {f"label{j}": (columns[f"c{j}"] == 4).astype(np.int8) for j in range(5)}
        pq.write_table(pa.table({**columns, **labels, "y": y}), path, row_group_size=1 << 18)
    return paths


def column(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    noise = rng.integers(0, VALUES, MILLION, dtype=np.int8)
    return np.where(rng.random(MILLION, dtype=np.float32) < 0.3, y, noise).astype(np.int8)


def batches(paths: list[Path], names: list[str]) -> object:
    for path in paths:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(BATCH, columns=names)


def ours(name: str, paths: list[Path]) -> None:
    learn(name, paths, "y")


def labels(name: str, paths: list[Path]) -> None:
    learn(name, paths, [f"label{j}" for j in range(5)])


def learn(name: str, paths: list[Path], target: str | list[str]) -> None:
    import jointbayes as jb

    names = [f"c{j}" for j in range(COLUMNS)] + (target if isinstance(target, list) else [target])
    model = getattr(jb, name)()
    jb.scale.fit(model, lambda: batches(paths, names), target, progress="none")


def rival(name: str, paths: list[Path]) -> None:
    from sklearn import naive_bayes

    names = [f"c{j}" for j in range(COLUMNS)]
    options = {"min_categories": VALUES} if name == "CategoricalNB" else {}
    model = getattr(naive_bayes, name)(**options)
    for batch in batches(paths, [*names, "y"]):
        X = np.column_stack([batch.column(j).to_numpy() for j in range(COLUMNS)])
        model.partial_fit(X, batch.column(COLUMNS).to_numpy(), classes=np.arange(VALUES))


def dask(name: str, paths: list[Path]) -> None:
    """Learn as the documentation of Dask-ML does, from a frame of Dask, a file in each part."""
    import dask.dataframe
    import pandas
    from dask_ml.wrappers import Incremental
    from sklearn import naive_bayes

    options = {"min_categories": VALUES} if name == "CategoricalNB" else {}
    names = [f"c{j}" for j in range(COLUMNS)]
    frame = dask.dataframe.from_map(pandas.read_parquet, paths, columns=[*names, "y"])
    lengths = [MILLION] * len(paths)
    X, y = frame[names].to_dask_array(lengths), frame["y"].to_dask_array(lengths)
    model = Incremental(getattr(naive_bayes, name)(**options), assume_equal_chunks=True)
    model.fit(X, y, classes=np.arange(VALUES))


def spark(name: str, paths: list[Path]) -> dict[str, float]:
    """Learn by Spark's own naive Bayes; say how long its virtual machine was busy."""
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    machine = session.sparkContext._gateway.proc.pid
    begin, cpu = time.perf_counter(), busy(machine)
    rows = session.read.parquet(*map(str, paths))
    names = [f"c{j}" for j in range(COLUMNS)]
    rows = VectorAssembler(inputCols=names, outputCol="features").transform(rows)
    NaiveBayes(labelCol="y", modelType=name).fit(rows.select("features", "y"))
    found = {"seconds": time.perf_counter() - begin, "processor": busy(machine) - cpu}
    session.stop()
    return found


def busy(process: int) -> float:
    """Return the processor seconds of another process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def only_read(_name: str, paths: list[Path]) -> None:
    for _ in batches(paths, [*(f"c{j}" for j in range(COLUMNS)), "y"]):
        pass


def steps(_name: str, paths: list[Path]) -> dict[str, float]:
    """Return the processor seconds of every step of TAN, each done alone."""
    import jointbayes as jb
    from jointbayes.scale.batch import Part, read_batch
    from jointbayes.scale.digest import digest_batch, merge_digests
    from jointbayes.scale.knowledge import space_of
    from jointbayes.scale.wanted import learn_reading, wanted_by

    model = jb.TAN(n_jobs=1)
    wanted = wanted_by(model, ("y",), 1 << 23)
    spent = dict.fromkeys(["reading", "typing", "looking", "encoding", "counting"], 0.0)
    names = [*(f"c{j}" for j in range(COLUMNS)), "y"]

    def timed(step: str, call: object, *arguments: object) -> object:
        start = time.process_time()
        answer = call(*arguments)
        spent[step] += time.process_time() - start
        return answer

    def parts() -> object:
        found = batches(paths, names)
        while (batch := timed("reading", next, found, None)) is not None:
            yield timed("typing", read_batch, Part(batch, ""), ("y",))

    digest = None
    for batch in parts():
        found = timed("looking", digest_batch, batch, wanted)
        digest = found if digest is None else timed("looking", merge_digests, digest, found)
    encoder, space = learn_reading(model, digest), space_of(digest, single=True)
    for batch in parts():
        y = batch.labels[0].codes[:, None]
        codes = timed("encoding", encoder.codes, batch.X, y, space.cards, 1)
        timed("counting", model._remember, codes, None)
    return spent


WORK = {
    "ours": ours,
    "labels": labels,
    "rival": rival,
    "dask": dask,
    "spark": spark,
    "read": only_read,
    "steps": steps,
}


def alone(kind: str, name: str, paths: list[Path]) -> dict[str, object]:
    """Run one piece of work in a process of its own, and return what it took at least."""
    command = [sys.executable, __file__, "--work", kind, name, *map(str, paths)]
    times = []
    for _ in range(3 if len(paths) == 1 else 1):
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        times.append(json.loads(answer.stdout.splitlines()[-1]))
    found = min(times, key=lambda time: time["processor"])
    rows = len(paths) * MILLION
    print(f"{kind:6s} {name:14s} {rows:>12,} rows  {found}", flush=True)
    return {"kind": kind, "name": name, "rows": rows, **found}


def work(kind: str, name: str, paths: list[Path]) -> None:
    import jointbayes as jb

    _ = jb.scale.fit, jb.TAN, jb.NaiBX, import_module("sklearn.naive_bayes")  # not measured
    for module in ("dask.dataframe", "dask_ml.wrappers") if kind == "dask" else ():
        import_module(module)
    begin, cpu = time.perf_counter(), time.process_time()
    told = WORK[kind](name, paths)
    found = {
        "seconds": time.perf_counter() - begin,
        "processor": time.process_time() - cpu,
        "resident_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **({"steps": told} if kind == "steps" else told or {}),
    }
    print(json.dumps({k: round(v, 3) if isinstance(v, float) else v for k, v in found.items()}))


def main(millions: list[int], path: Path, *, distinct: bool, rivals: bool) -> None:
    folder = Path(os.environ.get("JOINTBAYES_SCRATCH", tempfile.gettempdir())) / "jointbayes-scale"
    folder.mkdir(parents=True, exist_ok=True)
    files = generate(folder, max(millions) if distinct else min(FILES, max(millions)))
    runs = [alone("steps", "TAN", files[:1])]
    for size in millions:
        paths = [files[i % len(files)] for i in range(size)]
        runs += [alone("read", "Parquet", paths), alone("ours", "TAN", paths)]
        if size <= FILES:
            runs += [alone("ours", name, paths) for name in ("NaiveBayes", "NaiBX")]
            runs.append(alone("labels", "NaiBX", paths))
        if size <= FILES and rivals:
            runs += [alone(kind, name, paths) for kind, name in RIVALS if installed(kind)]
    found = result(runs, files[0].stat().st_size, distinct=distinct)
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    render(found)


RIVALS = (
    ("rival", "CategoricalNB"),
    ("rival", "GaussianNB"),
    ("dask", "CategoricalNB"),
    ("dask", "GaussianNB"),
    ("spark", "gaussian"),
)


def installed(kind: str) -> bool:
    there = kind not in NEEDS or find_spec(NEEDS[kind]) is not None
    if not there:
        print(f"{kind}: {NEEDS[kind]} is not installed, so it is left out", flush=True)
    return there


def result(runs: list[dict[str, object]], size: int, *, distinct: bool) -> dict[str, object]:
    """Return what is written: ratios, limits, and every run."""
    return {
        "title": "Rows that are never in memory as a whole",
        "machine": describe_machine(),
        "note": f"Parquet files of a million rows and {COLUMNS} columns of {VALUES} values, "
        f"{size / 1e6:.1f} MB each"
        + ("" if distinct else f"; beyond {FILES} million rows the same files again")
        + ". Processor seconds. Rivals are told the classes; TAN reads twice, NaiveBayes and NaiBX "
        "once.",
        "ratios": ratios(runs),
        "limits": limits(runs),
        "runs": runs,
    }


def ratios(runs: list[dict[str, object]]) -> list[dict[str, object]]:
    """Processor time of each rival over that of ours, of the same kind, on the same rows."""
    own = {(run["rows"], run["name"]): run["processor"] for run in runs if run["kind"] == "ours"}
    found = []
    for run in runs:
        if (run["kind"], run["name"]) not in RIVALS:
            continue
        mine = AGAINST.get(run["name"], "NaiBX")
        spent = own[run["rows"], mine]
        found.append(
            {
                "name": f"{run['rows']:,} rows: {plain(run['kind'], run['name'])} / {mine}",
                "ours_s": spent,
                "rival_s": run["processor"],
                "ratio": run["processor"] / spent,
                "goal": 1.0,
            }
        )
    return found


def plain(kind: str, name: str) -> str:
    return CALLED[kind].format(name).replace("`", "")


def limits(runs: list[dict[str, object]]) -> list[dict[str, object]]:
    """Time and memory of TAN on the most rows, and how its time grows from the fewest."""
    tan = sorted((r for r in runs if r["kind"] == "ours" and r["name"] == "TAN"), key=rows_of)
    first, last = tan[0], tan[-1]
    name = f"TAN, {last['rows']:,} rows"
    growth = last["processor"] / last["rows"] / (first["processor"] / first["rows"])
    return [
        {"name": f"{name}: seconds by the clock", "value": last["seconds"], "limit": 120.0},
        {"name": f"{name}: processor seconds", "value": last["processor"], "limit": 120.0},
        {
            "name": f"{name}: largest resident set, MiB",
            "value": last["resident_mib"],
            "limit": 2048,
        },
        {
            "name": f"{name}: time of a row over that of {first['rows']:,}",
            "value": growth,
            "limit": 1.1,
        },
    ]


def rows_of(run: dict[str, object]) -> int:
    return int(run["rows"])


def render(found: dict[str, object]) -> None:
    """Put the table of all runs into the page that tells users of them."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    runs = [run for run in found["runs"] if run["kind"] != "steps"]
    sizes = sorted({rows_of(run) for run in runs})
    lines = ["| rows | " + " | ".join(f"{size:,}" for size in sizes) + " |"]
    lines.append("| --- |" + " ---: |" * len(sizes))
    for kind, name in dict.fromkeys((run["kind"], run["name"]) for run in runs):
        own = {rows_of(r): r for r in runs if (r["kind"], r["name"]) == (kind, name)}
        cells = [f"{own[s]['processor']:.2f} s" if s in own else "" for s in sizes]
        lines.append(f"| {CALLED[kind].format(name)} | {' | '.join(cells)} |")
    lines += ["", *(f"- {r['name']}: {r['ratio']:.2f}" for r in found["ratios"])]
    steps = next(run["steps"] for run in found["runs"] if run["kind"] == "steps")
    shares = ", ".join(f"{step} {s / sum(steps.values()):.0%}" for step, s in steps.items())
    most = max(run["resident_mib"] for run in runs)
    lines += [
        "",
        f"Shares of the steps of TAN: {shares}. Largest resident set of any run: {most:,.0f} MiB.",
    ]
    machine = found["machine"]
    lines.append(f"{machine['processor']}, {machine['cores']} cores, load {machine['load']}.")
    text = "\n".join([head + BEGIN, "", *lines, "", END + rest.partition(END)[2]])
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], sys.argv[3], [Path(name) for name in sys.argv[4:]])
    else:
        parser = argparse.ArgumentParser()
        parser.add_argument("millions", nargs="?", default="1,10")
        parser.add_argument("results", nargs="?", default=HERE / "results" / "scale.json")
        parser.add_argument("--distinct", action="store_true")
        parser.add_argument("--alone", action="store_true")
        said = parser.parse_args()
        sizes = [int(text) for text in said.millions.split(",")]
        main(sizes, Path(said.results), distinct=said.distinct, rivals=not said.alone)
