"""Which classes a model file may name: the frozen nouns and the estimators of this library.

A name from a file is looked up only in the stages listed here, and only a class that is a frozen
dataclass or an estimator, at home in the module the file names, is accepted. Such a class only
takes its fields; nothing in a file is ever called.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from jointbayes.errors import DataError

__all__ = ["STAGES", "find_class", "is_estimator", "is_noun", "path_of"]

STAGES = frozenset(
    "table labels codes discretize encoding counts graph structure independence select network "
    "parameters inference models".split()
)


def is_noun(kind: type) -> bool:
    """Say whether a class is a frozen dataclass of a stage that models are made of.

    >>> from jointbayes.graph import Dag
    >>> is_noun(Dag), is_noun(dict)
    (True, False)
    """
    parameters = getattr(kind, "__dataclass_params__", None)
    return _is_ours(kind) and parameters is not None and bool(parameters.frozen)


def is_estimator(kind: type) -> bool:
    """Say whether a class is one of this library's estimators."""
    return _is_ours(kind) and issubclass(kind, BaseEstimator)


def path_of(kind: type) -> str:
    """Return the name under which a class is stored.

    >>> from jointbayes.graph import Dag
    >>> path_of(Dag)
    'jointbayes.graph.Dag'
    """
    return f"{kind.__module__}.{kind.__qualname__}"


def find_class(path: Any) -> type:
    """Return the class of that name, if a model file may name it.

    >>> find_class("jointbayes.graph.Dag").__name__
    'Dag'
    >>> find_class("os.system")
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: the file names 'os.system', which is no part of a model ...
    """
    module, _, name = str(path).rpartition(".")
    parts = module.split(".")
    if len(parts) > 1 and parts[0] == "jointbayes" and parts[1] in STAGES:
        try:
            kind = getattr(import_module(module), name, None)
        except ImportError:
            kind = None
        ours = isinstance(kind, type) and (is_noun(kind) or is_estimator(kind))
        if isinstance(kind, type) and ours and path_of(kind) == path:
            return kind
    raise DataError(
        f"the file names {path!r}, which is no part of a model of this version of jointbayes"
    )


def _is_ours(kind: type) -> bool:
    parts = kind.__module__.split(".")
    return parts[0] == "jointbayes" and len(parts) > 1 and parts[1] in STAGES
