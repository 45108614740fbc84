"""Methods that a class does not have although its base has them."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Withheld"]


class Withheld:
    """Stands in the place of an inherited method that would have no meaning.

    >>> class Counter(list):
    ...     sort = Withheld("its order is that of counting")
    >>> hasattr(Counter(), "sort")
    False
    >>> Counter().sort
    Traceback (most recent call last):
    ...
    AttributeError: Counter has no 'sort': its order is that of counting
    """

    def __init__(self, reason: str):
        self.reason = reason

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__} has no {self.name!r}: {self.reason}")
