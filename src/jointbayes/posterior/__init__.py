"""The distribution of the labels given each row, and the questions one may ask it.

The module can be called: ``jb.posterior(model, X)`` is `posterior_of`, which also asks a
scikit-learn Pipeline. Every kind is imported when first used, with what it needs and no other.

>>> import jointbayes as jb
>>> model = jb.TAN().fit([["a"], ["b"], ["b"]], [0, 1, 1])
>>> jb.posterior(model, [["b"]]).map().tolist()
[[1]]
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_HOME = {
    "BackedOff": "backed_off",
    "Blocks": "blocks",
    "Cascade": "cascade",
    "Chain": "chain",
    "ChainSearch": "chain_search",
    "FactorGraph": "factor_graph",
    "Frame": "frame",
    "Independent": "independent",
    "LinearChain": "linear_chain",
    "Listed": "listed",
    "Mixture": "mixture",
    "PooledMarginals": "pooled_marginals",
    "Posterior": "posterior",
    "Product": "product",
    "Reweighted": "reweighted",
    "SteppedCascade": "stepped_cascade",
    "Tree": "tree",
    "chain_of": "linear_chain",
    "frame_of": "frame",
    "mix": "mixture",
    "posterior_of": "pipeline",
}
"""The module of every name. `__init__.pyi` says the same to type checkers; a test compares them."""

__all__ = sorted(_HOME)  # noqa: PLE0605  derived, so that it cannot differ


class _PosteriorModule(ModuleType):
    """A module that can be called; the only way to be both, since a submodule is an attribute."""

    def __call__(self, model: Any, X: Any) -> Any:
        """Return the joint distribution of the labels given each row; see `posterior_of`."""
        return self.posterior_of(model, X)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__


sys.modules[__name__].__class__ = _PosteriorModule
