r"""Conditional G² of many columns with one target, and what permutations make of it, by definition.

Rows come sorted into strata. In a stratum with N rows, row totals r_i and column totals c_j,

(1)  G² = 2 [Σ_ij f(n_ij) − Σ_i f(r_i) − Σ_j f(c_j) + f(N)],    f(n) = n log n.

Shuffling the target inside the stratum keeps the totals, and the table is then multivariate
hypergeometric: it is drawn cell by cell, row by row, each cell given those before it,

(2)  n_ij ~ H(a, b, N), with a of row i, b of column j and N of all that rows ≥ i still have in
     columns ≥ j,   P(v) = C(b, v) C(N − b, a − v) / C(N, a).

Each cell alone is H(r_i, c_j, N), so the mean of (1) over *all* permutations is a sum of means:

(3)  E f(n_ij) = Σ_v P(v) f(v).

The probability of the observed table itself, given its totals, is

(4)  P(n) = Π_i r_i! Π_j c_j! / (N! Π_ij n_ij!).

Random numbers are a function of (seed, stratum, its table, permutation, cell) alone, so a test has
one answer for a seed, whatever it is computed with, and the luck of one table is not that of
another. The uniform number u picks the value at which the sum of P(v) passes u when values are
taken outward from the mode: mode, mode + 1, mode − 1, mode + 2, …
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from jointbayes._kernels.arguments import COLUMNS, INT64, array, takes
from jointbayes.arrays import Floats, Values

__all__ = ["permute_columns"]


# splitmix64 (Steele, Lea & Flood 2014)
GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
TIE = 1e-9  # equal tables give equal statistics up to the order of their sums
BATCH = 256


@takes(
    columns=COLUMNS,
    target=array("uint32"),
    order=INT64,
    starts=INT64,
    tables=array("float64", axes=2),
)
def permute_columns(  # noqa: PLR0913, PLR0917  plain arrays instead of objects
    columns: Values,
    target: Values,
    order: Values,
    starts: Values,
    n_permutations: int,
    enough: int,
    seed: int,
    tables: Floats,  # noqa: ARG001  the compiled kernel's
    n_threads: int,  # noqa: ARG001  the compiled kernel's
) -> Floats:
    """Return (p, 6): for each column its test against the target within strata.

    The six are G², its degrees of freedom (values that do not occur in a stratum left out), the
    mean of G² over the permutations drawn, how many of these reach G², how many they are, and the
    log-probability of the observed tables (4).

    Parameters
    ----------
    columns
        (n, p) codes.
    target
        (n,) codes.
    order, starts
        Stratum s has the rows ``order[starts[s]:starts[s + 1]]``.
    n_permutations
        How many to draw; 0 for the mean over all there are (3).
    enough
        Draw no more once so many have reached G²; 0 to draw all.
    seed
        Unsigned 64-bit.
    tables
        (2, N + 1) the logarithm of n! and n log n, N at least the size of the largest stratum.
    """
    parts = [order[a:b] for a, b in pairwise(starts)]
    out = np.zeros((columns.shape[1], 6))
    for j, x in enumerate(columns.T):
        crosstabs = [(s, _crosstab(x[rows], target[rows])) for s, rows in enumerate(parts)]
        tables_j = [(s, table) for s, table in crosstabs if min(table.shape) > 1]
        g2 = float(sum(_g2(table) for _, table in tables_j))
        dof = sum((table.shape[0] - 1) * (table.shape[1] - 1) for _, table in tables_j)
        log_p = sum(_log_probability(table) for _, table in tables_j)
        permuted = np.zeros(0)
        while len(permuted) < n_permutations:
            draws = np.arange(len(permuted), min(n_permutations, len(permuted) + BATCH))
            drawn = [_draw(table, stream(_key(seed, s, table), draws)) for s, table in tables_j]
            permuted = np.concatenate([permuted, sum(drawn, np.zeros(len(draws)))])
            reached = (permuted >= g2 - TIE * max(1.0, g2)).cumsum()
            if enough and reached[-1] >= enough:
                permuted = permuted[: int(reached.searchsorted(enough)) + 1]
                break
        if n_permutations:
            mean, hits = permuted.mean(), reached[len(permuted) - 1]
        else:
            mean, hits = sum(_mean_g2(table) for _, table in tables_j), 0
        out[j] = g2, dof, mean, hits, len(permuted), log_p
    return out


def stream(key: Any, index: Any) -> NDArray[np.uint64]:
    """Return the key of sub-stream ``index`` of a stream: splitmix64 at that position."""
    with np.errstate(over="ignore"):
        z = np.asarray(key, dtype=np.uint64) + GAMMA * (np.asarray(index, np.uint64) + np.uint64(1))
        z = (z ^ (z >> np.uint64(30))) * MIX_1
        z = (z ^ (z >> np.uint64(27))) * MIX_2
        return np.asarray(z ^ (z >> np.uint64(31)))


def _key(seed: int, stratum: int, table: Values) -> NDArray[np.uint64]:
    """Return the stream of a table."""
    key = stream(stream(seed, stratum), len(table))
    for n in table.ravel():
        key = stream(key, n)
    return key


def uniform(key: Any, index: Any) -> Floats:
    """Return the number of a stream at ``index``, or at each of many, uniform in [0, 1)."""
    return np.asarray((stream(key, index) >> np.uint64(11)) * 2.0**-53)


def _crosstab(x: Values, y: Values) -> NDArray[np.int64]:
    """Count the values that occur."""
    _, a = np.unique(x, return_inverse=True)
    _, b = np.unique(y, return_inverse=True)
    return np.asarray(np.histogram2d(a, b, bins=(a.max() + 1, b.max() + 1))[0], dtype=np.int64)


def _g2(n: Values) -> Any:
    """Return Eq. 1 for a table, or for each of many."""
    parts = [
        n.sum(axis=(-2, -1), keepdims=True),
        n,
        n.sum(-1, keepdims=True),
        n.sum(-2, keepdims=True),
    ]
    whole, cells, rows, columns = (xlogy(k, k).sum(axis=(-2, -1)) for k in parts)
    return 2 * (cells - rows - columns + whole)


def _log_probability(n: Values) -> float:
    """Return the logarithm of Eq. 4."""
    whole, cells, rows, columns = (
        gammaln(k + 1).sum() for k in (n.sum(), n, n.sum(axis=1), n.sum(axis=0))
    )
    return float(rows + columns - whole - cells)


def _mean_g2(n: Values) -> float:
    """Return Eq. 1 with the means of Eq. 3 for its cells."""
    rows, columns, total = n.sum(axis=1), n.sum(axis=0), int(n.sum())
    cells = 0.0
    for a in rows:
        for b in columns:
            value, p = _hypergeometric(int(a), int(b), total)
            cells += float((p * xlogy(value, value)).sum())
    margins = xlogy(rows, rows).sum() + xlogy(columns, columns).sum() - xlogy(total, total)
    return float(2 * (cells - margins))


def _draw(n: Values, keys: NDArray[np.uint64]) -> Floats:
    """Return G² of one permuted table for each key (2)."""
    drawn = np.zeros((len(keys), *n.shape), dtype=np.int64)
    left = np.tile(n.sum(axis=0), (len(keys), 1))
    for i, total in enumerate(n.sum(axis=1)[:-1]):
        row = np.full(len(keys), total)
        for j in range(n.shape[1] - 1):
            cell = i * (n.shape[1] - 1) + j
            urns = np.stack([row, left[:, j], left[:, j:].sum(axis=1)], axis=1)
            drawn[:, i, j] = _draw_cells(urns, uniform(keys, cell))
            row -= drawn[:, i, j]
        drawn[:, i, -1] = row
        left -= drawn[:, i]
    drawn[:, -1] = left
    return np.asarray(_g2(drawn))


def _draw_cells(urns: NDArray[np.int64], u: Floats) -> NDArray[np.int64]:
    """Draw one number from each urn (a, b, N)."""
    distinct, which = np.unique(urns, axis=0, return_inverse=True)
    out = np.empty(len(urns), dtype=np.int64)
    for k, (a, b, total) in enumerate(distinct.tolist()):
        value, p = _hypergeometric(a, b, total)
        mine = which.ravel() == k
        passed = np.searchsorted(p.cumsum(), u[mine], side="right")
        out[mine] = value[np.minimum(passed, len(value) - 1)]
    return out


def _hypergeometric(a: int, b: int, total: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the values of H(a, b, N) outward from the mode, and their probabilities (2)."""
    value = np.arange(max(0, a + b - total), min(a, b) + 1)
    mode = (a + 1) * (b + 1) // (total + 2)
    value = value[np.argsort(2 * abs(value - mode) - (value > mode), kind="stable")]
    log_p = -sum(gammaln(k + 1) for k in (value, a - value, b - value, total - a - b + value))
    p = np.exp(log_p - np.max(log_p))
    return value, p / p.sum()
