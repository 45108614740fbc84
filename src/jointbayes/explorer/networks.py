"""Networks of several class variables for the page: a plan, tables over labels, and evidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from jointbayes.arrays import Floats
from jointbayes.errors import CostError
from jointbayes.explorer.packing import pack
from jointbayes.inference.graphs.plan import Plan
from jointbayes.models.networks.multidimensional import Multidimensional
from jointbayes.models.networks.vector_counts import VectorCounts

__all__ = ["PLAN_CELLS", "graph_law", "plan_tables"]

PLAN_CELLS = 1 << 19
"""Cells that elimination may take in a page for one row."""

Tables = dict[str, Any]


def graph_law(learned: Multidimensional, known: VectorCounts) -> Tables:
    """Return the tables of a network, or a pool of them, and the plan of its labels."""
    plan, network = learned.plan, learned.networks[0]
    if plan.cells > PLAN_CELLS:
        raise CostError(
            f"explore: summing over the labels of this network takes {plan.cells:,} cells a row, "
            f"and a page has {PLAN_CELLS:,}; fit with max_parents=1 or 2, choose fewer labels, or "
            "explore a CTBN"
        )
    hosts = dict(zip(plan.given, plan.hosts, strict=True))
    return {
        "kind": "graph",
        "plan": plan_tables(plan),
        "shared": [
            {
                "scope": list(scope),
                "host": hosts[scope],
                "table": pack(table),
                "usual": pack(_usual(scope, table, known)),
            }
            for scope, table in learned.class_factors.items()
        ],
        "evidence": [
            {
                "scope": list(scope),
                "host": hosts[scope],
                "features": evidence.features.tolist(),
                "cells": pack(
                    np.concatenate(
                        [
                            network.log_tables[j + network.n_targets].ravel()
                            for j in evidence.features
                        ]
                    )
                ),
            }
            for scope, evidence in learned.evidence.items()
        ],
    }


def plan_tables(plan: Plan) -> Tables:
    """Return a plan as lists."""
    return {
        "cards": list(plan.cards),
        "scopes": [list(scope) for scope in plan.scopes],
        "steps": [
            [step.variable, list(step.separator), list(step.tables), list(step.children)]
            for step in plan.steps
        ],
    }


def _usual(scope: tuple[int, ...], table: Floats, known: VectorCounts) -> Floats:
    """Return what a table says, on average over training, of every value of each of its labels."""
    weights = known.counts.n_c / known.counts.n_c.sum()
    means = []
    for i in scope:
        for value in range(known.class_cards[i]):
            vectors = known.vectors.copy()
            vectors[:, i] = value
            means.append(weights @ table[tuple(vectors[:, j] for j in scope)])
    return np.array(means)
