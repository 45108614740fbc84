r"""Sum missing features out of any network of features, by eliminating them one by one.

Rows that miss the same features form a group and share a plan. A feature that is missing with all
its descendants sums to one and is left out at once. Every table that involves a missing feature is
gathered for the rows of the group, axes (row, missing features …, class); then

.. math:: f(\cdot, c) = \sum_{x_u} \prod_{g \ni u} g(x_u, \cdot, c)                        (1)

for one missing u after the other, the one with the smallest product first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.codes import CodeArray
from jointbayes.errors import CostError
from jointbayes.inference.logs import log_sum
from jointbayes.network import Family, Network

__all__ = ["Plan", "plan_elimination", "sum_over_network"]

MAX_CELLS = 1 << 25


@dataclass(frozen=True)
class Plan:
    """The order of elimination, what it leaves out, and the cells of its largest table per row."""

    order: Family
    barren: frozenset[int]
    cells: int


def plan_elimination(network: Network, missing: frozenset[int]) -> Plan:
    """Order the elimination of the missing variables, smallest product first.

    In a chain 1 → 2 → 3 → 4 below the class, 4 has nothing below it, so only 1 and 2 are summed:

    >>> from jointbayes.graph import Dag
    >>> from jointbayes.network import families_of
    >>> dag = Dag(((), (0,), (0, 1), (0, 2), (0, 3)))
    >>> cards = (2, 3, 3, 3, 3)
    >>> zeros = tuple(np.zeros([cards[v] for v in f]) for f in families_of(dag))
    >>> plan_elimination(Network(dag, cards, zeros), frozenset({1, 2, 4}))
    Plan(order=(1, 2), barren=frozenset({4}), cells=18)
    """
    barren = _barren(network, missing)
    scopes = [
        frozenset(family) & missing - barren
        for v, family in enumerate(network.families)
        if v not in barren
    ]
    order, cells = [], 1

    def merged(u: int) -> frozenset[int]:
        return frozenset().union(*(scope for scope in scopes if u in scope))

    def weight(u: int) -> int:
        return network.cards[0] * prod(network.cards[w] for w in merged(u))

    while left := frozenset().union(*scopes):
        u = min(sorted(left), key=weight)
        order.append(u)
        cells = max(cells, weight(u))
        scopes = [merged(u) - {u}, *(scope for scope in scopes if u not in scope)]
    return Plan(tuple(order), barren, cells)


def _barren(network: Network, missing: frozenset[int]) -> frozenset[int]:
    """Return the missing variables all of whose descendants are missing."""
    barren: set[int] = set()
    for v in reversed(network.dag.order):
        if v in missing and barren.issuperset(network.dag.children[v]):
            barren.add(v)
    return frozenset(barren)


def sum_over_network(network: Network, x: CodeArray) -> Floats:
    """Return (n, C), log P(c, observed part of x), for (n, p) codes."""
    missing = x == np.asarray(network.cards[1:])
    patterns, group, sizes = np.unique(missing, axis=0, return_inverse=True, return_counts=True)
    groups = np.split(np.argsort(group.ravel(), kind="stable"), np.cumsum(sizes)[:-1])
    total = np.empty((len(x), network.cards[0]))
    for pattern, rows in zip(patterns, groups, strict=True):
        plan = plan_elimination(network, frozenset((np.flatnonzero(pattern) + 1).tolist()))
        _afford(plan)
        for part in np.array_split(rows, -(-len(rows) * plan.cells // MAX_CELLS)):
            total[part] = _eliminate(network, plan, x[part])
    return total


def _afford(plan: Plan) -> None:
    if plan.cells > MAX_CELLS:
        raise CostError(
            f"a row misses {len(plan.order)} features that others depend on, and summing them out "
            f"needs a table of {plan.cells:,} cells (limit {MAX_CELLS:,}); use a smaller k, or "
            "missing='value'"
        )


def _eliminate(network: Network, plan: Plan, x: CodeArray) -> Floats:
    scopes: list[Family] = []
    factors: list[Floats] = []
    for v, family in enumerate(network.families):
        if v not in plan.barren:
            scopes.append(tuple(sorted(u for u in family if u in plan.order)))
            factors.append(_gather(network.log_tables[v], family, scopes[-1], x))
    for u in plan.order:
        scope = tuple(sorted({w for s in scopes if u in s for w in s}))
        product = sum(_spread(f, s, scope) for s, f in zip(scopes, factors, strict=True) if u in s)
        factors = [f for s, f in zip(scopes, factors, strict=True) if u not in s]
        scopes = [s for s in scopes if u not in s]
        factors.append(log_sum(np.asarray(product), axis=1 + scope.index(u)))  # (1)
        scopes.append(tuple(w for w in scope if w != u))
    return np.asarray(sum(factors))


def _gather(table: Floats, family: Family, scope: Family, x: CodeArray) -> Floats:
    """Return the entries the rows pick, axes (row, ``scope``, class)."""
    index = []
    for axis, u in enumerate(family):
        shape = [1] * (len(scope) + 2)
        free = u == 0 or u in scope
        shape[-1 if u == 0 else 1 + scope.index(u) if free else 0] = -1
        index.append((np.arange(table.shape[axis]) if free else x[:, u - 1]).reshape(shape))
    return table[tuple(index)]


def _spread(factor: Floats, own: Family, scope: Family) -> Floats:
    """Insert axes of length one for the members of ``scope`` that the factor lacks."""
    axes = (slice(None) if w in own else None for w in scope)
    return factor[(slice(None), *axes, slice(None))]
