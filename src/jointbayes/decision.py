"""Decisions: from a posterior to the labels that cost least."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from jointbayes.posterior import Posterior

__all__ = ["decide"]


def decide(posterior: Posterior, loss: str, empty: str = "allow") -> NDArray[Any]:
    """Return the (n, d) label vectors of least expected loss."""
    return posterior.decide(loss, empty)
