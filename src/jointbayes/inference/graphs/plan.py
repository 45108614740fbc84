"""Plan: how to eliminate the variables of a factor graph, and what that costs, before it is done.

Given x, a generative model over class variables is a product of factors over them, with the same
scopes on every row. So the search for a good order is done once:

1. factors whose scope lies within another's are added to it (``hosts``);
2. variables are eliminated greedily, by the fewest fill-in arcs or by the smallest table, whichever
   order makes fewer cells in all;
3. eliminating v collects all that mentions v in one table over v and its *separator*, the
   neighbours it has left, and passes a message over the separator to the first of them to go.

The steps are a forest: each connected component of the graph is a tree of its own. Running the plan
on rows is the business of :mod:`jointbayes.inference.graphs.execute`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2, prod

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.errors import StructureError
from jointbayes.inference.graphs.axes import Scope, spread
from jointbayes.inference.graphs.layout import Layout, lay_out
from jointbayes.inference.graphs.step import Step

__all__ = ["Plan", "Scope", "Step", "merge_factors", "plan_factors", "plan_tree"]


@dataclass(frozen=True)
class Plan:
    """An order of elimination for factors of given scopes, with its cost.

    Parameters
    ----------
    cards
        Number of values of each variable.
    given
        Scopes of the factors, in the order of their axes.
    scopes
        Scopes of the merged factors; every variable is in one of them.
    hosts
        For each factor given, the merged factor that takes it in.
    steps
        One step per variable, in the order of elimination.

    Examples
    --------
    A ring of four binary variables needs one table over three of them at a time:

    >>> print(plan_factors([(0, 1), (1, 2), (2, 3), (0, 3), (2,)], (2, 2, 2, 2)))
    4 variables in 1 component, 5 factors in 4 tables: width 2, 22 cells (176 bytes) a row
    """

    cards: tuple[int, ...]
    given: tuple[Scope, ...]
    scopes: tuple[Scope, ...]
    hosts: tuple[int, ...]
    steps: tuple[Step, ...]

    @cached_property
    def at(self) -> dict[int, int]:
        """Place of each variable in the order."""
        return {step.variable: place for place, step in enumerate(self.steps)}

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Variables whose message is a number: the last of each component."""
        return tuple(step.variable for step in self.steps if not step.separator)

    @cached_property
    def layout(self) -> Layout:
        """Where its numbers stand for kernels."""
        return lay_out(self.cards, self.scopes, self.steps)

    @property
    def width(self) -> int:
        """Largest separator: the treewidth that this order achieves."""
        return max(len(step.separator) for step in self.steps)

    @cached_property
    def cells(self) -> int:
        """Cells of all tables together, for one row."""
        return sum(self.size(step.clique) for step in self.steps)

    @cached_property
    def largest(self) -> int:
        """Cells of the largest table, for one row."""
        return max(self.size(step.clique) for step in self.steps)

    @cached_property
    def held(self) -> int:
        """Cells of the merged factors together, for one row."""
        return sum(map(self.size, self.scopes))

    @property
    def bytes(self) -> int:
        """Memory of all tables for one row in double precision."""
        return 8 * self.cells

    def size(self, scope: Scope) -> int:
        """Return the number of cells of a table over ``scope``."""
        return prod(self.cards[v] for v in scope)

    def __str__(self) -> str:
        k = len(self.roots)
        return (
            f"{len(self.cards)} variables in {k} component{'s' if k > 1 else ''}, "
            f"{len(self.hosts)} factors in {len(self.scopes)} tables: width {self.width}, "
            f"{self.cells:,} cells ({self.bytes:,} bytes) a row"
        )

    def fits(self, max_bytes: int, copies: int = 1) -> bool:
        """Return whether ``copies`` of the tables of a single row stay within ``max_bytes``."""
        return self.bytes * copies <= max_bytes


def plan_factors(
    scopes: Iterable[Sequence[int]], cards: Sequence[int], last: int | None = None
) -> Plan:
    """Merge factors and find an order of elimination: the better of min-fill and min-weight.

    A variable named ``last`` goes after all others, so that its table is a sum over them.

    >>> plan = plan_factors([(0, 1), (1, 2)], (2, 3, 2))
    >>> [(step.variable, step.separator) for step in plan.steps], plan.width
    ([(0, (1,)), (1, (2,)), (2, ())], 1)
    """
    given = tuple(_checked(scope, cards) for scope in scopes)
    merged, hosts = _merge(given, len(cards))
    orders = [_eliminate(merged, cards, cost, last) for cost in (_fill_in, _weight)]
    plans = [Plan(tuple(cards), given, merged, hosts, _steps(order, merged)) for order in orders]
    return min(plans, key=lambda plan: plan.cells)


def plan_tree(parents: Sequence[int], cards: Sequence[int]) -> Plan:
    """Plan the elimination of a directed forest, leaves first; table v is over (v, its parent).

    >>> [step.clique for step in plan_tree((-1, 0, 0), (2, 2, 3)).steps]
    [(2, 0), (1, 0), (0,)]
    """
    children = {v: [j for j, p in enumerate(parents) if p == v] for v in range(-1, len(parents))}
    order = children[-1].copy()
    for v in order:  # grows while it is read: parents before children
        order.extend(children[v])
    if len(order) < len(parents):
        lost = min(set(range(len(parents))) - set(order))
        raise StructureError(f"variable {lost} is its own ancestor, or hangs on one that is")
    scopes = tuple((v,) if p < 0 else (v, p) for v, p in enumerate(parents))
    steps = [Step(v, scopes[v][1:], (v,), tuple(children[v])) for v in reversed(order)]
    return Plan(tuple(cards), scopes, scopes, tuple(range(len(parents))), tuple(steps))


