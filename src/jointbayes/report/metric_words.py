"""What pages say of metrics: which way is better, and what an infinite one means."""

from __future__ import annotations

from collections.abc import Mapping

from jointbayes.metrics import METRICS

__all__ = ["ARROWS", "INFINITE_LOSS", "metric_title"]

ARROWS: Mapping[str, str] = {"higher": "↑", "lower": "↓", "neither": "·"}
INFINITE_LOSS = "∞ is a loss without bound: some true label had probability 0."


def metric_title(name: str) -> str:
    """Return a metric in words that wrap, with the way that is better.

    >>> metric_title("log_loss")
    'log loss ↓'
    """
    return f"{name.replace('_', ' ')} {ARROWS[METRICS[name].better]}"
