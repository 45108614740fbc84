"""How alike two ways of splitting labels into groups are (Gasse et al. 2015, Table 1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from jointbayes.errors import DataError

__all__ = ["rand_index"]


def rand_index(true: Iterable[Iterable[Any]], found: Iterable[Iterable[Any]]) -> float:
    """Return the share of pairs of labels that both partitions join or both keep apart.

    Examples
    --------
    Two labels joined, three apart; found: all apart. One pair of ten is wrong.

    >>> rand_index([(0, 1), (2,), (3,), (4,)], [(0,), (1,), (2,), (3,), (4,)])
    0.9
    """
    from sklearn.metrics import rand_score

    first, second = _group_of(true), _group_of(found)
    if first.keys() != second.keys():
        odd = sorted(map(str, first.keys() ^ second.keys()))
        raise DataError(f"only one of the two partitions holds the labels {', '.join(odd)}")
    return float(rand_score(list(first.values()), [second[label] for label in first]))


def _group_of(partition: Iterable[Iterable[Hashable]]) -> dict[Hashable, int]:
    group: dict[Hashable, int] = {}
    for g, labels in enumerate(partition):
        for label in labels:
            if label in group:
                raise DataError(f"label {label!r} is in two groups of one partition")
            group[label] = g
    if not group:
        raise DataError("a partition of no labels has no Rand index")
    return group
