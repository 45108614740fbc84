"""ColumnDigest: what is to be known of a column instead of its cells. Those of two batches merge.

Its kind, its categories, what of its numbers the model asks for, and how many cells are missing. A
column whose kind is another than before is refused by name and place; a column that is all missing
in a batch has any kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Ints, Labels
from jointbayes.encoding.variable import as_numbers
from jointbayes.errors import CostError, DataError
from jointbayes.scale.value_counts import ValueCounts, count_values
from jointbayes.table import Column

__all__ = [
    "FIRST",
    "MOST_CATEGORIES",
    "ColumnDigest",
    "RowClasses",
    "Wanted",
    "digest_column",
    "merge_columns",
    "too_many",
]

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
    categories
        Whether categories are counted by class, too, so that nothing else has to be counted.
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
    categories: bool = False
    extremes: bool = False
    coded: bool = False
    cells: int = 1 << 23


@dataclass(frozen=True, eq=False)
class ColumnDigest:
    """What is known of one column.

    ``first`` are some of its numbers, ``largest`` the one farthest from 0, ``odd`` one that is
    neither 0 nor 1; NaN where there is none. ``filled`` says how many cells are not 0, and
    ``negative`` whether one is below it. ``numbers`` are None where they were not asked for, or a
    category is not a number; ``met`` is how often each category met each class, None where that
    was not asked for or does not fit.
    """

    name: str
    kind: str
    declared: bool
    where: str
    missing: int
    categories: tuple[Any, ...] = ()
    met: Floats | None = None
    numbers: ValueCounts | None = None
    first: Floats = field(default_factory=lambda: np.zeros(0))
    largest: float = float("nan")
    odd: float = float("nan")
    filled: int = 0
    negative: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether a column that is not declared is all missing, so that its kind says nothing."""
        counted = self.numbers is not None and len(self.numbers.values)
        known = counted or len(self.first) or self.categories
        return not known and not self.declared and self.kind != "date"


@dataclass(frozen=True, eq=False)
class RowClasses:
    """The class of every row of a batch, and how many rows each has.

    ``cells`` is how many counts a column may have, ``many`` whether there are so many columns that
    they might be words.
    """

    of_row: Any
    sizes: Ints
    cells: int
    many: bool = False


def digest_column(column: Column, where: str, wanted: Wanted, by: RowClasses) -> ColumnDigest:
    """Return what is to be known of a column."""
    if not column.is_coded:
        found = _measure(column.values, wanted, by)
        if "missing" not in found:
            found["missing"] = len(column) - int(found["numbers"].counts.sum())
        return ColumnDigest(column.name, column.kind, declared=False, where=where, **found)
    assert column.categories is not None
    met = _meetings(column, by) if wanted.categories else None
    codes = column.values.astype(np.int64) + 1
    seen = np.bincount(codes, minlength=len(column.categories) + 1)
    kept = np.ones(len(seen) - 1, dtype=bool) if column.declared else seen[1:] > 0
    known = column.categories[kept]
    if len(known) > MOST_CATEGORIES:
        raise too_many(column.name)
    digest = ColumnDigest(
        column.name,
        "nominal",
        column.declared,
        where,
        int(seen[0]),
        tuple(known.tolist()),
        None if met is None else met[kept],
    )
    if by.many:
        digest = replace(digest, filled=int(seen[0] + seen[1:][column.categories != 0].sum()))
    numbers = as_numbers(column) if wanted.coded else None
    if numbers is None:
        return digest
    return replace(digest, **{**_measure(numbers, wanted, by), "missing": digest.missing})


def _meetings(column: Column, by: RowClasses) -> Floats | None:
    """Return how often each category met each class, if that fits."""
    assert column.categories is not None
    shape = len(column.categories), len(by.sizes)
    if shape[0] * shape[1] > by.cells:
        return None
    known = column.values >= 0
    cells = column.values[known].astype(np.int64) * shape[1] + by.of_row[known]
    met = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    return met.astype(np.float64)


