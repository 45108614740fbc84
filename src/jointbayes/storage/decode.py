"""From JSON and arrays back to a model: the mirror of `encode`. Nothing from the file is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from jointbayes.errors import DataError
from jointbayes.storage.examine import examine
from jointbayes.storage.foreign import load_foreign
from jointbayes.storage.names import find_class, is_estimator, is_noun, name_of
from jointbayes.storage.recipes import make_again
from jointbayes.storage.upgrades import fill_in, needed_by, upgraded

__all__ = ["decode"]


def decode(document: Any, members: Mapping[str, bytes]) -> Any:
    """Return the value that `encode` turned into JSON and members, if it can be right.

    >>> from jointbayes.storage.encode import encode
    >>> stored = encode({"cuts": (1, np.array([2.5]))}, "value")
    >>> decode(stored.document, stored.members)
    {'cuts': (1, array([2.5]))}
    """
    reader = _Reader(members)
    value = reader.read(document)
    examine(value, reader.seen)
    return value


@dataclass
class _Reader:
    members: Mapping[str, bytes]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    nouns: dict[str, Any] = field(default_factory=dict)
    seen: dict[int, Any] = field(default_factory=dict)

    def read(self, document: Any) -> Any:
        if isinstance(document, list):
            return [self.read(item) for item in document]
        if not isinstance(document, dict):
            return document
        ((tag, content),) = document.items()
        return self._tagged(tag)(content)

    def _tagged(self, tag: str) -> Callable[[Any], Any]:
        readers: dict[str, Callable[[Any], Any]] = {
            "array": self._array,
            "dict": lambda pairs: {self.read(k): self.read(v) for k, v in pairs},
            "estimator": self._estimator,
            "float": float,
            "made": lambda content: self._once(self._made, content),
            "whole": self._whole,
            "foreign": lambda name: load_foreign(self.members[f"foreign/{name}.skops"]),
            "noun": lambda content: self._once(self._noun, content),
            "objects": self._objects,
            "scalar": lambda pair: np.dtype(pair[0]).type(self.read(pair[1])),
            "set": lambda items: set(self.read(items)),
            "sparse": self._sparse,
            "tuple": lambda items: tuple(self.read(items)),
        }
        return readers[tag]

    def _array(self, name: str) -> NDArray[Any]:
        if name not in self.arrays:
            data = BytesIO(self.members[f"arrays/{name}.npy"])
            self.arrays[name] = np.lib.format.read_array(data, allow_pickle=False)
        return self.arrays[name]

    def _whole(self, name: str) -> NDArray[Any]:
        found = self._array(name)
        if found.dtype.kind == "u":  # once, so that what shares it goes on to share it
            found = self.arrays[name] = found.astype(np.float64)
        return found

    def _once(self, read: Callable[[Any], Any], content: Any) -> Any:
        """Return the same object for the same words: nouns are frozen, so that parts share them."""
        key = json.dumps(content)
        if key not in self.nouns:
            self.nouns[key] = read(content)
        return self.nouns[key]

    def _made(self, content: Any) -> Any:
        name, origin = content
        return make_again(name, self.read(origin), self.seen)

    def _objects(self, content: Any) -> NDArray[Any]:
        shape, values = content
        flat = np.empty(len(values), dtype=object)
        for i, value in enumerate(values):
            flat[i] = self.read(value)
        return flat.reshape(shape)

    def _sparse(self, content: Any) -> Any:
        layout, shape, *parts = content
        kind = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}[layout]
        matrix = kind(tuple(self.read(part) for part in parts), shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix

    def _noun(self, content: Any) -> Any:
        path, stored = content
        kind = find_class(path)
        if not is_noun(kind):
            raise _other_version(path)
        values = upgraded(name_of(kind), self._attributes(stored))
        if not needed_by(kind) <= values.keys() <= {f.name for f in fields(kind)}:
            raise _other_version(path)
        return kind(**values)

    def _estimator(self, content: Any) -> Any:
        path, stored = content
        kind = find_class(path)
        if not is_estimator(kind):
            raise _other_version(path)
        values = upgraded(name_of(kind), self._attributes(stored))
        hidden = [name for name in values if callable(getattr(kind, name, None))]
        if hidden:
            raise DataError(f"the file has an attribute {hidden[0]!r} in place of a method")
        model: Any = object.__new__(kind)
        vars(model).update(values)
        fill_in(model)
        return model

    def _attributes(self, values: Mapping[str, Any]) -> dict[str, Any]:
        odd = [name for name in values if not name.isidentifier() or name.startswith("__")]
        if odd:
            raise DataError(f"the file has an attribute {odd[0]!r}, which no model has")
        return {name: self.read(value) for name, value in values.items()}


def _other_version(path: str) -> DataError:
    return DataError(
        f"it describes {path} otherwise than this version of jointbayes does; fit the model again"
    )
