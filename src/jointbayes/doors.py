"""Doors: verbs that an object offers and a later stage does.

Imports point left. A method such as ``posterior.decide(loss)`` needs what lies to its right, so it
goes through a door that is listed here and opened when it is called; there are no other ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["DOORS", "through"]

DOORS: Mapping[str, str] = {
    "decide": "jointbayes.decision",
    "expected_loss": "jointbayes.decision",
    "next_question": "jointbayes.decision",
    "subject_to": "jointbayes.posterior.among",
}
"""The verb, and the stage that does it."""


def through(door: str) -> Any:
    """Return the function behind a door.

    >>> through("decide").__module__.split(".")[1]
    'decision'
    """
    return getattr(import_module(DOORS[door]), door)
