"""One step of an elimination."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from jointbayes.inference.graphs.axes import Scope

__all__ = ["Step"]


@dataclass(frozen=True)
class Step:
    """Eliminate one variable: from a table over (variable, *separator) to a message."""

    variable: int
    separator: Scope
    tables: tuple[int, ...]
    children: tuple[int, ...]

    @cached_property
    def clique(self) -> Scope:
        """The axes of the table."""
        return (self.variable, *self.separator)
