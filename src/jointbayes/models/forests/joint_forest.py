"""JointForest: extremely randomized trees for all labels together, with a joint one may bet on.

Trees are grown on random shares of the rows, and judge splits by all labels at once; leaves count
label vectors. The rows that a tree has not seen say how far its leaves are to be trusted: how sharp
the mean over trees should be, how much is left to vectors that occurred elsewhere, and how much to
vectors that never occurred (`jointbayes.models.forests.back_off`).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.estimator.joint import DECIDING, JointClassifier, check_labels
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import read_columns, read_weights
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.learners.joint_trees.bags import copy_rows, draw_bags
from jointbayes.learners.joint_trees.binned import learn_columns
from jointbayes.learners.joint_trees.trees import Growth, grow_trees
from jointbayes.models.forests.back_off import Sets, label_tree, learn_back_off
from jointbayes.posterior import Blocks, Posterior
from jointbayes.seeds import seed_of
from jointbayes.threads import n_threads

__all__ = ["JointForest"]

CELLS = 1 << 24
"""Shares of label vectors that are held at a time."""

ASKED = 1 << 21
"""Shares of label vectors that the choice of sharpness and back-off looks at."""


class JointForest(JointClassifier):
    """Trees whose leaves hold counts of label vectors, backed off to vectors that did not occur.

    Every column is taken as it is: numbers in up to 255 bins, categories in an order learned from
    the labels, missing values on the side of each split where they fit best. The order of rows does
    not matter, and a weight of 2 is the row twice.

    Parameters
    ----------
    n_estimators
        How many trees.
    max_features
        Features tried at each node: "sqrt" of their number, a share of them, or how many.
    n_cuts
        Random cuts tried of each.
    min_samples_split
        Rows that a node must have to be split.
    max_samples
        The share of rows that each tree is grown on; the others judge it.
    categorical_features
        Which columns are nominal: "from_dtype", a mask, indices or names.
    loss
        What `predict` minimizes in expectation: "subset", "hamming", "f1" or "jaccard".
    empty
        Whether the empty label set is a legal answer: "allow" or "forbid".
    random_state
        Seed or numpy generator; None is a fixed seed.
    n_jobs
        Threads; None for all cores. Answers do not depend on it.

    Attributes
    ----------
    classes_, label_names_
        The values and the name of every label.
    feature_importances_
        (p,) the share of impurity, summed over labels, that splits on each feature removed.
    sharpness_, weights_
        The exponent of the mean over trees, and the weights of what leaves say, of label vectors
        that occurred, and of all label vectors; all chosen out of bag.
    trees_, sets_, back_off_
        The trees, the label vectors that occurred, and all that was chosen out of bag.

    Examples
    --------
    Two labels that exclude each other, told by two features together; no row has both:

    >>> X = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (25, 1))
    >>> Y = np.column_stack([X[:, 0] ^ X[:, 1], X[:, 0] == X[:, 1]]).astype(int)
    >>> forest = JointForest(n_estimators=50).fit(X, Y)
    >>> forest.predict([[0, 1], [1, 1]]).tolist()
    [[1, 0], [0, 1]]

    A vector that no row had is improbable, and not impossible:

    >>> bool(-20 < forest.posterior([[0, 1]]).log_prob([[1, 1]])[0] < -4)
    True
    """

    _ranges: ClassVar[Mapping[str, Range]] = {
        "n_estimators": integer(1),
        "max_features": named("sqrt") | integer(1) | number(0, 1, "(]"),
        "n_cuts": integer(1),
        "min_samples_split": integer(2),
        "max_samples": number(0, 1, "(]"),
        **DECIDING,
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        n_estimators: int = 200,
        *,
        max_features: Any = "sqrt",
        n_cuts: int = 2,
        min_samples_split: int = 3,
        max_samples: float = 0.7,
        categorical_features: Any = "from_dtype",
        loss: str = "subset",
        empty: str = "allow",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.n_cuts = n_cuts
        self.min_samples_split = min_samples_split
        self.max_samples = max_samples
        self.categorical_features = categorical_features
        self.loss = loss
        self.empty = empty
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees; what was learned before is forgotten."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Count further rows in the leaves of the trees; the first batch grows them.

        Trees, bins, and what was chosen out of bag stay those of the first batch, or of `fit`;
        label vectors may be new. ``classes`` (one array per label) declares labels that the first
        batch lacks. A batch that is refused leaves no trace.
        """
        check_parameters(self, self._ranges)
        first = not hasattr(self, "trees_")
        X = read_columns(self, X, reset=first)
        check_labels(self, X, y)
        weights = read_weights(sample_weight, X)
        space = learn_labels(y, classes) if first else self.space_
        space.check_classes(classes)
        targets = space.encode(y)
        if weights is not None and not weights.all():
            kept = weights > 0
            X, targets, weights = X[kept], targets[kept], weights[kept]
        if first:
            self._learn(X, targets, space, weights)
            self._adopt(space)
        else:
            self._learn_more(X, targets, weights)
        return self

    def _learn(self, X: Any, targets: Labels, space: LabelSpace, weights: Weights) -> None:
        threads, seed = n_threads(self.n_jobs), seed_of(self.random_state)
        columns = learn_columns(X, targets, space.cards, weights, self.categorical_features)
        codes = columns.codes(X)
        vectors, numbers = np.unique(targets, axis=0, return_inverse=True)
        numbers = numbers.ravel()
        copies = copy_rows(codes, numbers, weights)
        bags = draw_bags(len(copies.rows), self.n_estimators, self.max_samples, seed)
        growth = Growth(
            self._n_tried(codes.shape[1]), self.n_cuts, self.min_samples_split, seed, threads
        )
        trees, leaves = grow_trees(codes, targets, numbers, copies, bags, space.cards, growth)
        own = numbers[copies.rows]
        total = np.bincount(own, copies.weights, len(vectors)).astype(np.float64)
        parents = label_tree(vectors, total, space.cards)
        sets = Sets(vectors.astype(np.intp), total, parents, space.cards)
        asked = np.arange(0, len(own), max(1, len(own) * len(vectors) // ASKED))
        unseen = np.where(bags.T[asked] > 0, -1, leaves[asked]).astype(np.int32)
        self.back_off_ = learn_back_off(
            trees.proba(unseen, threads), own[asked], copies.weights[asked], sets, trees.n_trees
        )
        self.columns_, self.trees_, self.sets_, self.seed_ = columns, trees, sets, seed

    def _n_tried(self, p: int) -> int:
        if self.max_features == "sqrt":
            return max(1, int(np.sqrt(p)))
        if isinstance(self.max_features, float):
            return max(1, int(self.max_features * p))
        return min(int(self.max_features), p)

    def _learn_more(self, X: Any, targets: Labels, weights: Weights) -> None:
        threads, d = n_threads(self.n_jobs), targets.shape[1]
        every = np.vstack([self.sets_.vectors, targets])
        _, first, number = np.unique(every, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))  # known vectors keep their places, new ones follow
        numbers = order[number.ravel()][len(self.sets_.vectors) :]
        vectors = every[np.sort(first)].reshape(-1, d)
        leaves = self.trees_.leaves(self.columns_.codes(X), threads)
        trees = self.trees_.learn(leaves, numbers, weights, len(vectors))
        total = np.bincount(numbers, weights, len(vectors)).astype(np.float64)
        total[: len(self.sets_.weights)] += self.sets_.weights
        self.trees_ = trees
        self.sets_ = Sets(vectors, total, self.sets_.parents, self.sets_.cards)

    @property
    def feature_importances_(self) -> Floats:
        """(p,) the share of impurity that splits on each feature removed."""
        check_is_fitted(self)
        return self.trees_.importances(self.n_features_in_)

    @property
    def sharpness_(self) -> float:
        """The exponent of the mean over trees."""
        check_is_fitted(self)
        return self.back_off_.sharpness

    @property
    def weights_(self) -> tuple[float, float, float]:
        """The weights of leaves, of label vectors that occurred, and of all label vectors."""
        check_is_fitted(self)
        return self.back_off_.weights

    def _condition(self, X: Any) -> Posterior:
        n, step = X.shape[0], max(1, CELLS // len(self.sets_.vectors))
        if n <= step:
            return self._posterior_of(self.columns_.codes(X), None)
        as_it_is = copy(self)  # what is learned later is not asked
        return Blocks(
            lambda rows: as_it_is._posterior_of(as_it_is.columns_.codes(X[rows]), None),
            np.arange(n),
            self.space_,
            step,
        )

    def _posterior_of(self, codes: Any, in_bag: Any) -> Posterior:
        threads = n_threads(self.n_jobs)
        leaves = self.trees_.leaves(codes, threads)
        if in_bag is not None:
            leaves = np.where(in_bag, -1, leaves).astype(np.int32)
        proba = self.trees_.proba(leaves, threads)
        return self.back_off_.posterior(proba, self.sets_, self.space_)

    def oob_posterior(self, X: Any, y: Any, sample_weight: Any = None) -> Posterior:
        """Return the posterior of the rows of `fit`, each by the trees that have not seen it.

        Parameters
        ----------
        X, y, sample_weight
            What `fit` was given; rows of weight 0 are asked of all trees.
        """
        check_is_fitted(self)
        X = read_columns(self, X, reset=False)
        check_labels(self, X, y)
        weights = read_weights(sample_weight, X)
        kept = np.ones(X.shape[0], dtype=bool) if weights is None else weights > 0
        numbers = np.unique(self.space_.encode(y)[kept], axis=0, return_inverse=True)[1].ravel()
        own = None if weights is None else weights[kept]
        copies = copy_rows(self.columns_.codes(X[kept]), numbers, own)
        bags = draw_bags(len(copies.rows), self.trees_.n_trees, self.max_samples, self.seed_)
        in_bag = np.zeros((X.shape[0], self.trees_.n_trees), dtype=bool)
        in_bag[kept] = bags.T[copies.of_rows] > 0
        return self._posterior_of(self.columns_.codes(X), in_bag)
