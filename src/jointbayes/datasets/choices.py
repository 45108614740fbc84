"""Columns with a word of their own: ``{"tags": "|"}``, or ``"tags=|"`` as the command line says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jointbayes.datasets.roles import positions
from jointbayes.errors import ParameterError
from jointbayes.table.wording import shown

__all__ = ["Named", "with_values"]

Named = str | int | Sequence[Any] | Mapping[str, Any]


def with_values(parameter: str, given: Named, names: tuple[str, ...]) -> dict[int, Any]:
    """Return the position of each column that is named, and its word, None where it has none.

    >>> with_values("split", ["tags=|", "town"], ("town", "tags"))
    {1: '|', 0: None}
    >>> with_values("positive", {"loan": "approved"}, ("loan",))
    {0: 'approved'}
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        items = [given] if isinstance(given, (str, int)) else list(given)
        pairs = [_pair(item, names) for item in items]
    found: dict[int, Any] = {}
    for which, value in pairs:
        for j in positions(parameter, which, names):
            if j in found and found[j] != value:
                raise ParameterError(f"{parameter} names {shown(names[j])} twice; name it once")
            found[j] = value
    return found


def _pair(item: Any, names: tuple[str, ...]) -> tuple[Any, Any]:
    """Split ``column=word`` where the left side is a column, else at the first sign."""
    if not isinstance(item, str) or item in names or "=" not in item:
        return item, None
    for at in (k for k, letter in enumerate(item) if letter == "="):
        if item[:at] in names:
            return item[:at], item[at + 1 :]
    left, _, right = item.partition("=")
    return left, right
