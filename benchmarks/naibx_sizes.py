"""Who says how many labels a row has: the size models of NaiBX, on numbers and on words.

    python benchmarks/naibx_sizes.py [--sets Emotions …] [-o results.json]

The data sets, kinds of columns and splits are those of ``jointbayes reproduce mossina2017``, where
the data are the paper's; so are the averages (see reproduction/mossina2017.py). Every size model is
fitted to training rows and asked about others; what the paper prints of NaiBX stands beside it.
NaiBX that is told the size (NBX_TrueM) bounds what a size model can gain. About four minutes.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from environment import describe_machine
from jointbayes import NaiBX, load_dataset
from jointbayes.metrics import METRICS
from jointbayes.reproduction import Source, find_paper, printed_figures, printed_remarks
from jointbayes.validation import Folds

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
PAPER = find_paper("mossina2017")
SIZES = ("bayes", "logistic", "ordinal", "forest")


def columns_of(table: str) -> dict[str, Any]:
    """Return what answers each printed metric of NaiBX on rows that were not learned."""
    return {
        column.printed: column
        for column in PAPER.columns
        if column.table == table and "NaiBX" in column.algorithms and column.splitter is None
    }


def printed_scores(dataset: str) -> tuple[str, dict[str, float]]:
    """Return the table that prints NaiBX on a data set, and what it prints."""
    found = [
        f
        for f in printed_figures(PAPER.key)
        if (f.dataset, f.algorithm) == (dataset, "NaiBX") and f.table in PAPER.tables
    ]
    return found[0].table, {f.metric: f.value for f in found}


def one_set(source: Source) -> dict[str, Any]:
    data = load_dataset(source.file, data_dir=DATA, **source.options)
    Y, (table, printed) = np.asarray(data.Y, dtype=np.intp), printed_scores(source.name)
    columns = columns_of(table)
    splitter = source.splitter or PAPER.splitter
    found: dict[str, list[dict[str, float]]] = {}
    for train, test in splitter.split(data.X, Y):
        for size in SIZES:
            kind = columns["zero_one_score"].settings["features"]
            began = time.process_time()
            model = NaiBX(features=kind, size=size).fit(data.X[train], Y[train])
            spent = time.process_time() - began
            answers = {size: model.predict(data.X[test])}
            if size == "bayes":
                answers["told"] = model.predict(data.X[test], size=Y[test].sum(axis=1))
            for name, P in answers.items():
                row = {key: METRICS[c.metric](Y[test], P) for key, c in columns.items()}
                row["sizes_right"] = float((P.sum(axis=1) == Y[test].sum(axis=1)).mean())
                row["fit_cpu_s"] = spent
                found.setdefault(name, []).append(row)
    return {
        "name": source.name,
        "rows": len(Y),
        "columns": columns["zero_one_score"].settings["features"],
        "protocol": "10 folds" if isinstance(splitter, Folds) else "66 % train",
        "measured": {
            name: {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
            for name, rows in found.items()
        },
        "printed": printed,
    }


def main() -> None:
    other = {r.dataset for r in printed_remarks(PAPER.key) if r.kind == "other data"}
    sources = [s for s in PAPER.sources if isinstance(s, Source) and s.name not in other]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=[s.name for s in sources])
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "naibx_sizes.json")
    chosen = parser.parse_args()
    found = []
    for source in (s for s in sources if s.name in chosen.sets):
        one = one_set(source)
        found.append(one)
        for name, row in one["measured"].items():
            print(source.name, name, {k: round(v, 3) for k, v in row.items()}, flush=True)
        result = {
            "title": "NaiBX: who says how many labels (Mossina 2017)",
            "machine": describe_machine(),
            "size_models": found,
        }
        chosen.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
