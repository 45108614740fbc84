"""Which columns are labels, which only name the rows, and how labels become Y.

Columns are named or counted from 0, negative numbers from the end, as everywhere in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.datasets.recast import whole_numbers
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Column
from jointbayes.table.column import is_missing
from jointbayes.table.wording import listed, shown

__all__ = [
    "FEWEST_ROWS",
    "Which",
    "default_target",
    "is_missing_label",
    "label_values",
    "may_name_rows",
    "names_rows",
    "positions",
]

Which = str | int | Sequence[str | int]

FEWEST_ROWS = 10  # in fewer rows, distinct values say little
_DISTINCT = 0.95
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # that 64 bits hold


def positions(parameter: str, which: Which, names: tuple[str, ...]) -> list[int]:
    """Return the positions of columns given by name or number.

    What is not a name may be a number in text, a list ``"3,sky"``, or a range as the command line
    gives them: of numbers without the last one, ``"3:7"`` or ``"-5:"``, of names with it.

    >>> positions("target", ["sky", -1], ("rain", "sky", "wind"))
    [1, 2]
    >>> positions("target", "0:2", ("rain", "sky", "wind"))
    [0, 1]
    >>> positions("target", "sky:wind", ("rain", "sky", "wind"))
    [1, 2]
    """
    given = [which] if isinstance(which, (str, int, np.integer)) else list(which)
    index = {name: j for j, name in enumerate(names)} if given else {}
    found: list[int] = []
    for one in given:
        if isinstance(one, str):
            found += _named(parameter, one, index)
        elif isinstance(one, (int, np.integer)) and -len(names) <= one < len(names):
            found.append(int(one) % len(names))
        else:
            raise ParameterError(
                f"{parameter} holds {shown(one)}; give names or numbers from 0 to {len(names) - 1}"
            )
    return list(dict.fromkeys(found))


def _named(parameter: str, text: str, index: dict[str, int]) -> Iterable[int]:
    if text in index:
        return [index[text]]
    if _NUMBER.fullmatch(text):
        return positions(parameter, int(text), tuple(index))
    if (found := _between(text, index)) is not None:
        return found
    if "," in text:
        return positions(parameter, [part.strip() for part in text.split(",")], tuple(index))
    near = get_close_matches(text, index, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(shown, near))}?" if near else f"it has {listed(index)}"
    raise ParameterError(f"{parameter} names the column {shown(text)}, which is not there; {hint}")


def _between(text: str, index: dict[str, int]) -> Iterable[int] | None:
    """Return a range of columns: numbers without the last one, names with it."""
    for at in (found.start() for found in re.finditer(":", text)):
        first, last = text[:at], text[at + 1 :]
        if not all(_NUMBER.fullmatch(end) or end in index for end in (first, last) if end):
            continue
        begin = index[first] if first in index else int(first) if first else None
        end = index[last] + 1 if last in index else int(last) if last else None
        return range(len(index))[slice(begin, end)]
    return None


def default_target(names: tuple[str, ...]) -> list[int]:
    """Return the column named class, in any case, else the last one.

    >>> default_target(("Class", "width")), default_target(("width", "height"))
    ([0], [1])
    """
    called = [j for j, name in enumerate(names) if name.lower() == "class"]
    return [called[-1] if called else len(names) - 1]


def names_rows(column: Column) -> bool:
    """Whether a nominal or string column is an identifier: (nearly) no value occurs twice.

    >>> names_rows(Column.of("plate", [f"B-{k}" for k in range(20)]))
    True
    >>> names_rows(Column.of("town", ["Bonn", "Rome"] * 10))
    False
    """
    if column.categories is None:
        return False
    known = len(column) - int(column.missing.sum())
    if known < (2 if column.kind == "string" else FEWEST_ROWS):
        return False
    if not may_name_rows(len(column.categories), known):
        return False
    seen = np.bincount(column.values[~column.missing])
    return may_name_rows(int((seen > 0).sum()), known)


def may_name_rows(values: int, rows: int) -> bool:
    """Whether there are enough distinct values for (nearly) every row to have its own.

    >>> may_name_rows(96, 100), may_name_rows(94, 100)
    (True, False)
    """
    return values >= _DISTINCT * rows


def label_values(columns: Sequence[Column]) -> NDArray[Any]:
    """Return Y: 1-D for one column, else 2-D; in whole numbers where all values are.

    >>> grade = Column("grade", "nominal", np.array([1, 0, -1]), np.array(["1", "2"], dtype=object))
    >>> label_values([grade]).tolist()
    [2.0, 1.0, nan]
    >>> wet = Column("wet", "numeric", np.array([0.0, 1.0, 1.0]))
    >>> label_values([wet, wet]).tolist()
    [[0, 0], [1, 1], [1, 1]]
    """
    values = [_plain(column) for column in columns]
    if len(values) == 1:
        return values[0]
    if not values:
        raise ParameterError("target names no column; give one at least")
    kinds = {v.dtype.kind for v in values}
    if kinds <= {"i", "f"} or len(kinds) == 1:
        return np.stack(values).T
    out = np.empty((len(values[0]), len(values)), dtype=object)
    for j, column in enumerate(values):
        out[:, j] = column.tolist()
    return out


def is_missing_label(Y: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a label is not known, in the shape of ``Y``.

    >>> is_missing_label(np.array([["a", None], ["b", "c"]], dtype=object)).tolist()
    [[False, True], [False, False]]
    """
    if Y.dtype.kind == "O":
        return np.array([is_missing(v) for v in Y.ravel()], dtype=bool).reshape(Y.shape)
    return np.isnan(Y) if Y.dtype.kind == "f" else np.zeros(Y.shape, dtype=bool)


def _plain(column: Column) -> NDArray[Any]:
    """Return a column's values: integers, floats (NaN = missing), strings, or objects with None."""
    if column.kind == "date":
        raise DataError(
            f"column {shown(column.name)} is a date, which is not a label; "
            "name another with target="
        )
    if column.categories is None:
        return whole_numbers(column.values)
    categories = column.categories
    if len(categories) and all(isinstance(v, str) and _WHOLE.fullmatch(v) for v in categories):
        categories = categories.astype(np.int64)
    elif len(categories) and all(isinstance(v, str) for v in categories):
        categories = categories.astype(str)
    else:
        categories = np.array(categories.tolist())
    if not (column.values < 0).any():
        return categories[column.values]
    if categories.dtype.kind in "if":
        return np.append(categories.astype(float), np.nan)[column.values]
    return column.decoded()
