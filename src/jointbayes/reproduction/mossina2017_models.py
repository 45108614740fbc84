"""What the tables of Mossina & Rachelson (2017) need and no model is: NBX_TrueM, SVMs, seen rows.

NBX_TrueM is told how many labels a test row has, so the data set carries that number as its last
column (`with_sizes`), which `TrueSizes` takes off again. The support vector machines of the paper
answer yes or no.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from jointbayes.arrays import Labels
from jointbayes.datasets import Dataset
from jointbayes.labels import learn_labels
from jointbayes.models.naibx.naibx import NaiBX
from jointbayes.table import Column, Table

__all__ = ["SeenRows", "TrueSizes", "YesNoSVM", "with_sizes"]


@dataclass(frozen=True)
class SeenRows:
    """No split at all: the rows that are asked about are those that were learned.

    >>> [(train.tolist(), test.tolist()) for train, test in SeenRows().split([[0], [1]])]
    [([0, 1], [0, 1])]
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002  scikit-learn's signature
        """Return how many pairs `split` makes."""
        return 1

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Labels, Labels]]:  # noqa: ARG002  scikit-learn's signature
        """Yield all rows, twice."""
        rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        yield rows, rows

    def __str__(self) -> str:
        return "the rows that were learned"


def with_sizes(dataset: Dataset) -> Dataset:
    """Return the data with one column more: how many labels each row has.

    >>> X = Table.of([[0.5], [0.7]])
    >>> told = with_sizes(Dataset("d", X, np.array([[1, 1], [0, 1]]), ("a", "b"), X.names))
    >>> told.feature_names, told.X.columns[-1].values.tolist()
    (('x0', 'number of labels'), [2.0, 1.0])
    """
    X, name = dataset.X, "number of labels"
    sizes = learn_labels(dataset.Y).encode(dataset.Y).sum(axis=1).astype(np.float64)
    if isinstance(X, Table):
        X = Table((*X.columns, Column.of(name, sizes)))
    else:
        X = sparse.hstack([X, sparse.csr_array(sizes[:, None])], format="csr")
    return replace(dataset, X=X, feature_names=(*dataset.feature_names, name))


class TrueSizes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """NaiBX that is told the number of labels, by the last column (NBX_TrueM).

    Parameters
    ----------
    features
        What columns of numbers are, as in `NaiBX`.

    Examples
    --------
    >>> X, Y = Table.of([[0.0, 1], [0.1, 1], [5.0, 2], [5.1, 2]]), [[1, 0], [1, 0], [1, 1], [1, 1]]
    >>> TrueSizes().fit(X, Y).predict(Table.of([[0.0, 2.0], [0.0, 0.0]])).tolist()
    [[1, 1], [0, 0]]
    """

    def __init__(self, *, features: str = "auto"):
        self.features = features

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all columns but the last."""
        self.model_ = NaiBX(features=self.features).fit(_take_off(X)[0], y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return as many labels for each row as its last column says."""
        rest, sizes = _take_off(X)
        return self.model_.predict(rest, size=sizes)

    def __sklearn_tags__(self) -> Any:
        return NaiBX().__sklearn_tags__()  # several class variables, any columns


def _take_off(X: Any) -> tuple[Any, Labels]:
    """Return all columns but the last, and that one."""
    if hasattr(X, "tocsr"):
        return X[:, :-1], X[:, [-1]].toarray()[:, 0].astype(np.intp)
    columns = Table.of(X).columns
    return Table(columns[:-1]), columns[-1].values.astype(np.intp)


class YesNoSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """A linear support vector machine on columns within [0, 1] that answers yes or no.

    Its probabilities are 0 and 1: a chain of them goes from answer to answer, as in MEKA. Of more
    than two classes every pair has a machine, and most of them decide.

    Parameters
    ----------
    matrix
        "dense" or "sparse": sparse columns keep their zeros.

    Examples
    --------
    >>> X, y = np.repeat([[0.0], [1.0], [3.0], [4.0]], 5, axis=0), np.repeat([0, 1], 10)
    >>> YesNoSVM().fit(X, y).predict_proba([[0.0], [4.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, *, matrix: str = "dense"):
        self.matrix = matrix

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the machine."""
        from sklearn.multiclass import OneVsOneClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
        from sklearn.svm import LinearSVC

        self.classes_ = np.unique(y)
        machine: Any = LinearSVC(loss="hinge", tol=1e-2, max_iter=10_000, random_state=0)
        if len(self.classes_) > 2:  # the sets of a group of labels: every pair by itself, as SMO
            machine = OneVsOneClassifier(machine)
        scale = MinMaxScaler() if self.matrix == "dense" else MaxAbsScaler()
        self.model_ = make_pipeline(scale, machine).fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the answers."""
        return np.asarray(self.model_.predict(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return 1 for the answer and 0 for the others."""
        return np.asarray(self.predict(X)[:, None] == self.classes_, dtype=np.float64)
