"""The distribution of the labels given each row, and the questions one may ask it."""

from jointbayes.posterior.blocks import Blocks
from jointbayes.posterior.cascade import Cascade
from jointbayes.posterior.chain import Chain, Search
from jointbayes.posterior.factor_graph import FactorGraph
from jointbayes.posterior.independent import Independent
from jointbayes.posterior.listed import Listed
from jointbayes.posterior.mixture import Mixture, mix
from jointbayes.posterior.pooled_marginals import PooledMarginals
from jointbayes.posterior.posterior import Posterior
from jointbayes.posterior.product import Product
from jointbayes.posterior.tree import Tree

__all__ = [
    "Blocks",
    "Cascade",
    "Chain",
    "FactorGraph",
    "Independent",
    "Listed",
    "Mixture",
    "PooledMarginals",
    "Posterior",
    "Product",
    "Search",
    "Tree",
    "mix",
]
