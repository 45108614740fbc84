"""Cells with several labels: ``red|round`` becomes the binary labels red and round."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from jointbayes.errors import DataError
from jointbayes.table import Column
from jointbayes.table.wording import shown

__all__ = ["separator_of", "split_labels"]

_SEPARATORS = "|;,/"
_SHARE = 0.05  # of the cells have to hold the separator


def separator_of(column: Column) -> str | None:
    """Return what separates several values in a cell, or None where cells seem to hold one.

    One in twenty cells has to hold the separator, and the parts have to be fewer than the cells
    that they make: whole sentences with commas are not lists.

    >>> separator_of(Column.of("tags", ["red|round", "red", "round", "blue|round", "blue|red"]))
    '|'
    >>> separator_of(Column.of("town", ["Bonn", "Rome"])) is None
    True
    """
    if column.categories is None:
        return None
    cells = [value for value in column.categories.tolist() if isinstance(value, str)]
    marks = [mark for mark in _SEPARATORS if any(mark in cell for cell in cells)]
    if not marks or len(cells) != len(column.categories):
        return None
    rows = np.bincount(column.values[~column.missing], minlength=len(cells))
    for mark in marks:
        parts = {part for cell in cells for part in _parts(cell, mark)}
        several = [mark in cell for cell in cells]
        if rows[several].sum() >= _SHARE * rows.sum() and len(parts) < len(cells):
            return mark
    return None


def split_labels(column: Column, separator: str | None, taken: Collection[str]) -> list[Column]:
    """Return one binary label for each value that occurs in a cell; an empty cell has none.

    ``taken`` are names of other labels: a value among them is called ``column=value``.

    >>> tags = Column.of("tags", ["red|round", None, "red"])
    >>> [(label.name, label.values.tolist()) for label in split_labels(tags, "|", ())]
    [('red', [1.0, 0.0, 1.0]), ('round', [1.0, 0.0, 0.0])]
    """
    if column.categories is None:
        raise DataError(f"column {shown(column.name)} holds numbers; leave it out of split=")
    mark = separator or separator_of(column)
    if mark is None:
        raise DataError(
            f"column {shown(column.name)} holds no |, ; , or / between several values; give the "
            "separator with split= (--split COLUMN=SEPARATOR)"
        )
    sets = [set(_parts(str(value), mark)) for value in column.categories]
    names = sorted(set().union(*sets))
    if len(names) > 1 << 14:
        raise DataError(
            f"column {shown(column.name)} has {len(names):,} distinct values between {shown(mark)};"
            " a list of labels has fewer; check the separator"
        )
    member = np.zeros((len(sets) + 1, len(names)))  # the last row is the empty cell
    position = {name: j for j, name in enumerate(names)}
    for row, held in enumerate(sets):
        member[row, [position[name] for name in held]] = 1
    called = [f"{column.name}={name}" if name in taken else name for name in names]
    return [Column(name, "numeric", member[column.values, j]) for j, name in enumerate(called)]


def _parts(cell: str, mark: str) -> list[str]:
    return [part for part in map(str.strip, cell.split(mark)) if part]
