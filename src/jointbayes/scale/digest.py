"""Digest: what an encoder is learned from, instead of the rows. Those of two batches merge.

Of every column: its kind, its categories, what of its numbers the model asks for, and how many
cells are missing; of every label its distinct values. A column whose kind is another than before is
refused by name and place; a column that is all missing in a batch has any kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Ints, Labels, Values
from jointbayes.encoding.variable import as_numbers
from jointbayes.errors import CostError, DataError
from jointbayes.scale.batch import Batch
from jointbayes.scale.value_counts import ValueCounts, count_values
from jointbayes.table import Column
from jointbayes.table.column import as_objects, factorize
from jointbayes.table.wording import listed, shown

__all__ = ["ColumnDigest", "Digest", "Wanted", "digest_batch", "merge_digests"]

MOST_CATEGORIES = 1 << 20
"""Categories of a column, or classes of a label, beyond which it is refused."""

FIRST = 1024
"""Numbers of a column that are remembered as they are."""


@dataclass(frozen=True)
class Wanted:
    """What of the rows a model learns its encoder from.

    Parameters
    ----------
    targets
        The names of the labels.
    ignored
        The names of columns that are neither labels nor features.
    values
        Whether the numbers are counted, ``"by class"`` of the first label, ``"all"`` together, or
        ``"none"``.
    extremes
        Whether the numbers farthest from 0, and some others, are asked for.
    coded
        Whether numbers that came as categories are counted, too.
    cells
        Cells of the counts of all columns together, beyond which numbers are pooled.
    """

    targets: tuple[str, ...]
    values: str = "all"
    ignored: tuple[str, ...] = ()
    extremes: bool = False
    coded: bool = False
    cells: int = 1 << 23


@dataclass(frozen=True, eq=False)
class ColumnDigest:
    """What is known of one column.

    ``first`` are some of its numbers, ``largest`` the one farthest from 0, ``odd`` one that is
    neither 0 nor 1; NaN where there is none. ``numbers`` are None where they were not asked for,
    or a category is not a number.
    """

    name: str
    kind: str
    declared: bool
    where: str
    missing: int
    categories: tuple[Any, ...] = ()
    numbers: ValueCounts | None = None
    first: Floats = field(default_factory=lambda: np.zeros(0))
    largest: float = float("nan")
    odd: float = float("nan")


@dataclass(frozen=True, eq=False)
class Digest:
    """What is known of some rows."""

    wanted: Wanted
    rows: int
    columns: tuple[ColumnDigest, ...]
    labels: tuple[Values, ...]
    where: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def cells_each(self) -> int:
        """Cells of the counts of one column."""
        return self.wanted.cells // max(1, len(self.columns))


_By = tuple[Any, Ints, int]
"""The class of every row, how many rows each class has, and the cells of a column."""


def digest_batch(batch: Batch, wanted: Wanted) -> Digest:
    """Return what is to be known of a batch; refuse labels that are missing."""
    for name, label in zip(wanted.targets, batch.labels, strict=True):
        if (label.codes < 0).any():
            row = int((label.codes < 0).argmax())
            raise DataError(
                f"{batch.where}: label {name!r} is missing in row {row} of these; drop such rows "
                "or give them a value of their own"
            )
    by_class = wanted.values == "by class"
    y = batch.labels[0].codes.astype(np.uint32) if by_class else np.zeros(len(batch), np.uint32)
    n_classes = len(batch.labels[0].values) if by_class else 1
    sizes = np.bincount(y, minlength=n_classes).astype(np.int64)
    cells = wanted.cells // max(1, len(batch.X.columns))
    columns = tuple(
        _digest_column(column, batch.where, wanted, (y, sizes, cells)) for column in batch.X.columns
    )
    labels = tuple(label.values for label in batch.labels)
    return Digest(wanted, len(batch), columns, labels, batch.where)


def _digest_column(column: Column, where: str, wanted: Wanted, by: _By) -> ColumnDigest:
    if not column.is_coded:
        found = _measure(column.values, wanted, by)
        counted = found.get("numbers")
        gone = (
            int(np.isnan(column.values).sum())
            if counted is None
            else len(column) - int(counted.counts.sum())
        )
        kind = column.kind
        return ColumnDigest(column.name, kind, declared=False, where=where, missing=gone, **found)
    assert column.categories is not None
    seen = np.bincount(column.values.astype(np.int64) + 1, minlength=len(column.categories) + 1)
    known = column.categories if column.declared else column.categories[seen[1:] > 0]
    if len(known) > MOST_CATEGORIES:
        raise _too_many(column.name)
    digest = ColumnDigest(
        column.name, "nominal", column.declared, where, int(seen[0]), tuple(known.tolist())
    )
    numbers = as_numbers(column) if wanted.coded else None
    return digest if numbers is None else replace(digest, **_measure(numbers, wanted, by))


def _measure(x: Floats, wanted: Wanted, by: _By) -> dict[str, Any]:
    found: dict[str, Any] = _extremes(x) if wanted.extremes else {}
    if wanted.values != "none":
        found["numbers"] = count_values(x, *by)
    return found


def _extremes(x: Floats) -> dict[str, Any]:
    """Return some numbers, the one farthest from 0, and one that is neither 0 nor 1."""
    known = x[~np.isnan(x)]
    ends = np.array([known.min(), known.max()]) if len(known) else np.full(1, np.nan)
    odd = known[(known != 0) & (known != 1)]
    return {
        "first": known[:FIRST].copy(),
        "largest": float(ends[np.abs(ends).argmax()]),
        "odd": float(odd[0]) if len(odd) else float("nan"),
    }


def merge_digests(a: Digest, b: Digest) -> Digest:
    """Return what is known of the rows of both; the first one's come first."""
    theirs = {column.name: column for column in b.columns}
    if set(theirs) != set(a.names):
        odd = sorted(set(theirs) ^ set(a.names))
        has = b.where if odd[0] in theirs else a.where
        raise DataError(
            f"{b.where}: the columns are not those of {a.where}; {listed(map(shown, odd), 3)} "
            f"{'is' if len(odd) == 1 else 'are'} only in {has}; give all parts the same columns"
        )
    labels = tuple(
        _union(x, y, name, b.where)
        for x, y, name in zip(a.labels, b.labels, a.wanted.targets, strict=True)
    )
    places: list[Labels] = [np.zeros(1, np.intp)] * 2
    n_classes = 1
    if a.wanted.values == "by class":
        places = [np.searchsorted(labels[0], side.labels[0]) for side in (a, b)]
        if labels[0].dtype.kind == "O":
            order = {value: k for k, value in enumerate(labels[0].tolist())}
            places = [
                np.array([order[v] for v in side.labels[0].tolist()], dtype=np.intp)
                for side in (a, b)
            ]
        n_classes = len(labels[0])
    columns = tuple(
        _merge_columns(column, theirs[column.name], places, n_classes, a.cells_each)
        for column in a.columns
    )
    return Digest(a.wanted, a.rows + b.rows, columns, labels, a.where)


