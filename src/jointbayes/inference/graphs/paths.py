"""Path: the variables of a factor graph in a row, read by automata as they come.

A rule that counts labels is an automaton (`jointbayes.rules`), and a plan of elimination would need
tables over (state before, label, state after), nearly all of whose cells are impossible. Along a
path the state is carried instead. One turn takes one variable:

1. the variable is *opened*: for each state after it and each of its values, the states before
   from which they follow (``before``) say what is known so far;
2. the factors all of whose variables are open by now, or were, are added;
3. the variables that no later factor mentions are *closed*: summed or maximised out.

A table of the turn is over (state, open variables, row), so that a limit of k labels costs k + 1
cells for each cell of the labels that are open at once. In what order variables are closed is that
of a plan of elimination, taken depth first with the larger of two branches before the smaller
one: so in a tree at most log2 d + 1 labels are open. Of states, only those are kept that can be
reached and from which something is accepted; an automaton whose labels are all read is forgotten.
Running a path on rows is the business of :mod:`jointbayes.inference.graphs.walks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from jointbayes.arrays import Labels, Mask
from jointbayes.inference.graphs.plan import Plan, Scope
from jointbayes.rules import Automaton

__all__ = ["Path", "Turn", "plan_path"]


@dataclass(frozen=True, eq=False)
class Turn:
    """Open one variable, then close those that are done.

    Parameters
    ----------
    frontier
        The variables that are open, the new one first: the axes of the table after the state.
    closed
        Those of them that are closed in the end.
    tables
        Which tables are added.
    before
        (states after, values, m) the states before; −1 for none.
    after
        (states before, values) the state after; −1 where nothing is accepted any more.
    slot
        (states before, values) where a state before stands among the m of the state after.
    """

    frontier: Scope
    closed: Scope
    tables: tuple[int, ...]
    before: Labels
    after: Labels
    slot: Labels

    @property
    def variable(self) -> int:
        """The variable that is opened."""
        return self.frontier[0]

    @cached_property
    def kept(self) -> Scope:
        """The variables that stay open."""
        return tuple(v for v in self.frontier if v not in self.closed)

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """Where those that are closed stand among the axes of the table."""
        return tuple(1 + i for i, v in enumerate(self.frontier) if v in self.closed)


@dataclass(frozen=True, eq=False)
class Path:
    """Turns that open every variable of a factor graph once.

    Parameters
    ----------
    cards
        Number of values of each variable.
    scopes
        Of the tables.
    turns
        One for each variable.
    tallies
        The state in which each way through the turns ends, of the automaton whose last state is
        asked for; zeros if none is. Empty if nothing is accepted.

    Examples
    --------
    At most one of four labels that hang on each other in a chain: two states, two open labels.

    >>> from jointbayes.inference.graphs.plan import plan_factors
    >>> from jointbayes.labels import LabelSpace
    >>> from jointbayes.rules import compile_rules, exclusive
    >>> space = LabelSpace(tuple("abcd"), (np.array([0, 1]),) * 4)
    >>> plan = plan_factors([(0, 1), (1, 2), (2, 3)], space.cards)
    >>> path = plan_path(plan, compile_rules([exclusive()], space))
    >>> [turn.frontier for turn in path.turns], path.largest
    ([(1,), (0, 1), (2, 1), (3, 2)], 8)
    """

    cards: tuple[int, ...]
    scopes: tuple[Scope, ...]
    turns: tuple[Turn, ...]
    tallies: Labels

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Cells of the table of each turn, for one row."""
        return tuple(
            turn.before.shape[0] * turn.before.shape[2] * prod(self.cards[v] for v in turn.frontier)
            for turn in self.turns
        )

    @property
    def cells(self) -> int:
        """Cells of all tables together, for one row."""
        return sum(self.sizes)

    @property
    def largest(self) -> int:
        """Cells of the largest table, for one row."""
        return max(1, *self.sizes)


