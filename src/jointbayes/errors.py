"""The exceptions of jointbayes, by whose hand the fault is mended.

::

    JointBayesError (ValueError)
    ├── DataError          what was passed in: a file, a column, a row, a label
    ├── ParameterError     what an argument was set to
    ├── StructureError     a cycle, a forbidden arc
    └── CostError          a plan that does not fit its budget, or rows that do not fit in memory
    MissingExtraError (ImportError)   an optional package is needed and absent
    DataWarning (UserWarning)         data that are legal and hardly ever meant
"""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = [
    "CostError",
    "DataError",
    "DataWarning",
    "JointBayesError",
    "MissingExtraError",
    "ParameterError",
    "StructureError",
    "require",
]


class JointBayesError(ValueError):
    """Anything this library refuses, with a sentence that says what to do."""


class DataError(JointBayesError):
    """The data are not what they have to be."""


class ParameterError(JointBayesError):
    """A parameter is outside its range."""


class StructureError(JointBayesError):
    """A graph is not the kind of graph that was promised."""


class CostError(JointBayesError):
    """A request needs more than it may have; raised before it is allocated, where that is known."""


class DataWarning(UserWarning):
    """The data are legal, and a model will learn the wrong thing from them."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed."""


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional package, or say which extra brings it.

    >>> require("math", extra="none", purpose="an example").floor(1.5)
    1
    >>> require("no_such_package", extra="parquet", purpose="reading Parquet files")
    Traceback (most recent call last):
    ...
    jointbayes.errors.MissingExtraError: reading Parquet files needs the package
    'no_such_package'; install it with: pip install 'jointbayes[parquet]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs the package {module.partition('.')[0]!r}; "
            f"install it with: pip install 'jointbayes[{extra}]'"
        ) from error
