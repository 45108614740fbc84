"""What the joint model of a layer sees of a row: log-odds of labels, and the row's own columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from jointbayes.encoding.learning import nominal_positions
from jointbayes.table import Table
from jointbayes.table.column import position_names

__all__ = ["beside_odds", "nominal_beside"]


def beside_odds(odds: Table, X: Any) -> Any:
    """Return log-odds of labels with the columns of a Table or CSR matrix to their right.

    >>> beside_odds(Table.of([[0.5]]), Table.of([["red", 7]])).names
    ('label x0', 'row x0', 'row x1')
    """
    if not isinstance(X, Table):
        return sparse.hstack([sparse.csr_array(np.asarray(odds)), X], format="csr")
    named = [replace(column, name=f"label {column.name}") for column in odds.columns]
    named += [replace(column, name=f"row {column.name}") for column in X.columns]
    return Table(tuple(named))


def nominal_beside(n_odds: int, X: Any, categorical_features: Any) -> Any:
    """Return which columns are nominal once so many of log-odds stand before those of the row.

    >>> nominal_beside(3, Table.of([["red", 7]]), ["x1"])
    [4]
    """
    names = X.names if isinstance(X, Table) else position_names(X.shape[1])
    asked = nominal_positions(categorical_features, tuple(names))
    return "from_dtype" if asked is None else [n_odds + j for j in sorted(asked)]