def plan_path(
    plan: Plan,
    automata: Sequence[Automaton],
    tally: Automaton | None = None,
    max_cells: float = np.inf,
) -> Path | None:
    """Return the path of a factor graph and automata; None if its tables have too many cells.

    The last state of ``tally``, an automaton more, is not forgotten.
    """
    readers = [*automata] if tally is None else [*automata, tally]
    opened = _opening(plan, readers)
    place = {v: t for t, v in enumerate(opened)}
    last = {v: t for t, v in enumerate(opened)}  # when the last factor of a variable is added
    added: list[list[int]] = [[] for _ in opened]
    for i, scope in enumerate(plan.scopes):
        complete = max(place[v] for v in scope)
        added[complete].append(i)
        last |= {v: max(last[v], complete) for v in scope}
    ends = [max(place[j] for j in reader.labels) for reader in readers]
    states = np.zeros((1, len(readers)), dtype=np.intp)
    frontiers, moves, cells = [], [], 0
    kept: Scope = ()
    for t, v in enumerate(opened):
        frontiers.append((v, *kept))
        kept = tuple(u for u in (v, *kept) if last[u] > t)
        finished = [i for i, end in enumerate(ends) if end == t and readers[i] is not tally]
        after, states = _read(states, readers, v, plan.cards[v], finished)
        moves.append(after)
        cells += len(states) * prod(plan.cards[u] for u in frontiers[-1])
        if cells > max_cells:
            return None
    alive = np.ones(len(states), dtype=bool)
    tallies = np.zeros(len(states), dtype=np.intp) if tally is None else states[:, -1]
    turns = []
    for t in reversed(range(len(opened))):
        left = int(alive.sum())
        after, alive = _prune(moves[t], alive)
        before, slot = _backwards(after[alive], left)
        closed = tuple(u for u in frontiers[t] if last[u] == t)
        turns.append(Turn(frontiers[t], closed, tuple(added[t]), before, after[alive], slot))
    path = Path(plan.cards, plan.scopes, tuple(turns[::-1]), tallies)
    return path if path.cells <= max_cells else None


def _opening(plan: Plan, readers: Sequence[Automaton]) -> list[int]:
    """Return the order in which variables are opened: each and its neighbours before it closes."""
    near: list[set[int]] = [set() for _ in plan.cards]
    for scope in plan.scopes:
        for v in scope:
            near[v] |= set(scope)
    opened: dict[int, None] = {}
    for v in _closing(plan, readers):
        opened |= dict.fromkeys([*sorted(near[v] - {v}, key=plan.at.__getitem__), v])
    return list(opened)


def _closing(plan: Plan, readers: Sequence[Automaton]) -> list[int]:
    """Return an order of elimination, depth first: what needs most open variables goes first."""
    need: dict[int, int] = {}
    ordered: dict[int, list[int]] = {}
    root: dict[int, int] = {}
    for step in plan.steps:  # children before their parents
        children = sorted(step.children, key=lambda c: -need[c])
        needs = [need[c] + (i > 0) for i, c in enumerate(children)]
        need[step.variable], ordered[step.variable] = max([1, *needs]), children
    for step in reversed(plan.steps):
        root.setdefault(step.variable, step.variable)
        root |= dict.fromkeys(step.children, root[step.variable])
    shortest = sorted(readers, key=lambda reader: len(reader.labels))
    labels = [j for reader in shortest for j in reader.labels]
    trees = dict.fromkeys(root[v] for v in (*labels, *plan.roots))  # one reader's together
    order, waiting = [], list(trees)
    while waiting:  # backwards: the last tree, its root, its last branch …
        order.append(waiting.pop())
        waiting += ordered[order[-1]]
    return order[::-1]


def _read(
    states: Labels, readers: Sequence[Automaton], v: int, card: int, finished: Sequence[int]
) -> tuple[Labels, Labels]:
    """Return which state follows which by values, −1 for refused, and the states (s, readers)."""
    n = len(states)
    following = np.repeat(states[:, None], card, axis=1)
    for i, reader in enumerate(readers):
        if v in reader.labels:
            following[:, :, i] = reader.steps[reader.labels.index(v)][states[:, i]]
    refused = np.zeros((n, card), dtype=bool)
    for i in finished:
        refused |= ~readers[i].accepts[following[:, :, i]]
        following[:, :, i] = 0
    after = np.full((n, card), -1, dtype=np.intp)
    found, number = np.unique(following[~refused], axis=0, return_inverse=True)
    after[~refused] = number.ravel()
    return after, found


def _prune(after: Labels, alive: Mask) -> tuple[Labels, Mask]:
    """Leave out the states from which nothing is accepted: (s, values), and which of s are left."""
    number = np.append(np.where(alive, np.cumsum(alive) - 1, -1), -1)  # the last one is for −1
    after = number[after]
    return after, np.asarray((after >= 0).any(axis=1))


def _backwards(after: Labels, n: int) -> tuple[Labels, Labels]:
    """Return the (n, values, m) states before each, and the place of each state among those m."""
    state, value = np.nonzero(after >= 0)
    follows = after[state, value]
    order = np.lexsort((state, value, follows))
    group = (follows * after.shape[1] + value)[order]
    first = np.searchsorted(group, group)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order)) - first
    before = np.full((n, after.shape[1], rank.max(initial=0) + 1), -1, dtype=np.intp)
    before[follows, value, rank] = state
    slot = np.zeros(after.shape, dtype=np.intp)
    slot[state, value] = rank
    return before, slot
