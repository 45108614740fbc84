"""A factor graph over labels and the states of automata that read them.

The states follow from the labels, so that every label vector has one place in the larger graph: the
best vectors, sums and samples there are those of the labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.lists import Best
from jointbayes.labels import LabelSpace
from jointbayes.posterior.factor_graph import FactorGraph
from jointbayes.posterior.posterior import Posterior
from jointbayes.rules import Automaton

__all__ = ["RuledGraph"]


@dataclass(frozen=True, eq=False, repr=False)
class RuledGraph(Posterior):
    """What `RuledPath` says, where the tables of its path would be too large.

    Parameters
    ----------
    graph
        Over the labels, then the states.
    automata
        Those whose states are in the graph, in that order.
    space
        Names and values of the labels.
    """

    graph: FactorGraph
    automata: tuple[Automaton, ...]
    space: LabelSpace

    def __len__(self) -> int:
        return len(self.graph)

    @property
    def _log_z(self) -> Floats:
        return self.graph._log_z

    def _possible(self) -> Labels:
        return self.graph._possible()

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
