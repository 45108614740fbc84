"""Which values a parameter may have: a table beside each model, one sentence for every fault.

Parameters that models share mean the same everywhere, so their ranges stand here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from inspect import signature
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from jointbayes.errors import ParameterError
from jointbayes.losses import FBeta, Weighted

__all__ = [
    "SHARED",
    "Range",
    "anything",
    "check_names",
    "check_parameters",
    "integer",
    "named",
    "number",
]


@dataclass(frozen=True)
class Range:
    """A set of legal values: how to tell, and how to say it."""

    legal: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Range) -> Range:
        """Return the union of two ranges."""
        return Range(f"{self.legal} or {other.legal}", lambda v: self.holds(v) or other.holds(v))


def number(low: float, high: float = float("inf"), ends: str = "[]") -> Range:
    """Return the finite numbers between two ends, which ``ends`` includes or not: "[]" or "(]".

    >>> number(0).holds(0.0), number(0, 1, "(]").holds(0.0), number(0).holds(float("nan"))
    (True, False, False)
    """
    is_open = ends[0] == "("
    words = f"above {low:g}" if is_open else f"of at least {low:g}"
    if isfinite(high):
        words += f" and at most {high:g}"
    return Range(
        f"a finite number {words}",
        lambda v: _is(v, Real) and isfinite(v) and low <= v <= high and not (is_open and v == low),
    )


def integer(low: int) -> Range:
    """Return the integers from ``low`` on.

    >>> integer(0).holds(2), integer(0).holds(2.0), integer(0).holds(True)
    (True, False, False)
    """
    return Range(f"an integer of at least {low}", lambda v: _is(v, Integral) and v >= low)


def named(*names: str | None) -> Range:
    """Return a choice of names.

    >>> named("value", "ignore").legal
    "'value' or 'ignore'"
    """
    return Range(
        " or ".join(map(repr, names)), lambda v: (v is None or isinstance(v, str)) and v in names
    )


def anything() -> Range:
    """Return the range of a parameter whose values are checked where they are used."""
    return Range("anything", lambda _: True)


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _is_generator(value: Any) -> bool:
    return isinstance(value, np.random.Generator | np.random.RandomState)


def _is_loss(value: Any) -> bool:
    return isinstance(value, FBeta | Weighted)


SHARED: Mapping[str, Range] = {
    "categorical_features": anything(),
    "discretizer": anything(),
    "empty": named("auto", "allow", "forbid"),
    "estimator": anything(),
    "loss": named("subset", "hamming", "f1", "jaccard")
    | Range("a loss of jointbayes.losses", _is_loss),
    "missing": named("value", "ignore"),
    "n_jobs": named(None)
    | integer(1)
    | Range("a negative integer", lambda v: _is(v, Integral) and v < 0),
    "random_state": named(None)
    | Range("an integer", lambda v: _is(v, Integral) and v >= 0)
    | Range("a numpy generator", _is_generator),
    "smoothing": number(0),
    "unknown": named("refuse", "learn"),
}
"""The ranges of parameters that mean the same in every model."""


def check_parameters(
    model: Any, names: Iterable[str] | None = None, owner: str | None = None
) -> None:
    """Refuse the first parameter of ``model`` that is outside its range; only ``names``, if given.

    Where a function took the parameters for the model, it is the ``owner`` that is named.

    >>> from jointbayes import KDB
    >>> check_parameters(KDB(k=-1))
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: KDB: k=-1 is outside its range; give an integer of at least 0
    """
    own: Mapping[str, Range] = getattr(model, "_ranges", {})
    kind: Any = type(model)
    known = _parameter_names(kind)
    for name in known if names is None else [name for name in names if name in known]:
        legal, value = own.get(name) or SHARED.get(name), getattr(model, name)
        if legal is not None and not legal.holds(value):
            raise ParameterError(
                f"{owner or kind.__name__}: {name}={value!r} is outside its range; "
                f"give {legal.legal}"
            )


def check_names(kind: type, given: Iterable[str]) -> None:
    """Refuse a parameter that a model does not have, and say which one is near.

    >>> from jointbayes import TAN
    >>> TAN(smothing=1.0)
    Traceback (most recent call last):
    ...
    TypeError: TAN has no parameter 'smothing'; did you mean 'smoothing'?
    """
    known = _parameter_names(kind)
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
            raise TypeError(f"{kind.__name__} has no parameter {name!r}; {hint}")


@cache
def _parameter_names(kind: type) -> tuple[str, ...]:
    parameters = signature(kind.__init__).parameters.values()  # type: ignore[misc]
    plain = [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    return tuple(name for name in plain if name != "self")
