"""Joint label distributions with Bayesian networks, and the decisions that cost least.

Names are imported when first used (PEP 562), so ``import jointbayes`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AKDB": "models.one_class.akdb",
    "AODE": "models.one_class.aode",
    "ATAN": "models.one_class.atan",
    "BinaryRelevance": "models.relevance.binary_relevance",
    "CTBN": "models.conditional.ctbn",
    "ChainEnsemble": "models.conditional.chain_ensemble",
    "ChowLiuMultinet": "models.one_class.multinet",
    "ClassifierChain": "models.conditional.classifier_chain",
    "Codes": "codes",
    "Counts": "counts",
    "Dataset": "datasets",
    "IBLR": "models.relevance.iblr",
    "ILFCompo": "models.powersets.ilf_compo",
    "KDB": "models.one_class.kdb",
    "LKDB": "models.one_class.lkdb",
    "LTAN": "models.label_driven.ltan",
    "LabelDriven": "models.label_driven.label_driven",
    "LabelPowerset": "models.powersets.label_powerset",
    "MLkNN": "models.relevance.mlknn",
    "MultilabelFAN": "models.networks.mfan",
    "MultilabelNB": "models.networks.mnb",
    "NaiBX": "models.naibx.naibx",
    "NaiveBayes": "models.one_class.naive_bayes",
    "NetworkEnsemble": "models.networks.network_ensemble",
    "RAkEL": "models.powersets.rakel",
    "StackedRelevance": "models.relevance.stacked_relevance",
    "TAN": "models.one_class.tan",
    "Table": "table",
    "WATAN": "models.one_class.watan",
    "compare": "validation",
    "count": "counts",
    "decide": "decision",
    "describe": "datasets",
    "evaluate": "validation",
    "load": "storage",
    "load_dataset": "datasets",
    "save": "storage",
}
_MODULES = (
    "codes",
    "counts",
    "datasets",
    "discretize",
    "encoding",
    "errors",
    "graph",
    "independence",
    "information",
    "labels",
    "metrics",
    "models",
    "plots",
    "posterior",
    "reproduction",
    "select",
    "statistics",
    "structure",
    "synthetic",
    "table",
    "validation",
)

__all__ = sorted([*_HOME, *_MODULES])  # noqa: PLE0605  derived, so that it cannot differ


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"jointbayes.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"jointbayes.{name}")
    raise AttributeError(f"module 'jointbayes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
