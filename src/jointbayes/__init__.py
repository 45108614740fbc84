"""Joint label distributions with Bayesian networks, and the decisions that cost least.

Names are imported when first used (PEP 562), so ``import jointbayes`` costs next to nothing, and a
model brings what it needs and no other model.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_MODELS = """
    AKDB AODE ATAN Auto BinaryRelevance CTBN Calibrated ChainEnsemble ChowLiuMultinet
    ClassifierCascade ClassifierChain Conformal Constrained IBLR ILFCompo JointForest JointLayer KDB
    LKDB LTAN LabelDriven LabelPowerset MLkNN MMOC MultilabelFAN MultilabelNB NaiBX NaiveBayes
    NetworkEnsemble RAkEL StackedRelevance TAN Thresholded WATAN
""".split()
_HOME = {
    **dict.fromkeys(_MODELS, "models"),
    "Dataset": "datasets.dataset",
    "Table": "table.table",
    "ask": "decision.asking",
    "audit": "auditing",
    "compare": "validation.compare",
    "decide": "decision.decide",
    "describe": "description",
    "evaluate": "validation.evaluate",
    "load": "storage.model_file",
    "load_dataset": "datasets.load",
    "save": "storage.model_file",
    "try_models": "trying.search",
}
"""The module of every name. `__init__.pyi` says the same to type checkers; a test compares them."""
_MODULES = """
    datasets discretize errors independence information labels losses metrics models plots posterior
    reproduction rules scale select statistics structure synthetic validation
""".split()

__all__ = sorted([*_HOME, *_MODULES])  # noqa: PLE0605  derived, so that it cannot differ


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"jointbayes.{_HOME[name]}"), name)
    unknown = AttributeError(f"module 'jointbayes' has no attribute {name!r}")
    if name.startswith("_"):
        raise unknown
    # Stages that are not listed are there all the same, whatever has been imported before.
    module = f"jointbayes.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name == module:
            raise unknown from None
        raise


def __dir__() -> list[str]:
    return __all__
