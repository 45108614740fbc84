"""A factor graph over labels that automata read along a path: rules that count labels, exactly.

What `RuledGraph` says by states that are variables, this says by a state that is carried from label
to label (`jointbayes.inference.graphs.paths`): all questions are answered exactly, in time and
memory that grow with the number of states and not with its square.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from jointbayes.arrays import Floats, Labels, Rows
from jointbayes.inference.graphs.paths import Path, plan_path
from jointbayes.inference.graphs.plan import Plan, Scope, plan_factors
from jointbayes.inference.graphs.sizes import count_independent
from jointbayes.inference.graphs.walks import count_along, rank_along, sample_along, sum_along
from jointbayes.inference.lists import Best, select
from jointbayes.labels import LabelSpace
from jointbayes.posterior.factor_graph import FactorGraph, check_possible
from jointbayes.posterior.posterior import Posterior
from jointbayes.rules import Automaton

__all__ = ["RuledPath", "cached_plan", "ruled_path"]

HELD = 32
"""How many times the cells of the largest table those of all turns may be, to be held at once."""


@dataclass(frozen=True, eq=False, repr=False)
class RuledPath(Posterior):
    """A factor graph over labels, among the vectors that automata accept.

    Parameters
    ----------
    graph
        Over the labels.
    automata
        What they obey besides.
    path
        How they are read, turn by turn.
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
    path: Path
    space: LabelSpace

    def __len__(self) -> int:
        return len(self.graph)

    @cached_property
    def _log_z(self) -> Floats:
        cells = self.path.largest
        return self.graph._by_blocks(lambda tables: sum_along(self.path, tables), cells)

    def _possible(self) -> Labels:
        """Return the rows that leave some vector a probability."""
        return np.flatnonzero(self._log_z > -np.inf)

    def _log_prob(self, codes: Labels) -> Floats:
        check_possible(self._log_z)
        obeys = np.all([automaton.obeys(codes) for automaton in self.automata], axis=0)
        return np.where(obeys, self.graph._score(codes) - self._log_z[:, None], -np.inf)

    def _best(self, k: int) -> Best:
        check_possible(self._log_z)
        codes, score = self._ranked(k)
        return select(codes, score - self._log_z[:, None], k)

    def _mode(self) -> Labels:
        codes, score = self._ranked(1)
        check_possible(score)
        return codes[:, 0]

    def _ranked(self, k: int) -> Best:
        def run(tables: list[Floats]) -> Floats:
            codes, score = rank_along(self.path, tables, k)
            return np.concatenate([codes, score[:, :, None]], axis=2)

        found = self.graph._by_blocks(run, self._held(k))
        return found[..., :-1].astype(np.intp), found[..., -1]

    def _held(self, copies: int = 1) -> int:
        """Return how many cells a row needs where the tables of all turns are held."""
        return copies * max(self.path.largest, self.path.cells // HELD)

    def _marginals(self) -> list[Floats]:
        check_possible(self._log_z)
        run = self.graph._by_blocks(
            lambda tables: count_along(self.path, tables, len(self.space))[..., 0], self._held()
        )
        return self.graph._split(run)

    def _sizes(self) -> Floats:
        d = len(self.space)
        check_possible(self._log_z)
        path = self._tallied
        if path is None:
            return count_independent(np.stack([p[:, 1] for p in self._marginals()], axis=1))
        run = self.graph._by_blocks(
            lambda tables: count_along(path, tables, d)[:, 1::2], self._held(len(path.tallies))
        )
        return np.pad(run, ((0, 0), (0, 0), (0, d + 1 - run.shape[2])))

    def _sample(self, size: int, rng: np.random.Generator) -> Labels:
        check_possible(self._log_z)
        drawn = [
            sample_along(self.path, self.graph._rows(rows).tables, size, rng)
            for rows in self.graph._spans(self._held())
        ]
        return np.concatenate(drawn, axis=1)

    def _evidence(self, known: Labels) -> Floats:
        return self._given(known)._log_z - self._log_z

    def _given(self, known: Labels) -> RuledPath:
        return replace(self, graph=self.graph._given(known))

    def _power(self, t: float) -> RuledPath:
        return replace(self, graph=self.graph._power(t))

    def _rows(self, index: Rows) -> RuledPath:
        return replace(self, graph=self.graph._rows(index))

    def _inexact(self) -> dict[str, str]:
        fits = not self.space.binary or self._tallied is not None
        return {} if fits else {"sizes": "approximate"}

    @property
    def _tallied(self) -> Path | None:
        """The path that counts relevant labels besides, if its tables fit."""
        plan = self.graph.plan
        return _path(plan.given, plan.cards, self.automata, "sizes", self.graph.max_bytes // 8)


def ruled_path(graph: FactorGraph, automata: tuple[Automaton, ...]) -> RuledPath | None:
    """Return labels that obey automata along a path; None if its tables do not fit."""
    plan = graph.plan
    path = _path(plan.given, plan.cards, automata, "plain", graph.max_bytes // 8)
    return (
        None if path is None or not graph._fits() else RuledPath(graph, automata, path, graph.space)
    )


@lru_cache(maxsize=64)
def cached_plan(scopes: tuple[Scope, ...], cards: tuple[int, ...]) -> Plan:
    """Return the plan of factors: rows come in many batches, and rules stay."""
    return plan_factors(scopes, cards)


@lru_cache(maxsize=64)
def _path(
    scopes: tuple[Scope, ...],
    cards: tuple[int, ...],
    automata: tuple[Automaton, ...],
    kind: str,
    max_cells: int,
) -> Path | None:
    tally = None
    if kind == "sizes":
        counts = np.arange(len(cards) + 1)
        step = np.stack([counts, np.minimum(counts + 1, len(cards))], axis=1)
        labels = tuple(range(len(cards)))
        tally = Automaton(labels, (step,) * len(cards), np.ones(len(counts), dtype=bool))
    return plan_path(cached_plan(scopes, cards), automata, tally, max_cells)
