"""JointForest: extremely randomized trees for all labels together, with a joint one may bet on.

Splits are chosen for all labels at once, and leaves count label vectors. How far leaves are to be
trusted is told by trees that have not seen the rows they are asked about
(`jointbayes.models.forests.judging`): how sharp the mean over trees should be, how much is left to
vectors that occurred elsewhere, and how much to vectors that never occurred
(`jointbayes.models.forests.back_off`).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jointbayes.arrays import Floats
from jointbayes.checks import check_attributes, check_that
from jointbayes.estimator.classifier import Classifier
from jointbayes.estimator.counting import learn_batch
from jointbayes.estimator.ranges import Range, integer, named, number
from jointbayes.estimator.reading import Labelled, read_labelled
from jointbayes.learners.joint_trees.binned import BinnedColumns, learn_columns
from jointbayes.learners.joint_trees.trees import Growth, JointTrees, Training
from jointbayes.models.forests.back_off import BackOff, Sets, label_tree
from jointbayes.models.forests.growing import CUTS, choose_growth, feature_ladder
from jointbayes.models.forests.judging import Judges, copied_rows, grow_and_judge
from jointbayes.posterior import Blocks, Posterior
from jointbayes.seeds import seed_of
from jointbayes.threads import n_threads

__all__ = ["JointForest"]

CELLS = 1 << 24
"""Shares of label vectors that are held at a time."""


class JointForest(Classifier):
    """Trees whose leaves hold counts of label vectors, backed off to vectors that did not occur.

    Every column is taken as it is: numbers in up to 255 bins, categories in an order learned from
    the labels, missing values on the side of each split where they fit best. The order of rows does
    not matter, and a weight of 2 is the row twice.

    Parameters
    ----------
    n_estimators
        How many trees.
    max_features
        Features tried at each node: "sqrt" of their number, a share of them, or how many; "auto"
        begins with the square root, and tries more as long as rows out of bag gain by it.
    n_cuts
        Random cuts tried of each; "auto" is 2, or 6 where rows out of bag gain by it.
    min_samples_split
        Rows that a node must have to be split.
    max_samples
        The share of rows that each judge is grown on; it is asked about the others. There are as
        many judges as trees, and none from 40,000 rows on (fewer, if label vectors are many), where
        one row in twenty is enough to be asked: trees are grown without it, and count it after.
    random_state
        Seed or numpy generator; None is a fixed seed.
    categorical_features, loss, empty, unknown, n_jobs
        See `jointbayes.estimator.parameters`.

    Attributes
    ----------
    classes_, label_names_
        See `jointbayes.estimator.parameters`.
    feature_importances_
        (p,) the share of impurity, summed over labels, that splits on each feature removed.
    sharpness_, weights_
        The exponent of the mean over trees, and the weights of what leaves say, of label vectors
        that occurred, and of all label vectors; all chosen out of bag.
    n_tried_, n_cuts_
        How many features, and cuts of each, were tried at each node.
    trees_, sets_, back_off_
        The trees, the label vectors that occurred, and all that was chosen out of bag.

    Examples
    --------
    Two labels that exclude each other, told by two features together; no row has both:

    >>> import numpy as np
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
        "max_features": named("auto", "sqrt") | integer(1) | number(0, 1, "(]"),
        "n_cuts": named("auto") | integer(1),
        "min_samples_split": integer(2),
        "max_samples": number(0, 1, "(]"),
    }

    def __init__(  # noqa: PLR0913  what users tune, by name
        self,
        n_estimators: int = 200,
        *,
        max_features: Any = "auto",
        n_cuts: int | str = "auto",
        min_samples_split: int = 3,
        max_samples: float = 0.5,
        categorical_features: Any = "from_dtype",
        loss: Any = "subset",
        empty: str = "auto",
        unknown: str = "refuse",
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
        self.unknown = unknown
        self.random_state = random_state
        self.n_jobs = n_jobs

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Count further rows in the leaves of the trees; the first batch grows them.

        Trees, bins, and what was chosen out of bag stay those of the first batch, or of `fit`;
        label vectors may be new. ``classes`` (one array per label) declares labels that the first
        batch lacks. A batch that is refused leaves no trace.
        """
        learn_batch(self, X, y, classes, sample_weight)
        return self

    def _learn(self, rows: Labelled) -> None:
        cards, seed = rows.space.cards, seed_of(self.random_state)
        columns = learn_columns(
            rows.X, rows.codes, cards, rows.weights, self.categorical_features, self.n_jobs
        )
        vectors, training, _ = copied_rows(columns, rows, self.n_jobs)
        parents = label_tree(vectors, training.total, cards)
        sets = Sets(vectors, training.total, parents, cards)
        growth = self._growth(training, sets, seed)
        self.trees_, self.back_off_ = grow_and_judge(training, sets, growth, self._judges)
        self.columns_, self.sets_, self.seed_ = columns, sets, seed
        self.n_tried_, self.n_cuts_ = growth.n_tried, growth.n_cuts

    def _growth(self, training: Training, sets: Sets, seed: int) -> Growth:
        features = self._features(training.codes.shape[1])
        cuts = list(CUTS) if isinstance(self.n_cuts, str) else [int(self.n_cuts)]
        first = Growth(features[0], cuts[0], self.min_samples_split, seed, n_threads(self.n_jobs))
        return choose_growth(training, sets, first, features[1:], cuts[1:], self._judges)

    def _features(self, p: int) -> list[int]:
        """Return how many features may be tried of p, increasing."""
        match self.max_features:
            case "auto":
                return feature_ladder(p)
            case "sqrt":
                return feature_ladder(p)[:1]
            case float(share):
                return [max(1, int(share * p))]
            case number:
                return [min(int(number), p)]

    @property
    def _judges(self) -> Judges:
        return Judges(self.n_estimators, self.max_samples)

    def _learn_more(self, rows: Labelled) -> None:
        known, d = len(self.sets_.vectors), rows.codes.shape[1]
        every = np.vstack([self.sets_.vectors, rows.codes])
        _, first, number = np.unique(every, axis=0, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))  # known vectors keep their places, new ones follow
        numbers = place[number.ravel()][known:]
        vectors = every[np.sort(first)].reshape(-1, d)
        leaves = self.trees_.leaves(
            self.columns_.codes(rows.X, self.n_jobs), n_threads(self.n_jobs)
        )
        trees = self.trees_.learn(leaves, numbers, rows.weights, len(vectors))
        total = np.bincount(numbers, rows.weights, len(vectors)).astype(np.float64)
        total[:known] += self.sets_.weights
        self.trees_ = trees
        self.sets_ = Sets(vectors, total, self.sets_.parents, self.sets_.cards)

    def _check_learned(self) -> None:
        check_attributes(
            self,
            columns_=BinnedColumns,
            trees_=JointTrees,
            sets_=Sets,
            back_off_=BackOff,
            seed_=int,
        )
        p = len(self.columns_.encoder.variables)
        check_that(p == self.n_features_in_, "bins are of other columns than the model's")
        check_that(self.sets_.cards == self.space_.cards, "label vectors are of other labels")
        self.trees_.check_columns(p, len(self.sets_.vectors))

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
        n, step = X.shape[0], self._block_rows()
        if n <= step:
            return self._posterior_of(X)
        as_it_is = copy(self)  # what is learned later is not asked
        return Blocks(lambda rows: as_it_is._posterior_of(X[rows]), np.arange(n), self.space_, step)

    def _block_rows(self) -> int:
        return max(1, CELLS // len(self.sets_.vectors))

    def _posterior_of(self, X: Any) -> Posterior:
        threads = n_threads(self.n_jobs)
        leaves = self.trees_.leaves(self.columns_.codes(X, self.n_jobs), threads)
        proba = self.trees_.proba(leaves, threads)
        return self.back_off_.posterior(proba, self.sets_, self.space_)

    def oob_posterior(self, X: Any, y: Any = None, sample_weight: Any = None) -> Posterior:
        """Return the posterior of the rows of `fit`, each by judges that have not seen it.

        Judges are grown anew, the same as in `fit`: as many as trees, each on a share of rows.

        Parameters
        ----------
        X, y, sample_weight
            What `fit` was given; rows of weight 0 are left out.
        """
        check_is_fitted(self)
        rows = read_labelled(self, X, y, sample_weight, lambda _: self.space_, reset=False)
        vectors, training, of_rows = copied_rows(self.columns_, rows, self.n_jobs)
        known = Sets(vectors, training.total, self.sets_.parents, self.sets_.cards)
        growth = self._growth(training, known, self.seed_)
        proba = self._judges.shares_of_sets(training, growth, of_rows)
        return self.back_off_.posterior(proba, known, self.space_)
