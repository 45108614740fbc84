"""What the fields of earlier versions have become.

A class may gain a field that has a default, and an estimator a parameter: files that lack it get
the default. Where fields changed otherwise, a function here turns the values that a file holds into
those of today. It sees the values of every file, so it has to leave those of today as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from inspect import Parameter, signature
from typing import Any

from jointbayes.errors import DataError

__all__ = ["UPGRADES", "Stored", "fill_in", "needed_by", "upgraded"]

Stored = dict[str, Any]
"""The values of a class in a file, by field or attribute."""

UPGRADES: Mapping[str, Callable[[Stored], Stored]] = {}
"""By the name that the class has in files of today."""


def upgraded(name: str, values: Stored) -> Stored:
    """Return the values of a class as it has them today.

    >>> upgraded("Dag", {"parents": ((),)})
    {'parents': ((),)}
    """
    return UPGRADES[name](values) if name in UPGRADES else values


def needed_by(noun: type) -> set[str]:
    """Return the fields of a noun that have no default.

    >>> from jointbayes.labels import LabelSpace
    >>> sorted(needed_by(LabelSpace))
    ['classes', 'names']
    """
    known: Any = fields(noun)  # type: ignore[arg-type]  # a dataclass, as `is_noun` said
    return {f.name for f in known if f.default is MISSING and f.default_factory is MISSING}


def fill_in(estimator: Any) -> None:
    """Give an estimator the defaults of the parameters that it lacks, as its file is older.

    >>> from jointbayes import TAN
    >>> old = TAN(smoothing=2.0)
    >>> del old.n_jobs
    >>> fill_in(old)
    >>> old.get_params()["n_jobs"] is None, old.smoothing
    (True, 2.0)
    """
    plain = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    for name, parameter in signature(type(estimator)).parameters.items():
        if parameter.kind not in plain or name in vars(estimator):
            continue
        if parameter.default is Parameter.empty:
            raise DataError(f"the file does not say {name}= of its {type(estimator).__name__}")
        setattr(estimator, name, parameter.default)
