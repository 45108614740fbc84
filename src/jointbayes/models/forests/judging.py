"""Judging: what trees say of rows that they have not seen, and what that makes of the back-off.

Of few rows, judges are trees of their own, each grown on a random share of the rows and asked about
the others. The trees that answer are grown on all rows, which is worth more than the judges'
answers. Of many rows only some are asked, for the numbers to be chosen are no more than of few:
where that is a small part, trees are grown without it, judge it themselves, and then count it in
their leaves, so that no tree is grown only to judge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jointbayes._kernels.permutations import stream
from jointbayes.arrays import Floats, Labels
from jointbayes.estimator.reading import Labelled
from jointbayes.learners.joint_trees.bags import copy_rows, draw_bags
from jointbayes.learners.joint_trees.binned import BinnedColumns
from jointbayes.learners.joint_trees.trees import Growth, JointTrees, Training, grow_trees, taken
from jointbayes.models.forests.back_off import BackOff, Sets
from jointbayes.models.forests.out_of_bag import learn_back_off

__all__ = ["Judges", "asked_rows", "copied_rows", "grow_and_judge"]

STREAM = 1 << 32
"""The stream of a seed that judges draw from."""

ASKED = 1 << 21
"""Shares of label vectors that the choice of sharpness and back-off looks at."""

PART, HELD_OUT = 20, 2000
"""Trees are grown without rows that are one in so many or fewer; so many rows are enough."""


@dataclass(frozen=True)
class Judges:
    """As many trees as answer, each grown on a share of the rows.

    Fewer would make the mean over them noisier than that over the trees, which would then be
    trusted too little.

    Parameters
    ----------
    n_trees
        How many.
    share
        Of the rows, drawn one by one.
    """

    n_trees: int
    share: float

    def shares_of_sets(self, training: Training, growth: Growth, rows: Labels) -> Floats:
        """Return (rows, m) shares of label vectors by the judges that have not seen a row."""
        seed = int(stream(growth.seed, STREAM))
        bags = draw_bags(len(training.sets), self.n_trees, self.share, seed)
        trees = grow_trees(training, bags, replace(growth, seed=seed))
        leaves = trees.leaves(taken(training.codes, rows), growth.n_threads)
        unseen = np.where(bags.T[rows] > 0, -1, leaves).astype(np.int32)
        return trees.proba(unseen, growth.n_threads)


def grow_and_judge(
    training: Training, sets: Sets, growth: Growth, judges: Judges
) -> tuple[JointTrees, BackOff]:
    """Return trees that have learned all rows, and the back-off that unseen rows advise."""
    asked, held_out = asked_rows(len(training.sets), len(sets.vectors))
    bags = np.ones((judges.n_trees, len(training.sets)), dtype=np.uint8)
    truth, weights = training.sets[asked], training.weights[asked]
    if not held_out:
        proba = judges.shares_of_sets(training, growth, asked)
        trees = grow_trees(training, bags, growth)
    else:
        bags[:, asked] = 0
        trees = grow_trees(training, bags, growth)
        leaves = trees.leaves(taken(training.codes, asked), growth.n_threads)
        proba = trees.proba(leaves, growth.n_threads)
        trees = trees.learn(leaves, truth, weights, training.n_sets)
    return trees, learn_back_off(proba, truth, weights, sets, judges.n_trees)


def asked_rows(n: int, n_sets: int) -> tuple[Labels, bool]:
    """Return which rows are asked, and whether trees are grown without them.

    Rows stand in the order of a hash, so that every k-th is a row drawn at random.

    >>> [(len(rows), out) for rows, out in (asked_rows(3000, 50), asked_rows(40_000, 50))]
    [(3000, False), (2000, True)]
    """
    step = max(1, n * n_sets // ASKED)
    if n >= PART * HELD_OUT:
        step = max(step, n // HELD_OUT)
    return np.arange(0, n, step), step >= PART


def copied_rows(
    columns: BinnedColumns, rows: Labelled, n_jobs: int | None
) -> tuple[Labels, Training, Labels]:
    """Return the label vectors, copies of rows to grow trees on, and where each row is there."""
    vectors, numbers = np.unique(rows.codes, axis=0, return_inverse=True)
    numbers, codes = numbers.ravel(), columns.codes(rows.X, n_jobs)
    copies = copy_rows(codes, numbers, rows.weights)
    at = copies.rows
    training = Training(
        taken(codes, at),
        rows.codes[at],
        rows.space.cards,
        numbers[at],
        len(vectors),
        copies.weights,
    )
    return vectors.astype(np.intp), training, copies.of_rows
