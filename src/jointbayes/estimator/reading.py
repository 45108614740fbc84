"""The front door: rows, labels, weights and names of every estimator, read in one place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from jointbayes.arrays import Floats, Labels, Values, Weights
from jointbayes.errors import DataError
from jointbayes.estimator.weights import read_weights
from jointbayes.labels import LabelSpace
from jointbayes.labels.columns import split_columns
from jointbayes.labels.known import KnownLabels, hide_labels, known_labels
from jointbayes.table import Table
from jointbayes.table.column import plain_values, position_names
from jointbayes.table.number_table import NumberTable, table_to_ask
from jointbayes.table.table import named_by_itself

__all__ = ["Labelled", "read_columns", "read_labelled"]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with their labels, as models learn from them.

    Parameters
    ----------
    X
        A Table or a CSR matrix.
    codes
        (n, d) codes of the labels, −1 where one is not known.
    space
        What they mean.
    weights
        (n,) how often each row counts, all positive; None for once.
    entries
        (n, d) how often each label of each row counts, all positive; None for as often as the row.
    """

    X: Any
    codes: Labels
    space: LabelSpace
    weights: Weights = None
    entries: Floats | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, index: Labels) -> Labelled:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[index]
        entries = None if self.entries is None else self.entries[index]
        return Labelled(self.X[index], self.codes[index], self.space, weights, entries)

    def weights_of(self, label: int) -> Weights:
        """Return (n,) how often each row counts for a label; None for once."""
        return self.weights if self.entries is None else self.entries[:, label]

    @property
    def complete(self) -> bool:
        """Whether every label of every row is known."""
        return not self.codes.size or bool(self.codes.min() >= 0)


def read_labelled(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    space_of: Callable[[Any], LabelSpace],
    *,
    reset: bool,
    unknown: str = "refuse",
    weighed: str = "rows",
) -> Labelled:
    """Read labelled rows for a model, without the rows that weigh nothing, labels and all.

    Parameters
    ----------
    model
        The estimator; ``reset``: it gets to know the columns now, else it knows them.
    X, y, sample_weight
        As given to ``fit``.
    space_of
        Makes the label space of labels, or returns the one that is known.
    unknown
        "learn": a missing label is not known; "refuse": it is refused.
    weighed
        "rows": a row has one weight; "entries": its labels may have one each.
    """
    if y is None and _is_dataset(X):
        X, y = X.X, X.Y
    if y is None:
        raise DataError(
            f"This {type(model).__name__} estimator requires y to be passed, but the target y is "
            "None"
        )
    columns = read_columns(model, X, reset=reset)
    check_no_sets(y)
    y = y if unknown == "refuse" else known_labels(y)
    y = _check_labels(model, columns, y)
    shape = np.asarray(sample_weight).shape
    if len(shape) == 2 and weighed == "rows":
        raise DataError(
            f"sample_weight has {shape[1]} columns, and a batch takes one weight "
            "for each row; give that, or fit to all rows at once"
        )
    weights = read_weights(sample_weight, columns, len(split_columns(y)[0]))
    if weights.rows is not None and not weights.rows.all():
        kept = np.flatnonzero(weights.rows)
        columns, weights = columns[kept], weights.take(kept)
        y = y[kept] if isinstance(y, Table | KnownLabels) else _safe_indexing(y, kept)
    y = y if weights.hidden is None else hide_labels(y, weights.hidden)
    space = space_of(y)
    codes = space.encode(y)
    if isinstance(y, KnownLabels):
        codes = np.where(y.known, codes, -1)
    some_empty = not space.binary or bool((~codes.any(axis=1)).any())
    space = replace(space, allows_empty=some_empty)
    return Labelled(columns, codes, space, weights.rows, weights.entries)


def _is_dataset(X: Any) -> bool:
    """Whether X is a `Dataset`, which nobody can have without the module that makes them."""
    made_in = sys.modules.get("jointbayes.datasets.dataset")
    return made_in is not None and isinstance(X, made_in.Dataset)


