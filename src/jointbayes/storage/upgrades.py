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

import numpy as np

from jointbayes.errors import DataError
from jointbayes.learners.wrapped import Outcome, Wrapped
from jointbayes.models.naibx.scores import Belief

__all__ = ["UPGRADES", "Stored", "fill_in", "needed_by", "upgraded"]

Stored = dict[str, Any]
"""The values of a class in a file, by field or attribute."""


def _classifier_in_a_learner(values: Stored) -> Stored:
    """`LabelSets` had a classifier of label sets as it is, and the labels beside it."""
    if "space" not in values:
        return values
    classifier, known = values["classifier"], len(values["vectors"])
    if classifier is not None:
        outcome = Outcome(np.arange(known), known, float(known))
        classifier = Wrapped((classifier,), (outcome,))
    return {name: values[name] for name in ("vectors", "log_prior")} | {"classifier": classifier}


def _knowledge_by_one_name(values: Stored) -> Stored:
    """Networks of several class variables called what they know ``known_``."""
    return {("knowledge_" if name == "known_" else name): v for name, v in values.items()}


def _one_exponent_is_a_belief(values: Stored) -> Stored:
    """`NaiBXScores` had one exponent for labels and sizes, or None."""
    if "sharpness" not in values:
        return values
    t = values["sharpness"]
    belief = None if t is None else Belief(features=t, sizes=t)
    return {k: v for k, v in values.items() if k != "sharpness"} | {"belief": belief}


UPGRADES: Mapping[str, Callable[[Stored], Stored]] = {
    "MultilabelFAN": _knowledge_by_one_name,
    "MultilabelNB": _knowledge_by_one_name,
    "NaiBXScores": _one_exponent_is_a_belief,
    "NetworkEnsemble": _knowledge_by_one_name,
    "Powerset": _classifier_in_a_learner,
}
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
    known: Any = fields(noun)
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
