"""Digest: what an encoder is learned from, instead of the rows. Those of two batches merge.

Of every column a `ColumnDigest`; of every label its distinct values, and how many rows have each
value of the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jointbayes.arrays import Ints, Labels, Values
from jointbayes.errors import DataError
from jointbayes.models.naibx.kinds import WORDS
from jointbayes.scale.batch import Batch
from jointbayes.scale.column_digest import (
    MOST_CATEGORIES,
    ColumnDigest,
    RowClasses,
    Wanted,
    digest_column,
    merge_columns,
    too_many,
)
from jointbayes.table.column import as_objects, factorize
from jointbayes.table.wording import listed, shown

__all__ = ["Digest", "digest_batch", "merge_digests"]


@dataclass(frozen=True, eq=False)
class Digest:
    """What is known of some rows.

    ``sizes`` are the rows of every class that is counted: one for all, or those of the first label.
    """

    wanted: Wanted
    rows: int
    columns: tuple[ColumnDigest, ...]
    labels: tuple[Values, ...]
    sizes: Ints
    where: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def cells_each(self) -> int:
        """Cells of the counts of one column."""
        return self.wanted.cells // max(1, len(self.columns))


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
    classes = RowClasses(y, sizes, cells, many=wanted.extremes and len(batch.X.columns) >= WORDS)
    columns = tuple(
        digest_column(column, batch.where, wanted, classes) for column in batch.X.columns
    )
    labels = tuple(label.values for label in batch.labels)
    return Digest(wanted, len(batch), columns, labels, sizes, batch.where)


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
        merge_columns(column, theirs[column.name], places, n_classes, a.cells_each)
        for column in a.columns
    )
    sizes = np.zeros(n_classes, dtype=np.int64)
    for side, where in zip((a, b), places, strict=True):
        sizes[where] += side.sizes
    return Digest(a.wanted, a.rows + b.rows, columns, labels, sizes, a.where)


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
        raise too_many(name)
    return np.union1d(a, b)


def _label_kind(values: Values) -> str:
    if not len(values):
        return "nothing"
    if values.dtype.kind == "b" or all(isinstance(v, bool) for v in values.tolist()):
        return "true and false"
    return "numbers" if values.dtype.kind in "iuf" else "text"
