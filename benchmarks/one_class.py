"""The classifiers with one class variable against Sun 2017 (Table 4), and against their peers.

    python benchmarks/one_class.py accuracy [--sets Iris,Vowel] [--largest 20000] [-o out.json]
    python benchmarks/one_class.py speed [--peers python-of-their-venv] [-o out.json]

`accuracy` runs ten-fold cross-validation on the paper's data sets, cuts learned inside each fold,
and prints the losses next to the published ones. `speed` times TAN and AODE against pyAgrum and
Weka on the same data in the same run (``one_class_peers.py`` runs in the peers' own Python), and
how time grows with rows.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedKFold

import jointbayes as jb
from environment import describe_machine
from jointbayes.reproduction import Remark, Source, printed_figures, printed_remarks
from jointbayes.reproduction.sun2017 import SUN2017
from one_class_speed import measure_speed

RESULTS = Path(__file__).parent / "results"
SMALL = 20_000  # rows up to which five random partitions are averaged, as one is a matter of luck
LARGE = 900  # rows from which a set counts for the comparison with the paper
SETS = SUN2017.sources
MODELS = SUN2017.models


def load(source: Source) -> tuple[Any, np.ndarray]:
    data = jb.load_dataset(source.file, **source.options)
    return data.X, data.Y


def models() -> dict[str, Any]:
    """Return the paper's classifiers, on one thread each."""
    return {name: made({}) for name, made in MODELS.items()}


def cross_validate(source: Source) -> dict[str, Any]:
    """Return the share of wrong answers of each model over ten folds."""
    X, y = load(source)
    rows, columns = X.shape
    folds = RepeatedKFold(n_splits=10, n_repeats=5 if rows <= SMALL else 1, random_state=0)
    wrong = dict.fromkeys(models(), 0)
    for train, test in folds.split(np.arange(rows)):
        for name, model in models().items():
            fitted = clone(model).fit(X[train], y[train])
            wrong[name] += int((fitted.predict(X[test]) != y[test]).sum())
    repeats = folds.get_n_splits() // 10
    return {
        "set": source.name,
        "rows": rows,
        "columns": columns,
        "note": " ".join(dict.fromkeys(remark.text for remark in remarks_on(source.name))),
        "whole": all(remark.kind != "other data" for remark in remarks_on(source.name)),
        "partitions": repeats,
        "loss": {name: errors / rows / repeats for name, errors in wrong.items()},
    }


def remarks_on(name: str) -> list[Remark]:
    return [r for r in printed_remarks("sun2017") if (r.table, r.dataset) == ("Table 4", name)]


def published() -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for figure in printed_figures("sun2017"):
        if figure.table == "Table 4":
            out.setdefault(figure.dataset, {})[figure.algorithm] = figure.value
    return out


def summarize(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Compare with the paper: mean differences, the order of algorithms, LTAN against TAN."""
    whole = [r for r in records if r["rows"] >= LARGE and r["whole"]]
    names = list(records[0]["loss"])

    def mean(values: list[float]) -> float:
        return float(np.mean(values)) if values else float("nan")

    ours = {m: mean([r["loss"][m] for r in whole]) for m in names}
    theirs = {m: mean([r["published"][m] for r in whole]) for m in names}
    gaps = {m: mean([abs(r["loss"][m] - r["published"][m]) for r in whole]) for m in names}
    out = {
        "sets": [r["set"] for r in whole],
        "mean_absolute_difference": gaps,
        "mean_loss": ours,
        "mean_published_loss": theirs,
        "order": sorted(names, key=ours.__getitem__),
        "published_order": sorted(names, key=theirs.__getitem__),
    }
    if "LTAN" in names:
        ratio = [(r["loss"]["LTAN"], r["loss"]["TAN"]) for r in records]
        wins, losses = (
            sum(a <= 0.95 * b and a != b for a, b in pairs)
            for pairs in (ratio, [pair[::-1] for pair in ratio])
        )
        out["LTAN_against_TAN"] = {
            "wins": wins,
            "draws": len(ratio) - wins - losses,
            "losses": losses,
        }
    return out


def accuracy(sets: list[str], largest: int) -> dict[str, Any]:
    chosen = [s for s in SETS if not sets or s.name in sets]
    paper, records = published(), []
    # The order of the table is the order of size: begin with the largest, to fill both cores.
    with ProcessPoolExecutor() as pool:
        small = [s for s in reversed(chosen) if not largest or len(load(s)[1]) <= largest]
        for record in pool.map(cross_validate, small):
            record["published"] = paper[record["set"]]
            records.insert(0, record)
            print_record(record)
    summary = summarize(records)
    print(json.dumps(summary, indent=1))
    title = "Accuracy: zero-one loss, measured / published (Sun 2017, Table 4)"
    return {"title": title, "records": records, "summary": summary}


def print_record(record: dict[str, Any]) -> None:
    cells = "  ".join(
        f"{name} {loss:.4f}/{record['published'][name]:.4f}"
        for name, loss in record["loss"].items()
    )
    print(f"{record['set']:20s} {record['rows']:7d}  {cells}  {record['note']}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=["accuracy", "speed"])
    parser.add_argument("--sets", default="", help="names in the paper, with commas between")
    parser.add_argument("--largest", type=int, default=0, help="leave out sets of more rows")
    parser.add_argument("--peers", default="", help="a Python that has pyagrum or weka installed")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    if args.what == "accuracy":
        result = accuracy([s for s in args.sets.split(",") if s], args.largest)
    else:
        result = measure_speed(args.peers)
    path = args.output or RESULTS / f"one_class_{args.what}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"machine": describe_machine(), **result}, indent=1) + "\n")


if __name__ == "__main__":
    main()
