"""The labels of a file: which columns they are, and what becomes of their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.datasets.contents import Contents
from jointbayes.datasets.notes import Note
from jointbayes.datasets.recast import whole_numbers
from jointbayes.datasets.roles import Which, default_target, is_missing_label, positions
from jointbayes.datasets.splitting import separator_of, split_labels
from jointbayes.errors import ParameterError
from jointbayes.table import Column
from jointbayes.table.wording import listed, shown

__all__ = [
    "drop_unlabelled",
    "find_labels",
    "missing_notes",
    "split_cells",
    "with_positives",
]


def find_labels(
    contents: Contents, target: Which | None, lists: Mapping[int, Any]
) -> tuple[list[int], tuple[Note, ...]]:
    """Return the positions of the labels, and a note where nobody said which they are."""
    names = contents.table.names
    if contents.labels_apart is not None:
        if target not in (None, "none") or lists:
            raise ParameterError(
                "target cannot be chosen: the labels of svmlight files stand apart"
            )
        return [], ()
    if target == "none" and "none" not in names:
        return [], ()
    if target is not None:
        return list(dict.fromkeys([*positions("target", target, names), *lists])), ()
    if lists or contents.labels:
        return list(dict.fromkeys([*(contents.labels or ()), *lists])), ()
    found = default_target(names)
    if names[found[0]].lower() == "class":
        return found, ()
    otherwise = "other columns: target= (--target)"
    return found, (Note("taken as the label", (names[found[0]],), "the last column", otherwise),)


def split_cells(
    columns: Sequence[Column], lists: Mapping[str, str | None]
) -> tuple[list[Column], tuple[Note, ...]]:
    """Return the label columns with lists of labels taken apart; notes tell where some may be."""
    whole = {column.name for column in columns if column.name not in lists}
    out: list[Column] = []
    for column in columns:
        if column.name in lists:
            taken = whole | {other.name for other in out}
            out += split_labels(column, lists[column.name], taken)
        else:
            out.append(column)
    several = [c.name for c in columns if c.name in whole and separator_of(c) is not None]
    note = Note(
        "read as one value",
        tuple(several),
        "cells seem to hold several: --split",
        "one label for each: split=",
    )
    return out, (note,) if several else ()


def with_positives(columns: Sequence[Column], positive: Mapping[int, Any]) -> list[Column]:
    """Return the label columns; those named by position are 1 for their value and 0 for others.

    A label that is not known stays so. Values go by what they look like: "1" is the number 1.

    >>> loan = Column.of("loan", ["approved", "rejected", None])
    >>> with_positives([loan], {0: "approved"})[0].values.tolist()
    [1.0, 0.0, nan]
    """
    out = list(columns)
    for j, value in positive.items():
        column = columns[j]
        values = np.array(column.values, dtype=np.float64)
        known = column.categories
        if known is None:
            known = np.unique(whole_numbers(values[~column.missing]))
        same = [k for k, one in enumerate(known.tolist()) if one == value or str(one) == str(value)]
        if value is None or not same:
            raise ParameterError(
                f"positive names the value {shown(value)} of label {shown(column.name)}, which "
                f"holds {listed(sorted(map(str, known)))}; give one of these as label=value"
            )
        meant = same[0] if column.is_coded else known[same[0]]
        found = np.where(column.missing, np.nan, values == meant)
        out[j] = Column(column.name, "numeric", found)
    return out


def missing_notes(Y: NDArray[Any], label_names: tuple[str, ...]) -> tuple[Note, ...]:
    """Return a note on labels that are not known in some rows.

    >>> print(*missing_notes(np.array([1, np.nan]), ("wet",)))
    not known: wet (1 row; --missing-labels drop leaves it out)
    """
    missing = is_missing_label(Y.reshape(len(Y), -1))
    if not missing.any():
        return ()
    rows = int(missing.any(axis=1).sum())
    what = f"{rows:,} rows; --missing-labels drop leaves them out"
    what = what if rows > 1 else "1 row; --missing-labels drop leaves it out"
    lacking = tuple(label_names[j] for j in np.flatnonzero(missing.any(axis=0)))
    return (Note("not known", lacking, what, "missing_labels='drop'"),)


def drop_unlabelled(X: Any, Y: NDArray[Any], missing_labels: str) -> tuple[Any, NDArray[Any], int]:
    """Return rows and labels without those that lack a label, if asked, and how many went."""
    if missing_labels not in ("keep", "drop"):
        raise ParameterError(
            f"missing_labels={missing_labels!r} is not known; choose 'keep' or 'drop'"
        )
    if missing_labels == "keep":
        return X, Y, 0
    gone = is_missing_label(Y)
    known = ~(gone if gone.ndim == 1 else gone.any(axis=1))
    if known.all():
        return X, Y, 0
    return X[known], Y[known], int((~known).sum())
