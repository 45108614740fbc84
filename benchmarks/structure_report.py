"""StructureReport: what a network of several class variables looks like, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.structure import naive_by_root

__all__ = ["StructureReport", "report_structure"]


@dataclass(frozen=True)
class StructureReport:
    """The figures Corani et al. (2014) tell of their structures.

    Parameters
    ----------
    root
        Name of the root of the class graph (of the first member of an ensemble).
    root_percentile
        Percentage of the labels that are relevant no more often than the root.
    linked, possible_links
        Classes linked to the root, and how many could be.
    connectivity_percentile
        Percentage of the classes that would have no more classes linked to them as root of mNB than
        this root would.
    width
        Treewidth of the elimination order: the size of the largest clique less one.
    clique_size
        The paper's "treewidth": the largest clique of the triangulated moral graph, features
        included.
    max_in_degree, mean_in_degree
        Class parents of a feature.
    bridge_proof
        What the search for them has proven.
    """

    root: str
    root_percentile: float
    linked: int
    possible_links: int
    connectivity_percentile: float
    width: int
    clique_size: int
    max_in_degree: int
    mean_in_degree: float
    bridge_proof: str


def report_structure(model: ClassNetworks) -> StructureReport:
    """Describe the structure of a fitted mNB, mFAN or ensemble.

    Examples
    --------
    The second label follows the first, and one feature knows both:

    >>> from jointbayes import MultilabelNB
    >>> model = MultilabelNB().fit([["a"], ["b"]] * 20, [[0, 0], [1, 1]] * 20)
    >>> report = report_structure(model)
    >>> report.root, report.linked, report.possible_links, report.clique_size
    ('y0', 1, 1, 3)
    """
    learned, known, space = model.learned_, model.knowledge_, model.space_
    graph, degrees = learned.graphs[0], [len(p) for p in learned.bridge.parents]
    relevant = np.array([known.class_table((j,))[1:].sum() for j in range(len(space))])
    others = naive_by_root(known.class_codes(), model.ess, known.counts.n_c)
    links = np.array([other.arcs for other in others])
    return StructureReport(
        root=space.names[graph.root],
        root_percentile=_percentile(relevant, graph.root),
        linked=sum(graph.root in parents for parents in graph.parents),
        possible_links=len(space) - 1,
        connectivity_percentile=_percentile(links, graph.root),
        width=learned.plan.width,
        clique_size=max(learned.plan.width, max(degrees, default=0)) + 1,
        max_in_degree=max(degrees, default=0),
        mean_in_degree=float(np.mean(degrees)),
        bridge_proof=model.bridge_proof_,
    )


def _percentile(values: NDArray[Any], place: int) -> float:
    return 100 * float((values <= values[place]).mean())
