r"""Posteriors among the label vectors that obey rules.

.. math:: P(y \mid x, rules) = P(y \mid x) \, 1[y \text{ obeys}] / P(obeys \mid x)          (1)

A rule is an automaton that reads labels one by one (`jointbayes.rules`). In a factor graph it is
one table if its labels are few; else its states become variables of the graph, each tied to the one
before it and to the label that is read. They follow from the labels, so that every label vector has
one place in the larger graph: the best vectors, sums and samples there are those of the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.graphs.plan import Plan, Scope, merge_factors, plan_factors
from jointbayes.inference.graphs.tables import rows_first
from jointbayes.inference.lists import Best
from jointbayes.labels import LabelSpace
from jointbayes.posterior.factor_graph import FactorGraph
from jointbayes.posterior.posterior import Posterior
from jointbayes.rules import Automaton

__all__ = ["RuledGraph", "obeying_graph"]

TABULATED = 16
"""Cells up to which a rule is one table over its labels."""


@dataclass(frozen=True, eq=False, repr=False)
class RuledGraph(Posterior):
    """A factor graph over labels and the states of automata that read them.

    Parameters
    ----------
    graph
        Over the labels, then the states.
    automata
        Those whose states are in the graph, in that order.
    space
        Names and values of the labels.

    Examples
    --------
    Five labels that are all likely, of which two may be relevant:

    >>> from jointbayes import rules
    >>> from jointbayes.posterior import Independent
    >>> space = LabelSpace(tuple("abcde"), (np.array([0, 1]),) * 5)
    >>> post = Independent([np.log([[1 - p, p]]) for p in (0.6, 0.7, 0.8, 0.75, 0.6)], space)
    >>> post.subject_to(rules.at_most(2)).map().tolist()
    [[0, 0, 1, 1, 0]]
    """

    graph: FactorGraph
    automata: tuple[Automaton, ...]
    space: LabelSpace

    def __len__(self) -> int:
        return len(self.graph)

    @property
    def _hidden(self) -> int:
        return len(self.graph.space) - len(self.space)

    def _extended(self, codes: Labels) -> Labels:
        """Return vectors with the states that follow from them."""
        states = [s for automaton in self.automata for s in automaton.states(codes)[1:-1]]
        return np.concatenate([codes, np.stack(states, axis=-1)], axis=-1)

    def _cut(self, codes: Labels) -> Labels:
        return codes[..., : len(self.space)]

    def _padded(self, known: Labels) -> Labels:
        return np.pad(known, ((0, 0), (0, self._hidden)), constant_values=-1)

    def _log_prob(self, codes: Labels) -> Floats:
        return self.graph._log_prob(self._extended(codes))

    def _best(self, k: int) -> Best:
        codes, log_p = self.graph._best(k)
        return self._cut(codes), log_p

    def _mode(self) -> Labels:
        return self._cut(self.graph._mode())

    def _marginals(self) -> list[Floats]:
        return self.graph._marginals()[: len(self.space)]

    def _sizes(self) -> Floats:
        return self.graph._sizes_among(len(self.space))

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        return self._cut(self.graph._sample(size, rng))

    def _evidence(self, known: Labels) -> Floats:
        return self.graph._evidence(self._padded(known))

    def _given(self, known: Labels) -> RuledGraph:
        return replace(self, graph=self.graph._given(self._padded(known)))

    def _power(self, t: float) -> RuledGraph:
        return replace(self, graph=self.graph._power(t))

    def _rows(self, index: Rows) -> RuledGraph:
        return replace(self, graph=self.graph._rows(index))

    def gap(self) -> Floats:
        """Bound by how much a vector can beat ``map()`` in log-probability, row by row."""
        return self.graph.gap()

    def _inexact(self) -> dict[str, str]:
        return self.graph._inexact()


def obeying_graph(
    graph: FactorGraph, automata: Sequence[Automaton]
) -> tuple[FactorGraph | RuledGraph, Floats]:
    """Return a graph among the vectors that obey, and log P(obeys); as it was where none does."""
    cards = list(graph.plan.cards)
    scopes, tables, unfolded = list(graph.plan.scopes), rows_first(graph.tables), []
    for automaton in automata:
        if graph.plan.size(automaton.labels) <= TABULATED or len(automaton.labels) < 3:
            scopes.append(automaton.labels)
            tables.append(_table(automaton, cards)[None])
            continue
        links = _unfold(automaton, len(cards))
        unfolded.append(automaton)
        cards += [len(automaton.accepts)] * (len(automaton.labels) - 2)
        scopes += [scope for scope, _ in links]
        tables += [table[None] for _, table in links]
    plan = _plan(tuple(scopes), tuple(cards))
    larger = replace(
        graph,
        plan=plan,
        tables=merge_factors(plan, tables, len(graph)),
        space=_with_states(graph.space, cards[len(graph.space) :]),
    )
    possible = larger._possible()
    log_p = np.full(len(graph), -np.inf)
    log_p[possible] = (larger._rows(possible)._log_z - graph._rows(possible)._log_z).clip(max=0.0)
    if len(possible) < len(graph):
        larger = _relaxed(larger, possible)
    if not unfolded:
        return larger, log_p
    return RuledGraph(larger, tuple(unfolded), graph.space), log_p


@lru_cache(maxsize=32)
def _plan(scopes: tuple[Scope, ...], cards: tuple[int, ...]) -> Plan:
    return plan_factors(scopes, cards)


def _relaxed(graph: FactorGraph, possible: Labels) -> FactorGraph:
    """Let every vector be where none is possible: such rows are refused, or have no weight."""
    free = np.ones(len(graph), dtype=bool)
    free[possible] = False
    return replace(graph, tables=[np.where(free, 0.0, table) for table in graph.tables])


def _with_states(space: LabelSpace, cards: Sequence[int]) -> LabelSpace:
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
