r"""All label vectors of a tree whose score −log P(y | x) is at most a threshold, without a search.

Labels are given values one after the other, parents first. The best that can still become of a
beginning is known from a pass of maxima from the leaves upwards,

(1)  best_j(a) = max_b [ log P(b | a) + \sum_c best_c(b) ]   over the children c of label j ,

so that a beginning is given up as soon as nothing in the set begins like that: there are never more
of them than vectors in the sets, and all rows take each step at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.posterior import Independent, Posterior, Tree

__all__ = ["as_tree", "maxima", "parents_first", "vectors_within"]


def as_tree(post: Posterior) -> Tree | None:
    """Return a posterior as a tree, if it is one; independent labels are all roots."""
    if isinstance(post, Independent):
        return Tree((-1,) * len(post.space), [p[:, None] for p in post.log_p], post.space)
    return post if isinstance(post, Tree) else None


def vectors_within(tree: Tree, level: Floats, most: int) -> tuple[Labels, Labels] | None:
    """Return rows (m,) and vectors (m, d) of scores up to the (n,) level; None if over ``most``.

    >>> from jointbayes.labels import learn_labels
    >>> coin, repeat = np.log([[[0.5, 0.5]]]), np.log([[[0.9, 0.1], [0.2, 0.8]]])
    >>> tree = Tree((-1, 0), [coin, repeat], learn_labels([[0, 0], [1, 1]]))
    >>> rows, found = vectors_within(tree, -np.log([0.1]) + 1e-9, 10)
    >>> rows.tolist(), found.tolist()
    ([0, 0, 0], [[0, 0], [1, 0], [1, 1]])
    """
    order = parents_first(tree.parents)
    best, gain = maxima(tree, order)
    rows = np.arange(len(tree))
    bound = np.sum([best[j][:, 0] for j in order if tree.parents[j] < 0], axis=0)
    codes = np.zeros((len(tree), len(order)), dtype=np.intp)
    kept = -bound <= level
    rows, bound, codes = rows[kept], bound[kept], codes[kept]
    for j in order:
        above = codes[:, tree.parents[j]] if tree.parents[j] >= 0 else np.zeros_like(rows)
        after = bound[:, None] + (gain[j][rows, above] - best[j][rows, above][:, None])
        where, value = np.nonzero(-after <= level[rows][:, None])
        if len(where) > most:
            return None
        rows, bound, codes = rows[where], after[where, value], codes[where]
        codes[:, j] = value
    return rows, codes


def parents_first(parents: Sequence[int]) -> list[int]:
    """Return the labels of a tree, each after its parent.

    >>> parents_first((1, -1, 0))
    [1, 0, 2]
    """
    order: list[int] = []
    waiting = [j for j, parent in enumerate(parents) if parent < 0]
    while waiting:
        j = waiting.pop()
        order.append(j)
        waiting += [c for c, parent in enumerate(parents) if parent == j]
    return order


def maxima(tree: Tree, order: Sequence[int]) -> tuple[list[Floats], list[Floats]]:
    """Return (1) by label and (row, value of the parent), and its terms by the value b."""
    gain = [np.array(p) for p in tree.log_p]
    best: list[Floats] = [np.empty(0)] * len(order)
    for j in reversed(order):
        best[j] = gain[j].max(axis=2)
        if tree.parents[j] >= 0:
            gain[tree.parents[j]] += best[j][:, None, :]
    return best, gain
