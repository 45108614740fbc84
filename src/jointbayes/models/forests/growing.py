"""Growing: how many features, and cuts of each, a node should try, as unseen rows advise.

The more are tried the better each split parts the labels of its rows, and the more alike are the
trees. Where some columns tell much and others little, as in tables of mixed columns, splits must be
good; where many tell a little each, as words do, trees must differ. So more features are tried as
long as trees then give labels of rows that they have not seen more probability, by three standard
errors, and after that more cuts; columns of words are left at the fewest, and so are few rows: half
of them, which judges see, want better splits than all do. Fewer trees than will answer are enough
to tell, on some of the rows, and nothing is tried that would take long to grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log2

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.codes import SparseCodes
from jointbayes.learners.joint_trees.trees import Growth, Training
from jointbayes.models.forests.back_off import Sets
from jointbayes.models.forests.judging import Judges, asked_rows
from jointbayes.models.forests.out_of_bag import log_probabilities
from jointbayes.models.trust.held_out import mean_and_error

__all__ = ["CUTS", "choose_growth", "feature_ladder"]

MOST, CUTS = 0.7, (2, 6)
"""The largest share of the features that is tried at a node, and how many cuts of each."""

JUDGES, FEW, MANY = 60, 1000, 10_000
"""Trees that tell, rows that are too few to tell, and rows that are enough."""

WORK = 1 << 33
"""The most that trees may take: label values of rows, times levels, features and cuts tried."""

ERRORS, HOPE = 3.0, 1.0
"""Standard errors by which trees must be better, and from which on more still is looked at."""


def feature_ladder(p: int) -> list[int]:
    """Return how many of p features may be tried: the root of their number, twice that, and so on.

    >>> feature_ladder(100), feature_ladder(2)
    ([10, 20, 40], [1])
    """
    found = [max(1, int(np.sqrt(p)))]
    while 2 * found[-1] <= MOST * p:
        found.append(2 * found[-1])
    return found


def choose_growth(
    training: Training,
    sets: Sets,
    growth: Growth,
    n_tried: Sequence[int],
    n_cuts: Sequence[int],
    judges: Judges,
) -> Growth:
    """Return growth with as many features and cuts as unseen rows advise.

    Parameters
    ----------
    training, sets
        The rows, and the label vectors that occurred.
    growth
        How trees are grown if nothing else is better.
    n_tried, n_cuts
        How many may be tried, increasing, beyond those of ``growth``.
    judges
        Those of the forest; fewer are asked.
    """
    n, best = len(training.sets), growth
    if n < FEW or isinstance(training.codes, SparseCodes) or judges.share == 1:
        return growth  # of share 1 no judge is left that has not seen a row
    some = training.take(np.arange(0, n, -(-n // MANY)))
    _, by_themselves = asked_rows(n, len(sets.vectors))
    trees = judges.n_trees * (1.0 if by_themselves else 1 + judges.share)
    cells = trees * (n + len(training.target[2])) * log2(n)  # of each cut of a feature
    rows, _ = asked_rows(len(some.sets), len(sets.vectors))
    few = replace(judges, n_trees=min(JUDGES, judges.n_trees))
    known: dict[Growth, Floats] = {}

    def log_p(tried: Growth) -> Floats:
        if tried not in known:
            proba = few.shares_of_sets(some, tried, rows)
            known[tried] = log_probabilities(
                proba, some.sets[rows], some.weights[rows], sets, judges.n_trees
            )
        return known[tried]

    for number, values in (("n_tried", n_tried), ("n_cuts", n_cuts)):
        start = best
        for value in values:
            other = replace(start, **{number: value})
            if cells * other.n_tried * other.n_cuts > WORK:
                break
            gain = _in_errors(log_p(other) - log_p(best))
            best = other if gain > ERRORS else best
            if gain < HOPE:
                break
    return best


def _in_errors(difference: Floats) -> float:
    """Return the mean of differences in standard errors of it; 0 if there are none."""
    mean, error = mean_and_error(difference)
    return mean / error if error > 0 else 0.0
