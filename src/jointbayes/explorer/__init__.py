"""The explorer: a fitted model as one page that recomputes its answers, without a server."""

from jointbayes.explorer.exploring import explore

__all__ = ["explore"]
