"""What estimators do with their arguments before anything is learned: rows, weights, tags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from jointbayes.errors import DataError
from jointbayes.table import Table

__all__ = ["accept_tables", "check_label_column", "check_no_sets", "read_columns", "read_weights"]


def read_columns(model: Any, X: Any, *, reset: bool) -> Any:
    """Return a CSR matrix or a Table with the columns that ``model`` knows, or now gets to know."""
    table = X.tocsr() if hasattr(X, "tocsr") else Table.of(X)
    if reset or not isinstance(X, Table):
        validate_data(model, X, reset=reset, skip_check_array=True)
    if isinstance(X, Table):
        _check_table_names(model, X, reset=reset)
    return table


def _check_table_names(model: Any, table: Table, *, reset: bool) -> None:
    """Hold a Table to its names, as scikit-learn holds a frame to its own."""
    if reset:
        model.feature_names_in_ = np.array(table.names, dtype=object)
        return
    known = getattr(
        model, "feature_names_in_", np.array([f"x{j}" for j in range(model.n_features_in_)])
    )
    if table.names != tuple(known):
        odd = next((a for a, b in zip(table.names, known, strict=False) if a != b), None)
        raise DataError(
            f"X has {table.shape[1]} columns and the model knows {len(known)}"
            if odd is None
            else f"column {odd!r} is not where it was in fit; give {', '.join(known[:8])}, …"
        )


def read_weights(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Return (n,) weights, not negative and not all zero, or None for none."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not (weights > 0).any():
        raise DataError("sample_weight is zero for every row; at least one row has to count")
    return np.asarray(weights)


def check_no_sets(y: Any) -> None:
    """Refuse labels that come as sets, or as lists of any length: a matrix says which are absent.

    >>> check_no_sets([["dog"], ["dog", "fox"]])
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: y holds a list of labels in row 0, ['dog']; give a matrix with \
    one column for each label: jointbayes.labels.from_sets(y)[0]
    """
    nested = isinstance(y, list | tuple)
    if not nested and (getattr(y, "ndim", 0) != 1 or y.dtype != object):
        return
    even = nested and len({len(row) for row in y if isinstance(row, list | tuple)}) < 2
    kinds = (set, frozenset) if even else (set, frozenset, list, tuple)  # even: rows of a matrix
    for i, row in enumerate(y):
        if isinstance(row, kinds):
            raise DataError(
                f"y holds a {type(row).__name__} of labels in row {i}, {row!r}; give a matrix with "
                "one column for each label: jointbayes.labels.from_sets(y)[0]"
            )


def check_label_column(y: NDArray[Any]) -> None:
    """Refuse numbers that are no labels; other kinds are left to the label space."""
    if y.dtype.kind != "f":
        return
    bad = ~np.isfinite(y)
    if bad.any():
        row = int(bad.argmax())
        raise DataError(f"Input y contains NaN or infinity: {y[row]} in row {row}; drop such rows")
    check_classification_targets(y)


def accept_tables(tags: Any) -> Any:
    """Say in scikit-learn's tags that mixed, missing, nominal and sparse columns are welcome."""
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.input_tags.sparse = True
    return tags
