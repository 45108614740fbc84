"""A random forest for thousands of classes (Breiman 2001): every tree votes for one class.

Label sets make many classes. A forest that keeps the class frequencies of every node needs nodes ×
classes numbers a tree, and time in proportion; here a split costs the same for any number of
classes, and a leaf keeps its class alone. Trees are fully grown on bootstrap samples and
P(c | x) is the share of trees that vote for c, as in the forest of R (Liaw & Wiener 2002).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from jointbayes import _kernels
from jointbayes.arrays import Floats
from jointbayes.checks import (
    check_attributes,
    check_contiguous,
    check_indices,
    check_shape,
    check_that,
)
from jointbayes.codes import narrowest
from jointbayes.errors import DataError
from jointbayes.estimator.ranges import Range, check_parameters, integer, named
from jointbayes.seeds import seed_of
from jointbayes.threads import n_threads

__all__ = ["VotingForest"]


BLOCK = 1 << 24  # cells of a sparse matrix that are made dense at a time


class VotingForest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Trees grown on bootstrap samples until they are pure, each with one vote.

    Parameters
    ----------
    n_trees
        How many.
    n_tried
        Features tried at each node; None for the square root of their number. Those that are
        constant in all rows do not count, and further ones are tried as long as all are constant
        at the node.
    random_state
        Seed or numpy generator; the forest does not depend on ``n_jobs``.
    n_jobs
        Threads, as in scikit-learn; None for all cores.

    Attributes
    ----------
    classes_
        The classes.
    nodes_, thresholds_, starts_
        All nodes, the value up to which rows go left at each, and where trees begin
        (`jointbayes._kernels.forest.grow_forest`).

    Examples
    --------
    A class that no feature tells from the next by itself:

    >>> X = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (25, 1))
    >>> forest = VotingForest(random_state=0).fit(X, X[:, 0] ^ X[:, 1])
    >>> forest.predict([[0, 1], [1, 1]]).tolist()
    [1, 0]

    A thousand rows of 400 classes: a node keeps four numbers, whatever the number of classes.

    >>> x = np.arange(1000.0)
    >>> wide = VotingForest(n_trees=10, random_state=0).fit(x[:, None], x % 400)
    >>> wide.predict_proba([[7.0]]).shape, wide.nodes_.shape[1]
    ((1, 400), 4)
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "n_trees": integer(1),
        "n_tried": named(None) | integer(1),
    }

    def __init__(
        self,
        *,
        n_trees: int = 100,
        n_tried: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_trees = n_trees
        self.n_tried = n_tried
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> VotingForest:
        """Grow the trees.

        Parameters
        ----------
        X
            (n, p) numbers, dense or sparse.
        y
            (n,) classes.
        """
        check_parameters(self)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        with warnings.catch_warnings():
            # Label sets may well be as many as rows; they are classes all the same.
            warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
            check_classification_targets(y)
        self.classes_, target = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"y has one class, {self.classes_[0]!r}; a classifier needs two")
        values, codes = _ranks(X)
        varying = np.flatnonzero([len(v) > 1 for v in values])
        p = max(len(varying), 1)
        nodes, self.starts_ = _kernels.grow_forest(
            np.asfortranarray(codes[:, varying]),
            target.astype(np.int32),
            len(self.classes_),
            self.n_trees,
            min(self.n_tried or int(np.sqrt(p)), p),
            seed_of(self.random_state),
            n_threads(self.n_jobs),
        )
        nodes[:, 0] = np.append(varying, -1)[nodes[:, 0]]
        self.nodes_ = nodes
        self.thresholds_ = _thresholds(self.nodes_, values)
        return self

    def _check_stored(self) -> None:
        if not hasattr(self, "nodes_"):
            return
        check_that(integer(1).holds(self.n_trees), "there are no trees")
        arrays = dict.fromkeys(("nodes_", "thresholds_", "starts_", "classes_"), np.ndarray)
        check_attributes(self, **arrays, n_features_in_=int)
        nodes, starts = self.nodes_, self.starts_
        check_shape("nodes_", nodes, (None, 4))
        check_shape("thresholds_", self.thresholds_, (len(nodes),))
        check_shape("starts_", starts, (None,))
        check_shape("classes_", self.classes_, (None,))
        check_contiguous(nodes_=nodes, thresholds_=self.thresholds_, starts_=starts)
        types = [array.dtype.str[1:] for array in (nodes, self.thresholds_, starts)]
        check_that(types == ["i4", "f8", "i8"], f"nodes are of the types {types}")
        whole = len(starts) > 1 and starts[0] == 0 and starts[-1] == len(nodes)
        check_that(whole and (np.diff(starts) > 0).all(), "starts_ does not part the nodes")
        size = np.repeat(np.diff(starts), np.diff(starts))
        place = np.arange(len(nodes)) - np.repeat(starts[:-1], np.diff(starts))
        feature, below, inner = nodes[:, 0], nodes[:, 3].astype(np.int64), nodes[:, 0] >= 0
        check_indices("a node", feature[inner], self.n_features_in_)
        check_indices("a leaf", below[~inner], len(self.classes_))
        rooted = (below > place) & (below + 1 < size)  # so that every walk goes on, and ends
        check_that(rooted[inner].all(), "a node comes before its parent, or is not there")

    def predict_proba(self, X: Any) -> Floats:
        """Return the (n, k) shares of trees that vote for each class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        step = max(1, BLOCK // X.shape[1])
        votes = [
            _kernels.forest_votes(
                np.ascontiguousarray(_dense(X[start : start + step])),
                self.nodes_,
                self.thresholds_,
                self.starts_,
                len(self.classes_),
                n_threads(self.n_jobs),
            )
            for start in range(0, X.shape[0], step)
        ]
        return np.asarray(np.concatenate(votes) / self.n_trees)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that most trees vote for; the first of several."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


def _ranks(X: Any) -> tuple[list[Floats], NDArray[Any]]:
    """Return the sorted values of each column, and the (n, p) rank of each cell among them."""
    n, p = X.shape
    columns = sparse.csc_array(X)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    filled = np.diff(columns.indptr)
    which = np.repeat(np.arange(p), filled)
    least, most = np.full(p, np.inf), np.zeros(p)
    np.minimum.at(least, which, columns.data)
    np.maximum.at(most, which, columns.data)
    plain = (filled == 0) | ((least == most) & (filled < n))  # zeros, and one positive number
    values = [np.array([0.0, v] if v else [0.0]) for v in most.tolist()]
    codes = np.zeros((n, p), dtype=np.uint8 if plain.all() else narrowest(n), order="F")
    codes[columns.indices, which] = 1
    for j in np.flatnonzero(~plain):
        values[j], codes[:, j] = np.unique(_dense(columns[:, [j]]).ravel(), return_inverse=True)
    return values, codes


def _thresholds(nodes: NDArray[np.int32], values: list[Floats]) -> Floats:
    """Return the middle between the values on either side of each node's cut; 0 at leaves."""
    first = np.cumsum([0, *map(len, values)])[:-1]
    every = np.concatenate(values)
    out = np.zeros(len(nodes))
    inner = nodes[:, 0] >= 0
    feature, low, high = nodes[inner, :3].T
    below, above = every[first[feature] + low], every[first[feature] + high]
    middle = below / 2 + above / 2  # cannot overflow
    out[inner] = np.where(middle < above, middle, below)  # neighbouring numbers have no middle
    return out