def _measure(x: Floats, wanted: Wanted, by: RowClasses) -> dict[str, Any]:
    found: dict[str, Any] = _extremes(x) if wanted.extremes else {}
    if by.many:
        found["filled"] = int(np.count_nonzero(x))
    if wanted.values != "none":
        found["numbers"] = count_values(x, by.of_row, by.sizes, by.cells)
    return found


def _extremes(x: Floats) -> dict[str, Any]:
    """Return some numbers, the one farthest from 0, and one that is neither 0 nor 1."""
    known = x
    ends = np.array([x.min(initial=np.inf), x.max(initial=-np.inf)])
    if not np.isfinite(ends).all():  # something is missing, or all is
        known = x[~np.isnan(x)]
        ends = np.array([known.min(), known.max()]) if len(known) else np.full(1, np.nan)
    return {
        "first": known[:FIRST].copy(),
        "largest": float(ends[np.abs(ends).argmax()]),
        "odd": _odd(known[:FIRST], known),
        "negative": bool(ends[0] < 0),
        "missing": len(x) - len(known),
    }


def _odd(*parts: Floats) -> float:
    """Return a number that is neither 0 nor 1, of the first part that has one."""
    for part in parts:
        odd = part[(part != 0) & (part != 1)]
        if len(odd):
            return float(odd[0])
    return float("nan")


def merge_columns(
    a: ColumnDigest, b: ColumnDigest, places: Sequence[Labels], n_classes: int, cells: int
) -> ColumnDigest:
    """Return what is known of the cells of both, whose classes are at ``places`` among all."""
    kept = _of_one_kind(a, b)
    numbers = _merge_numbers(a, b, places, n_classes, cells)
    categories, met = a.categories, None
    if b.categories != categories:
        categories = tuple(dict.fromkeys(a.categories + b.categories))
        if len(categories) > MOST_CATEGORIES:
            raise too_many(a.name)
    if kept.kind == "nominal" and len(categories) * n_classes <= cells:
        met = _merge_met((a, b), categories, places, n_classes)
    return ColumnDigest(
        kept.name,
        kept.kind,
        kept.declared,
        kept.where,
        a.missing + b.missing,
        categories,
        met,
        numbers,
        a.first if len(a.first) >= FIRST else np.append(a.first, b.first)[:FIRST],
        a.largest if abs(a.largest) >= abs(b.largest) or b.largest != b.largest else b.largest,
        b.odd if a.odd != a.odd else a.odd,
        a.filled + b.filled,
        a.negative or b.negative,
    )


def _merge_met(
    sides: Sequence[ColumnDigest],
    categories: tuple[Any, ...],
    places: Sequence[Labels],
    n_classes: int,
) -> Floats | None:
    """Return how often each category of both met each class, if that is known of both."""
    if any(side.met is None and not side.is_unknown for side in sides):
        return None
    index = {value: k for k, value in enumerate(categories)}
    met = np.zeros((len(categories), n_classes))
    for side, where in zip(sides, places, strict=True):
        if side.met is not None and len(side.categories):
            own = np.array([index[value] for value in side.categories], dtype=np.intp)
            met[own[:, None], where] += side.met
    return met


def _of_one_kind(a: ColumnDigest, b: ColumnDigest) -> ColumnDigest:
    if (a.kind, a.declared) == (b.kind, b.declared) or b.is_unknown:
        return a
    if a.is_unknown:
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
        empty = [side for side, own in zip(sides, (a, b), strict=True) if not own.is_unknown]
        return empty[0] if len(empty) == 1 else None
    return sides[0].merge(sides[1], cells)


def _called(column: ColumnDigest) -> str:
    if column.kind == "nominal":
        return "declared categories" if column.declared else "categories"
    return {"numeric": "numbers", "date": "dates"}.get(column.kind, column.kind)


def too_many(name: str) -> CostError:
    """Say that a column, or a label, has too many distinct values."""
    return CostError(
        f"{name!r} has more than {MOST_CATEGORIES:,} distinct values, as an identifier has; leave "
        "it out"
    )
