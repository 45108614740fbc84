"""The network of a model as pgmpy and pyAgrum hold it, and the questions that their users ask.

Each function returns two calls that go through the rows of evidence one by one: the marginals of
all labels, and the most probable label vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["ask_pgmpy", "ask_pyagrum"]

Evidence = list[dict[str, int]]
Questions = tuple[Callable[[], None], Callable[[], list[list[int]]]]


def ask_pgmpy(network: Any, d: int, evidence: Evidence) -> Questions:
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    names = [f"x{v}" for v in range(len(network.cards))]
    theirs = DiscreteBayesianNetwork()
    theirs.add_nodes_from(names)
    theirs.add_edges_from((names[a], names[b]) for a, b in network.dag.arcs)
    for v, (values, parents) in enumerate(tables_of(network)):
        theirs.add_cpds(
            TabularCPD(
                names[v],
                network.cards[v],
                values.reshape(network.cards[v], -1),
                [names[p] for p in parents],
                [network.cards[p] for p in parents],
            )
        )
    engine, labels = VariableElimination(theirs), names[:d]

    def marginals() -> None:
        for seen in evidence:
            engine.query(labels, seen, joint=False, show_progress=False)

    def best() -> list[list[int]]:
        found = [engine.map_query(labels, seen, show_progress=False) for seen in evidence]
        return [[vector[label] for label in labels] for vector in found]

    return marginals, best


def ask_pyagrum(network: Any, d: int, evidence: Evidence) -> Questions:
    import pyagrum as gum

    theirs = gum.BayesNet()
    for v, card in enumerate(network.cards):
        theirs.add(gum.RangeVariable(f"x{v}", "", 0, card - 1))
    for a, b in network.dag.arcs:
        theirs.addArc(a, b)
    for v, (values, parents) in enumerate(tables_of(network)):
        table = theirs.cpt(v)
        places = [[*parents, v].index(int(name[1:])) for name in table.names]
        by_name = np.moveaxis(values, 0, -1).transpose(places)  # axes as in table.names
        table.fillWith(by_name.ravel(order="F").tolist())
    one_by_one, jointly = gum.LazyPropagation(theirs), gum.LazyPropagation(theirs)
    one_by_one.setTargets(set(range(d)))
    jointly.addJointTarget(set(range(d)))

    def marginals() -> None:
        for seen in evidence:
            one_by_one.setEvidence(seen)
            one_by_one.makeInference()
            for v in range(d):
                one_by_one.posterior(v)

    def best() -> list[list[int]]:
        """Take the largest entry of the joint table: there is no query for the best vector."""
        answers = []
        for seen in evidence:
            jointly.setEvidence(seen)
            jointly.makeInference()
            vector = jointly.jointPosterior(set(range(d))).argmax()[0][0]
            answers.append([vector[f"x{v}"] for v in range(d)])
        return answers

    return marginals, best


def tables_of(network: Any) -> Iterator[tuple[np.ndarray, tuple[int, ...]]]:
    """Yield P(v | parents) of every variable, axes (v, *parents), and its parents."""
    for v, (family, log_table) in enumerate(zip(network.families, network.log_tables, strict=True)):
        axis = family.index(v)
        parents = tuple(u for u in family if u != v)
        yield np.exp(np.moveaxis(log_table, axis, 0)), parents
