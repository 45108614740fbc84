"""Inference: from a network and rows of evidence to the class variable, exactly.

`Scorer` is a network made ready for whole batches; `condition` runs it. Rows that miss a feature
others depend on are summed over it, in trees by messages, elsewhere by elimination.
"""

from jointbayes.inference.features.conditioning import condition, contributions, in_blocks, sum_out
from jointbayes.inference.features.scorer import Factor, Scorer, compile_network
from jointbayes.inference.logs import log_mix, log_normalize

__all__ = [
    "Factor",
    "Scorer",
    "compile_network",
    "condition",
    "contributions",
    "in_blocks",
    "log_mix",
    "log_normalize",
    "sum_out",
]
