"""What a thing is, as a digest: equal for equal things in every process, and for no others.

A model is its class and all that it holds, down to the last number of the longest array, other
models included; what is printed of it is shortened and will not do. A function is its code and what
it has captured. Whatever is none of the kinds below is pickled; what cannot be pickled is like
nothing else.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from hashlib import sha256
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from jointbayes.table import Column, Table

__all__ = ["fingerprint"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def fingerprint(*parts: Any) -> str:
    """Return a digest of values, arrays, tables, matrices and models.

    >>> fingerprint(np.array([1, 2])) == fingerprint(np.array([1, 2]))
    True
    >>> fingerprint("a", "bc") == fingerprint("ab", "c")
    False

    What differs in the middle of a long array differs:

    >>> from jointbayes import NaiveBayes
    >>> masks = np.eye(2000, dtype=bool)[[0, 1000]]
    >>> len({fingerprint(NaiveBayes(categorical_features=mask)) for mask in masks})
    2
    """
    digest = sha256()
    for part in parts:
        for piece in _pieces(part, ()):
            digest.update(len(piece).to_bytes(8, "big"))
            digest.update(piece)
    return digest.hexdigest()[:32]


def _pieces(part: Any, within: tuple[int, ...]) -> Iterator[bytes]:
    """Yield bytes that say what a thing is; ``within`` are the things that hold it."""
    if id(part) in within:
        yield f"itself {within.index(id(part))}".encode()
        return
    inside = (*within, id(part))
    if isinstance(part, _PLAIN):
        yield repr(part).encode()
    elif isinstance(part, Table):
        yield from _many("table", part.columns, inside)
    elif isinstance(part, Column):
        yield f"{part.name} {part.kind} {part.declared}".encode()
        yield from _pieces(part.values, inside)
        yield from _pieces(part.categories, inside)
    elif hasattr(part, "tocsr"):
        matrix = part.tocsr()
        yield repr(matrix.shape).encode()
        yield from _many("matrix", (matrix.data, matrix.indices, matrix.indptr), inside)
    elif isinstance(part, np.ndarray | np.generic):
        yield from _array(part, inside)
    elif hasattr(part, "columns") and not isinstance(part, type):
        yield from _pieces(Table.of(part), inside)
    elif hasattr(part, "to_numpy") and not isinstance(part, type):
        yield from _pieces(part.to_numpy(), inside)
    else:
        yield from _held(part, inside)


def _array(part: Any, within: tuple[int, ...]) -> Iterator[bytes]:
    if not part.ndim:
        yield from _pieces(part.item(), within)
    elif part.dtype.kind in "biufcSUMm":
        yield f"{part.dtype.str} {part.shape}".encode()
        yield part.tobytes()
    else:
        yield f"{part.dtype.str} {part.shape}".encode()
        yield from _pieces(part.ravel().tolist(), within)


def _held(part: Any, within: tuple[int, ...]) -> Iterator[bytes]:
    """Yield what a container, a class, a function or any other object holds."""
    if isinstance(part, list | tuple):
        plain = all(type(entry) in _PLAIN for entry in part)  # at once: labels are many
        yield from (repr(part).encode(),) if plain else _many(_path(type(part)), part, within)
    elif isinstance(part, Mapping):
        yield from _many(_path(type(part)), [*part, *part.values()], within)
    elif isinstance(part, set | frozenset):
        yield repr(sorted(fingerprint(entry) for entry in part)).encode()
    elif isinstance(part, type | ModuleType):
        yield _path(part).encode()
    elif isinstance(part, FunctionType):
        yield from _function(part, within)
    elif hasattr(part, "get_params") or _plainly_stored(part):
        yield _path(type(part)).encode()
        state = {**getattr(part, "__dict__", {})}
        if hasattr(part, "get_params"):
            state |= part.get_params(deep=False)
        yield from _many(
            "state", [x for name in sorted(state) for x in (name, state[name])], within
        )
    else:
        yield _pickled(part)


def _function(part: FunctionType, within: tuple[int, ...]) -> Iterator[bytes]:
    code = part.__code__
    yield _path(part).encode()
    yield code.co_code
    captured = [cell.cell_contents for cell in part.__closure__ or ()]
    constants = [x for x in code.co_consts if isinstance(x, _PLAIN)]
    yield from _many("function", [constants, code.co_names, part.__defaults__, *captured], within)


def _many(kind: str, parts: Any, within: tuple[int, ...]) -> Iterator[bytes]:
    yield f"{kind} {len(parts)}".encode()
    for part in parts:
        yield from _pieces(part, within)


def _plainly_stored(part: Any) -> bool:
    """Say whether all that an object is stands in its ``__dict__``: nothing is hidden in C."""
    ways = ("__reduce__", "__reduce_ex__")
    usual = all(getattr(type(part), way) is getattr(object, way) for way in ways)
    return usual and hasattr(part, "__dict__")


def _pickled(part: Any) -> bytes:
    try:
        return pickle.dumps(part, protocol=4)
    except Exception:  # whatever a stranger's object raises
        return repr(part).encode() + str(id(part)).encode()


def _path(part: Any) -> str:
    home = getattr(part, "__module__", "")
    return f"{home}.{getattr(part, '__qualname__', getattr(part, '__name__', ''))}"
