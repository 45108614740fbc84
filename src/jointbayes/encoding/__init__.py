"""From any table to codes and back: what each column's codes mean, learned once."""

from jointbayes.encoding.encoder import Encoder
from jointbayes.encoding.learning import learn_encoder
from jointbayes.encoding.variable import Variable

__all__ = ["Encoder", "Variable", "learn_encoder"]
