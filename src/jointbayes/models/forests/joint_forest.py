"""JointForest: extremely randomized trees for all labels together, with a joint one may bet on.

Splits are chosen for all labels at once, and leaves count label vectors. How far leaves are to be
trusted is told by judges, trees that are grown on random shares of the rows and asked about the
others: how sharp the mean over trees should be, how much is left to vectors that occurred
elsewhere, and how much to vectors that never occurred (`jointbayes.models.forests.back_off`). The
trees that answer are grown on all rows, which is worth more than the judges' answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jointbayes._kernels.joint_forest import Bytes
from jointbayes._kernels.permutations import stream
from jointbayes.arrays import Floats, Labels, Weights
from jointbayes.codes import CodeArray, SparseCodes
from jointbayes.estimator.joint import DECIDING, JointClassifier, check_labels
from jointbayes.estimator.ranges import Range, check_parameters, integer, named, number
from jointbayes.estimator.reading import read_columns, read_weights
from jointbayes.labels import LabelSpace, learn_labels
from jointbayes.learners.joint_trees.bags import copy_rows, draw_bags
from jointbayes.learners.joint_trees.binned import BinnedColumns, learn_columns
from jointbayes.learners.joint_trees.trees import Growth, JointTrees, Training, grow_trees
from jointbayes.models.forests.back_off import Sets, label_tree, learn_back_off
from jointbayes.posterior import Blocks, Posterior
from jointbayes.seeds import seed_of
from jointbayes.threads import n_threads

__all__ = ["JointForest"]

CELLS = 1 << 24
"""Shares of label vectors that are held at a time."""

JUDGES = 1 << 32
"""The stream of a seed that judges draw from."""

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
        The share of rows that each judge is grown on; it is asked about the others. There are half
        as many judges as trees.
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
        max_samples: float = 0.5,
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
        columns = learn_columns(X, targets, space.cards, weights, self.categorical_features)
        vectors, numbers = np.unique(targets, axis=0, return_inverse=True)
        seed = seed_of(self.random_state)
        training, _ = _training(columns, X, targets, numbers.ravel(), space.cards, weights)
        parents = label_tree(vectors, training.total, space.cards)
        sets = Sets(vectors.astype(np.intp), training.total, parents, space.cards)
        growth = self._growth(columns, seed)
        judges, bags = self._judges(training, growth)
        step = max(1, len(training.sets) * len(vectors) // ASKED)
        asked = np.arange(0, len(training.sets), step)
        self.back_off_ = learn_back_off(
            _unseen(judges, training.codes, bags, asked, growth.n_threads),
            training.sets[asked],
            training.weights[asked],
            sets,
            self.n_estimators,
        )
        every = np.ones((self.n_estimators, len(training.sets)), dtype=np.uint8)
        self.trees_ = grow_trees(training, every, growth)
        self.columns_, self.sets_, self.seed_ = columns, sets, seed

    def _growth(self, columns: BinnedColumns, seed: int) -> Growth:
        tried = self._n_tried(len(columns.encoder.variables))
        return Growth(tried, self.n_cuts, self.min_samples_split, seed, n_threads(self.n_jobs))

    def _judges(self, training: Training, growth: Growth) -> tuple[JointTrees, Bytes]:
        """Return half as many trees, each grown on a share of the rows, and which these are."""
        n_judges = max(1, self.n_estimators // 2)
        seed = int(stream(growth.seed, JUDGES))
        bags = draw_bags(len(training.sets), n_judges, self.max_samples, seed)
        return grow_trees(training, bags, replace(growth, seed=seed)), bags

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
            return self._posterior_of(X)
        as_it_is = copy(self)  # what is learned later is not asked
        return Blocks(lambda rows: as_it_is._posterior_of(X[rows]), np.arange(n), self.space_, step)

    def _posterior_of(self, X: Any) -> Posterior:
        threads = n_threads(self.n_jobs)
        leaves = self.trees_.leaves(self.columns_.codes(X), threads)
        proba = self.trees_.proba(leaves, threads)
        return self.back_off_.posterior(proba, self.sets_, self.space_)

    def oob_posterior(self, X: Any, y: Any, sample_weight: Any = None) -> Posterior:
        """Return the posterior of the rows of `fit`, each by judges that have not seen it.

        Judges are grown anew, the same as in `fit`: half as many trees, each on a share of rows.

        Parameters
        ----------
        X, y, sample_weight
            What `fit` was given, without rows of weight 0.
        """
        check_is_fitted(self)
        X = read_columns(self, X, reset=False)
        check_labels(self, X, y)
        targets, cards = self.space_.encode(y), self.space_.cards
        vectors, numbers = np.unique(targets, axis=0, return_inverse=True)
        weights = read_weights(sample_weight, X)
        training, of_rows = _training(self.columns_, X, targets, numbers.ravel(), cards, weights)
        known = Sets(vectors, training.total, self.sets_.parents, cards)
        growth = self._growth(self.columns_, self.seed_)
        judges, bags = self._judges(training, growth)
        proba = _unseen(judges, training.codes, bags, of_rows, growth.n_threads)
        return self.back_off_.posterior(proba, known, self.space_)


def _training(
    columns: BinnedColumns,
    X: Any,
    targets: Labels,
    numbers: Labels,
    cards: tuple[int, ...],
    weights: Weights,
) -> tuple[Training, Labels]:
    """Return copies of rows to grow trees on, and the place of each row among them."""
    codes = columns.codes(X)
    copies = copy_rows(codes, numbers, weights)
    rows = copies.rows
    own = codes.take(rows) if isinstance(codes, SparseCodes) else np.asfortranarray(codes[rows])
    n_sets = int(numbers.max()) + 1
    training = Training(own, targets[rows], cards, numbers[rows], n_sets, copies.weights)
    return training, copies.of_rows


def _unseen(
    judges: JointTrees, codes: CodeArray | SparseCodes, bags: Bytes, rows: Labels, threads: int
) -> Floats:
    """Return the shares of label vectors by the judges that have not seen a row, for some rows."""
    own = codes.take(rows) if isinstance(codes, SparseCodes) else codes[rows]
    leaves = judges.leaves(own, threads)
    return judges.proba(np.where(bags.T[rows] > 0, -1, leaves).astype(np.int32), threads)
