"""describe: what rows hold that need not fit in memory, in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from jointbayes.arrays import Values
from jointbayes.description import Summary, label_facts
from jointbayes.errors import DataError
from jointbayes.scale.batch import Batch, LabelCodes, Part, read_batch
from jointbayes.scale.column_digest import ColumnDigest, Wanted
from jointbayes.scale.digest import Digest, digest_batch, merge_digests
from jointbayes.scale.learning import pace_of, target_names
from jointbayes.scale.source import open_source
from jointbayes.table.column import as_objects
from jointbayes.validation.progress import ProgressKind

__all__ = ["describe"]

MOST_SETS = 1 << 22
"""Distinct label vectors beyond which the labels are not described."""


@dataclass(frozen=True, eq=False)
class _Described:
    """What is known of the columns of some rows, and how often each label vector is there."""

    columns: Digest
    vectors: Counter[tuple[Any, ...]]

    @property
    def rows(self) -> int:
        return self.columns.rows


def describe(
    source: Any, target: str | Sequence[str], *, progress: ProgressKind = "auto"
) -> Summary:
    """Count rows, features by kind, labels and missing values of rows that need not fit in memory.

    Parameters
    ----------
    source, target
        As in `fit`; what can be read only once will do.
    progress
        ``"auto"``, ``"bar"`` or ``"none"``.

    Returns
    -------
    Summary
        What `jointbayes.describe` says of all rows at once.

    Examples
    --------
    >>> import pandas
    >>> monday = pandas.DataFrame({"wind": [3, None], "dry": [1, 0], "wet": [0, 1]})
    >>> describe([monday, monday], ["dry", "wet"])
    Summary of data: 4 rows, 1 feature, 2 labels, multi-label
    """
    names = target_names(None, target)
    opened = open_source(source, passes=1, once="refuse", n_jobs=None)
    with opened as feed, pace_of(progress) as pace:
        look = partial(_look, targets=names)
        found: _Described = feed.reduce(look, _merge, lambda _: 1, pace("describing", None))
    vectors = list(found.vectors)
    Y = np.empty((len(vectors), len(names)), dtype=object)
    for j in range(len(names)):
        Y[:, j] = as_objects(vector[j] for vector in vectors)
    times = np.array([found.vectors[vector] for vector in vectors], dtype=np.int64)
    columns = found.columns.columns
    kinds = [column.kind for column in columns]
    return Summary(
        name="data",
        source="",
        rows=found.rows,
        rows_dropped=0,
        features={kind: kinds.count(kind) for kind in sorted(set(kinds))},
        binary_features=sum(map(_is_binary, columns)),
        nonzero=None,
        identifiers=(),
        missing_values=sum(column.missing for column in columns),
        **label_facts(Y[:, 0] if isinstance(target, str) else Y, names, times),
    )


def _look(part: Part, targets: tuple[str, ...]) -> _Described:
    batch = read_batch(part, targets)
    columns = digest_batch(Batch(batch.X, (), part.where), Wanted((), "none", extremes=True))
    return _Described(columns, _vectors(batch.labels))


def _merge(a: _Described, b: _Described) -> _Described:
    vectors = a.vectors + b.vectors
    if len(vectors) > MOST_SETS:
        raise DataError(
            f"the labels have more than {MOST_SETS:,} distinct vectors; name fewer columns as "
            "target"
        )
    return _Described(merge_digests(a.columns, b.columns), vectors)


def _vectors(labels: Sequence[LabelCodes]) -> Counter[tuple[Any, ...]]:
    """Count the label vectors of some rows; a missing label is None."""
    codes = np.stack([label.codes for label in labels], axis=1)
    distinct, times = np.unique(codes, axis=0, return_counts=True)
    values = [_with_none(label.values) for label in labels]
    rows = zip(*(v[c].tolist() for v, c in zip(values, distinct.T, strict=True)), strict=True)
    return Counter(dict(zip(rows, times.tolist(), strict=True)))


def _with_none(values: Values) -> Values:
    return as_objects([*values.tolist(), None])


def _is_binary(column: ColumnDigest) -> bool:
    """Whether numbers are 0 and 1 alone, and there are some."""
    return column.kind == "numeric" and len(column.first) > 0 and np.isnan(column.odd)