def read_columns(model: Any, X: Any, *, reset: bool) -> Any:
    """Return a CSR matrix or a Table with the columns that ``model`` knows, or now gets to know."""
    framed = type(X).__name__ == "DataFrame"  # of which to ask for an attribute takes its time
    if not framed and hasattr(X, "tocsr"):
        table = X.tocsr()
    elif reset:
        table = Table.of(X)
    else:
        table = table_to_ask(X, getattr(model, "feature_names_in_", None))
    given_plainly = framed or type(table) is NumberTable
    X = X if given_plainly or not named_by_itself(X) else table
    if reset or not (isinstance(X, Table) or _surely_known(model, X, table)):
        validate_data(model, X, reset=reset, skip_check_array=True)
    if isinstance(X, Table):
        _check_table_names(model, X, reset=reset)
    return table


def _surely_known(model: Any, X: Any, table: Any) -> bool:
    """Whether X plainly has the columns of fit, so that scikit-learn has nothing to say to it."""
    names = getattr(model, "feature_names_in_", None)
    if type(X) is np.ndarray:
        return names is None and X.ndim == 2 and X.shape[1] == model.n_features_in_
    pandas = sys.modules.get("pandas")
    if pandas is None or type(X) is not pandas.DataFrame or names is None:
        return False
    told = table.names if isinstance(table, NumberTable) else X.columns.tolist()
    return bool(list(told) == names.tolist())


def _check_table_names(model: Any, table: Table, *, reset: bool) -> None:
    """Hold a Table to its names, as scikit-learn holds a frame to its own."""
    if reset:
        model.feature_names_in_ = np.array(table.names, dtype=object)
        return
    known = getattr(model, "feature_names_in_", None)
    known = position_names(model.n_features_in_) if known is None else known
    if table.names != tuple(known):
        odd = next((a for a, b in zip(table.names, known, strict=False) if a != b), None)
        raise DataError(
            f"X has {table.shape[1]} columns and the model knows {len(known)}"
            if odd is None
            else f"column {odd!r} is not where it was in fit; give {', '.join(known[:8])}, …"
        )


def _check_labels(model: Any, X: Any, y: Any) -> Any:
    """Return labels of as many rows as X has; refuse what is not classes at all."""
    if model._targets == "one":
        y = _one_column(model, y)
    check_consistent_length(X, y)
    columns = _plain_columns(y)
    if not columns:
        raise DataError("y has no columns; give at least one class variable")
    for column in columns:
        _check_label_column(column, model._targets)
    return y


def _one_column(model: Any, y: Any) -> Any:
    if isinstance(y, Table):
        y = y.columns[0].decoded() if y.shape[1] == 1 else np.asarray(y)
    y = plain_values(y) if isinstance(y, list | tuple) else y  # in which 1 beside "a" stays 1
    if getattr(y, "ndim", 0) == 1 and hasattr(y, "name"):  # a Series, whose name is the label's
        return y
    shape = getattr(y, "shape", None) or np.shape(np.asarray(y))
    if len(shape) == 2 and shape[1] != 1:
        raise DataError(
            f"y should be a 1d array, and has {shape[1]} columns: {type(model).__name__} learns "
            "one class variable; give one column, or take a model of several, such as CTBN"
        )
    return column_or_1d(y, warn=True)


def _plain_columns(y: Any) -> list[Values]:
    if isinstance(y, KnownLabels):
        return list(y.columns)
    if isinstance(y, Table):
        return [column.values for column in y.columns]
    dense = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    return [dense] if dense.ndim == 1 else list(dense.T)


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


def _check_label_column(y: Values, targets: str) -> None:
    """Refuse numbers that are not labels; other kinds are left to the label space."""
    if y.dtype.kind != "f":
        return
    bad = ~np.isfinite(y)
    if bad.any():
        row = int(bad.argmax())
        some = targets == "several" and np.isnan(y[row])
        way_out = ', or learn from what is known: unknown="learn"' if some else ""
        raise DataError(
            f"Input y contains NaN or infinity: {y[row]} in row {row}; drop such rows{way_out}"
        )
    broken = y != np.round(y)
    if broken.any():  # "Unknown label type" is what scikit-learn's checks look for
        row = int(broken.argmax())
        raise DataError(
            f"Unknown label type: continuous: y is {y[row]} in row {row}, and labels are classes; "
            "cut numbers into ranges first (pandas.cut does)"
        )
