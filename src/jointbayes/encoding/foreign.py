"""Somebody else's transformer from numbers to codes, in front of the encoder.

What it gives for a column is taken as categories: the numbers it gave in ``fit`` are the values. It
never sees a missing number; those stay missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from jointbayes.arrays import Floats
from jointbayes.encoding.variable import checked_numbers
from jointbayes.errors import DataError, ParameterError
from jointbayes.table import Column, Table

__all__ = ["Front", "learn_front"]


@dataclass(frozen=True, eq=False)
class Front:
    """Fitted transformers, each with the positions of the columns it takes and gives."""

    parts: tuple[tuple[Any, tuple[int, ...]], ...]

    def apply(self, table: Table) -> Table:
        """Return the table with numbers replaced by what the transformers make of them."""
        columns = list(table.columns)
        for transformer, where in self.parts:
            given = _transformed(transformer, [columns[j] for j in where])
            for j, values in zip(where, given, strict=True):
                columns[j] = Column(columns[j].name, "numeric", values)
        return Table(tuple(columns))


def learn_front(
    transformer: Any, table: Table, where: list[int], target: Any, weights: Floats | None
) -> Front:
    """Take a fitted transformer as it is; fit a clone of any other to each column alone."""
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        parts = [(_fitted(transformer, table.columns[j], target, weights), (j,)) for j in where]
        return Front(tuple((fitted, j) for fitted, j in parts if fitted is not None))
    wanted = getattr(transformer, "n_features_in_", len(where))
    if wanted != len(where):
        raise ParameterError(
            f"discretizer was fitted on {wanted} columns; X has {len(where)} numeric ones"
        )
    return Front(((transformer, tuple(where)),))


def _fitted(transformer: Any, column: Column, target: Any, weights: Floats | None) -> Any:
    known = ~column.missing
    if not known.any():
        return None
    options = {}
    if weights is not None:
        if not has_fit_parameter(transformer, "sample_weight"):
            raise ParameterError(
                f"discretizer {type(transformer).__name__} takes no sample_weight in fit; "
                "choose another one or leave the weights out"
            )
        options["sample_weight"] = weights[known]
    y = None if target is None else target[known]
    return clone(transformer).fit(column.values[known][:, None], y, **options)


def _transformed(transformer: Any, columns: list[Column]) -> Floats:
    missing = np.column_stack([column.missing for column in columns])
    filled = np.column_stack([checked_numbers(column, column.kind) for column in columns])
    filled[missing] = 0.0
    X: Any = filled
    if hasattr(transformer, "feature_names_in_"):
        named = zip(columns, filled.T, strict=True)
        X = Table(tuple(Column(column.name, "numeric", x) for column, x in named)).to_pandas()
    out = transformer.transform(X)
    if np.shape(out) != filled.shape or hasattr(out, "toarray"):
        raise DataError(
            f"discretizer {type(transformer).__name__} gave {np.shape(out)[-1]} columns "
            f"for {len(columns)}; it has to give one column of codes for each (encode='ordinal')"
        )
    codes = np.array(out, dtype=np.float64)
    codes[missing] = np.nan
    return codes.T
