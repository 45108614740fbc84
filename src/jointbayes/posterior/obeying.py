r"""Posteriors among the label vectors that obey rules.

.. math:: P(y \mid x, rules) = P(y \mid x) \, 1[y \text{ obeys}] / P(obeys \mid x)          (1)

A rule is an automaton that reads labels one by one (`jointbayes.rules`). In a factor graph it is
one table if its labels are few; else it reads them along a path (`RuledPath`), if the tables of
that fit; else its states become variables of the graph (`RuledGraph`), each tied to the one before
it and to the label that is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels
from jointbayes.inference.graphs.plan import Plan, Scope, merge_factors
from jointbayes.inference.graphs.tables import rows_first
from jointbayes.labels import LabelSpace
from jointbayes.posterior.factor_graph import FactorGraph
from jointbayes.posterior.ruled_graph import RuledGraph
from jointbayes.posterior.ruled_path import RuledPath, cached_plan, ruled_path
from jointbayes.rules import Automaton

__all__ = ["Ruled", "obeying_graph", "obeying_path", "unfolded_graph"]

TABULATED = 16
"""Cells up to which a rule is one table over its labels."""


Ruled = FactorGraph | RuledPath | RuledGraph
"""The kinds of what has factors and obeys rules."""


def obeying_graph(graph: FactorGraph, automata: Sequence[Automaton]) -> tuple[Ruled, Floats]:
    """Return a graph among the vectors that obey, and log P(obeys); as it was where none does."""
    short = [a for a in automata if _is_short(a, graph.plan)]
    long = tuple(a for a in automata if not _is_short(a, graph.plan))
    larger = _extended(graph, [(a.labels, _table(a, graph.plan.cards)) for a in short])
    if not long:
        return _measured(graph, larger)
    path = ruled_path(larger, long)
    if path is None:
        return unfolded_graph(graph, automata)
    return _measured(graph, path)


def obeying_path(post: RuledPath, automata: Sequence[Automaton]) -> tuple[Ruled, Floats]:
    """Return the same of labels that obey some rules along a path already."""
    after, total = obeying_graph(post.graph, (*post.automata, *automata))
    possible = total > -np.inf
    log_p = np.full(len(post), -np.inf)
    log_p[possible] = (total - (post._log_z - post.graph._log_z))[possible].clip(max=0.0)
    return after, log_p


def unfolded_graph(graph: FactorGraph, automata: Sequence[Automaton]) -> tuple[Ruled, Floats]:
    """Return the same as a factor graph: the states of long automata become variables."""
    cards, factors, unfolded = list(graph.plan.cards), [], []
    for automaton in automata:
        if _is_short(automaton, graph.plan):
            factors.append((automaton.labels, _table(automaton, cards)))
            continue
        factors += _unfold(automaton, len(cards))
        unfolded.append(automaton)
        cards += [len(automaton.accepts)] * (len(automaton.labels) - 2)
    larger = _extended(graph, factors, cards[len(graph.space) :])
    if not unfolded:
        return _measured(graph, larger)
    return _measured(graph, RuledGraph(larger, tuple(unfolded), graph.space))


def _is_short(automaton: Automaton, plan: Plan) -> bool:
    """Return whether a rule is one table."""
    return plan.size(automaton.labels) <= TABULATED or len(automaton.labels) < 3


def _extended(
    graph: FactorGraph, factors: Sequence[tuple[Scope, Floats]], states: Sequence[int] = ()
) -> FactorGraph:
    """Return a graph with more factors, the same on all rows, and the variables that they need."""
    scopes = (*graph.plan.scopes, *(scope for scope, _ in factors))
    plan = cached_plan(scopes, (*graph.plan.cards, *states))
    tables = [*rows_first(graph.tables), *(table[None] for _, table in factors)]
    merged = merge_factors(plan, tables, len(graph))
    return replace(graph, plan=plan, tables=merged, space=_with_states(graph.space, states))


def _measured(before: FactorGraph, after: Ruled) -> tuple[Ruled, Floats]:
    """Return what obeys, and how probable that was; rows in which nothing does are let free."""
    possible = after._possible()
    if len(possible) == len(before):
        return after, (after._log_z - before._log_z).clip(max=0.0)
    log_p = np.full(len(before), -np.inf)
    log_p[possible] = (after._rows(possible)._log_z - before._rows(possible)._log_z).clip(max=0.0)
    if isinstance(after, FactorGraph):
        return _relaxed(after, possible), log_p
    if isinstance(after, RuledPath) and not len(after.path.tallies):
        return before, log_p  # what nothing obeys on any row
    return replace(after, graph=_relaxed(after.graph, possible)), log_p


def _relaxed(graph: FactorGraph, possible: Labels) -> FactorGraph:
    """Let every vector be where none is possible: such rows are refused, or have no weight."""
    free = np.ones(len(graph), dtype=bool)
    free[possible] = False
    return replace(graph, tables=[np.where(free, 0.0, table) for table in graph.tables])


def _with_states(space: LabelSpace, cards: Sequence[int]) -> LabelSpace:
    """Return the space of labels and states; of labels alone it is the same, with all it knows."""
    if not cards:
        return space
    names = tuple(f"state {i}" for i in range(len(cards)))
    return LabelSpace((*space.names, *names), (*space.classes, *map(np.arange, cards)))


def _table(automaton: Automaton, cards: Sequence[int]) -> Floats:
    """Return 0 where the automaton accepts and −inf elsewhere, over its labels."""
    shape = [cards[j] for j in automaton.labels]
    own = replace(automaton, labels=tuple(range(len(shape))))
    return _zero_if(own.obeys(np.moveaxis(np.indices(shape), 0, -1)))


def _unfold(automaton: Automaton, first: int) -> list[tuple[Scope, Floats]]:
    """Return factors over (label, label, state), (state, label, state) …, (state, label)."""
    labels, steps, n = automaton.labels, automaton.steps, len(automaton.accepts)
    states = np.arange(n)
    start = steps[1][steps[0][0]]  # by the values of the first two labels
    links: list[tuple[Scope, Any]] = [((*labels[:2], first), start[..., None] == states)]
    for i, j in enumerate(labels[2:-1]):
        links.append(((first + i, j, first + i + 1), steps[i + 2][..., None] == states))
    links.append(((first + len(labels) - 3, labels[-1]), automaton.accepts[steps[-1]]))
    return [(scope, _zero_if(np.asarray(holds))) for scope, holds in links]


def _zero_if(holds: Any) -> Floats:
    return np.where(holds, 0.0, -np.inf)
