"""Structures for single rows, by definition.

Values of all features stand in one row, feature i from ``offsets[i]`` on. Weights between values
come as ranks: equal weights have equal ranks. What was not observed takes no part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jointbayes._kernels.arguments import COLUMNS, INT32, INT64, array, takes
from jointbayes.arrays import Ints, Values

__all__ = [
    "expert_log_likelihood",
    "expert_trees",
    "local_parents",
    "tree_log_likelihood",
    "tree_terms",
]

INSIDE, NONE = np.iinfo(np.int32).max, np.iinfo(np.int32).min


@takes(
    features=COLUMNS,
    offsets=INT64,
    rows=INT64,
    labels=INT64,
    ranks=array("int32", axes=3),
)
def expert_trees(
    features: Values,
    offsets: Ints,
    rows: Ints,
    labels: Ints,
    ranks: NDArray[np.int32],
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.int32]:
    """Return (m, p), the parents in the heaviest tree of each (row, label); −1 where there is none.

    ``ranks`` is (C, V, V). Prim from the first observed feature: the heaviest link wins, then the
    lower feature, and it hangs on the member that joined first.
    """
    value, seen = _values(features[rows], offsets)
    each = np.arange(len(rows))
    parents = np.full(value.shape, -1, dtype=np.int32)
    best = np.where(seen, NONE, INSIDE)
    node = seen.argmax(axis=1) if seen.size else np.zeros(len(rows), dtype=np.int64)
    for _ in range(value.shape[1]):
        best[each, node] = INSIDE
        links = ranks[labels[:, None], value[each, node][:, None], value]
        better = (links > best) & seen[each, node][:, None]
        best = np.where(better, links, best)
        parents = np.where(better, node[:, None].astype(np.int32), parents)
        node = np.where(best == INSIDE, NONE, best).argmax(axis=1)
    return parents


@takes(
    features=COLUMNS,
    offsets=INT64,
    rows=INT64,
    labels=INT64,
    ranks=array("int32", axes=3),
    log_pair=array("float64", axes=3),
    log_single=array("float64", axes=2),
)
def expert_log_likelihood(
    features: Values,
    offsets: Ints,
    rows: Ints,
    labels: Ints,
    ranks: NDArray[np.int32],
    log_pair: NDArray[np.float64],
    log_single: NDArray[np.float64],
    n_threads: int,
) -> NDArray[np.float64]:
    """Return (m,), log P(x | c) of each (row, label) by its own tree of `expert_trees`.

    ``log_pair[c, v, w]`` is log P(v | w, c), ``log_single[c, v]`` is log P(v | c).
    """
    parents = expert_trees(features, offsets, rows, labels, ranks, n_threads)
    terms = tree_terms(features[rows], offsets, labels, parents, log_pair, log_single)
    return np.asarray(terms.sum(axis=1))


@takes(
    features=COLUMNS,
    offsets=INT64,
    rows=INT64,
    labels=INT64,
    which=INT64,
    trees=array("int64", axes=2),
    log_pair=array("float64", axes=3),
    log_single=array("float64", axes=2),
)
def tree_log_likelihood(  # noqa: PLR0913, PLR0917  arrays, not options
    features: Values,
    offsets: Ints,
    rows: Ints,
    labels: Ints,
    which: Ints,
    trees: Ints,
    log_pair: NDArray[np.float64],
    log_single: NDArray[np.float64],
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.float64]:
    """Return (m,), log P(x | c) of each (row, label) by ``trees[which]``, all being observed."""
    parents = trees[which].astype(np.int32)
    terms = tree_terms(features[rows], offsets, labels, parents, log_pair, log_single)
    return np.asarray(terms.sum(axis=1))


def tree_terms(
    features: Values,
    offsets: Ints,
    labels: Ints,
    parents: NDArray[np.int32],
    log_pair: NDArray[np.float64],
    log_single: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return (m, p), log P(x_i | x_parent, c), or log P(x_i | c) where the parent is −1."""
    value, seen = _values(features, offsets)
    above = np.take_along_axis(value, np.maximum(parents, 0).astype(np.int64), axis=1)
    label = labels[:, None]
    terms = np.where(parents < 0, log_single[label, value], log_pair[label, value, above])
    return np.where(seen, terms, 0.0)


@takes(
    features=COLUMNS,
    offsets=INT64,
    value_ranks=INT32,
    pair_ranks=array("int32", axes=2),
)
def local_parents(
    features: Values,
    offsets: Ints,
    value_ranks: NDArray[np.int32],
    pair_ranks: NDArray[np.int32],
    k: int,
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> NDArray[np.int32]:
    """Return (n, p, k), up to k parents of each feature, strongest first; −1 where none is left.

    Features are ranked by the (V,) ``value_ranks`` of their values; the parents of one are those
    before it that have the highest (V, V) ``pair_ranks`` with it. Ties go to the lower feature.
    """
    value, seen = _values(features, offsets)
    n, p = value.shape
    rank = np.where(seen, value_ranks[value], NONE).astype(np.int64)
    # Position in the ranking: stable sorting leaves equals in the order of the features.
    place = np.argsort(np.argsort(-rank, axis=1, kind="stable"), axis=1)
    parents = np.full((n, p, k), -1, dtype=np.int32)
    for i in range(p):
        earlier = (place < place[:, [i]]) & seen & seen[:, [i]]
        links = np.where(earlier, pair_ranks[value[:, [i]], value].astype(np.int64), NONE)
        for j in range(min(k, p)):
            best = links.argmax(axis=1)[:, None]
            found = np.take_along_axis(links, best, axis=1)
            parents[:, i, j] = np.where(found > NONE, best, -1)[:, 0]
            np.put_along_axis(links, best, NONE, axis=1)
    return parents


def _values(features: Values, offsets: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the values numbered over all features (0 if not observed), and which were observed."""
    codes = features.astype(np.int64)
    seen = codes < np.diff(offsets)
    return np.where(seen, codes + offsets[:-1], 0), seen
