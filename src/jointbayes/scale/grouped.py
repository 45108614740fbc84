"""Groups of rows that a database gives, as rows with weights: a column, its labels, how many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Values
from jointbayes.encoding.variable import as_numbers
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace
from jointbayes.scale.batch import LabelCodes, read_labels, read_rows
from jointbayes.scale.column_digest import ColumnDigest
from jointbayes.scale.database import COUNT, Database
from jointbayes.scale.knowledge import code_of
from jointbayes.scale.value_counts import ValueCounts
from jointbayes.table import Column

__all__ = ["Group", "LabelVectors", "coded", "digest_group", "group_by", "label_vectors"]


@dataclass(frozen=True, eq=False)
class LabelVectors:
    """The distinct label vectors of all rows.

    Parameters
    ----------
    names
        Of the labels.
    classes
        The distinct values of every label.
    space
        What their codes mean.
    vectors
        (S, d) codes, sorted.
    rows
        (S,) how many rows have each.
    """

    names: tuple[str, ...]
    classes: tuple[Values, ...]
    space: LabelSpace
    vectors: Labels
    rows: Floats

    @property
    def some_empty(self) -> bool:
        """Whether a row carries no label."""
        return not self.space.binary or bool((~self.vectors.any(axis=1)).any())

    def places(self, labels: Sequence[LabelCodes]) -> Labels:
        """Return which vector each row has."""
        codes = coded(labels, self.space)
        index = {tuple(vector): s for s, vector in enumerate(self.vectors.tolist())}
        try:
            return np.array([index[tuple(row)] for row in codes.tolist()], dtype=np.intp)
        except KeyError:
            raise DataError(
                "the database has labels that were not there before; the rows must not change "
                "while they are counted"
            ) from None


@dataclass(frozen=True, eq=False)
class Group:
    """The distinct cells of a column with the label vectors they met, and how many rows do."""

    column: Column
    of_vector: Labels
    rows: Floats


def label_vectors(
    database: Database, names: tuple[str, ...], most: int, space_of: Any
) -> LabelVectors:
    """Ask which label vectors there are; refuse missing labels."""
    found = database.groups(dict.fromkeys(names), most)
    labels = read_labels(found, names)
    for name, label in zip(names, labels, strict=True):
        if (label.codes < 0).any():
            raise DataError(
                f"label {name!r} is missing in some rows of the database; leave them out in the "
                "query, or give them a value of their own"
            )
    classes = tuple(label.values for label in labels)
    space = space_of(classes)
    codes, rows = coded(labels, space), _counts(found)
    order = np.lexsort(codes.T[::-1])
    return LabelVectors(names, classes, space, codes[order], rows[order])


def coded(labels: Sequence[LabelCodes], space: LabelSpace) -> Labels:
    """Return (n, d) codes of labels."""
    columns = [code_of(space, j, label.values)[label.codes] for j, label in enumerate(labels)]
    return np.stack(columns, axis=1)


def group_by(
    database: Database, name: str, known: LabelVectors | None, most: int, sql: str | None = None
) -> Group:
    """Group a column, or some SQL of that name, with the labels, or alone."""
    names = () if known is None else known.names
    found = database.groups({**dict.fromkeys(names), name: sql}, most)
    column = read_rows(database.part(found), [name]).columns[0]
    places: Labels = np.zeros(len(column), dtype=np.intp)
    if known is not None:
        places = known.places(read_labels(found, names))
    return Group(column, places, _counts(found))


def digest_group(group: Group, classes: Labels, n_classes: int, where: str) -> ColumnDigest:
    """Return what is known of a column; ``classes`` says which class each label vector is."""
    column, n, y = group.column, group.rows, classes[group.of_vector]
    gone = int(n[column.missing].sum())
    met, categories = None, ()
    if column.categories is not None:
        categories = tuple(column.categories.tolist())
        met = _table(column.values, y, n, (len(categories), n_classes))
    numbers, x = None, as_numbers(column)
    if x is not None:
        values, place = np.unique(x[~np.isnan(x)] + 0.0, return_inverse=True)
        at = np.full(len(x), -1)
        at[~np.isnan(x)] = place
        numbers = ValueCounts(values, _table(at, y, n, (len(values), n_classes)))
    return ColumnDigest(
        column.name,
        column.kind if column.categories is None else "nominal",
        column.declared,
        where,
        gone,
        categories,
        met,
        numbers,
        np.zeros(0) if numbers is None else numbers.values[:: max(1, len(numbers.values) - 1)],
    )


def _table(codes: Values, y: Labels, n: Floats, shape: tuple[int, int]) -> Floats:
    """Return how many rows have each code, −1 left out, and class."""
    known = codes >= 0
    table = np.zeros(shape)
    np.add.at(table, (codes[known].astype(np.intp), y[known]), n[known])
    return table


def _counts(found: Any) -> Floats:
    return np.asarray(found.column(COUNT).to_numpy(), dtype=np.float64)
