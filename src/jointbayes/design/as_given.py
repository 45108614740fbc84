"""Rows as the user gave them, for a Pipeline, which reads them by itself.

A Pipeline of scikit-learn's may look for columns by name, read texts, or fill in what is missing:
it gets the user's own frame, array or sparse matrix. Labels, or opinions on them, that a model puts
beside the columns are appended to it, in a frame under the names of the labels.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from jointbayes.arrays import Floats
from jointbayes.design.design import Design, learn_design, learn_matrix
from jointbayes.errors import DataError
from jointbayes.labels import LabelSpace
from jointbayes.table import Table

__all__ = ["AsGiven", "GivenRows", "expect_labels", "learn_view", "readable", "with_numbers"]


@dataclass(frozen=True, eq=False)
class AsGiven:
    """Says that rows stay as they are; what compares rows has numbers of them all the same.

    Parameters
    ----------
    names
        Of all columns.
    inner
        How rows become numbers, where anything asks for them.

    Examples
    --------
    >>> rows = AsGiven(("x0",)).matrix(Table.of([["red"], ["blue"]]))
    >>> rows[[1]].readable().tolist()
    [['blue']]
    """

    names: tuple[str, ...]
    inner: Design | None = None
    direction: None = None

    def matrix(self, X: Any) -> GivenRows:
        """Return the rows of a Table or of a sparse matrix as they came."""
        if X.shape[1] != len(self.names):
            raise DataError(
                f"X has {X.shape[1]} features, but {len(self.names)} were there in fit; "
                "give the same columns"
            )
        return GivenRows(X)

    def numbers(self, X: Any) -> Any:
        """Return the rows as numbers."""
        assert self.inner is not None  # learned by those who ask
        return self.inner.numbers(X)

    def beside_numbers(self, X: Any, numbers: Any) -> GivenRows:
        """Return the rows, whose numbers are known, as they came."""
        del numbers
        return self.matrix(X)


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows as they came, with columns of labels beside them.

    Parameters
    ----------
    X
        A Table or a CSR matrix.
    expected
        What columns beside these rows are called, in order.
    added
        (n, m) the columns that are beside them.
    """

    X: Any
    expected: tuple[str, ...] = ()
    added: Floats | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.X.shape[0], self.X.shape[1] + (0 if self.added is None else self.added.shape[1])

    def __getitem__(self, index: Any) -> GivenRows:
        added = None if self.added is None else self.added[index]
        return replace(self, X=self.X[index], added=added)

    def beside(self, columns: Floats) -> GivenRows:
        """Return the rows with further columns to their right."""
        both = columns if self.added is None else np.hstack([self.added, columns])
        return replace(self, added=both)

    def readable(self) -> Any:
        """Return what a Pipeline reads: the user's frame, array or sparse matrix.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"size": [1, 2]})
        >>> GivenRows(Table.of(frame), ("happy",)).beside(np.eye(2)[:, :1]).readable()
           size  happy
        0     1    1.0
        1     2    0.0
        """
        X = self.X
        if isinstance(X, Table):
            X = X.to_pandas() if X.given is None else X.given.read()
        if self.added is None or not self.added.shape[1]:
            return X
        if sparse.issparse(X):
            return sparse.hstack([X, sparse.csr_array(self.added)], format="csr")
        if not hasattr(X, "columns"):
            return np.hstack([X, self.added.astype(X.dtype if X.dtype == object else float)])
        taken = set(map(str, X.columns))
        free = [name if name not in taken else f"{name} (label)" for name in self.expected]
        named = dict(zip(free, self.added.T, strict=False))
        return X.assign(**named) if hasattr(X, "assign") else _with_polars_columns(X, named)


def _with_polars_columns(frame: Any, named: dict[str, Floats]) -> Any:
    polars = sys.modules["polars"]
    return frame.with_columns([polars.Series(name, values) for name, values in named.items()])


def _reads_frames(estimator: Any) -> bool:
    """Say whether an estimator is a Pipeline, or searches over one.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.naive_bayes import GaussianNB
    >>> _reads_frames(make_pipeline(GaussianNB())), _reads_frames(GaussianNB())
    (True, False)
    """
    from sklearn.pipeline import Pipeline

    while not isinstance(estimator, Pipeline):
        estimator = getattr(estimator, "estimator", None)
        if estimator is None:
            return False
    return True


def expect_labels(matrix: Any, space: LabelSpace, order: Sequence[int] | None = None) -> Any:
    """Tell rows as they came what labels beside them are called; numbers need no names.

    >>> from jointbayes.labels import learn_labels
    >>> space = learn_labels(np.array([[0, 5], [1, 6], [1, 7]]))
    >>> expect_labels(GivenRows(Table.of([[1.5]])), space).expected
    ('y0', 'y1=5', 'y1=6', 'y1=7')
    """
    if not isinstance(matrix, GivenRows):
        return matrix
    space = space if order is None else space.take(order)
    names = [
        str(name) if len(values) == 2 else f"{name}={value}"
        for name, values in zip(space.names, space.classes, strict=True)
        for value in (values[1:] if len(values) == 2 else values).tolist()
    ]
    return replace(matrix, expected=tuple(names))


def learn_view(
    estimator: Any, X: Any, categorical_features: Any = "from_dtype"
) -> tuple[Design | AsGiven, Any]:
    """Return how rows become what an estimator sees, and these rows so."""
    if not _reads_frames(estimator):
        return learn_matrix(X, categorical_features)
    names = X.names if isinstance(X, Table) else tuple(f"x{j}" for j in range(X.shape[1]))
    design = AsGiven(names)
    return design, design.matrix(X)


def with_numbers(design: Design | AsGiven, X: Any, categorical_features: Any) -> Any:
    """Return a design that also makes numbers of rows."""
    if isinstance(design, Design):
        return design
    return replace(design, inner=learn_design(X, categorical_features))


def readable(matrix: Any) -> Any:
    """Return what a classifier reads: a matrix of numbers, or what a user gave."""
    if isinstance(matrix, GivenRows):
        return matrix.readable()
    # Rows as the user gave them are not to be written to, which some classifiers cannot bear.
    locked = isinstance(matrix, np.ndarray) and not matrix.flags.writeable
    return matrix.copy() if locked else matrix
