"""Arrays as kernels take them: of one type and layout, never a converted copy.

The compiled kernels read memory as it lies; a copy of codes with fewer bits would hold other codes.
They refuse what does not fit with a TypeError, and so do their definitions, by `takes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "CODED",
    "CODES",
    "COLUMNS",
    "FLOATS",
    "INT32",
    "INT64",
    "ONE_COLUMN",
    "Kind",
    "array",
    "each",
    "maybe",
    "parts",
    "takes",
]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

CODES = ("uint8", "uint16", "uint32")


@dataclass(frozen=True)
class Kind:
    """What an argument has to be, in words and as a test."""

    words: str
    fits: Callable[[Any], bool]


def array(*types: str, axes: int = 1, order: str = "C") -> Kind:
    """Return the kind of arrays of one of some types, row-major, column-major or any ("A").

    >>> array("int32").fits(np.arange(3, dtype=np.int32)), array("int32").fits(np.arange(3))
    (True, False)
    """
    layout = {"C": "row-major ", "F": "column-major ", "A": ""}[order]

    def fits(value: Any) -> bool:
        if not isinstance(value, np.ndarray) or value.ndim != axes:
            return False
        contiguous = {"C": value.flags.c_contiguous, "F": value.flags.f_contiguous, "A": True}
        return contiguous[order] and value.dtype in [np.dtype(name) for name in types]

    return Kind(f"a {layout}array of {' or '.join(types)} with {axes} axes", fits)


def maybe(kind: Kind) -> Kind:
    """Return the kind of what may be None instead."""
    return Kind(f"None or {kind.words}", lambda value: value is None or kind.fits(value))


def parts(*kinds: Kind) -> Kind:
    """Return the kind of tuples of some kinds."""
    words = f"a tuple of {', '.join(kind.words for kind in kinds)}"
    return Kind(words, lambda value: all(k.fits(v) for k, v in zip(kinds, value, strict=True)))


def each(kind: Kind) -> Kind:
    """Return the kind of lists of a kind."""
    return Kind(f"a list: {kind.words}", lambda value: all(map(kind.fits, value)))


def takes(**kinds: Kind) -> Callable[[Kernel], Kernel]:
    """Let a definition refuse what its compiled kernel refuses."""

    def wrap(kernel: Kernel) -> Kernel:
        names = signature(kernel)
        whole = {n: WHOLE for n, p in names.parameters.items() if p.annotation in (int, "int")}

        @wraps(kernel)
        def checked(*args: Any, **named: Any) -> Any:
            given = names.bind(*args, **named)
            for name, kind in (whole | kinds).items():
                value = given.arguments[name]
                if not kind.fits(value):
                    raise TypeError(
                        f"{kernel.__name__} takes {name} as {kind.words}; got {_shown(value)}"
                    )
            for name in whole:  # numpy's would overflow where Python's grow
                given.arguments[name] = int(given.arguments[name])
            return kernel(*given.args, **given.kwargs)

        return checked  # type: ignore[return-value]  # it takes what it wraps takes

    return wrap


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return f"{type(value).__name__} {value!r:.50}"
    return f"{value.dtype} of shape {value.shape} and strides {value.strides}"


def _coded(value: Any) -> bool:
    if not hasattr(value, "indptr"):
        return COLUMNS.fits(value)
    one_type = value.codes.dtype == value.default.dtype
    return one_type and all(kind.fits(getattr(value, name)) for name, kind in _SPARSE.items())


WHOLE = Kind("a whole number", lambda value: isinstance(value, (int, np.integer)))
INT32, INT64, FLOATS = array("int32"), array("int64"), array("float64")
COLUMNS = array(*CODES, axes=2, order="F")
ONE_COLUMN = array(*CODES)

_SPARSE = {"codes": ONE_COLUMN, "default": ONE_COLUMN, "rows": INT32, "indptr": INT64}
CODED = Kind("codes, column-major or sparse", _coded)
