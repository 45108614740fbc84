"""A fitted model as plain tables: what the page needs to give the same answers."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from jointbayes.design.design import Design
from jointbayes.encoding.encoder import Encoder
from jointbayes.errors import DataError
from jointbayes.explorer.columns import (
    code_features,
    code_reader,
    number_features,
    number_reader,
)
from jointbayes.explorer.networks import graph_law
from jointbayes.explorer.one_class import network_law
from jointbayes.explorer.regressions import chain_law, regressions, sets_law, tree_law
from jointbayes.labels import LabelSpace
from jointbayes.models.conditional.chain_ensemble import ChainEnsemble
from jointbayes.models.conditional.classifier_chain import ClassifierChain
from jointbayes.models.conditional.ctbn import CTBN
from jointbayes.models.networks.classifier import ClassNetworks
from jointbayes.models.networks.network_ensemble import NetworkEnsemble
from jointbayes.models.one_class.classifier import NetworkClassifier
from jointbayes.models.powersets.label_powerset import LabelPowerset
from jointbayes.models.relevance.binary_relevance import BinaryRelevance
from jointbayes.models.relevance.stacked_relevance import StackedRelevance

__all__ = ["law_of", "tables_of"]

Tables = dict[str, Any]


def tables_of(model: Any) -> Tables:
    """Return a fitted model as what JSON can hold: labels, features, reader, law and arcs."""
    law = law_of(model)
    source, space = source_of(model), model.space_
    if isinstance(source, Encoder):
        features, reader = code_features(source), code_reader(source)
    else:
        features, reader = number_features(source), number_reader(source)
    binary = space.binary and not space.single
    usually = "allow" if space.allows_empty or not binary else "forbid"
    return {
        "model": type(model).__name__,
        "labels": _labels(space),
        "single": space.single or len(space) == 1,
        "empty": usually if model.empty == "auto" or not binary else model.empty,
        "usually": usually,
        "loss": model.loss if isinstance(model.loss, str) else repr(model.loss),
        "features": features,
        "named": hasattr(model, "feature_names_in_"),
        "reader": reader,
        "law": law,
        "arcs": _arcs(model, space),
        "rows": {"count": 0, "shown": 0, "names": [], "cells": None},
    }


def source_of(model: Any) -> Encoder | Design:
    """Return what reads the columns of a model."""
    source = getattr(model, "encoder_", None) or model.design_
    assert isinstance(source, Encoder | Design)
    return source


@singledispatch
def law_of(model: Any) -> Tables:
    """Return how a row becomes a distribution; what a page cannot compute is refused."""
    raise DataError(
        f"explore: {type(model).__name__} cannot be recomputed exactly in a page; explore a "
        "MultilabelFAN, a CTBN, a ClassifierChain, a BinaryRelevance, a LabelPowerset, or one of "
        "NaiveBayes, TAN, KDB, AODE, ATAN, WATAN and ChowLiuMultinet"
    )


@law_of.register
def _(model: NetworkClassifier) -> Tables:
    return network_law(model.learned_, type(model).__name__)


@law_of.register
def _(model: ClassNetworks) -> Tables:
    return graph_law(model.learned_, model.knowledge_)


@law_of.register
def _(model: NetworkEnsemble) -> Tables:
    if model.pooling != "joint":
        raise DataError(
            f"explore: pooling={model.pooling!r} answers marginals that no joint has; say "
            "set_params(pooling='joint') first"
        )
    return graph_law(model.learned_, model.knowledge_)


@law_of.register
def _(model: CTBN) -> Tables:
    if len(model.trees_) > 1:
        raise DataError(
            f"explore: a page runs one tree of labels, and this CTBN is the mean of "
            f"{len(model.trees_)}; fit with trees=1"
        )
    targets = [
        [t for t, (label, _) in enumerate(model.places_) if label == j]
        for j in range(len(model.space_))
    ]
    return tree_law(model, model.classifiers_, model.parents_.tolist(), targets)


@law_of.register
def _(model: BinaryRelevance) -> Tables:
    d = len(model.space_)
    return tree_law(model, model.classifiers_, [-1] * d, [[j] for j in range(d)])


@law_of.register
def _(model: StackedRelevance) -> Tables:
    d, cards = len(model.space_), model.space_.cards
    law = tree_law(model, model.second_, [-1] * d, [[j] for j in range(d)])
    widths = [1 if card == 2 else card for card in cards]
    first = np.repeat(np.arange(d), widths).tolist()
    return law | {"opinions": regressions(model, model.first_), "first": first}


@law_of.register
def _(model: ClassifierChain) -> Tables:
    return chain_law(model, [model.chain_], [model.order_])


@law_of.register
def _(model: ChainEnsemble) -> Tables:
    return chain_law(model, model.chains_, model.orders_)


@law_of.register
def _(model: LabelPowerset) -> Tables:
    return sets_law(model, model.powerset_)


def _labels(space: LabelSpace) -> list[Tables]:
    described = zip(space.names, space.classes, space.binary_labels, strict=True)
    return [
        {
            "name": str(name),
            "values": [str(value) for value in classes.tolist()],
            "literals": [repr(value) for value in classes.tolist()],
            "binary": bool(binary),
        }
        for name, classes, binary in described
    ]


def _arcs(model: Any, space: LabelSpace) -> list[list[int]]:
    """Return the arcs between labels, by position, each pair once."""
    place = {name: j for j, name in enumerate(space.names)}
    found: dict[frozenset[int], list[int]] = {}
    features = set(map(str, getattr(model, "feature_names_in_", ())))
    for parent, child in getattr(model, "edges_", ()):
        if parent in place and child in place and child not in features:
            found.setdefault(
                frozenset((place[parent], place[child])), [place[parent], place[child]]
            )
    return list(found.values())
