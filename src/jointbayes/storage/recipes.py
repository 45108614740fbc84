"""Tables that follow from counts: a file holds the counts alone, and they are made again on load.

Some nouns are far larger than what they were made of, and a model keeps that too, to learn on. They
have a field ``origin``: the arguments of the function that made them. It is a pure function, so
what it makes of the same arguments is the same. Ranks are stored: to sort again takes longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from jointbayes.errors import DataError
from jointbayes.storage.examine import examine
from jointbayes.storage.fields import fits, hints_of
from jointbayes.storage.names import find_class, name_of

__all__ = ["RECIPES", "ingredients", "make_again"]

RECIPES: Mapping[str, str] = {
    "Averaged": "learn_aode",
    "PairTables": "pair_tables",
}
"""The noun, and the function beside it that makes it of its ``origin``."""


def ingredients(noun: Any) -> tuple[Any, ...] | None:
    """Return what a noun can be made of again; None if it has to be stored as it is.

    >>> from jointbayes.graph import Dag
    >>> ingredients(Dag(((),))) is None
    True
    """
    return noun.origin if name_of(type(noun)) in RECIPES else None


def make_again(name: str, origin: tuple[Any, ...], seen: dict[int, Any]) -> Any:
    """Return the noun that a file gives by what it was made of, which is looked at before.

    ``seen`` is what was looked at already (`examine`). What is made of it is sound.
    """
    if name not in RECIPES:
        raise DataError(f"the file says what {name!r} is made of, and nothing makes it")
    kind = find_class(name)
    if origin is None or not fits(origin, hints_of(kind)["origin"]):
        raise DataError(f"{name} cannot be made of what the file holds")
    examine(origin, seen)
    made = getattr(import_module(kind.__module__), RECIPES[name])(*origin)
    seen[id(made)] = made
    return made
