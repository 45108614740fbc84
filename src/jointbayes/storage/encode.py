"""From a model to JSON and arrays.

Plain values stand for themselves. Everything else is an object with one key that says what it is::

    {"array": "3"}                       the member arrays/3.npy
    {"objects": [shape, [values]]}       an array of strings and other plain values
    {"scalar": ["<f8", 0.5]}             a number with its numpy type
    {"float": "inf"}                     a number that JSON lacks
    {"tuple": [...]}  {"set": [...]}  {"dict": [[key, value], ...]}
    {"sparse": ["csr", [shape], data, indices, indptr]}
    {"noun": ["Dag", {"parents": ...}]}
    {"made": ["Averaged", {"tuple": [...]}]}   a noun, by what `recipes` makes it of
    {"whole": "3"}                       numbers that are whole, in fewer bytes
    {"estimator": ["TAN", {"smoothing": 1.0, ...}]}
    {"foreign": "0"}                     the member foreign/0.skops
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from io import BytesIO
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from jointbayes.errors import DataError
from jointbayes.storage.foreign import dump_foreign
from jointbayes.storage.names import is_estimator, is_noun, name_of
from jointbayes.storage.recipes import ingredients

__all__ = ["Encoded", "encode"]

LARGE = 1024
"""Numbers from which on it matters how many bytes each has."""

PLAIN_KINDS = "biufcUSMm"  # arrays that numpy writes without pickling


@dataclass(frozen=True, eq=False)
class Encoded:
    """A value as JSON, and the members of the archive it points to.

    >>> encoded = encode((1, np.array([2.5])), "value")
    >>> encoded.document, list(encoded.members)
    ({'tuple': [1, {'array': '0'}]}, ['arrays/0.npy'])
    """

    document: Any
    members: Mapping[str, bytes]


def encode(value: Any, where: str) -> Encoded:
    """Return a value as JSON and members; ``where`` is what messages call it."""
    writer = _Writer()
    return Encoded(writer.write(value, where), writer.members)


@dataclass
class _Writer:
    members: dict[str, bytes] = field(default_factory=dict)
    arrays: dict[int, tuple[NDArray[Any], dict[str, str]]] = field(default_factory=dict)

    def write(self, value: Any, where: str) -> Any:
        if value is None or isinstance(value, bool | int | float | str | np.generic):
            return self._plain(value, where)
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if sparse.issparse(value):
            return self._sparse(value, where)
        if isinstance(value, list | tuple | set | frozenset | Mapping):
            return self._container(value, where)
        return self._object(value, where)

    def _plain(self, value: Any, where: str) -> Any:
        if isinstance(value, np.generic):  # before the others: np.float64 is a float, too
            return {"scalar": [value.dtype.str, self.write(value.item(), where)]}
        if isinstance(value, float) and not isfinite(value):
            return {"float": repr(value)}
        return value

    def _container(self, value: Any, where: str) -> Any:
        if isinstance(value, Mapping):
            pairs = [[self.write(k, where), self.write(v, where)] for k, v in value.items()]
            return {"dict": pairs}
        items = [self.write(item, where) for item in value]
        if isinstance(value, list):
            return items
        return {"tuple" if isinstance(value, tuple) else "set": items}

    def _object(self, value: Any, where: str) -> Any:
        kind = type(value)
        if is_noun(kind):
            origin = ingredients(value)
            if origin is not None:
                return {"made": [name_of(kind), self.write(origin, f"{where}.origin")]}
            stored = [f.name for f in fields(kind) if f.metadata.get("stored", True)]
            found = {name: getattr(value, name) for name in stored}
            return {"noun": [name_of(kind), self._attributes(found, where)]}
        if is_estimator(kind):
            return {"estimator": [name_of(kind), self._attributes(vars(value), where)]}
        if isinstance(value, BaseEstimator):
            name = str(sum(member.startswith("foreign/") for member in self.members))
            self.members[f"foreign/{name}.skops"] = dump_foreign(value, where)
            return {"foreign": name}
        raise DataError(
            f"{where} is a {kind.__name__}, which a model file cannot hold; give it as a number, "
            "a name or an estimator before saving"
        )

    def _attributes(self, found: Mapping[str, Any], where: str) -> dict[str, Any]:
        return {name: self.write(value, f"{where}.{name}") for name, value in found.items()}

    def _array(self, value: NDArray[Any], where: str) -> Any:
        if value.dtype.kind not in PLAIN_KINDS:
            values = [self.write(item, where) for item in value.ravel().tolist()]
            return {"objects": [list(value.shape), values]}
        if id(value) not in self.arrays:  # kept, so that its id stays its own
            data, narrow = BytesIO(), _narrowed(value)
            np.lib.format.write_array(data, narrow, allow_pickle=False)
            name = str(len(self.arrays))
            tag = "array" if narrow is value else "whole"
            self.arrays[id(value)] = value, {tag: name}
            self.members[f"arrays/{name}.npy"] = data.getvalue()
        return self.arrays[id(value)][1]

    def _sparse(self, value: Any, where: str) -> Any:
        layout = value.format if value.format in ("csr", "csc") else "csr"
        matrix = value.asformat(layout)
        parts = [self._array(a, where) for a in (matrix.data, matrix.indices, matrix.indptr)]
        return {"sparse": [layout, [int(n) for n in matrix.shape], *parts]}


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Return doubles that are all whole numbers, as counts are, in the narrowest type they fit."""
    if values.dtype != np.float64 or values.size < LARGE:
        return values
    low, high = values.min(), values.max()
    if not 0 <= low <= high < 2**32 or np.signbit(values).any():  # NaN, or −0.0
        return values
    narrow = values.astype(np.min_scalar_type(int(high)))
    return narrow if np.array_equal(narrow, values) else values
