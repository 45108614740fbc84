"""The distribution of the labels given each row, and the questions one may ask it."""

from jointbayes.posterior.independent import Independent
from jointbayes.posterior.protocol import Posterior

__all__ = ["Independent", "Posterior"]
