r"""Networks of several class variables: a class graph, a bridge, independent features.

Corani, Antonucci, Mauá & Gabaglio (2014): features are independent given the classes,

(1)  P(c, f) = ∏_i P(c_i | pa(c_i)) ∏_j P(f_j | pa(f_j)),   all parents among the classes,

the bridge pa(f_j) is the best subset of classes for each feature by itself (Eq. 6), and models
differ in the class graph alone. Parameters are those of the BDeu score,

(2)  P(v | ctx) = (n(v, ctx) + s / q k) / (n(ctx) + s / q),

with s the equivalent sample size, q contexts and k values; or, of features, those of contexts that
κ rows like the average one have joined,

(3)  P(v | ctx) = (n(v, ctx) + κ P(v)) / (n(ctx) + κ).

Given the features of a row, (1) is a
factor graph over the classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from jointbayes.arrays import Floats, Values
from jointbayes.checks import check_indices, check_that
from jointbayes.codes import Codes, SparseCodes
from jointbayes.graph import Dag
from jointbayes.inference.graphs.evidence import (
    Evidence,
    Factors,
    class_factors,
    compile_evidence,
)
from jointbayes.inference.graphs.few_rows import FEW, FewRows, compile_few_rows
from jointbayes.inference.graphs.plan import Plan, merge_factors, plan_factors
from jointbayes.labels import LabelSpace
from jointbayes.models.networks.vector_counts import VectorCounts
from jointbayes.network import Network, families_of
from jointbayes.network.parameters import log_m_estimate
from jointbayes.posterior import FactorGraph
from jointbayes.structure import Bridge, ClassGraph

__all__ = ["Multidimensional", "drawn_table", "learn_multidimensional", "log_table"]


@dataclass(frozen=True, eq=False)
class Multidimensional:
    """One network, or several that share a bridge and are pooled.

    Parameters
    ----------
    networks
        Differ in the class graph alone.
    graphs
        The class graph of each.
    bridge
        The class parents of every feature.
    """

    networks: tuple[Network, ...]
    graphs: tuple[ClassGraph, ...]
    bridge: Bridge

    def _check_stored(self) -> None:
        check_that(self.networks, "there are no networks")
        for network, graph in zip(self.networks, self.graphs, strict=True):
            same = network.dag.parents == (*graph.parents, *self.bridge.parents)
            check_that(same and network.cards == self.networks[0].cards, "the networks differ")
            check_that(network.n_targets == len(graph.parents), "the networks differ in classes")
            above = [parent for parents in network.dag.parents for parent in parents]
            check_indices("the parents of a variable", above, network.n_targets)

    def sharpened(self, t: float) -> Multidimensional:
        """Return these networks with features that count t times as much."""
        d = self.networks[0].n_targets
        return self._with_features(tuple(t * table for table in self.networks[0].log_tables[d:]))

    def drawn_to_average(
        self, known: VectorCounts, ess: float, average_rows: float
    ) -> Multidimensional:
        """Return these networks with features by (3), from the counts that they were learned of."""
        tables = (known.feature_table(j, above) for j, above in enumerate(self.bridge.parents))
        return self._with_features(tuple(drawn_table(n, ess, average_rows) for n in tables))

    def _with_features(self, tables: tuple[Floats, ...]) -> Multidimensional:
        d = self.networks[0].n_targets
        networks = tuple(
            replace(one, log_tables=(*one.log_tables[:d], *tables)) for one in self.networks
        )
        return Multidimensional(networks, self.graphs, self.bridge)

    @property
    def members(self) -> tuple[Multidimensional, ...]:
        """The networks one by one."""
        pairs = zip(self.networks, self.graphs, strict=True)
        return tuple(
            Multidimensional((network,), (graph,), self.bridge) for network, graph in pairs
        )

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """The arcs of all networks, each once."""
        return list(dict.fromkeys(arc for network in self.networks for arc in network.dag.arcs))

    @cached_property
    def class_factors(self) -> Factors:
        """The logarithmic pool of the class graphs: equal weights make it their mean."""
        pooled: Factors = {}
        for network in self.networks:
            for scope, table in class_factors(network).items():
                pooled[scope] = pooled.get(scope, 0.0) + table / len(self.networks)
        return pooled

    @cached_property
    def plan(self) -> Plan:
        """How the classes are eliminated, the same way for every row."""
        bridged = dict.fromkeys(parents for parents in self.bridge.parents if parents)
        cards = self.networks[0].cards[: self.networks[0].n_targets]
        return plan_factors([*self.class_factors, *bridged], cards)

    @cached_property
    def evidence(self) -> dict[tuple[int, ...], Evidence]:
        """The tables of the features, by class parents, as rows are looked up in them."""
        return compile_evidence(self.networks[0])

    @cached_property
    def few_rows(self) -> FewRows:
        """The same, as the tables of a few rows are looked up at once."""
        return compile_few_rows(self.plan, self.class_factors, self.evidence)

    def condition(
        self,
        codes: Codes,
        space: LabelSpace,
        max_bytes: int,
        time_limit: float | None,
        engine: str = "search",
        n_jobs: int | None = None,
    ) -> FactorGraph:
        """Return the pooled joint (1) of the classes given each row; the bridge is shared."""
        if len(codes) <= FEW:
            tables = self.few_rows.tables(_dense(codes))
            return FactorGraph(self.plan, tables, space, max_bytes, time_limit, engine, n_jobs)
        shared = [table[None] for table in self.class_factors.values()]
        rows = [evidence.add_up(codes) for evidence in self.evidence.values()]
        tables = merge_factors(self.plan, [*shared, *rows], len(codes))
        return FactorGraph(self.plan, tables, space, max_bytes, time_limit, engine, n_jobs)


def _dense(codes: Codes) -> Values:
    features = codes.features
    return features.dense() if isinstance(features, SparseCodes) else features


def learn_multidimensional(
    known: VectorCounts, graphs: tuple[ClassGraph, ...], bridge: Bridge, ess: float
) -> Multidimensional:
    """Estimate the parameters (2) of networks with given class graphs and one bridge."""
    features = tuple(
        log_table(known.feature_table(j, parents), 0, ess)
        for j, parents in enumerate(bridge.parents)
    )
    cards = (*known.class_cards, *known.counts.cards)
    networks = []
    for graph in graphs:
        dag = Dag((*graph.parents, *bridge.parents))
        families = families_of(dag, len(known.class_cards))[: len(known.class_cards)]
        classes = (log_table(known.class_table(family), -1, ess) for family in families)
        networks.append(Network(dag, cards, (*classes, *features), len(known.class_cards)))
    return Multidimensional(tuple(networks), graphs, bridge)


def log_table(n: NDArray[np.float64], axis: int, ess: float) -> NDArray[np.float64]:
    """Return the logarithms of (2), with the values of a variable along ``axis``.

    >>> np.exp(log_table(np.array([[3.0, 1.0], [0.0, 0.0]]), 1, ess=4.0)).round(9).tolist()
    [[0.666666667, 0.333333333], [0.5, 0.5]]
    """
    contexts = prod(n.shape) // n.shape[axis]
    return log_m_estimate(n, axis, smoothing=ess / contexts)  # (2)


def drawn_table(n: Floats, ess: float, average_rows: float) -> Floats:
    """Return the logarithms of (3), with the values of a feature along the first axis.

    A context of no rows is like all rows, one of many is as it is:

    >>> n = np.array([[3.0, 0.0], [1.0, 0.0]])
    >>> np.exp(drawn_table(n, ess=0.0, average_rows=4.0)).round(9).tolist()
    [[0.75, 0.75], [0.25, 0.25]]
    """
    every = n.reshape(len(n), -1).sum(axis=1)
    average = (every + ess / len(n)) / (every.sum() + ess)
    drawn = n + average_rows * average.reshape(-1, *[1] * (n.ndim - 1))
    table: Floats = np.log(drawn) - np.log(n.sum(axis=0) + average_rows)
    return table
