"""The k best of something, row by row: lists of label vectors sorted by log-probability.

A list is a pair of arrays, codes ``(n, m, d)`` and log-probabilities ``(n, m)``, best first. Equal
log-probabilities are told apart by the label vectors: the lower one, read from the left, is first.
Two lists over disjoint labels are joined by the pairs (i, j) with (i + 1)(j + 1) ≤ k: any other
pair has k pairs at least as good before it. Vectors of probability 0 are worth nothing while lists
are joined; :func:`fill` puts the lowest of them where a finished list has holes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np

from jointbayes.arrays import Floats, Labels

__all__ = [
    "Best",
    "count_vectors",
    "distinct",
    "fill",
    "join",
    "join_all",
    "select",
    "stack",
    "vectors",
]

Best = tuple[Labels, Floats]


def select(codes: Labels, log_p: Floats, k: int) -> Best:
    """Sort candidates by log-probability, then by label vector, and keep k of them.

    >>> codes, log_p = np.array([[[1, 0], [0, 1], [1, 1]]]), np.log([[0.25, 0.25, 0.5]])
    >>> select(codes, log_p, 2)[0].tolist()
    [[[1, 1], [0, 1]]]
    """
    if (log_p[:, 1:] < log_p[:, :-1]).all():  # as most lists come
        return codes[:, :k], log_p[:, :k]
    order = np.argsort(-log_p, axis=1, kind="stable")
    rows = np.arange(len(log_p))[:, None]
    ordered = log_p[rows, order]
    tied = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] > -np.inf)).any(axis=1)
    if tied.any():  # rare, so that the keys of all labels are sorted for these rows alone
        keys = (*np.moveaxis(codes[tied], 2, 0)[::-1], -log_p[tied])
        order[tied] = np.lexsort(keys, axis=1)
    return codes[rows, order[:, :k]], ordered[:, :k]


def distinct(codes: Labels, log_p: Floats) -> Floats:
    """Return ``log_p`` with −inf for every vector that has an equal elsewhere on its row.

    >>> distinct(np.array([[[1, 0], [0, 0], [1, 0]]]), np.zeros((1, 3))).tolist()
    [[0.0, 0.0, -inf]]
    """
    order, rows = np.lexsort(codes.transpose(2, 0, 1), axis=1), np.arange(len(codes))[:, None]
    ordered, again = codes[rows, order], np.zeros(log_p.shape, dtype=bool)
    again[rows, order[:, 1:]] = (ordered[:, 1:] == ordered[:, :-1]).all(axis=2)
    return np.where(again, -np.inf, log_p)


def join(left: Best, right: Best, k: int, columns: Sequence[int] | None = None) -> Best:
    """Return the k best pairs of two sorted lists.

    The labels of a pair are those of the left list, then those of the right one, in the order of
    ``columns`` if it is given.

    >>> coin = np.array([[[1], [0]]]), np.log([[0.75, 0.25]])
    >>> codes, log_p = join(coin, coin, 3)
    >>> codes.tolist(), np.exp(log_p).round(4).tolist()
    ([[[1, 1], [0, 1], [1, 0]]], [[0.5625, 0.1875, 0.1875]])
    """
    (left_codes, left_p), (right_codes, right_p) = left, right
    i, j = np.indices((left_p.shape[1], right_p.shape[1])).reshape(2, -1)
    near = (i + 1) * (j + 1) <= k
    i, j = i[near], j[near]
    codes = np.concatenate([left_codes[:, i], right_codes[:, j]], axis=2)
    codes = codes if columns is None else codes[:, :, columns]
    log_p = left_p[:, i] + right_p[:, j]
    return (codes, log_p) if len(i) == 1 else select(codes, log_p, k)


def join_all(lists: Sequence[Best], labels: Sequence[Sequence[int]], k: int) -> Best:
    """Join lists over disjoint ``labels``; the columns of the result are those labels in order.

    Neighbours are joined first, then neighbours of neighbours, so each label is copied log d times.
    """
    lists, groups = list(lists), [list(group) for group in labels]
    while len(lists) > 1:
        pairs = range(0, len(lists) - 1, 2)
        odd = len(lists) - len(lists) % 2
        columns = [np.argsort(groups[a] + groups[a + 1]).tolist() for a in pairs]
        joined = [join(lists[a], lists[a + 1], k, c) for a, c in zip(pairs, columns, strict=True)]
        lists = [*joined, *lists[odd:]]
        groups = [*(sorted(groups[a] + groups[a + 1]) for a in pairs), *groups[odd:]]
    return lists[0]


def stack(lists: Iterable[Best]) -> Best:
    """Put lists of different rows, all of one length, below each other."""
    codes, log_p = zip(*lists, strict=True)
    return np.concatenate(codes), np.concatenate(log_p)


def count_vectors(cards: Sequence[int]) -> int:
    """Return the number of label vectors, however large."""
    return prod(cards)


def vectors(cards: Sequence[int], m: int) -> Labels:
    """Return the m lowest label vectors in order.

    >>> vectors((2, 3), 4).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0]]
    """
    rest, columns = np.arange(m), []
    for card in reversed(cards):
        rest, code = np.divmod(rest, card)
        columns.append(code)
    return np.stack(columns[::-1], axis=1)


def fill(best: Best, cards: Sequence[int], k: int) -> Best:
    """Give a sorted list min(k, all) entries: holes are the lowest vectors that it lacks.

    >>> codes, log_p = fill((np.array([[[1, 0]]]), np.zeros((1, 1))), (2, 2), 9)
    >>> codes.tolist(), log_p.tolist()
    ([[[1, 0], [0, 0], [0, 1], [1, 1]]], [[0.0, -inf, -inf, -inf]])
    """
    codes, log_p = best
    width = min(k, count_vectors(cards))
    if log_p.shape[1] >= width and not np.isneginf(log_p[:, :width]).any():
        return codes[:, :width], log_p[:, :width]
    n, m = log_p.shape
    held = log_p > -np.inf
    # At most `width` vectors are held, so 2 * width of the lowest ones leave enough to choose from.
    pool = vectors(cards, min(2 * width, count_vectors(cards)))
    ranks = np.where(held, _rank(codes, cards, len(pool)), len(pool))
    taken = np.zeros((n, len(pool) + 1), dtype=bool)
    np.put_along_axis(taken, ranks, values=True, axis=1)
    free = np.argsort(taken[:, :-1], axis=1, kind="stable")[:, :width]
    place = np.where(held, np.arange(m), m + width)
    order = np.argsort(
        np.hstack([place, np.tile(np.arange(m, m + free.shape[1]), (n, 1))]), kind="stable"
    )
    order = order[:, :width]
    every = np.concatenate([codes, pool[free]], axis=1)
    padded = np.hstack([log_p, np.full((n, free.shape[1]), -np.inf)])
    return (
        np.take_along_axis(every, order[:, :, None], axis=1),
        np.take_along_axis(padded, order, axis=1),
    )


def _rank(codes: Labels, cards: Sequence[int], limit: int) -> Labels:
    """Return the place of each vector among all in order, or ``limit`` if it is not below it."""
    rank = np.zeros(codes.shape[:-1], dtype=np.intp)
    for j, card in enumerate(cards):  # capped at each step, so that 2^159 vectors do not overflow
        rank = np.minimum(rank * card + codes[..., j], limit)
    return rank
