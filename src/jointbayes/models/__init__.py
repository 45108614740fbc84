"""Models: one file per idea of a paper. Each makes a posterior; none knows a loss.

`BatchedLogistic` and `VotingForest` are here and not among the names of `jointbayes`: they are what
others are built of.
"""

from jointbayes.models.batched_logistic import BatchedLogistic
from jointbayes.models.voting_forest import VotingForest

__all__ = ["BatchedLogistic", "VotingForest"]
