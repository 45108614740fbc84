"""Learners: from numbers to probabilities, for the models that take the second road.

Logistic regressions of all labels at once, a voting forest for thousands of classes, kernels,
neighbours, and anybody's classifier, wrapped.
"""

from jointbayes.learners.forest import VotingForest
from jointbayes.learners.kernel import KernelClassifier
from jointbayes.learners.logistic.estimator import BatchedLogistic

__all__ = ["BatchedLogistic", "KernelClassifier", "VotingForest"]
