"""Bags: which rows each tree is grown on, by what rows hold and not by where they stand.

Rows are put in an order of their own, that of a hash of their codes and labels, and equal rows are
gathered; a group of weight w becomes ⌈w⌉ copies of weight w/⌈w⌉, each drawn by itself. So the same
rows in another order make the same trees, and a weight of 2 is the row twice. Where rows repeat
more than eight times on average, copies stand for several.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.permutations import stream, uniform
from jointbayes.arrays import Bytes, Floats, Labels, Weights
from jointbayes.codes import CodeArray, SparseCodes

__all__ = ["Copies", "copy_rows", "draw_bags"]

REPEATS = 8.0
"""Copies per distinct row, at most, on average."""


@dataclass(frozen=True, eq=False)
class Copies:
    """The rows that trees are grown on.

    Parameters
    ----------
    rows
        (c,) the row that each copy is one of.
    weights
        (c,) theirs.
    of_rows
        (n,) a copy of each row: the k-th of equal rows has the k-th copy, as far as there are any.
    """

    rows: Labels
    weights: Floats
    of_rows: Labels


def copy_rows(codes: CodeArray | SparseCodes, sets: Labels, weights: Weights) -> Copies:
    """Return the copies of rows, given their codes, the numbers of their labels, and weights.

    >>> codes, sets = np.array([[7], [3], [7]], dtype=np.uint8), np.array([0, 0, 0])
    >>> copies = copy_rows(codes, sets, np.array([1.0, 1.5, 1.0]))
    >>> sorted(codes[copies.rows, 0].tolist()), copies.weights.tolist()
    ([3, 3, 7, 7], [0.75, 0.75, 1.0, 1.0])
    """
    key = _hash(codes, sets)
    order = np.argsort(key, kind="stable")
    first = np.append(True, key[order][1:] != key[order][:-1])
    group = np.cumsum(first) - 1
    w = np.ones(len(key)) if weights is None else weights
    total = np.bincount(group, w[order])
    unit = max(1.0, total.sum() / (REPEATS * len(total)))
    n_copies = np.maximum(1, np.ceil(total / unit - 1e-9)).astype(np.intp)
    begins = np.cumsum(n_copies) - n_copies
    within = np.arange(len(key)) - np.flatnonzero(first)[group]
    of_rows = np.empty(len(key), dtype=np.intp)
    of_rows[order] = begins[group] + np.minimum(within, n_copies[group] - 1)
    return Copies(np.repeat(order[first], n_copies), np.repeat(total / n_copies, n_copies), of_rows)


def draw_bags(n: int, n_trees: int, share: float, seed: int) -> Bytes:
    """Return (n_trees, n) 1 for the copies in each bag, a share of them, drawn one by one.

    An empty bag is filled with all there are.
    """
    bags, positions = np.empty((n_trees, n), dtype=np.uint8), np.arange(n)
    for b in range(n_trees):
        bags[b] = uniform(stream(stream(seed, b), 0), positions) < share
    bags[~bags.any(axis=1)] = 1
    return bags


def _hash(codes: CodeArray | SparseCodes, sets: Labels) -> NDArray[np.uint64]:
    """Return a number of each row, the sum of those of its cells: equal rows have equal ones."""
    total = stream(0, sets)
    p = codes.shape[1]
    cells = stream(np.arange(1, p + 1)[:, None], np.arange(256))
    if not isinstance(codes, SparseCodes):
        for j, column in enumerate(codes.T):
            total += cells[j][column]
        return total
    column = np.repeat(np.arange(p), np.diff(codes.indptr))
    change = cells[column, codes.codes] - cells[column, codes.default[column]]
    np.add.at(total, codes.rows, change)
    total += cells[np.arange(p), codes.default].sum(dtype=np.uint64)
    return total
