"""Networks: a graph with one conditional distribution per variable, and how counts become them."""

from jointbayes.counts import Family
from jointbayes.network.network import Network, families_of
from jointbayes.network.parameters import estimate, log_m_estimate

__all__ = ["Family", "Network", "estimate", "families_of", "log_m_estimate"]
