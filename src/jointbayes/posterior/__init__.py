"""The distribution of the labels given each row, and the questions one may ask it.

The module can be called: ``jb.posterior(model, X)`` is `posterior_of`, which also asks a
scikit-learn Pipeline.

>>> import jointbayes as jb
>>> model = jb.TAN().fit([["a"], ["b"], ["b"]], [0, 1, 1])
>>> jb.posterior(model, [["b"]]).map().tolist()
[[1]]
"""

import sys
from types import ModuleType
from typing import Any

from jointbayes.posterior.backed_off import BackedOff
from jointbayes.posterior.blocks import Blocks
from jointbayes.posterior.cascade import Cascade
from jointbayes.posterior.chain import Chain
from jointbayes.posterior.chain_search import ChainSearch
from jointbayes.posterior.factor_graph import FactorGraph
from jointbayes.posterior.frame import Frame, frame_of
from jointbayes.posterior.independent import Independent
from jointbayes.posterior.linear_chain import LinearChain, chain_of
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.mixture import Mixture, mix
from jointbayes.posterior.pipeline import posterior_of
from jointbayes.posterior.pooled_marginals import PooledMarginals
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.product import Product
from jointbayes.posterior.reweighted import Reweighted
from jointbayes.posterior.tree import Tree

__all__ = [
    "BackedOff",
    "Blocks",
    "Cascade",
    "Chain",
    "ChainSearch",
    "FactorGraph",
    "Frame",
    "Independent",
    "LinearChain",
    "Listed",
    "Mixture",
    "PooledMarginals",
    "Posterior",
    "Product",
    "Reweighted",
    "Tree",
    "chain_of",
    "frame_of",
    "mix",
    "posterior_of",
]


class _PosteriorModule(ModuleType):
    """A module that can be called; the only way to be both, since a submodule is an attribute."""

    def __call__(self, model: Any, X: Any) -> Posterior:
        """Return the joint distribution of the labels given each row; see `posterior_of`."""
        return posterior_of(model, X)


sys.modules[__name__].__class__ = _PosteriorModule
