r"""Sum missing features out of a tree of features, for many rows at once.

Leaves first, each feature i tells its parent p how well every value of p explains what was seen
below:

.. math:: \mu_i(x_p, c) = \sum_{x_i} P(x_i \mid x_p, c) \prod_{j \in ch(i)} \mu_j(x_i, c)  (1)

where a sum over an observed :math:`x_i` has one term, and an observed :math:`x_p` needs one entry
of the message only. So entries are computed where something is missing and looked up elsewhere.
Rows may miss different features: no grouping is needed. Cost: at most k² C per row and feature.
"""

from __future__ import annotations

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.codes import CodeArray
from jointbayes.inference.logs import log_sum
from jointbayes.network import Network

__all__ = ["is_tree", "sum_over_tree"]


def is_tree(network: Network) -> bool:
    """Return whether every feature has at most one other feature among its parents.

    >>> from jointbayes.graph import Dag
    >>> table = [np.zeros((1,) * width) for width in (1, 2, 3)]
    >>> is_tree(Network(Dag(((), (0,), (0, 1))), (1, 1, 1), tuple(table)))
    True
    """
    return all(sum(v > 0 for v in family) <= 2 for family in network.families)


def sum_over_tree(network: Network, x: CodeArray) -> Floats:
    """Return (n, C), log P(c, observed part of x), for (n, p) codes of a tree of features."""
    above = np.zeros((len(x), 1), dtype=x.dtype)  # the roots hang on one feature more, always seen
    missing = np.hstack([x == np.asarray(network.cards[1:]), above.astype(bool)])
    x = np.hstack([x, above])
    total = np.repeat(network.log_tables[0][None], len(x), axis=0)
    below: dict[int, Floats] = {}  # by feature: (rows that miss it, k, C), what its children told
    for v in reversed([v for v in network.dag.order if v > 0]):
        i, p, table = v - 1, _parent(network, v), _edge(network, v)
        gone, ask, told = missing[:, i], missing[:, p], below.pop(v - 1, None)
        rows = ~gone & ~ask
        total[rows] += table[x[rows, p], x[rows, i]]
        if told is not None:
            rows = gone & ~ask
            total[rows] += log_sum(table[x[rows, p]] + told[~ask[gone]], axis=1)  # (1)
        if ask.any():
            message = np.zeros((int(ask.sum()), table.shape[0], table.shape[2]))
            message[~gone[ask]] = table[:, x[ask & ~gone, i]].swapaxes(0, 1)
            if told is not None:
                message[gone[ask]] = log_sum(table + told[ask[gone], None], axis=2)  # (1)
            below[p] = below.get(p, 0.0) + message
    return total


def _parent(network: Network, v: int) -> int:
    """Return the feature above variable v; the roots hang on one feature more, the last."""
    above = [u - 1 for u in network.dag.parents[v] if u > 0]
    return above[0] if above else len(network.cards) - 1


def _edge(network: Network, v: int) -> Floats:
    """Return log P(x_i | x_p, c) with axes (p, i, c)."""
    return network.by_class(v).reshape(-1, network.cards[v], network.cards[0])
