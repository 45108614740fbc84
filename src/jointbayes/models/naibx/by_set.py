r"""The tables of many rows of a dense table: column by column, once for each distinct label set.

A row has one label set, however many labels are in it, and few sets are distinct. So every cell is
added up once, in its set, and the sets are pooled: into each label that is in them, and into their
size. Numbers are read where they lie; no copy of the table is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Labels
from jointbayes.codes import narrowest
from jointbayes.encoding.numbers import read_numbers
from jointbayes.encoding.variable import checked_numbers
from jointbayes.models.naibx.columns import Columns
from jointbayes.models.naibx.moments import Moments, Sums
from jointbayes.models.naibx.tables import Statistics, Tables
from jointbayes.table import Table

__all__ = ["DistinctSets", "in_sets", "label_sets", "measure_sets", "pool_sets", "tabulate_sets"]

FEW_LABELS = 16
"""Labels up to which a set is the index of a table."""


@dataclass(frozen=True, eq=False)
class DistinctSets:
    """The distinct label sets of some rows.

    Parameters
    ----------
    sets
        (S, q) which labels are in each.
    of_row
        (n,) the set of every row.
    order
        (n,) the rows, those of one set together.
    sizes
        (S,) how many rows each set has.
    """

    sets: NDArray[np.bool_]
    of_row: Labels
    order: Labels
    sizes: Labels

    def add_up(self, x: Floats) -> Floats:
        """Return (S,) the sums over every set of numbers that stand in its order."""
        return np.add.reduceat(x, np.cumsum(self.sizes) - self.sizes)


def label_sets(members: NDArray[np.bool_]) -> DistinctSets:
    """Find the distinct label sets of rows.

    >>> found = label_sets(np.array([[1, 0], [0, 1], [1, 0]], dtype=bool))
    >>> found.sets.astype(int).tolist(), found.of_row.tolist(), found.sizes.tolist()
    ([[1, 0], [0, 1]], [0, 1, 0], [2, 1])
    """
    q = members.shape[1]
    if q > FEW_LABELS:
        sets, of_row = np.unique(members, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
    else:
        key = np.zeros(len(members), dtype=np.intp)
        for j in range(q):
            key += members[:, j].astype(np.intp) << j
        seen = np.flatnonzero(np.bincount(key, minlength=1 << q))
        place = np.zeros(1 << q, dtype=np.intp)
        place[seen] = np.arange(len(seen))
        sets, of_row = (seen[:, None] >> np.arange(q) & 1).astype(bool), place[key]
    return in_sets(sets, of_row)


def in_sets(sets: NDArray[np.bool_], of_row: Labels) -> DistinctSets:
    """Return the distinct sets of rows of which it is known which one each has; none is unused."""
    narrow = of_row.astype(narrowest(len(sets)))  # small numbers are sorted in one go
    sizes = np.bincount(of_row, minlength=len(sets))
    return DistinctSets(sets, of_row, np.argsort(narrow, kind="stable"), sizes)


def tabulate_sets(
    columns: Columns, X: Table, found: DistinctSets, weights: Floats | None = None, first: int = 0
) -> Tables:
    """Count rows whose label sets were found; ``first`` is the row that the first one here is.

    >>> from jointbayes.models.naibx.kinds import learn_columns
    >>> X = Table.of([[1.0], [2.0], [4.0]])
    >>> found = label_sets(np.array([[1, 1], [1, 0], [1, 0]], dtype=bool))
    >>> tables = tabulate_sets(learn_columns(X), X, found)
    >>> tables.n_m.tolist(), tables.by_label[0].n.tolist()
    ([0.0, 2.0, 1.0], [[3.0], [1.0]])
    """
    return pool_sets(found.sets, *measure_sets(columns, X, found, weights, first))


@np.errstate(invalid="ignore", over="ignore")  # infinity is refused by name
def measure_sets(
    columns: Columns, X: Table, found: DistinctSets, weights: Floats | None = None, first: int = 0
) -> tuple[Floats, Statistics]:
    """Return the weight of the rows of every set, and what the columns are like in them."""
    w = None if weights is None else weights[found.order]
    rows = found.sizes.astype(np.float64) if w is None else found.add_up(w)
    moments, sums = list[Any](), list[Any]()
    units = iter(zip(columns.scale, columns.origin, strict=True))
    for j, kind in enumerate(columns.kinds):
        if kind == "nominal":
            continue
        x = checked_numbers(X.columns[j], "date" if j in columns.dates else "numeric")
        z = np.take(x, found.order)
        if kind == "gaussian":
            scale, origin = next(units)
            z *= scale
            z -= origin
        else:
            z = np.where(np.isnan(z), np.nan, z > 0)
        total, known = found.add_up(_times(z, w)), None
        if not np.isfinite(total).all():
            read_numbers([X.columns[j]], None, first)  # refuses infinity
            known = (~np.isnan(z)).astype(np.float64)
            z = np.where(np.isnan(z), 0.0, z)
            total = found.add_up(_times(z, w))
        weigh = w if known is None else _times(known, w)
        n = rows if known is None else found.add_up(_times(known, w))
        if kind == "gaussian":
            moments.append((n, *_moments(z, total, n, weigh, found)))
        else:
            sums.append((n, total))
    nothing = np.zeros((len(rows), 0))
    return rows, (
        Moments(*(_stacked(moments) or [nothing] * 3)),
        Sums(*(_stacked(sums) or [nothing] * 2)),
        Sums(nothing, nothing),
        Sums(*_indicators(columns, X, found, weights, rows)),
    )


def pool_sets(sets: NDArray[np.bool_], rows: Floats, by_set: Statistics) -> Tables:
    """Return the tables of rows of which it is known what the columns are like in every label set.

    Parameters
    ----------
    sets
        (S, q) distinct label sets.
    rows
        (S,) the weight of the rows of each.
    by_set
        Of every block of columns, with one group for each set.
    """
    q, m = sets.shape[1], sets.sum(axis=1)
    inside = sets.astype(np.float64)
    n_yy = (inside * rows[:, None]).T @ inside
    n_y = n_yy.diagonal().copy()
    np.fill_diagonal(n_yy, 0.0)
    of_size = (m[:, None] == np.arange(q + 1)).astype(np.float64)
    n_ym = (inside * rows[:, None]).T @ of_size
    labels, sizes = _pool(by_set, inside), _pool(by_set, of_size)
    return Tables(n_y, rows @ of_size, n_yy, n_ym, labels, sizes)


def _pool(by_set: Statistics, inside: Floats) -> Statistics:
    """Return the statistics of groups of sets, (S, groups) say which sets are in them."""
    return tuple(
        _pool_moments(part, inside)
        if isinstance(part, Moments)
        else Sums(inside.T @ part.n, inside.T @ part.x)
        for part in by_set
    )


def _pool_moments(part: Moments, inside: Floats) -> Moments:
    n, mean, m2 = np.zeros((3, inside.shape[1], part.n.shape[1]))
    for g, chosen in enumerate(inside.T > 0):
        if chosen.any():
            one = Moments(part.n[chosen], part.mean[chosen], part.m2[chosen]).pooled()
            n[g], mean[g], m2[g] = one.n[0], one.mean[0], one.m2[0]
    return Moments(n, mean, m2)


def _moments(
    z: Floats, total: Floats, n: Floats, weights: Floats | None, found: DistinctSets
) -> tuple[Floats, Floats]:
    """Return (S,) means and squared deviations of numbers in order; z is written over."""
    mean = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
    z -= np.repeat(mean, found.sizes)
    z *= z
    return mean, found.add_up(_times(z, weights))


def _times(x: Floats, weights: Floats | None) -> Floats:
    return x if weights is None else x * weights


def _stacked(parts: list[tuple[Floats, ...]]) -> list[Floats]:
    """Return (groups, p) arrays of p columns."""
    return [np.stack(column, axis=1) for column in zip(*parts, strict=True)]


def _indicators(
    columns: Columns, X: Table, found: DistinctSets, weights: Floats | None, rows: Floats
) -> list[Floats]:
    """Return (S, indicators) rows where nominal columns are known, and where they have a value."""
    n, x = list[Floats](), list[Floats]()
    variables = () if columns.encoder is None else columns.encoder.variables
    for j, variable in zip(columns.where("nominal"), variables, strict=True):
        card = variable.card
        codes = np.empty(len(X), dtype=narrowest(card))
        variable.write(X.columns[j], codes)
        cells = found.of_row * (card + 1) + codes
        flat = np.bincount(cells, weights, minlength=len(rows) * (card + 1)).astype(np.float64)
        counts: Floats = flat.reshape(len(rows), card + 1)
        seen = counts[:, 1:2] if card == 2 else counts[:, :card]
        n.append(np.repeat((rows - counts[:, card])[:, None], seen.shape[1], axis=1))
        x.append(seen)
    if not x:
        return [np.zeros((len(rows), 0))] * 2
    return [np.concatenate(n, axis=1), np.concatenate(x, axis=1)]
