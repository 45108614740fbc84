"""Models of one class variable for the page: networks of features, mixed in one of four ways."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from jointbayes.errors import DataError
from jointbayes.explorer.packing import pack
from jointbayes.inference import compile_network
from jointbayes.models.one_class.aode import Averaged
from jointbayes.models.one_class.atan import Rerooted
from jointbayes.models.one_class.learned import OneNetwork
from jointbayes.models.one_class.multinet import Multinet
from jointbayes.network import Network

__all__ = ["network_law"]

Tables = dict[str, Any]


@singledispatch
def network_law(learned: Any, name: str) -> Tables:
    """Return the tables of what a model of that name learned, and how the page mixes them."""
    del learned
    raise DataError(
        f"explore: {name} builds networks anew for each row, which a page does not do; explore "
        "TAN, KDB, AODE or another model whose networks stay, or use explain(X)"
    )


@network_law.register
def _(learned: OneNetwork, name: str) -> Tables:
    del name
    return _law("one", [learned.scorer.network])


@network_law.register
def _(learned: Multinet, name: str) -> Tables:
    del name
    networks = [scorer.network for scorer in learned.scorers]
    return _law("columns", networks) | {"prior": pack(learned.log_prior)}


@network_law.register
def _(learned: Rerooted, name: str) -> Tables:
    del name
    share = learned.weights / learned.weights.sum()
    roots = np.flatnonzero(share)
    networks = [learned.network(int(root)) for root in roots]
    return _law("average", networks) | {"weights": pack(share[roots])}


@network_law.register
def _(learned: Averaged, name: str) -> Tables:
    del name
    width, classes = learned.log_joint.shape
    return _law("parents", [learned.fallback.network]) | {
        "start": learned.start.tolist(),
        "joint": pack(learned.log_joint),
        "child": pack(learned.log_child),
        "width": width,
        "classes": classes,
    }


def _law(mixture: str, networks: list[Network]) -> Tables:
    return {"kind": "network", "mixture": mixture, "members": [_tables(one) for one in networks]}


def _tables(network: Network) -> Tables:
    scorer = compile_network(network)
    return {
        "classes": network.cards[0],
        "cards": list(network.cards[1:]),
        "prior": pack(scorer.log_prior),
        "order": [v - 1 for v in network.dag.order if v > 0],
        "factors": [{"of": list(f.features), "table": pack(f.log_table)} for f in scorer.factors],
    }
