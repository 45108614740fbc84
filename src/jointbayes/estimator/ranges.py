"""Which values a parameter may have: a table beside each model, one sentence for every fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any

from jointbayes.errors import ParameterError

__all__ = ["Range", "anything", "check_parameters", "integer", "named", "number"]


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
    return isinstance(value, kind) and not isinstance(value, bool)


def check_parameters(model: Any, ranges: Mapping[str, Range]) -> None:
    """Refuse the first parameter of ``model`` that is outside its range."""
    for name, legal in ranges.items():
        value = getattr(model, name)
        if not legal.holds(value):
            raise ParameterError(
                f"{type(model).__name__}: {name}={value!r} is outside its range; give {legal.legal}"
            )
