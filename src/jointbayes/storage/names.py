"""The names that classes have in model files: of their own, so that code can move and files last.

A file names a class by a word of `PLACES` and nothing else; where the class lives is this table's
business. Version 1 wrote module paths instead: of those the last word counts, which is the name, or
an old one of `RENAMED`. A class is looked up here or refused, and only takes its fields; nothing in
a file is ever called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from jointbayes.errors import DataError

__all__ = ["PLACES", "RENAMED", "find_class", "is_estimator", "is_noun", "name_of"]

_MODULES: Mapping[str, str] = {
    "codes": "Codes SparseCodes",
    "counts.by_class": "PairCounts SingleCounts",
    "design.as_given": "AsGiven",
    "design.design": "Design",
    "design.texts": "Direction",
    "discretize.transformers": "MDL Median Quantile Width",
    "encoding.encoder": "Encoder",
    "encoding.foreign": "Front",
    "encoding.variable": "Variable",
    "graph": "Dag",
    "independence.boundary": "Boundary Round",
    "independence.factors": "LabelFactors",
    "independence.procedure": "Procedure",
    "independence.result": "Tests",
    "inference.features.scorer": "Factor Scorer",
    "labels.space": "LabelSpace",
    "learners.coding.ridge": "Ridge",
    "learners.forest": "VotingForest",
    "learners.joint_trees.binned": "BinnedColumns Bins",
    "learners.joint_trees.trees": "JointTrees",
    "learners.logistic.basis": "Scaling",
    "learners.logistic.batch": "Logistics",
    "learners.logistic.estimator": "BatchedLogistic",
    "learners.kernel": "KernelClassifier",
    "learners.likeness": "RowScale",
    "learners.never_zero": "NeverZero",
    "learners.neighbours": "Neighbours",
    "learners.wrapped": "Outcome Wrapped",
    "losses": "FBeta Weighted",
    "models.auto.auto": "Auto",
    "models.auto.correction": "Correction",
    "models.coding.mmoc": "MMOC",
    "models.conditional.chain_ensemble": "ChainEnsemble",
    "models.conditional.chain_steps": "LogisticChain WrappedChain",
    "models.conditional.classifier_chain": "ClassifierChain",
    "models.conditional.ctbn": "CTBN",
    "models.forests.back_off": "BackOff Sets",
    "models.forests.joint_forest": "JointForest",
    "models.label_driven.dependent_experts": "DependentExperts",
    "models.label_driven.experts": "Experts PairTables",
    "models.label_driven.label_driven": "LabelDriven",
    "models.label_driven.reconsidering": "Tried",
    "models.label_driven.ltan": "LTAN",
    "models.label_driven.reconsider": "LabelDrivenNetworks",
    "models.label_driven.refine": "Refiner",
    "models.layers.as_said": "AsSaid",
    "models.layers.joint_layer": "JointLayer",
    "models.layers.marginal_source": "MarginalSource",
    "models.naibx.classifier_cascade": "ClassifierCascade",
    "models.naibx.columns": "Columns",
    "models.naibx.levels": "Levels",
    "models.naibx.moments": "Moments Sums",
    "models.naibx.naibx": "NaiBX",
    "models.naibx.scores": "Belief NaiBXScores",
    "models.naibx.sizes": "SizeModel Steps",
    "models.naibx.tables": "Tables",
    "models.networks.mfan": "MultilabelFAN",
    "models.networks.mnb": "MultilabelNB",
    "models.networks.multidimensional": "Multidimensional",
    "models.networks.network_ensemble": "NetworkEnsemble",
    "models.networks.vector_counts": "VectorCounts",
    "models.one_class.akdb": "AKDB GeneralAndLocal",
    "models.one_class.aode": "AODE Averaged",
    "models.one_class.atan": "ATAN Rerooted",
    "models.one_class.kdb": "KDB",
    "models.one_class.knowledge": "Rows WideRows",
    "models.one_class.learned": "OneNetwork",
    "models.one_class.lkdb": "LKDB LocalNetworks",
    "models.one_class.multinet": "ChowLiuMultinet Multinet",
    "models.one_class.naive_bayes": "NaiveBayes",
    "models.one_class.tan": "TAN",
    "models.one_class.watan": "WATAN",
    "models.powersets.ilf_compo": "ILFCompo",
    "models.powersets.label_powerset": "LabelPowerset",
    "models.powersets.powerset": "Powerset",
    "models.powersets.rakel": "RAkEL",
    "models.trust.backing": "Backing",
    "models.relevance.binary_relevance": "BinaryRelevance",
    "models.relevance.iblr": "IBLR",
    "models.relevance.mlknn": "MLkNN",
    "models.relevance.stacked_relevance": "StackedRelevance",
    "models.wrappers.calibrated": "Calibrated",
    "models.wrappers.conformal": "Conformal",
    "models.wrappers.constrained": "Constrained",
    "models.wrappers.thresholded": "Thresholded",
    "network.network": "Network",
    "rules.rule": "Rule",
    "select.cfs": "CFS",
    "select.markov_boundary": "MarkovBoundary",
    "structure.class_graphs": "ClassGraph",
    "structure.parent_sets": "Bridge",
    "table.column": "Column",
    "table.table": "Table",
}

PLACES: Mapping[str, str] = {
    name: f"jointbayes.{module}" for module, names in _MODULES.items() for name in names.split()
}
"""The name in a file, and the module where its class lives now."""

RENAMED: Mapping[str, str] = {"LabelSets": "Powerset", "Learned": "NaiBXScores"}
"""Names that files of earlier versions have, and those of today."""


def is_noun(kind: type) -> bool:
    """Say whether a class is a frozen dataclass that model files may hold.

    >>> from jointbayes.graph import Dag
    >>> is_noun(Dag), is_noun(dict)
    (True, False)
    """
    parameters = getattr(kind, "__dataclass_params__", None)
    return _is_listed(kind) and is_dataclass(kind) and bool(parameters and parameters.frozen)


def is_estimator(kind: type) -> bool:
    """Say whether a class is one of this library's estimators."""
    return _is_listed(kind) and issubclass(kind, BaseEstimator)


def name_of(kind: type) -> str:
    """Return the name under which a class is stored.

    >>> from jointbayes.graph import Dag
    >>> name_of(Dag)
    'Dag'
    """
    return kind.__name__


@cache
def find_class(name: Any) -> type:
    """Return the class of that name, if a model file may name it.

    >>> find_class("Dag").__name__, find_class("jointbayes.graph.Dag").__name__
    ('Dag', 'Dag')
    >>> find_class("os.system")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: the file names 'os.system', which is not a part of a model ...
    """
    package, _, last = str(name).rpartition(".")
    last = RENAMED.get(last, last)
    if last in PLACES and package.split(".")[0] in ("", "jointbayes"):
        kind = getattr(import_module(PLACES[last]), last, None)
        if isinstance(kind, type) and (is_noun(kind) or is_estimator(kind)):
            return kind
    raise DataError(
        f"the file names {name!r}, which is not a part of a model of this version of jointbayes"
    )


def _is_listed(kind: type) -> bool:
    return PLACES.get(kind.__name__) == kind.__module__
