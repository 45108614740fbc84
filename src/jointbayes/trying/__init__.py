"""Trying: a baseline, a yardstick and the likely models on the same folds, and what to use."""

from jointbayes.trying.search import try_models
from jointbayes.trying.tryout import Place, Tryout

__all__ = ["Place", "Tryout", "try_models"]
