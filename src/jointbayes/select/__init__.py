"""Which features to keep: correlation-based selection and Markov boundaries."""

from jointbayes.select.markov_boundary import MarkovBoundary

__all__ = ["MarkovBoundary"]
