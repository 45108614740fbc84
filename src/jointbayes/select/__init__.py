"""Which features to keep: correlation-based selection and Markov boundaries."""

from jointbayes.select.cfs import CFS
from jointbayes.select.markov_boundary import MarkovBoundary

__all__ = ["CFS", "MarkovBoundary"]
