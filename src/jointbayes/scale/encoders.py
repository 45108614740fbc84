"""From a digest to the encoder that all rows would have given.

A weight of 2 is the row twice, in cuts as in counts. So the distinct values of a column, with their
classes and how often each occurs as weights, give the cuts and categories of all rows by the very
functions that learn from rows: there is no second set of rules.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.encoding import Encoder, learn_encoder
from jointbayes.encoding.learning import nominal_positions
from jointbayes.errors import CostError, DataWarning
from jointbayes.scale.column_digest import ColumnDigest
from jointbayes.scale.digest import Digest
from jointbayes.table import Column, Table
from jointbayes.table.column import as_objects, in_order

__all__ = ["categories_of", "encoder_of", "pooled_columns", "representative"]


def encoder_of(
    digest: Digest, discretizer: Any, categorical_features: Any, missing: str
) -> Encoder:
    """Return the encoder of all rows.

    >>> import pandas
    >>> from jointbayes.scale.batch import Part, read_batch
    >>> from jointbayes.scale.column_digest import Wanted
    >>> from jointbayes.scale.digest import digest_batch
    >>> frame = pandas.DataFrame({"x": [1, 2, 3, 10] * 9, "y": [0, 0, 0, 1] * 9})
    >>> digest = digest_batch(read_batch(Part(frame, "batch 0"), ["y"]), Wanted(("y",), "by class"))
    >>> encoder_of(digest, "mdl", "from_dtype", "value").variables[0].cuts.tolist()
    [6.5]
    """
    asked = nominal_positions(categorical_features, digest.names)
    if getattr(discretizer, "cuts_", None) is not None:  # the cuts are there already
        return learn_encoder(
            representative(digest, categorical_features),
            categorical_features=categorical_features,
            discretizer=discretizer,
            missing=missing,
        )
    _refuse_pooled(digest, asked or frozenset())
    by_class = digest.wanted.values == "by class"
    variables = []
    for j, column in enumerate(digest.columns):
        table, classes, weights = _entries(column, as_numbers=asked is not None and j not in asked)
        found = learn_encoder(
            table,
            classes if by_class else None,
            n_classes=len(digest.labels[0]) if by_class else None,
            categorical_features="from_dtype" if asked is None else [0] if j in asked else [],
            discretizer=discretizer,
            missing=missing,
            sample_weight=weights,
            n_jobs=1,
        )
        variables.append(found.variables[0])
    return Encoder(tuple(variables))


def pooled_columns(digest: Digest) -> dict[str, float]:
    """Return the columns whose numbers were pooled, and the largest share that was; warn of them.

    Such a column is cut as if every number were the largest of its pool.
    """
    found = {
        column.name: column.numbers.largest_pool
        for column in digest.columns
        if column.numbers is not None and not column.numbers.is_exact
    }
    if found:
        name, share = max(found.items(), key=lambda item: item[1])
        more = f", as {len(found) - 1} other columns do," if len(found) > 1 else ""
        warnings.warn(
            f"column {name!r} holds more distinct numbers than were kept{more} so neighbours were "
            f"pooled before it was cut, at most {share:.2g} of the rows in one pool; raise "
            "max_cells= to keep more",
            DataWarning,
            stacklevel=4,
        )
    return found


def representative(digest: Digest, categorical_features: Any) -> Table:
    """Return a few rows that hold all the categories, and the extremes of all the numbers.

    For whatever looks only at which values there are, and not at how often.
    """
    asked = nominal_positions(categorical_features, digest.names) or frozenset()
    _refuse_pooled(digest, asked)
    columns = [_distinct(column, j in asked) for j, column in enumerate(digest.columns)]
    n = max(map(len, columns))
    return Table(tuple(column[np.resize(np.arange(len(column)), n)] for column in columns))


def _distinct(column: ColumnDigest, nominal: bool) -> Column:  # noqa: FBT001  which of them
    if column.kind == "nominal":
        return _categories(column)
    found: Floats = np.concatenate([column.first, [column.largest, column.odd]])
    if column.numbers is not None:
        values = column.numbers.values
        found = np.append(found, values if nominal else values[:: max(1, len(values) - 1)])
    known = found[~np.isnan(found)]
    gone = [np.nan] if column.missing or not len(known) else []
    return Column(column.name, column.kind, np.append(known, gone))


def _refuse_pooled(digest: Digest, nominal: frozenset[int]) -> None:
    """Refuse categories that are numbers, of which there were too many to keep."""
    for j in nominal:
        numbers = digest.columns[j].numbers
        if numbers is not None and not numbers.is_exact:
            raise CostError(
                f"column {digest.names[j]!r} is named in categorical_features and has more "
                "distinct numbers than are kept; leave it out there, or raise max_cells="
            )


def _entries(column: ColumnDigest, *, as_numbers: bool) -> tuple[Table, Labels, Floats]:
    """Return a table of one column, and the class and the weight of every row of it."""
    if column.kind == "nominal" and (not as_numbers or column.numbers is None):
        whole = _categories(column)
        return Table((whole,)), np.zeros(len(whole), np.intp), np.ones(len(whole))
    assert column.numbers is not None
    at, classes = np.nonzero(column.numbers.counts)
    x, weights = column.numbers.values[at], column.numbers.counts[at, classes]
    if column.missing:
        x, classes, weights = np.append(x, np.nan), np.append(classes, 0), np.append(weights, 1.0)
    kind = "numeric" if column.kind == "nominal" else column.kind
    return Table((Column(column.name, kind, x),)), classes.astype(np.intp), weights


def categories_of(column: ColumnDigest) -> Column:
    """Return the categories of a column as its cells, in the order in which they were met."""
    known = as_objects(column.categories)
    codes = np.arange(len(known), dtype=np.int64)
    return Column(column.name, "nominal", codes, known, declared=column.declared)


def _categories(column: ColumnDigest) -> Column:
    known = as_objects(column.categories)
    if not column.declared:
        known = known[in_order(known)] if len(known) else known
    gone = [-1] if column.missing or not len(known) else []
    codes = np.array([*range(len(known)), *gone], dtype=np.int64)
    return Column(column.name, "nominal", codes, known, declared=column.declared)