def merge_factors(plan: Plan, factors: Iterable[Floats], n: int) -> list[Floats]:
    """Add factors (n or 1, *values of their scope) up to the tables of a plan, rows last.

    A table whose factors are the same on every row is kept once: it has stride 0 along the rows.

    >>> plan = plan_factors([(1, 0), (0,)], (2, 2))
    >>> first, second = np.array([[[1, 2], [3, 4]]]), np.array([[10, 20]])
    >>> merged = merge_factors(plan, [first, second], n=5)
    >>> merged[0][..., 4].tolist(), merged[0].shape, merged[0].strides[-1]
    ([[11.0, 13.0], [22.0, 24.0]], (2, 2, 5), 0)
    """
    tables = [np.zeros((*(plan.cards[v] for v in scope), 1)) for scope in plan.scopes]
    for factor, own, host in zip(factors, plan.given, plan.hosts, strict=True):
        part = spread(np.moveaxis(factor, 0, -1), own, plan.scopes[host])
        if part.shape[-1] != 1 == tables[host].shape[-1]:  # with rows of its own, or none
            tables[host] = np.repeat(tables[host], n, axis=-1)
        tables[host] += part
    return [np.broadcast_to(table, (*table.shape[:-1], n)) for table in tables]


def _checked(scope: Sequence[int], cards: Sequence[int]) -> Scope:
    if not scope or len(set(scope)) < len(scope) or not set(scope) <= set(range(len(cards))):
        raise StructureError(
            f"the scope {tuple(scope)} must name variables from 0 to {len(cards) - 1}, each once"
        )
    return tuple(scope)


def _mask(scope: Iterable[int]) -> int:
    return sum(1 << v for v in scope)


def _members(mask: int) -> Scope:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def _merge(given: Sequence[Scope], n: int) -> tuple[tuple[Scope, ...], tuple[int, ...]]:
    """Return the scopes that no other contains, and for each scope given the first around it."""
    largest: list[int] = []
    holding: list[list[int]] = [[] for _ in range(n)]  # by variable, those of the largest scopes

    def host(mask: int) -> int | None:
        candidates = min((holding[v] for v in _members(mask)), key=len)
        return next((i for i in candidates if mask & ~largest[i] == 0), None)

    masks = {*map(_mask, given), *(1 << v for v in range(n))}
    for mask in sorted(masks, key=lambda m: (-m.bit_count(), m)):
        if host(mask) is None:
            for v in _members(mask):
                holding[v].append(len(largest))
            largest.append(mask)
    hosts = tuple(found for s in given if (found := host(_mask(s))) is not None)
    return tuple(map(_members, largest)), hosts


def _fill_in(v: int, near: Sequence[int], log_cards: Sequence[float]) -> tuple[float, float]:
    """Count the arcs that eliminating v adds; then the logarithm of its table."""
    fill = sum((near[v] & ~near[u] & ~(1 << u)).bit_count() for u in _members(near[v]))
    return fill / 2, log_cards[v] + sum(log_cards[u] for u in _members(near[v]))


def _weight(v: int, near: Sequence[int], log_cards: Sequence[float]) -> tuple[float, float]:
    """Return the same two numbers, the table first."""
    fill, weight = _fill_in(v, near, log_cards)
    return weight, fill


Cost = Callable[[int, Sequence[int], Sequence[float]], tuple[float, float]]


def _eliminate(
    scopes: Sequence[Scope], cards: Sequence[int], cost: Cost, last: int | None
) -> list[tuple[int, int]]:
    """Return (variable, mask of its neighbours when it is eliminated) in greedy order."""
    near = [0] * len(cards)
    for scope in scopes:
        for v in scope:
            near[v] |= _mask(scope) & ~(1 << v)
    log_cards = [log2(card) for card in cards]
    costs = {v: cost(v, near, log_cards) for v in range(len(cards))}
    order: list[tuple[int, int]] = []
    while costs:
        v = min(costs, key=lambda u: (u == last, costs[u], u))
        if near[v] == _mask(costs) & ~(1 << v) and _fill_in(v, near, log_cards)[0] == 0:
            return order + _clear(costs, cards, last)
        del costs[v]
        order.append((v, near[v]))
        touched = near[v]
        for u in _members(near[v]):
            near[u] = (near[u] | near[v]) & ~(1 << u) & ~(1 << v)
            touched |= near[u]
        for u in _members(touched):
            costs[u] = cost(u, near, log_cards)
    return order


def _clear(clique: Iterable[int], cards: Sequence[int], last: int | None) -> list[tuple[int, int]]:
    """Order variables that are all neighbours: most values first."""
    order = sorted(clique, key=lambda v: (v == last, -cards[v], v))
    return [(v, _mask(order[i + 1 :])) for i, v in enumerate(order)]


def _steps(order: Sequence[tuple[int, int]], scopes: Sequence[Scope]) -> tuple[Step, ...]:
    place = {v: i for i, (v, _) in enumerate(order)}

    def first(mask: Iterable[int]) -> int:
        return min(mask, key=place.__getitem__)

    tables: dict[int, list[int]] = {v: [] for v, _ in order}
    for i, scope in enumerate(scopes):
        if scope:
            tables[first(scope)].append(i)
    children: dict[int, list[int]] = {v: [] for v, _ in order}
    for v, mask in order:
        if mask:
            children[first(_members(mask))].append(v)
    return tuple(Step(v, _members(mask), tuple(tables[v]), tuple(children[v])) for v, mask in order)