def _merge_columns(
    a: ColumnDigest, b: ColumnDigest, places: Sequence[Labels], n_classes: int, cells: int
) -> ColumnDigest:
    kept = _of_one_kind(a, b)
    numbers = _merge_numbers(a, b, places, n_classes, cells)
    categories = a.categories
    if b.categories != categories:
        categories = tuple(dict.fromkeys(a.categories + b.categories))
        if len(categories) > MOST_CATEGORIES:
            raise _too_many(a.name)
    ends = np.array([a.largest, b.largest])
    return replace(
        kept,
        missing=a.missing + b.missing,
        categories=categories,
        numbers=numbers,
        first=a.first if len(a.first) >= FIRST else np.append(a.first, b.first)[:FIRST],
        largest=a.largest if np.isnan(ends).all() else float(ends[np.nanargmax(np.abs(ends))]),
        odd=b.odd if np.isnan(a.odd) else a.odd,
    )


def _is_unknown(column: ColumnDigest) -> bool:
    """Whether a column that is not declared is all missing, so that its kind says nothing."""
    counted = column.numbers is not None and len(column.numbers.values)
    known = counted or len(column.first) or column.categories
    return not known and not column.declared and column.kind != "date"


def _of_one_kind(a: ColumnDigest, b: ColumnDigest) -> ColumnDigest:
    if (a.kind, a.declared) == (b.kind, b.declared) or _is_unknown(b):
        return a
    if _is_unknown(a):
        return b
    raise DataError(
        f"{b.where}: column {b.name!r} holds {_called(b)}, and {_called(a)} in {a.where}; give it "
        "one type"
    )


def _merge_numbers(
    a: ColumnDigest, b: ColumnDigest, places: Sequence[Labels], n_classes: int, cells: int
) -> ValueCounts | None:
    sides = [
        None if side.numbers is None else side.numbers.with_classes(where, n_classes)
        for side, where in zip((a, b), places, strict=True)
    ]
    if sides[0] is None or sides[1] is None:  # text, or a batch of nothing but missing cells
        empty = [side for side, own in zip(sides, (a, b), strict=True) if not _is_unknown(own)]
        return empty[0] if len(empty) == 1 else None
    return sides[0].merge(sides[1], cells)


def _union(a: Values, b: Values, name: str, where: str) -> Values:
    """Return the distinct labels of both, in the order in which all of them would be."""
    if a.dtype == b.dtype and len(a) == len(b) and a.tolist() == b.tolist():
        return a
    kinds = {_label_kind(a), _label_kind(b)} - {"nothing"}
    if len(kinds) > 1:
        raise DataError(
            f"{where}: label {name!r} holds {_label_kind(b)}, and {_label_kind(a)} before; give "
            "it one type"
        )
    if "O" in a.dtype.kind + b.dtype.kind or a.dtype.kind in "UST" or b.dtype.kind in "UST":
        return factorize(name, as_objects([*a.tolist(), *b.tolist()]))[1]
    if max(len(a), len(b)) > MOST_CATEGORIES:
        raise _too_many(name)
    return np.union1d(a, b)


def _label_kind(values: Values) -> str:
    if not len(values):
        return "nothing"
    if values.dtype.kind == "b" or all(isinstance(v, bool) for v in values.tolist()):
        return "true and false"
    return "numbers" if values.dtype.kind in "iuf" else "text"


def _called(column: ColumnDigest) -> str:
    if column.kind == "nominal":
        return "declared categories" if column.declared else "categories"
    return {"numeric": "numbers", "date": "dates"}.get(column.kind, column.kind)


def _too_many(name: str) -> CostError:
    return CostError(
        f"{name!r} has more than {MOST_CATEGORIES:,} distinct values, as an identifier has; leave "
        "it out"
    )
