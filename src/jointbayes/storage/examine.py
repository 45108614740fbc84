"""The last look at what was loaded, before anybody computes with it.

Digests tell damage, not authors: a file that was changed on purpose can hold any number anywhere,
and a kernel looks where a number points. So every field has to be of its annotated type, and every
class that defines ``_check_stored`` is asked whether its arrays agree with each other; what it says
is written beside the class. Parts come before what they are parts of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from jointbayes.errors import DataError, JointBayesError
from jointbayes.storage.fields import fits, hints_of
from jointbayes.storage.foreign_trees import check_foreign
from jointbayes.storage.names import is_estimator, is_noun
from jointbayes.storage.upgrades import fill_in

__all__ = ["examine"]


def examine(value: Any, seen: dict[int, Any] | None = None) -> None:
    """Refuse a model in which something does not agree with the rest.

    What is in ``seen``, by its id, was looked at before; what is looked at now joins it.

    >>> from jointbayes.counts import SingleCounts
    >>> examine(SingleCounts(np.ones(2), np.ones((2, 5)), (2, 3)))
    >>> examine(SingleCounts(np.ones(2), np.ones((2, 5)), (2, 4)))
    Traceback (most recent call last):
    ...
    jointbayes.errors.DataError: its SingleCounts cannot be right (n_cx has the shape (2, 5), ...
    """
    for part in _parts(value, {} if seen is None else seen):
        kind = type(part)
        try:
            if is_noun(kind):
                _check_fields(part)
            if is_estimator(kind):
                fill_in(part)  # of those that skops has loaded
            if is_noun(kind) or is_estimator(kind):
                getattr(kind, "_check_stored", lambda _: None)(part)
            else:
                check_foreign(part)
        except JointBayesError as error:
            raise DataError(
                f"its {kind.__name__} cannot be right ({error}); save the model again"
            ) from error


def _parts(value: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Yield all objects in a value that are not plain, the innermost first."""
    if id(value) in seen or value is None or isinstance(value, str | bytes | int | float):
        return
    seen[id(value)] = value  # kept, so that its id stays its own
    for inner in _inside(value):
        yield from _parts(inner, seen)
    if not isinstance(value, list | tuple | set | frozenset | Mapping | np.ndarray):
        yield value


def _inside(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, Mapping):
        return [*value, *value.values()]
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype.kind == "O" else []
    if is_noun(type(value)):
        return [getattr(value, f.name) for f in fields(value)]
    if isinstance(value, BaseEstimator) or type(value).__module__.startswith("sklearn."):
        return list(getattr(value, "__dict__", {}).values())
    return []


def _check_fields(noun: Any) -> None:
    kind: type = type(noun)
    hints = hints_of(kind)
    for f in fields(noun):
        value = getattr(noun, f.name)
        if not fits(value, hints[f.name]):
            what = f"{value.dtype} array" if isinstance(value, np.ndarray) else type(value).__name__
            raise DataError(f"{f.name} is a {what}, not what belongs there")
