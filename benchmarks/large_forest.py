"""JointForest on many labels and many rows: processor seconds on one thread, and what it reaches.

    python benchmarks/large_forest.py [--sets bibtex …] [--limit 300]

Each set is learned in a process of its own, and the answer of largest probability given for rows
that were held out. Of a set by its name 60 % of the rows are learned. "tmc2007-500, 40000 rows"
are so many rows made from those there are, which is too few: drawn with replacement, every word
left out of one row in ten, or every number moved by a tenth of its column's spread and every label
left out of one row in twenty. Those of covtype are real. The goal is 60 processor seconds of `fit`.
`render_field.py` shows the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import jointbayes as jb
from cells import DATA, compare, read_set, split
from jointbayes.table import Table

STORE = Path(__file__).resolve().parent / "results" / "large_forest.json"
WHOLE = ("bibtex", "tmc2007-500", "mediamill_small")
MADE = ("tmc2007-500", "mediamill_small", "covtype")
ROWS = (10_000, 20_000, 40_000)
SETS = (*WHOLE, *(f"{name}, {n} rows" for name in MADE for n in ROWS))
ASKED = 4000
"""Rows beyond those learned that are answered, of a set that is made."""

Rows = tuple[Any, Any]
"""Rows and their labels."""


def with_words_left_out(name: str, n: int, rng: np.random.Generator) -> Rows:
    X, Y = read_set(name)
    drawn = rng.integers(0, len(Y), n)
    words = sparse.csr_array(X)[drawn].tocsr()
    words.data = words.data * (rng.random(len(words.data)) > 0.1)
    words.eliminate_zeros()
    return words, Y[drawn]


def moved(name: str, n: int, rng: np.random.Generator) -> Rows:
    X, Y = read_set(name)
    numbers = X.to_pandas().to_numpy(dtype=float)
    drawn = rng.integers(0, len(Y), n)
    moves = 0.1 * numbers.std(axis=0) * rng.normal(size=(n, numbers.shape[1]))
    left = Y[drawn] & (rng.random((n, Y.shape[1])) > 0.05)
    return Table.of(numbers[drawn] + moves), left


def as_they_are(name: str, n: int, rng: np.random.Generator) -> Rows:
    data = jb.load_dataset(name, data_dir=DATA if DATA.exists() else None)
    drawn = rng.permutation(len(data.Y))[:n]
    return data.X[drawn], np.asarray(data.Y)[drawn].reshape(n, 1)


MAKERS: dict[str, Callable[[str, int, np.random.Generator], Rows]] = {
    "tmc2007-500": with_words_left_out,
    "mediamill_small": moved,
    "covtype": as_they_are,
}


def read(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return the rows to be learned and their labels, and those to be answered and theirs."""
    if "," not in name:
        return split(name, seed)
    of, rows = name.split(", ")
    n = int(rows.split()[0])
    X, Y = MAKERS[of](of, n + ASKED, np.random.default_rng(seed))
    return X[:n], Y[:n], X[n:], Y[n:]


def measure(model: str, name: str, seed: int) -> dict[str, Any]:
    X, Y, X_test, truth = read(name, seed)
    began = time.process_time()
    fitted = getattr(jb, model)(n_jobs=1).fit(X, Y)
    learned = time.process_time()
    exact = float((fitted.predict(X_test).reshape(truth.shape) == truth).all(axis=1).mean())
    return {
        "rows": len(Y),
        "columns": int(X.shape[1]),
        "labels": Y.shape[1],
        "vectors": len(np.unique(Y, axis=0)),
        "exact match": round(exact, 5),
        "fit": round(learned - began, 2),
        "predict": round(time.process_time() - learned, 2),
        "answered": len(truth),
    }


if __name__ == "__main__":
    compare(measure, ["JointForest"], STORE, limit=300.0, sets=SETS)
