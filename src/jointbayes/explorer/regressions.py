"""Models of our logistic regressions for the page: trees, single labels, chains, label sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jointbayes.errors import CostError, DataError
from jointbayes.explorer.networks import plan_tables
from jointbayes.explorer.packing import pack, pack_rows
from jointbayes.inference.graphs.plan import plan_tree
from jointbayes.inference.lists import count_vectors
from jointbayes.learners.logistic.batch import Logistics

__all__ = ["LISTED", "chain_law", "regressions", "sets_law", "tree_law"]

LISTED = 1 << 16
"""Label vectors that a page lists."""

Tables = dict[str, Any]


def regressions(model: Any, found: Any) -> Tables:
    """Return the coefficients of our own regressions; those of anybody else are refused."""
    if not isinstance(found, Logistics):
        raise DataError(
            f"explore: {type(model).__name__} stands on {model.estimator!r}, which a page cannot "
            "run; fit with estimator=None or a BatchedLogistic, or put a CTBN on it by JointLayer "
            "and use explain(X)"
            if hasattr(model, "estimator") and model.estimator is not None
            else f"explore: {type(model).__name__} does not stand on logistic regressions alone, "
            "which is what a page can run; explore a CTBN or a BinaryRelevance"
        )
    return {
        "unit": pack(found.scaling.unit),
        "mean": pack(found.scaling.mean),
        "factor": pack(found.scaling.factor),
        "W": pack_rows(found.W),
        "outcomes": [
            {"values": o.values.tolist(), "card": o.card, "n": float(o.n)} for o in found.outcomes
        ],
    }


def tree_law(
    model: Any, found: Any, parents: Sequence[int], targets: Sequence[Sequence[int]]
) -> Tables:
    """Return labels on a tree; ``targets`` has the regression of each label and parent's value."""
    return {
        "kind": "tree",
        "parents": [int(parent) for parent in parents],
        "targets": [[int(t) for t in own] for own in targets],
        "regressions": regressions(model, found),
        "plan": plan_tables(plan_tree(list(parents), model.space_.cards)),
    }


def chain_law(model: Any, chains: Sequence[Any], orders: Sequence[Sequence[int]]) -> Tables:
    """Return chains of labels, of which the page lists all label vectors."""
    listed = count_vectors(model.space_.cards) * len(chains)
    if listed > LISTED:
        raise CostError(
            f"explore: {listed:,} label vectors are more than the {LISTED:,} that a page lists; "
            "choose fewer labels, or explore a CTBN, which has no such limit"
        )
    return {
        "kind": "chain",
        "members": [
            {
                "order": [int(j) for j in order],
                "regressions": regressions(model, getattr(chain, "logistics", None)),
            }
            for chain, order in zip(chains, orders, strict=True)
        ],
    }


def sets_law(model: Any, powerset: Any) -> Tables:
    """Return a list of label sets, told apart by one regression, or by their frequency."""
    law: Tables = {"kind": "sets", "vectors": np.asarray(powerset.vectors).tolist()}
    if powerset.classifier is None:
        return law | {"regressions": None, "prior": pack(powerset.log_prior)}
    return law | {"regressions": regressions(model, powerset.classifier)}
