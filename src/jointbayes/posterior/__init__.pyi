"""The names of `jointbayes.posterior` for type checkers; at run time `_HOME` says the same."""

from jointbayes.posterior.backed_off import BackedOff as BackedOff
from jointbayes.posterior.blocks import Blocks as Blocks
from jointbayes.posterior.cascade import Cascade as Cascade
from jointbayes.posterior.chain import Chain as Chain
from jointbayes.posterior.chain_search import ChainSearch as ChainSearch
from jointbayes.posterior.factor_graph import FactorGraph as FactorGraph
from jointbayes.posterior.frame import Frame as Frame
from jointbayes.posterior.frame import frame_of as frame_of
from jointbayes.posterior.independent import Independent as Independent
from jointbayes.posterior.linear_chain import LinearChain as LinearChain
from jointbayes.posterior.linear_chain import chain_of as chain_of
from jointbayes.posterior.listed import Listed as Listed
from jointbayes.posterior.mixture import Mixture as Mixture
from jointbayes.posterior.mixture import mix as mix
from jointbayes.posterior.pipeline import posterior_of as posterior_of
from jointbayes.posterior.pooled_marginals import PooledMarginals as PooledMarginals
from jointbayes.posterior.posterior import Posterior as Posterior
from jointbayes.posterior.product import Product as Product
from jointbayes.posterior.reweighted import Reweighted as Reweighted
from jointbayes.posterior.stepped_cascade import SteppedCascade as SteppedCascade
from jointbayes.posterior.tree import Tree as Tree
