"""From any table to a matrix of numbers: the road of the models that learn by regression.

`Design` says what becomes of each column, `AsGiven` that a Pipeline reads them itself; texts are
rows of words, units make columns comparable, and labels can stand as columns beside those of a
design.
"""

from jointbayes.design.as_given import AsGiven
from jointbayes.design.design import Design, learn_design, learn_matrix

__all__ = ["AsGiven", "Design", "learn_design", "learn_matrix"]
