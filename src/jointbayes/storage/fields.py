"""Whether a value is what the annotation of its field says, arrays by their type of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from jointbayes.storage.names import is_noun

__all__ = ["fits", "hints_of"]


WIDER: Mapping[Any, Any] = {
    bool: (bool, np.bool_),
    int: Integral,
    float: Real,
    frozenset: (set, frozenset),
}
"""What else is as good as a type; files know sets, frozen or not."""


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """Return the annotations of a class, by field."""
    return get_type_hints(kind)


def fits(value: Any, hint: Any) -> bool:
    """Say whether a value is of an annotated type.

    >>> from jointbayes.arrays import Floats
    >>> fits(np.ones(2), Floats), fits(np.ones(2, int), Floats), fits(None, Floats | None)
    (True, False, True)
    >>> fits((1, 2), tuple[int, ...]), fits((1, "2"), tuple[int, ...]), fits([1], tuple[int])
    (True, False, False)
    """
    hint = _resolved(hint)
    origin = get_origin(hint) or hint
    if origin is Any or isinstance(hint, TypeVar):
        return True
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in get_args(hint))
    if origin is Literal:
        return any(value is one or value == one for one in get_args(hint))
    return _is(value, origin) and _holds(value, origin, get_args(hint))


def _resolved(hint: Any) -> Any:
    """Return what an alias stands for; from Python 3.12 on, NDArray is one that has to be asked."""
    meant = getattr(get_origin(hint) or hint, "__value__", None)
    if meant is None:
        return hint
    return _resolved(meant[get_args(hint)] if get_args(hint) else meant)


def _holds(value: Any, origin: Any, hints: tuple[Any, ...]) -> bool:
    """Whether what is inside is of the annotated types."""
    if origin is np.ndarray:
        return _has_numbers(value, get_args(hints[-1])[0] if hints else Any)
    if origin is tuple and hints[1:] != (Ellipsis,):
        return not hints or (len(value) == len(hints) and all(map(fits, value, hints)))
    if origin in (tuple, set, frozenset):
        return all(fits(item, hints[0]) for item in value)
    return True


def _has_numbers(array: np.ndarray[Any, Any], wanted: Any) -> bool:
    """Whether an array has the type of numbers of NDArray[…], in the order of this machine."""
    wanted = get_origin(wanted) or wanted
    if wanted is Any or not isinstance(wanted, type):
        return True
    if not array.dtype.isnative or not issubclass(array.dtype.type, wanted):
        return False
    return wanted.__name__ in ("generic", "number", "unsignedinteger") or array.dtype == wanted


def _is(value: Any, kind: Any) -> bool:
    if getattr(kind, "_is_protocol", False):
        wanted = [name for name in vars(kind) if not name.startswith("_")]
        return is_noun(type(value)) and all(hasattr(type(value), name) for name in wanted)
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, WIDER.get(kind, kind))
