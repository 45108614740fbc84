"""Models: one file per idea of a paper. Each makes a posterior; none knows a loss.

`BatchedLogistic` is here and not among the names of `jointbayes`: it is what others are built of.
"""

from jointbayes.models.batched_logistic import BatchedLogistic

__all__ = ["BatchedLogistic"]
