"""Sections of the field's page: JointForest on many labels and rows, and on one and two threads."""

from __future__ import annotations

import json

import forest_threads
from jointbayes.report import Paragraph, Section
from large_forest import STORE
from tables import table

__all__ = ["large_section", "threads_section"]

THREADS = """\
Seconds of `fit` by the clock, of both in one process, from `benchmarks/forest_threads.py`: of
JointForest the least of three, of CatBoost with its defaults those of one."""

TOLD = """\
`JointForest` with its defaults on one thread, from `benchmarks/large_forest.py`. Of a set, 60 % of
the rows are learned, which should take no more than 60 processor seconds, and the others answered.
"40000 rows" are made where there are not so many: rows drawn with replacement, every word left out
of one row in ten (tmc2007-500), or every number moved by a tenth of its column's spread and every
label left out of one row in twenty (mediamill_small). Exact match is then that of other rows made
from the same ones, and says nothing but that the forest still learns; the rows of covtype are real.

Seconds grow with rows × the depth of trees, thus a little faster than rows, with the labels that a
row has and with the square root of the number of columns, of which so many are tried at each node;
columns of a text cost what is stored. Up to 40,000 rows, or fewer where label vectors are many
(20,000 of mediamill_small), a third of them goes to trees that are grown to judge how far leaves
are to be trusted; beyond, no tree is grown only to judge. What is chosen by that looks at some two
million shares of label vectors, however many rows there are: 1 to 4 seconds. The rest is the trees:
200 that part almost every row from every other."""

SHOWN = ("rows", "columns", "labels", "vectors", "exact match", "fit", "predict")


def large_section() -> Section:
    """Return what was measured, one row for each set."""
    cells = json.loads(STORE.read_text(encoding="utf-8"))["cells"] if STORE.exists() else {}
    rows = [
        [key.split(" | ")[0], *(str(found.get(shown, "")) for shown in SHOWN)]
        for key, found in cells.items()
    ]
    heads = ["set", *SHOWN[:-2], "fit, CPU s", "predict, CPU s"]
    return Section(
        "Many labels, many rows",
        (*(Paragraph(part) for part in TOLD.split("\n\n")), table(heads, rows)),
    )


def threads_section() -> Section:
    """Return seconds of JointForest and CatBoost by the clock, on one thread and on two."""
    stored = json.loads(forest_threads.STORE.read_text(encoding="utf-8"))
    rows = [
        [
            row["set"],
            str(row["threads"]),
            *(f"{row[who]:.2f}" for who in ("ours", "CatBoost")),
            f"{row['CatBoost'] / row['ours']:.1f}",
        ]
        for row in stored["rows"]
    ]
    heads = ["set", "threads", "JointForest", "CatBoost", "ratio"]
    return Section("One thread and two", (Paragraph(THREADS), table(heads, rows)))
