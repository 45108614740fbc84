r"""Sum missing features out of any network of features: a factor graph over them and the class.

Rows that miss the same features form a group and share a plan. A feature that is missing with all
its descendants sums to one and is left out at once. Given what was seen of a row, every other table
is a factor over the missing members of its family and the class,

.. math:: P(c, x) = \sum_{x_{missing}} \prod_g g(x_{missing}, c)                           (1)

summed by the plans of :mod:`jointbayes.inference.graphs.plan`, in which the class goes last.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.codes import CodeArray
from jointbayes.errors import CostError
from jointbayes.inference.graphs.execute import sum_to_variable
from jointbayes.inference.graphs.plan import Plan, Scope, merge_factors, plan_factors
from jointbayes.network import Network

__all__ = ["MAX_CELLS", "sum_over_network"]

MAX_CELLS = 1 << 25
"""Cells of a table that summing may need: for one row, and for the rows of a block."""


def sum_over_network(network: Network, x: CodeArray) -> Floats:
    """Return (n, C), log P(c, observed part of x), for (n, p) codes.

    >>> from jointbayes.graph import Dag
    >>> prior, copy = np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> chain = np.log([[[0.8, 0.8], [0.2, 0.2]], [[0.2, 0.2], [0.8, 0.8]]])
    >>> network = Network(Dag(((), (0,), (0, 1))), (2, 2, 2), (prior, copy, chain))
    >>> np.exp(sum_over_network(network, np.array([[2, 0], [0, 2]]))).round(2).tolist()
    [[0.37, 0.13], [0.45, 0.05]]
    """
    missing = x == np.asarray(network.cards[1:])
    patterns, group, sizes = np.unique(missing, axis=0, return_inverse=True, return_counts=True)
    groups = np.split(np.argsort(group.ravel(), kind="stable"), np.cumsum(sizes)[:-1])
    total = np.empty((len(x), network.cards[0]))
    for pattern, rows in zip(patterns, groups, strict=True):
        scopes = _scopes(network, frozenset((np.flatnonzero(pattern) + 1).tolist()))
        plan = _plan(network, dict.fromkeys(scopes.values()))
        for part in np.array_split(rows, -(-len(rows) * plan.largest // MAX_CELLS)):
            factors: dict[Scope, Floats] = {}
            for v, scope in scopes.items():
                term = _gather(network, v, scope, x[part])
                factors[scope] = factors[scope] + term if scope in factors else term
            tables = merge_factors(plan, factors.values(), len(part))
            total[part] = sum_to_variable(plan, tables, 0).T  # (1)
    return total


def _scopes(network: Network, missing: frozenset[int]) -> dict[int, Scope]:
    """Return the missing members of every family that is not left out, then the class."""
    barren = _barren(network, missing)
    gone = missing - barren
    return {
        v: (*(u for u in family if u in gone), 0)
        for v, family in enumerate(network.families)
        if v not in barren
    }


def _barren(network: Network, missing: frozenset[int]) -> frozenset[int]:
    """Return the missing variables all of whose descendants are missing."""
    barren: set[int] = set()
    for v in reversed(network.dag.order):
        if v in missing and barren.issuperset(network.dag.children[v]):
            barren.add(v)
    return frozenset(barren)


def _plan(network: Network, scopes: Iterable[Scope]) -> Plan:
    """Plan the sums, the class last, if a row can afford them."""
    summed = sorted({v for scope in scopes for v in scope})
    place = {v: i for i, v in enumerate(summed)}
    cards = [network.cards[v] for v in summed]
    plan = plan_factors([[place[v] for v in scope] for scope in scopes], cards, last=0)
    if plan.largest > MAX_CELLS:
        raise CostError(
            f"a row misses {len(summed) - 1} features that others depend on, and summing them out "
            f"needs a table of {plan.largest:,} cells (limit {MAX_CELLS:,}); use a smaller k, or "
            "missing='value'"
        )
    return plan


def _gather(network: Network, v: int, scope: Scope, x: CodeArray) -> Floats:
    """Return the entries that the rows pick of the table of v, axes (row, *scope)."""
    table, index = network.by_class(v), []
    for u, width in zip((*(u for u in network.families[v] if u), 0), table.shape, strict=True):
        shape = [1] * (len(scope) + 1)
        shape[1 + scope.index(u) if u in scope else 0] = -1
        index.append((np.arange(width) if u in scope else x[:, u - 1]).reshape(shape))
    return table[tuple(index)]
