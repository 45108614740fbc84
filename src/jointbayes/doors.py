"""Doors: verbs that an object offers and a later stage does.

Imports point left. A method such as ``posterior.decide(loss)`` needs what lies to its right, so it
goes through a door that is listed here and opened when it is called; there are no other ways.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["DOORS", "Shown", "through"]

DOORS: Mapping[str, str] = {
    "complete_labels": "jointbayes.models.completion",
    "decide": "jointbayes.decision",
    "expected_loss": "jointbayes.decision",
    "next_question": "jointbayes.decision",
    "top_labels": "jointbayes.decision",
    "subject_to": "jointbayes.posterior.among",
    "explore": "jointbayes.explorer",
    "cell_of": "jointbayes.report.showing",
    "write_page": "jointbayes.report.showing",
}
"""The verb, and the stage that does it."""


@cache
def through(door: str) -> Any:
    """Return the function behind a door.

    >>> through("decide").__module__.split(".")[1]
    'decision'
    """
    return getattr(import_module(DOORS[door]), door)


class Shown:
    """A result that a notebook shows as a small page, and that can be written as a whole one.

    >>> Shown.to_html.__name__
    'to_html'
    """

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the head of the page and its first tables."""
        return str(through("cell_of")(self))

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page that the command line writes: one file, with plots."""
        through("write_page")(self, path)
