"""Joint label distributions with Bayesian networks, and the decisions that cost least.

Names are imported when first used (PEP 562), so ``import jointbayes`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AKDB": "models.akdb",
    "AODE": "models.aode",
    "ATAN": "models.atan",
    "BinaryRelevance": "models.binary_relevance",
    "CTBN": "models.ctbn",
    "ChainEnsemble": "models.chain_ensemble",
    "ChowLiuMultinet": "models.multinet",
    "ClassifierChain": "models.classifier_chain",
    "Codes": "codes",
    "Counts": "counts",
    "Dataset": "datasets",
    "IBLR": "models.iblr",
    "ILFCompo": "models.ilf_compo",
    "KDB": "models.kdb",
    "LKDB": "models.lkdb",
    "LTAN": "models.ltan",
    "LabelDriven": "models.label_driven",
    "LabelPowerset": "models.label_powerset",
    "MLkNN": "models.mlknn",
    "MultilabelFAN": "models.mfan",
    "MultilabelNB": "models.mnb",
    "NaiBX": "models.naibx",
    "NaiveBayes": "models.naive_bayes",
    "NetworkEnsemble": "models.network_ensemble",
    "RAkEL": "models.rakel",
    "StackedRelevance": "models.stacked_relevance",
    "TAN": "models.tan",
    "Table": "table",
    "WATAN": "models.watan",
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
