"""Models in families; each makes a posterior, none knows a loss.

================  ==================================================================================
`one_class`       networks of features under one class variable
`label_driven`    a generalist, and a second look at the rows it doubts
`networks`        networks of several class variables
`conditional`     labels given the row and other labels
`relevance`       every label by itself
`powersets`       label vectors as classes
`coding`          label vectors as codewords that rows predict
`naibx`           the size of the label set, then label after label
`forests`         trees grown for all labels together
`layers`          a joint model on top of any classifier of several labels
`auto`            the others, tried on inner folds
`wrappers`        a model around a model, whose posterior it changes or guards
================  ==================================================================================

`BatchedLogistic`, `KernelClassifier` and `VotingForest` are here and not among the names of
`jointbayes`: they are what others are built of. `Explanation`, `Diagnosis` and `LabelSets` are what
models answer with. Every name is imported when first used, with what it needs and no other model:

>>> from jointbayes.models import TAN
>>> TAN().fit([["a"], ["b"]], [0, 1]).predict([["b"]]).tolist()
[1]
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "AKDB": "models.one_class.akdb",
    "AODE": "models.one_class.aode",
    "ATAN": "models.one_class.atan",
    "Auto": "models.auto.auto",
    "BatchedLogistic": "learners.logistic.estimator",
    "BinaryRelevance": "models.relevance.binary_relevance",
    "CTBN": "models.conditional.ctbn",
    "Calibrated": "models.wrappers.calibrated",
    "ChainEnsemble": "models.conditional.chain_ensemble",
    "ChowLiuMultinet": "models.one_class.multinet",
    "ClassifierCascade": "models.naibx.classifier_cascade",
    "ClassifierChain": "models.conditional.classifier_chain",
    "Conformal": "models.wrappers.conformal",
    "Constrained": "models.wrappers.constrained",
    "Diagnosis": "models.label_driven.diagnosis",
    "Explanation": "estimator.explanation",
    "IBLR": "models.relevance.iblr",
    "ILFCompo": "models.powersets.ilf_compo",
    "JointForest": "models.forests.joint_forest",
    "JointLayer": "models.layers.joint_layer",
    "KDB": "models.one_class.kdb",
    "KernelClassifier": "learners.kernel",
    "LKDB": "models.one_class.lkdb",
    "LTAN": "models.label_driven.ltan",
    "LabelDriven": "models.label_driven.label_driven",
    "LabelPowerset": "models.powersets.label_powerset",
    "LabelSets": "models.wrappers.label_sets",
    "MLkNN": "models.relevance.mlknn",
    "MMOC": "models.coding.mmoc",
    "MultilabelFAN": "models.networks.mfan",
    "MultilabelNB": "models.networks.mnb",
    "NaiBX": "models.naibx.naibx",
    "NaiveBayes": "models.one_class.naive_bayes",
    "NetworkEnsemble": "models.networks.network_ensemble",
    "RAkEL": "models.powersets.rakel",
    "StackedRelevance": "models.relevance.stacked_relevance",
    "TAN": "models.one_class.tan",
    "Thresholded": "models.wrappers.thresholded",
    "VotingForest": "learners.forest",
    "WATAN": "models.one_class.watan",
}
"""The module of every name. `__init__.pyi` says the same to type checkers; a test compares them."""

__all__ = sorted(_HOME)  # noqa: PLE0605  derived, so that it cannot differ


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"jointbayes.{_HOME[name]}"), name)
    raise AttributeError(f"module 'jointbayes.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
