"""Cautions: what makes a fit too good to be true, said once and briefly.

An identifier, which is another value on every row, a label that is also a column of X, and labels
that never change are all legal, and hardly ever meant.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from jointbayes.errors import DataWarning
from jointbayes.estimator.reading import Labelled
from jointbayes.table import Column, Table

__all__ = ["warn_of"]

FEW_ROWS = 20
"""Rows below which no two values being alike says nothing."""


def warn_of(rows: Labelled) -> None:
    """Warn of labelled rows that will teach a model the wrong thing.

    >>> import pytest
    >>> from jointbayes import NaiveBayes
    >>> plates = [[f"B-XY {i}"] for i in range(50)]
    >>> with pytest.warns(DataWarning, match="column 'x0' has another value on every row"):
    ...     _ = NaiveBayes().fit(plates, ["paid", "open"] * 25)
    """
    found = list(_cautions(rows))
    if found:
        warnings.warn("; ".join(found), DataWarning, stacklevel=3)


def _cautions(rows: Labelled) -> Iterator[str]:
    if isinstance(rows.X, Table):
        for column in rows.X.columns:
            if _is_identifier(column):
                yield (
                    f"column {column.name!r} has another value on every row, so it tells nothing "
                    "about new ones: leave it out"
                )
        for name in (name for name in rows.space.names if name in rows.X.names):
            yield f"{name!r} is a label and also a column of X: leave it out of X"
    for name, values in zip(rows.space.names, rows.space.classes, strict=True):
        if len(values) >= max(FEW_ROWS, len(rows) / 2):
            yield (
                f"label {str(name)!r} has {len(values):,} values in {len(rows):,} rows: if it is a "
                "number, cut it into ranges first"
            )
    if len(rows) >= FEW_ROWS and (rows.codes == rows.codes[0]).all():
        value = rows.space.decode(rows.codes[:1])[0].tolist()
        yield f"all rows have the same labels, {value}, so there is nothing to learn"


def _is_identifier(column: Column) -> bool:
    """Say whether a column of categories that were not declared has no value twice."""
    if column.categories is None or column.declared or len(column.values) < FEW_ROWS:
        return False
    return len(column.categories) == len(column.values) == len(np.unique(column.values))
